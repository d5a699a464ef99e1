//! The reviewer's answer: one JSON object of a fixed form, or a failure.

use assent_policy::escape::escape;
use serde::Deserialize;

/// Characters of a reason that are kept.
const REASON_LIMIT: usize = 300;

/// What it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing against it.
    Pass,
    /// A person should look at it.
    Ask(String),
    /// It must not happen.
    Deny(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    verdict: Word,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Pass,
    Ask,
    Deny,
}

/// Reads `text`, in a code fence or not.
///
/// # Errors
/// When it isn't of the form that was asked for, as the end of a sentence.
pub fn read(text: &str) -> Result<Answer, String> {
    let text = text.trim();
    let bare = text.strip_prefix("```json").or_else(|| text.strip_prefix("```")).unwrap_or(text);
    let bare = bare.strip_suffix("```").unwrap_or(bare).trim();
    let form: Form = serde_json::from_str(bare)
        .map_err(|_| "its answer isn't in the form that was asked for".to_owned())?;
    let reason: String = form.reason.trim().chars().take(REASON_LIMIT).collect();
    match (form.verdict, reason.is_empty()) {
        (Word::Pass, _) => Ok(Answer::Pass),
        (Word::Ask | Word::Deny, true) => Err("its answer gives no reason".to_owned()),
        (Word::Ask, false) => Ok(Answer::Ask(escape(&reason))),
        (Word::Deny, false) => Ok(Answer::Deny(escape(&reason))),
    }
}
