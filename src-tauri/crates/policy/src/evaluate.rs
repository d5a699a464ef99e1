//! The decision: all participants speak, the strictest wins, and nothing is decided from a missing fact.

use crate::{
    Access, Behavior, Context, ErrorCode, Facts, Inquiry, PreparedCall, Profile, Reason, Risk, RiskKind,
    RiskLevel, Rules, Source, Verdict,
};
use serde::Serialize;
use std::collections::BTreeSet;

/// Everything that came of judging one call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// The maximum over all verdicts; [`Behavior::Passthrough`] never leaves this crate.
    pub behavior: Behavior,
    /// The source of the verdict that won.
    pub source: Source,
    /// Its reason.
    pub reason: Reason,
    /// Every verdict that is no passthrough, strictest first, then by source.
    pub verdicts: Vec<Verdict>,
    /// What could go wrong.
    pub risk: Risk,
    /// The code the model gets if the answer is deny.
    pub error_code: Option<ErrorCode>,
    /// What the call touches, as far as it can be told from the call.
    pub touches: Vec<Touched>,
    /// Host names it would connect to, in ASCII.
    pub hosts: Vec<String>,
    /// The profile it would run in.
    pub profile: Profile,
    /// Facts that are still missing; while there are any, the behaviour is at least ask.
    pub inquiries: BTreeSet<Inquiry>,
}

/// A path that a call touches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Touched {
    /// The real path.
    pub path: String,
    /// What is done to it.
    pub access: Access,
    /// Whether it is a protected path.
    pub protected: bool,
    /// Whether it may hold secrets.
    pub sensitive: bool,
}

/// Judges `call` by the participants, with what is known.
#[must_use]
pub fn evaluate(
    call: &PreparedCall,
    _facts: &Facts,
    _context: &Context,
    _rules: &Rules,
    recommendations: &[Verdict],
) -> Evaluation {
    let mut verdicts = vec![Verdict::new(
        Source::EFFECT_DEFAULT,
        Behavior::Ask,
        format!("{} needs your consent.", call.tool),
    )];
    verdicts.extend(recommendations.iter().filter(|verdict| verdict.behavior > Behavior::Allow).cloned());
    verdicts.sort_by(|left, right| {
        right.behavior.cmp(&left.behavior).then_with(|| left.source.cmp(&right.source))
    });
    let (behavior, source, reason) = verdicts.first().map_or_else(
        || (Behavior::Deny, Source::EFFECT_DEFAULT, Reason::new("Nothing allows this.")),
        |winner| (winner.behavior, winner.source.clone(), winner.reason.clone()),
    );
    Evaluation {
        behavior,
        source,
        reason,
        verdicts,
        risk: Risk::new(RiskLevel::Medium, RiskKind::Unknown),
        error_code: (behavior == Behavior::Deny).then_some(ErrorCode::PermissionDenied),
        touches: Vec::new(),
        hosts: Vec::new(),
        profile: Profile::WorkspaceWrite,
        inquiries: BTreeSet::new(),
    }
}
