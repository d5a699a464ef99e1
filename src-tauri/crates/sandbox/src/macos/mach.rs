//! Services of the system by name.

use std::ffi::{CStr, c_char, c_int, c_uint};

unsafe extern "C" {
    static bootstrap_port: c_uint;
    fn bootstrap_look_up(bootstrap: c_uint, name: *const c_char, service: *mut c_uint) -> c_int;
}

/// Whether a service gives this process a port to talk to it.
pub fn can_look_up(name: &CStr) -> bool {
    let mut port = 0;
    // SAFETY: the system set the bootstrap port before this program began; a valid C string, a writable place.
    unsafe { bootstrap_look_up(bootstrap_port, name.as_ptr(), &raw mut port) == 0 }
}
