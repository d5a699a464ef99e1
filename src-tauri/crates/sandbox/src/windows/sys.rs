//! What the standard library lacks of Windows' types. Each function gives the system's own error.

use std::io;
use std::os::windows::io::{FromRawHandle, OwnedHandle};
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::core::BOOL;

/// Turns a call's answer into a result.
pub fn check(answer: BOOL) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Takes over a handle that a call just made; null means that it failed.
///
/// # Safety
/// `handle` is null, or a handle that nobody else owns and `CloseHandle` closes.
pub unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as promised by the caller.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// A text in UTF-16 with a NUL at its end; an error where it holds one.
pub fn wide(text: &str) -> io::Result<Vec<u16>> {
    if text.contains('\0') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a text holds a NUL"));
    }
    Ok(text.encode_utf16().chain([0]).collect())
}

/// The size of a structure as the calls take it.
pub fn size_of_u32<T>() -> u32 {
    u32::try_from(size_of::<T>()).unwrap_or(u32::MAX)
}
