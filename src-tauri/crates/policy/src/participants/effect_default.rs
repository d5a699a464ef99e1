//! The default of everything but the shell (R16): by effect and mode, silent on reads inside.

use super::Opinion;
use crate::reading::Reading;
use crate::{Access, Behavior, Mode, Source, Subject, ToolEffect};

pub(super) fn judge(reading: &Reading<'_>) -> Option<Opinion> {
    let (behavior, reason) = match &reading.call.subject {
        Subject::Files { .. } => files(reading)?,
        Subject::Search(_) | Subject::Shell(_) => return None,
        Subject::Network(_) => network(reading),
        Subject::Internal => (Behavior::Allow, "It touches nothing outside Assent.".to_owned()),
    };
    Some(Opinion::new(Source::EFFECT_DEFAULT, behavior, reason))
}

fn files(reading: &Reading<'_>) -> Option<(Behavior, String)> {
    let access = reading.touches.iter().map(|touch| touch.access).max().unwrap_or(Access::Read);
    let effect = match reading.call.effect {
        ToolEffect::Read => Access::Read,
        ToolEffect::Write => Access::Write,
        ToolEffect::Execute | ToolEffect::Network => Access::Execute,
    };
    match (access.max(effect), reading.context.mode) {
        (Access::Read, _) => None,
        (Access::Write, Mode::Sandboxed) => {
            Some((Behavior::Allow, "Writing inside the workspace can be undone.".to_owned()))
        }
        (Access::Write, Mode::Strict | Mode::Balanced) => {
            Some((Behavior::Ask, "Changing files needs your consent.".to_owned()))
        }
        (Access::Delete, _) => Some((Behavior::Ask, "Deleting files needs your consent.".to_owned())),
        (Access::Execute, _) => Some((Behavior::Ask, "Running a program needs your consent.".to_owned())),
    }
}

fn network(reading: &Reading<'_>) -> (Behavior, String) {
    let hosts = reading.hosts.join(", ");
    let reason = if hosts.is_empty() {
        "Talking to another machine needs your consent.".to_owned()
    } else {
        format!("Connecting to {hosts} needs your consent.")
    };
    (Behavior::Ask, reason)
}
