//! What a notification says of a run that ended, and whether there is one.

use crate::notification::Note;
use crate::view::{Notifications, RunOutcome};
use crate::words::{Words, fill};

/// The notification about a run in the folder `workspace`; none where the setting, or what the person does just now,
/// says that they know. A run without an outcome failed.
pub fn note(
    words: &Words,
    setting: Notifications,
    looking: bool,
    outcome: Option<RunOutcome>,
    workspace: &str,
) -> Option<Note> {
    let wanted = match setting {
        Notifications::Off => false,
        Notifications::Unfocused => !looking,
        Notifications::Always => true,
    };
    let (title, template) = match outcome {
        // Who stopped it knows.
        Some(RunOutcome::Cancelled) => return None,
        Some(RunOutcome::Completed) => (&words.notify_done_title, &words.notify_done),
        Some(
            RunOutcome::TurnLimit
            | RunOutcome::Incomplete
            | RunOutcome::ProviderError
            | RunOutcome::CircuitBreaker,
        )
        | None => (&words.notify_failed_title, &words.notify_failed),
    };
    let body = fill(template, &[("workspace", workspace)]);
    wanted.then(|| Note { title: title.clone(), body, actions: None })
}

#[cfg(test)]
mod tests {
    use super::note;
    use crate::view::{Notifications, RunOutcome};
    use crate::words::{Language, Words};

    #[test]
    fn a_run_that_failed_is_not_called_done() {
        let words = Words::load(Language::English).unwrap();
        let said =
            |outcome| note(&words, Notifications::Unfocused, false, outcome, "w").map(|note| note.title);
        assert_eq!(said(Some(RunOutcome::Completed)).as_deref(), Some("Assent is done"));
        for outcome in [Some(RunOutcome::ProviderError), Some(RunOutcome::TurnLimit), None] {
            assert_eq!(said(outcome).as_deref(), Some("Assent stopped early"), "{outcome:?}");
        }
        assert_eq!(said(Some(RunOutcome::Cancelled)), None);
    }

    #[test]
    fn whoever_looks_is_told_only_where_the_setting_says_always() {
        let words = Words::load(Language::English).unwrap();
        for (setting, looking, told) in [
            (Notifications::Off, false, false),
            (Notifications::Unfocused, true, false),
            (Notifications::Unfocused, false, true),
            (Notifications::Always, true, true),
        ] {
            let note = note(&words, setting, looking, Some(RunOutcome::Completed), "w");
            assert_eq!(note.is_some(), told, "{setting:?} {looking}");
        }
    }
}
