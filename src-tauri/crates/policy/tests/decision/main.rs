//! The decision as a whole: calls, facts, context and rules in; an evaluation out.

mod powershell;
mod properties;
mod sentences;
mod world;
