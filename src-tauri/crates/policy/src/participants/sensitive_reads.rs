//! Paths that may hold secrets (R15): reading them asks.

use super::Opinion;
use crate::reading::{Reading, TouchedBy};
use crate::{Access, Behavior, Source, Subject};

pub(super) fn judge(reading: &Reading<'_>) -> Vec<Opinion> {
    // A search for names shows no content.
    let names_only = match &reading.call.subject {
        Subject::Search(search) => !search.contents,
        Subject::Files { .. } | Subject::Shell(_) | Subject::Network(_) | Subject::Internal => false,
    };
    reading
        .touches
        .iter()
        .filter(|touch| touch.access == Access::Read && touch.class.sensitive)
        .filter(|touch| !(names_only && touch.by == TouchedBy::Search))
        .map(|touch| {
            let reason = format!("{} may hold secrets.", touch.named(reading.context));
            Opinion::new(Source::SENSITIVE_READS, Behavior::Ask, reason)
        })
        .collect()
}
