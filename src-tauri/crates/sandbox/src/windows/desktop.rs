//! A desktop of the command's own: a keystroke or click that it makes up lands there, not in the person's windows.

use super::sys::wide;
use std::io;
use windows_sys::Win32::Foundation::GENERIC_ALL;
use windows_sys::Win32::System::StationsAndDesktops::{CloseDesktop, CreateDesktopW, HDESK};

/// A desktop; it goes with its last user.
#[derive(Debug)]
pub struct Desktop {
    handle: HDESK,
    name: Vec<u16>,
}

impl Desktop {
    /// A new desktop of this window station.
    pub fn new() -> io::Result<Self> {
        let name = wide(&format!("assent-{}", std::process::id()))?;
        let nothing = std::ptr::null();
        // SAFETY: a valid name; the other pointers may be null.
        let handle = unsafe {
            CreateDesktopW(name.as_ptr(), nothing, std::ptr::null(), 0, GENERIC_ALL, std::ptr::null())
        };
        if handle.is_null() { Err(io::Error::last_os_error()) } else { Ok(Self { handle, name }) }
    }

    /// Its name, ended by a NUL, as a start takes it.
    pub fn name(&self) -> &[u16] {
        &self.name
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        // SAFETY: the handle is ours. It fails only where the desktop is gone.
        unsafe { CloseDesktop(self.handle) };
    }
}
