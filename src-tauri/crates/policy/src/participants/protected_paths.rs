//! Paths whose change runs code later: they ask before any rule may allow them.

use super::Opinion;
use crate::reading::Reading;
use crate::{Behavior, Source};

pub(super) fn judge(reading: &Reading<'_>) -> Vec<Opinion> {
    reading
        .touches
        .iter()
        .filter(|touch| touch.changes() && touch.class.protected)
        .map(|touch| {
            let reason =
                format!("{} is protected: a change there can run code later.", touch.named(reading.context));
            Opinion::new(Source::PROTECTED_PATHS, Behavior::Ask, reason)
        })
        .collect()
}
