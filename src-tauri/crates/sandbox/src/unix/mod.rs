//! What Linux and macOS have in common.

pub mod check_paths;
pub mod exec;
pub mod link;
pub mod private_folder;
pub mod probe;
pub mod self_test;
