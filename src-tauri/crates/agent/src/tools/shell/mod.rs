//! `shell`: a command, in the sandbox that the person was shown.

mod arguments;

pub use arguments::{ShellArguments, schema};
