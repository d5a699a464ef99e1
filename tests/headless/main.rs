//! The promises, one module each, with no display, network or key.

mod answers;
mod binding;
mod compaction;
mod faults;
mod needs;
mod preparation;
mod turns;
mod walks;
