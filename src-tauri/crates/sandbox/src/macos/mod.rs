//! The macOS backend. What is pure in it is compiled and tested on every system.

pub mod profile;
