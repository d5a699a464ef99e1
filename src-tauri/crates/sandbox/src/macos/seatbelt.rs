//! Applying a profile. The functions are in libSystem; the first has no public header, and all browsers depend on it.

use crate::setup_error::SetupError;
use std::ffi::{CStr, CString, c_char, c_int};

unsafe extern "C" {
    /// Flags 0: the profile is text. The parameters are a null-terminated list.
    fn sandbox_init_with_parameters(
        profile: *const c_char,
        flags: u64,
        parameters: *const *const c_char,
        error: *mut *mut c_char,
    ) -> c_int;
    fn sandbox_free_error(error: *mut c_char);
    /// Without an operation: whether the process is in a sandbox at all.
    fn sandbox_check(pid: libc::pid_t, operation: *const c_char, filter: c_int, ...) -> c_int;
}

/// A profile in the form in which it is applied; made before the process it is for.
pub fn prepare(profile: &str) -> Result<CString, SetupError> {
    CString::new(profile).map_err(|_| SetupError::Refused("a path holds a NUL byte".to_owned()))
}

/// Applies a profile to this process and everything it becomes and starts, for good.
pub fn apply(profile: &CStr) -> Result<(), SetupError> {
    let parameters = [std::ptr::null()];
    let mut error: *mut c_char = std::ptr::null_mut();
    // SAFETY: a valid C string, an ended list, a writable place.
    let answer =
        unsafe { sandbox_init_with_parameters(profile.as_ptr(), 0, parameters.as_ptr(), &raw mut error) };
    if answer == 0 {
        return Ok(());
    }
    if error.is_null() {
        return Err(SetupError::Rules("the system gave no reason".to_owned()));
    }
    // SAFETY: the call left a C string there, to be freed by the function made for it.
    let why = unsafe {
        let why = CStr::from_ptr(error).to_string_lossy().into_owned();
        sandbox_free_error(error);
        why
    };
    Err(SetupError::Rules(why))
}

/// Whether this process runs under a profile already.
pub fn is_confined() -> bool {
    // SAFETY: plain numbers and no operation.
    unsafe { sandbox_check(libc::getpid(), std::ptr::null(), 0) != 0 }
}
