//! A judgement as a line of JSON.

use assent_agent::tools::ToolFailure;
use assent_policy::request::PermissionRequest;
use assent_policy::{Behavior, CallDigest, Context, Evaluation, PreparedCall};
use serde_json::{Value, json};

/// A call that was judged.
pub(super) fn decided(id: &Value, call: &PreparedCall, evaluation: &Evaluation, context: &Context) -> Value {
    let display = match evaluation.behavior {
        Behavior::Ask => display(call, evaluation, context),
        Behavior::Passthrough | Behavior::Allow | Behavior::Deny => Vec::new(),
    };
    json!({
        "id": id,
        "behavior": evaluation.behavior,
        "source": evaluation.source,
        "reason": evaluation.reason,
        "risk": evaluation.risk.level,
        "error_code": evaluation.error_code,
        "verdicts": evaluation.verdicts,
        "display": display,
    })
}

/// A call that failed before it could be judged.
pub(super) fn refused(id: &Value, failure: &ToolFailure) -> Value {
    json!({
        "id": id,
        "behavior": Behavior::Deny,
        "source": "validation",
        "reason": failure.reason,
        "risk": "low",
        "error_code": failure.code,
        "verdicts": [],
        "display": [],
    })
}

/// The lines a dialog would show.
pub(super) fn display(call: &PreparedCall, evaluation: &Evaluation, context: &Context) -> Vec<String> {
    // Only what would be asked about has a digest worth showing; this one covers the proposal alone.
    let digest = CallDigest::of(&json!({"tool": call.tool, "arguments": call.arguments}));
    PermissionRequest::new(call, evaluation, context, &digest).display()
}
