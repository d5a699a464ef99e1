//! The Windows backend. What is pure in it is compiled and tested on every system.

pub mod command_line;
pub mod token_plan;
