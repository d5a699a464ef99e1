//! The honest words for a call that got no result of its own: what is known to have happened, and nothing else.

use crate::model::ToolMessage;
use assent_policy::ErrorCode;

/// Why a call has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unanswered {
    /// A person said no.
    DeniedByPerson,
    /// A rule, the boundary or a hard denial said no.
    DeniedByRule,
    /// The run was stopped before it began.
    NeverStarted,
    /// The run was stopped while it ran.
    WhileRunning,
    /// The run ended before it began.
    NeverBegan,
    /// The run ended, and its result was not kept.
    NotKept,
    /// The app ended; what became of the call is not known.
    AppRestarted,
}

impl Unanswered {
    /// The answer that goes into the history.
    #[must_use]
    pub fn answer(self, call_id: &str) -> ToolMessage {
        let (code, reason) = match self {
            Self::DeniedByPerson => {
                (ErrorCode::ApprovalDenied, "The person denied this call. It was not run and had no effect.")
            }
            Self::DeniedByRule => {
                (ErrorCode::PermissionDenied, "A rule denied this call. It was not run and had no effect.")
            }
            Self::NeverStarted => (
                ErrorCode::Cancelled,
                "The person stopped the run before this call began. It was not run and had no effect.",
            ),
            Self::WhileRunning => (
                ErrorCode::OutcomeUnknown,
                "The person stopped the run while this call was running. It may have had some of its effects. \
                 Look before doing it again.",
            ),
            Self::NeverBegan => (
                ErrorCode::Cancelled,
                "The run ended before this call began. It was not run and had no effect.",
            ),
            Self::NotKept => (
                ErrorCode::OutcomeUnknown,
                "The run ended before the result of this call was kept. It is not known what it did. \
                 Look before doing it again.",
            ),
            Self::AppRestarted => (
                ErrorCode::OutcomeUnknown,
                "The app was restarted and no result was recorded. It is not known whether this call ran. \
                 Look before doing it again.",
            ),
        };
        ToolMessage::error(call_id, code.as_str(), reason)
    }
}

#[cfg(test)]
mod tests {
    use super::Unanswered;

    /// R53, R63
    #[test]
    fn the_words_say_only_what_is_known() {
        let all = [
            Unanswered::DeniedByPerson,
            Unanswered::DeniedByRule,
            Unanswered::NeverStarted,
            Unanswered::WhileRunning,
            Unanswered::NeverBegan,
            Unanswered::NotKept,
            Unanswered::AppRestarted,
        ];
        let texts: Vec<_> = all.iter().map(|why| why.answer("1").content).collect();
        insta::assert_snapshot!(texts.join("\n"), @r"
        Error [approval_denied]: The person denied this call. It was not run and had no effect.
        Error [permission_denied]: A rule denied this call. It was not run and had no effect.
        Error [cancelled]: The person stopped the run before this call began. It was not run and had no effect.
        Error [outcome_unknown]: The person stopped the run while this call was running. It may have had some of its effects. Look before doing it again.
        Error [cancelled]: The run ended before this call began. It was not run and had no effect.
        Error [outcome_unknown]: The run ended before the result of this call was kept. It is not known what it did. Look before doing it again.
        Error [outcome_unknown]: The app was restarted and no result was recorded. It is not known whether this call ran. Look before doing it again.
        ");
    }
}
