//! A call and a judgement for the tests of this crate, which change what they are about.

use assent_policy::{
    Behavior, Evaluation, Origin, PreparedCall, Profile, Reason, Risk, RiskKind, RiskLevel, Source, Subject,
    ToolEffect,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// A call of the task itself; `arguments` is an object.
pub(crate) fn call(tool: &str, effect: ToolEffect, arguments: Value, subject: Subject) -> PreparedCall {
    let Value::Object(arguments) = arguments else { panic!("{arguments} is no object") };
    PreparedCall {
        tool: tool.to_owned(),
        schema_version: 1,
        arguments,
        effect,
        subject,
        origin: Origin::Task,
    }
}

/// An allowed call that touches nothing.
pub(crate) fn evaluation() -> Evaluation {
    Evaluation {
        behavior: Behavior::Allow,
        source: Source::DEFAULT,
        reason: Reason::new("A test."),
        verdicts: Vec::new(),
        risk: Risk::new(RiskLevel::Low, RiskKind::Reads),
        error_code: None,
        touches: Vec::new(),
        hosts: Vec::new(),
        profile: Profile::InProcess,
        inquiries: BTreeSet::new(),
    }
}
