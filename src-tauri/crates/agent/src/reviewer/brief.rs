//! What the reviewer sees of a call: structured fields that the policy worked out, bounded and escaped.

use assent_policy::escape::escape;
use assent_policy::{Context, Evaluation, Facts, PreparedCall, Subject, path, shell};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Entries of one list.
const MOST: usize = 40;
/// Characters of one entry.
const LONGEST: usize = 200;

/// The brief on `call`.
pub fn of(call: &PreparedCall, evaluation: &Evaluation, facts: &Facts, context: &Context) -> Value {
    let paths: Vec<Value> = evaluation
        .touches
        .iter()
        .take(MOST)
        .map(|touched| {
            let place = path::relative_to(&touched.path, &context.workspace, context.os);
            json!({
                "path": bounded(place.unwrap_or(&touched.path)),
                "inside": place.is_some(),
                "access": touched.access,
                "protected": touched.protected,
                "sensitive": touched.sensitive,
            })
        })
        .collect();
    let mut brief = json!({
        "tool": call.tool,
        "effect": call.effect,
        "mode": context.mode.as_str(),
        "decision_so_far": evaluation.behavior,
        "risk": {"level": evaluation.risk.level, "kind": evaluation.risk.kind},
        "paths": paths,
        "more_paths": evaluation.touches.len().saturating_sub(MOST),
        "hosts": evaluation.hosts.iter().take(MOST).map(|host| bounded(host)).collect::<Vec<_>>(),
        "profile": evaluation.profile.as_str(),
    });
    if let (Subject::Shell(request), Value::Object(fields)) = (&call.subject, &mut brief) {
        let judged = shell::judge(&request.command, facts, context);
        let programs: BTreeSet<String> = judged
            .commands
            .iter()
            .filter_map(|command| command.words.first())
            .map(|word| word.literal().map_or_else(|| "?".to_owned(), |name| bounded(base_name(name))))
            .collect();
        fields.insert("programs".to_owned(), json!(programs.into_iter().take(MOST).collect::<Vec<_>>()));
        fields.insert("background".to_owned(), json!(request.background));
        fields.insert(
            "needs".to_owned(),
            json!({
                "hosts": request.needs.hosts.len(),
                "listen": request.needs.listen.len(),
                "read": request.needs.read.len(),
                "write": request.needs.write.len(),
                "unsandboxed": request.needs.unsandboxed,
            }),
        );
    }
    brief
}

fn base_name(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

fn bounded(text: &str) -> String {
    escape(&text.chars().take(LONGEST).collect::<String>())
}
