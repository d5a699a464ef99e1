//! Who can be the source of a recorded decision, beside a rule's own name and the place where a person answered.

use super::refusal::surface_word;
use crate::approval::Answer;
use assent_policy::Source;

/// The same call was denied earlier in the run.
pub(super) const DENIED_BEFORE: Source = Source::fixed("denied-before");
/// What was found when the call was judged again, right before its start.
pub(super) const RECHECK: Source = Source::fixed("recheck");

/// Each of them: those of the policy, those of the gate, and the ends of a question that nobody answered.
#[must_use]
pub fn sources() -> Vec<String> {
    let unanswered = [Answer::Expired, Answer::Withdrawn, Answer::Unavailable { why: String::new() }];
    let given = Source::ALL.into_iter().chain([DENIED_BEFORE, RECHECK]).map(|source| source.to_string());
    given.chain(unanswered.iter().map(|answer| surface_word(answer).to_owned())).collect()
}
