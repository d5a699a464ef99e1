//! The decision: all participants speak, the strictest wins, and nothing is decided from a missing fact.

use crate::participants::{self, Opinion};
use crate::reading::Reading;
use crate::shell::Proof;
use crate::{
    Access, Behavior, Context, ErrorCode, Facts, Inquiry, Mode, PreparedCall, Profile, Reason, Risk, Rules,
    SandboxState, Source, Subject, ToolEffect, Verdict, rule,
};
use serde::{Deserialize, Serialize};
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
    /// Every verdict that is no passthrough, strictest first, then in the participants' order.
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

/// Judges `call` by all participants, with what is known. `recommendations` (hooks, a reviewer) can only tighten.
#[must_use]
pub fn evaluate(
    call: &PreparedCall,
    facts: &Facts,
    context: &Context,
    rules: &Rules,
    recommendations: &[Verdict],
) -> Evaluation {
    let mut reading = Reading::of(call, facts, context);
    let by_rules = rule::judge(rules, &reading);
    reading.inquiries.extend(by_rules.inquiries);

    let mut opinions = participants::always(&reading);
    opinions.extend(participants::defaults(&reading, by_rules.covered));
    opinions.extend(by_rules.opinions);
    opinions
        .extend(recommendations.iter().filter(|verdict| verdict.behavior > Behavior::Allow).map(recommended));
    if !reading.inquiries.is_empty() {
        opinions.push(unknown(&reading));
    }
    if opinions.is_empty() {
        opinions.push(without_opinion(&reading));
    }
    conclude(&reading, opinions)
}

/// A missing fact is never a reason to allow.
fn unknown(reading: &Reading<'_>) -> Opinion {
    let source = match reading.call.subject {
        Subject::Shell(_) => Source::SHELL_DEFAULT,
        Subject::Files { .. } | Subject::Search(_) | Subject::Network(_) | Subject::Internal => {
            Source::EFFECT_DEFAULT
        }
    };
    Opinion::new(source, Behavior::Ask, "Something it depends on could not be looked up.")
}

/// No verdict at all: a read inside the workspace is allowed, anything else is not (R10).
fn without_opinion(reading: &Reading<'_>) -> Opinion {
    let looks = match &reading.call.subject {
        Subject::Files { .. } | Subject::Search(_) => {
            reading.call.effect == ToolEffect::Read && !reading.touches.is_empty()
        }
        Subject::Shell(_) | Subject::Network(_) | Subject::Internal => false,
    };
    if looks {
        Opinion::new(Source::DEFAULT, Behavior::Allow, "Reading inside the workspace is allowed.")
    } else {
        Opinion::new(Source::DEFAULT, Behavior::Deny, "Nothing allows this.")
    }
}

fn recommended(verdict: &Verdict) -> Opinion {
    Opinion { verdict: verdict.clone(), code: ErrorCode::PermissionDenied }
}

fn conclude(reading: &Reading<'_>, mut opinions: Vec<Opinion>) -> Evaluation {
    opinions.sort_by(|left, right| {
        let (left, right) = (&left.verdict, &right.verdict);
        right
            .behavior
            .cmp(&left.behavior)
            .then_with(|| participants::rank(&left.source).cmp(&participants::rank(&right.source)))
            .then_with(|| left.cmp(right))
    });
    opinions.dedup_by(|left, right| left.verdict == right.verdict);
    let (behavior, source, reason, code) = opinions.first().map_or_else(
        || {
            (
                Behavior::Deny,
                Source::DEFAULT,
                Reason::new("Nothing allows this."),
                ErrorCode::PermissionDenied,
            )
        },
        |Opinion { verdict, code }| (verdict.behavior, verdict.source.clone(), verdict.reason.clone(), *code),
    );
    Evaluation {
        behavior,
        error_code: (behavior == Behavior::Deny).then_some(code),
        risk: Risk::of(reading),
        touches: touched(reading),
        hosts: reading.hosts.clone(),
        profile: profile(reading, behavior, &source),
        source,
        reason,
        verdicts: opinions.into_iter().map(|opinion| opinion.verdict).collect(),
        inquiries: reading.inquiries.clone(),
    }
}

fn touched(reading: &Reading<'_>) -> Vec<Touched> {
    let mut touches: Vec<Touched> = reading
        .touches
        .iter()
        .map(|touch| Touched {
            path: touch.shown().to_owned(),
            access: touch.access,
            protected: touch.class.protected && touch.changes(),
            sensitive: touch.class.sensitive && touch.access == Access::Read,
        })
        .collect();
    touches.sort();
    touches.dedup();
    touches
}

/// A proven reader runs in the read-only profile; what a person or a rule allowed, in `workspace-write`.
fn profile(reading: &Reading<'_>, behavior: Behavior, source: &Source) -> Profile {
    let (Subject::Shell(request), Some(shell)) = (&reading.call.subject, &reading.shell) else {
        return Profile::InProcess;
    };
    if request.needs.unsandboxed || reading.context.sandbox == SandboxState::NotInForce {
        return Profile::Unsandboxed;
    }
    let proven = behavior == Behavior::Allow
        && *source == Source::SHELL_DEFAULT
        && reading.context.mode == Mode::Balanced
        && shell.proof == Proof::ReadOnly;
    if proven { Profile::ReadOnly } else { Profile::WorkspaceWrite }
}
