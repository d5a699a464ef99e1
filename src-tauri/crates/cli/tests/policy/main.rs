//! `assent policy check` and `explain` from outside.
#![cfg(unix)]

mod cases;
mod lines;
mod world;
