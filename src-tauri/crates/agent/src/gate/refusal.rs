//! Calls that needed more than policy and did not get it: codes and words.

use super::Judged;
use crate::approval::Answer;
use crate::model::ToolMessage;
use assent_policy::{ErrorCode, Source};

/// Why a call that needed more than policy did not get it.
pub(super) struct Refusal {
    pub(super) judged: Judged,
    pub(super) code: ErrorCode,
    pub(super) source: Source,
    pub(super) why: String,
    pub(super) answer: Option<Answer>,
}

impl Refusal {
    pub(super) fn new(
        judged: Judged,
        code: ErrorCode,
        source: Source,
        why: &str,
        answer: Option<Answer>,
    ) -> Self {
        Self { judged, code, source, why: why.to_owned(), answer }
    }
}

/// The code and the model's text for everything that is no explicit allow (R31, R34).
pub(super) fn refusal_text(answer: &Answer) -> Option<(ErrorCode, String)> {
    match answer {
        Answer::Allowed { surface } if surface.may_allow() => None,
        Answer::Allowed { .. } => Some((
            ErrorCode::ApprovalDenied,
            "The answer came from where no approval can be given. The call did not run.".to_owned(),
        )),
        Answer::Denied { words: Some(words), .. } if !words.trim().is_empty() => Some((
            ErrorCode::ApprovalDenied,
            format!("The user denied this call. It did not run. The user says: {}", words.trim()),
        )),
        Answer::Denied { .. } => Some((
            ErrorCode::ApprovalDenied,
            "The user denied this call. It did not run. Choose another way or ask the user.".to_owned(),
        )),
        Answer::Expired => {
            Some((ErrorCode::ApprovalExpired, "Nobody answered in time. The call did not run.".to_owned()))
        }
        Answer::Withdrawn => Some((
            ErrorCode::ApprovalWithdrawn,
            "The run was stopped while this call waited for the user. It did not run.".to_owned(),
        )),
        Answer::Unavailable { why } => Some((
            ErrorCode::ApprovalUnavailable,
            format!("There is nobody to ask: {}. The call did not run.", why.trim_end_matches('.')),
        )),
    }
}

/// The paired message of a call whose question ended so before its process did; `None` for an allow.
#[must_use]
pub fn refusal(answer: &Answer, call_id: &str) -> Option<ToolMessage> {
    refusal_text(answer).map(|(code, why)| ToolMessage::error(call_id, code.as_str(), &why))
}

pub(super) fn surface_word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Allowed { surface } | Answer::Denied { surface, .. } => surface.as_str(),
        Answer::Expired => "expired",
        Answer::Withdrawn => "withdrawn",
        Answer::Unavailable { .. } => "unavailable",
    }
}
