//! What is refused with no question (R11): catastrophic commands, and our own files by any tool.

use super::Opinion;
use crate::path::{Place, contains};
use crate::reading::{Reading, Touch};
use crate::{Access, Behavior, Context, Source};

pub(super) fn judge(reading: &Reading<'_>) -> Vec<Opinion> {
    let commands: Vec<String> =
        reading.shell.iter().flat_map(|shell| shell.hard_denials.iter().cloned()).collect();
    // `rm -rf /` would take our files along, which is not why it is refused.
    let speaks_for_itself = !commands.is_empty();
    let own = reading
        .touches
        .iter()
        .filter(|touch| is_own(touch, reading.context))
        .filter(|touch| touch.class.place == Place::Own || !speaks_for_itself)
        .map(|touch| format!("{} belongs to Assent itself; no tool touches it.", touch.shown()));
    commands
        .into_iter()
        .chain(own)
        .map(|reason| Opinion::new(Source::HARD_DENY, Behavior::Deny, reason))
        .collect()
}

/// One of our own files or folders, or a folder that holds one and would be removed or replaced.
fn is_own(touch: &Touch<'_>, context: &Context) -> bool {
    touch.class.place == Place::Own
        || touch.access == Access::Delete
            && context.own_paths.iter().any(|own| contains(touch.shown(), own, context.os))
}
