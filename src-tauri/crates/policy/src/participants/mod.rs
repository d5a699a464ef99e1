//! The judges that every call meets: one file each, each named as its verdicts' source.

mod effect_default;
mod hard_deny;
mod protected_paths;
mod sensitive_reads;
mod shell_default;
mod workspace_boundary;

use crate::reading::Reading;
use crate::{Behavior, ErrorCode, Source, Verdict};

/// A verdict, and the code the model gets if it denies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opinion {
    pub(crate) verdict: Verdict,
    pub(crate) code: ErrorCode,
}

impl Opinion {
    pub(crate) fn new(source: Source, behavior: Behavior, reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::new(source, behavior, reason), code: ErrorCode::PermissionDenied }
    }

    pub(crate) fn deny(source: Source, code: ErrorCode, reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::new(source, Behavior::Deny, reason), code }
    }
}

/// Those that always speak.
pub(crate) fn always(reading: &Reading<'_>) -> Vec<Opinion> {
    [workspace_boundary::judge, hard_deny::judge, protected_paths::judge, sensitive_reads::judge]
        .iter()
        .flat_map(|judge| judge(reading))
        .collect()
}

/// The two defaults; `covered` says whether allow rules or grants cover the whole call.
pub(crate) fn defaults(reading: &Reading<'_>, covered: bool) -> Vec<Opinion> {
    shell_default::judge(reading, covered)
        .into_iter()
        .chain(if covered { None } else { effect_default::judge(reading) })
        .collect()
}

/// The order in which equally strict verdicts explain a decision; it never changes what is decided.
pub(crate) fn rank(source: &Source) -> usize {
    let order = [
        Source::WORKSPACE_BOUNDARY,
        Source::HARD_DENY,
        Source::PROTECTED_PATHS,
        Source::SENSITIVE_READS,
        Source::SHELL_DEFAULT,
        Source::EFFECT_DEFAULT,
        Source::HOOKS,
        Source::REVIEWER,
    ];
    match order.iter().position(|one| one == source) {
        // Rules stand between the fixed participants and the defaults.
        None => 4,
        Some(place) if place < 4 => place,
        Some(place) => place + 1,
    }
}
