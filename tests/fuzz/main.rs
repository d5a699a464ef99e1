//! What no input may do to a parser: crash it, hang it, or talk it out of a promise.
//!
//! Each test is one target. It replays `tests/corpora/TARGET` and a few inputs made from it; `cargo xtask soak` goes on
//! making them for minutes. An input that broke something joins the corpus.

mod address;
mod campaign;
mod failure;
mod git_config;
mod git_index;
mod hooks;
mod mutation;
mod page;
mod paths;
mod policy_file;
mod reply;
mod shell;
mod world;
