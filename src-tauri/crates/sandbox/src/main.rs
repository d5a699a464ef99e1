//! The helper that applies the limits and starts the command; see [`assent_sandbox::helper`].
//!
//! On Unix it starts without the standard library's own preparations, which read the process's memory map and would be
//! a tenth of its whole time.
#![cfg_attr(unix, no_main)]

#[cfg(unix)]
// SAFETY: nothing else in this program has this name.
#[unsafe(no_mangle)]
extern "C" fn main() -> std::ffi::c_int {
    assent_sandbox::program::main()
}

#[cfg(not(unix))]
fn main() {
    std::process::exit(assent_sandbox::program::main());
}
