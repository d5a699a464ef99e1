//! The macOS backend: a Seatbelt profile that the command's process applies to itself before its program runs.
//!
//! ```text
//! caller ──socket──► supervisor (the helper) ──► command, under its profile
//! ```
//! The profile goes through `sandbox_init_with_parameters`, which every browser on macOS uses, and not through
//! `sandbox-exec`: that program tells a refused profile on the command's own standard error and by an exit code that
//! could be the command's. macOS has no process namespace and no subreaper, so the supervisor follows the tree by the
//! ids that the kernel gives each process and its parent once for all. What it refuses is told to nobody: a refusal
//! is an error of the command's own. What needs no system call here is compiled and tested on every system.

pub mod family;
pub mod profile;

#[cfg(target_os = "macos")]
mod backend;
#[cfg(target_os = "macos")]
mod mach;
#[cfg(target_os = "macos")]
mod mechanisms;
#[cfg(target_os = "macos")]
mod processes;
#[cfg(target_os = "macos")]
mod seatbelt;
#[cfg(target_os = "macos")]
mod start;
#[cfg(target_os = "macos")]
mod supervise;

#[cfg(target_os = "macos")]
pub(crate) use backend::MacOs;
