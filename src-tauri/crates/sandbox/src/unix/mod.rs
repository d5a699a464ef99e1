//! What Linux and macOS have in common.

pub mod exec;
pub mod link;
pub mod probe;
pub mod self_test;
