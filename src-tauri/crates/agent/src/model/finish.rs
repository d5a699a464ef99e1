//! Why a reply ended. The label on the wire is a hint; the stop is derived:
//! failed, else cut, else calls present, else the end.

use super::StopReason;

/// What a label on the wire means. Ordered: where a stream carries several, the gravest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finish {
    /// A normal end, in whatever spelling, known or not.
    Normal,
    /// Not finished: the provider wants the request again with this reply appended.
    Pause,
    /// The output limit or the context window.
    Length,
    /// Filtered or refused.
    Filtered,
    /// The provider threw the model's call away since it couldn't be parsed.
    MalformedCall,
    /// The provider failed.
    Failed,
}

impl Finish {
    /// Reads a `finish_reason` or `stop_reason`; an empty one says "not finished". Labels come in every spelling
    /// (`max_tokens`, `MAX_TOKENS`, `maxTokens`, `model_length`), so the words in them count.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        let plain =
            label.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
        let label: String = plain.collect();
        if matches!(label.as_str(), "" | "null" | "none" | "finishreasonunspecified") {
            return None;
        }
        let has = |words: &[&str]| words.iter().any(|word| label.contains(word));
        let finish = if has(&["malformedfunction", "malformedtool", "unexpectedtool", "toomanytool"]) {
            Self::MalformedCall
        } else if has(&["length", "tokenlimit", "contextwindow"]) || (has(&["max"]) && has(&["token"])) {
            Self::Length
        } else if has(&FILTERED) {
            Self::Filtered
        } else if has(&FAILED) {
            Self::Failed
        } else if label == "pauseturn" {
            Self::Pause
        } else {
            Self::Normal
        };
        Some(finish)
    }
}

/// The provider broke off.
const FAILED: [&str; 8] = [
    "error",
    "abort",
    "cancel",
    "insufficientsystemresource",
    "timeout",
    "timedout",
    "overloaded",
    "interrupted",
];

/// The provider held the reply back, or the model declined.
const FILTERED: [&str; 10] = [
    "filter",
    "refus",
    "safety",
    "recitation",
    "blocklist",
    "prohibited",
    "spii",
    "sensitive",
    "guardrail",
    "modelarmor",
];

/// The stop of a reply that did not fail.
#[must_use]
pub fn derive_stop(finish: Finish, has_calls: bool, has_refusal: bool) -> StopReason {
    match finish {
        Finish::Failed | Finish::MalformedCall => StopReason::Error,
        Finish::Length => StopReason::Length,
        Finish::Filtered => StopReason::ContentFilter,
        Finish::Normal | Finish::Pause if has_refusal => StopReason::ContentFilter,
        Finish::Normal | Finish::Pause if has_calls => StopReason::ToolCalls,
        Finish::Normal | Finish::Pause => StopReason::End,
    }
}

#[cfg(test)]
mod tests {
    use super::{Finish, derive_stop};
    use crate::model::StopReason;

    /// R3
    #[test]
    fn labels_are_read_in_every_spelling() {
        let cases = [
            ("", None),
            ("stop", Some(Finish::Normal)),
            ("STOP", Some(Finish::Normal)),
            ("eos", Some(Finish::Normal)),
            ("end_turn", Some(Finish::Normal)),
            ("tool_calls", Some(Finish::Normal)),
            ("something_new", Some(Finish::Normal)),
            ("tool-calls", Some(Finish::Normal)),
            ("stop_sequence", Some(Finish::Normal)),
            ("length", Some(Finish::Length)),
            ("max_length", Some(Finish::Length)),
            ("model_length", Some(Finish::Length)),
            ("MAX_TOKENS", Some(Finish::Length)),
            ("maxTokens", Some(Finish::Length)),
            ("max_new_tokens", Some(Finish::Length)),
            ("max_output_tokens", Some(Finish::Length)),
            ("token_limit", Some(Finish::Length)),
            ("model_context_window_exceeded", Some(Finish::Length)),
            ("refusal", Some(Finish::Filtered)),
            ("content_filter", Some(Finish::Filtered)),
            ("content-filter", Some(Finish::Filtered)),
            ("contentFiltered", Some(Finish::Filtered)),
            ("IMAGE_SAFETY", Some(Finish::Filtered)),
            ("guardrail_intervened", Some(Finish::Filtered)),
            ("error", Some(Finish::Failed)),
            ("network_error", Some(Finish::Failed)),
            ("abort", Some(Finish::Failed)),
            ("cancelled", Some(Finish::Failed)),
            ("insufficient_system_resource", Some(Finish::Failed)),
            ("timeout", Some(Finish::Failed)),
            ("engine_overloaded", Some(Finish::Failed)),
            ("UNEXPECTED_TOOL_CALL", Some(Finish::MalformedCall)),
            ("function_call_filter: MALFORMED_FUNCTION_CALL", Some(Finish::MalformedCall)),
            ("malformedFunctionCall", Some(Finish::MalformedCall)),
            ("pause_turn", Some(Finish::Pause)),
        ];
        for (label, expected) in cases {
            assert_eq!(Finish::from_label(label), expected, "{label:?}");
        }
    }

    /// R3
    #[test]
    fn calls_count_more_than_the_label_and_a_cut_more_than_calls() {
        let cases = [
            (Finish::Normal, true, false, StopReason::ToolCalls),
            (Finish::Normal, false, false, StopReason::End),
            (Finish::Length, true, false, StopReason::Length),
            (Finish::Filtered, true, false, StopReason::ContentFilter),
            (Finish::Normal, true, true, StopReason::ContentFilter),
            (Finish::Failed, true, false, StopReason::Error),
        ];
        for (finish, calls, refusal, expected) in cases {
            assert_eq!(derive_stop(finish, calls, refusal), expected, "{finish:?} {calls} {refusal}");
        }
    }
}
