//! The promises, one module each, with no display, network or key.

mod answers;
mod attachments;
mod binding;
mod cancel;
mod compaction;
mod crashes;
mod faults;
mod grants;
mod needs;
mod preparation;
mod records;
mod retests;
mod scripts;
mod subagents;
mod turns;
mod walks;
