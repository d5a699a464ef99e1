//! The decision as a whole: calls, facts, context and rules in; an evaluation out.

#[path = "../../../../../tests/support/effort.rs"]
mod effort;
mod modes;
mod powershell;
mod properties;
mod sentences;
mod shell_rules;
mod world;
