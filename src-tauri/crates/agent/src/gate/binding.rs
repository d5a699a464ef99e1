//! What an approval is bound to: one digest over everything the call depends on (R32, DESIGN §3).

use assent_policy::{
    Access, CallDigest, Context, Evaluation, Facts, FileKind, PathFact, PreparedCall, Resolved,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The digest of `call` as it was judged. Changes with the tool, the arguments, what they resolve to, the
/// programs, the profile, the folder, the environment, the user and the policy.
#[must_use]
pub fn bind(call: &PreparedCall, evaluation: &Evaluation, facts: &Facts, context: &Context) -> CallDigest {
    let changed: BTreeSet<&str> = evaluation
        .touches
        .iter()
        .filter(|touched| touched.access != Access::Read)
        .map(|touched| touched.path.as_str())
        .collect();
    let paths: Vec<Value> = facts.paths.iter().map(|(key, fact)| path(key, fact, &changed)).collect();
    CallDigest::of(&json!({
        "tool": call.tool,
        "schema": call.schema_version,
        "arguments": call.arguments,
        "origin": call.origin,
        "touches": evaluation.touches,
        "hosts": evaluation.hosts,
        "profile": evaluation.profile,
        "paths": paths,
        "programs": facts.programs,
        "repositories": facts.repositories,
        "environment": context.environment,
        "search_path": context.search_path,
        "sandbox": context.sandbox,
        "workspace": context.workspace,
        "user": context.user,
        "policy": context.policy_version,
    }))
}

/// A path's part of the digest. What is only read counts as the same while it is the same file: a log may grow
/// while somebody reads the question. What would be overwritten or started counts by its content.
fn path(key: &str, fact: &PathFact, changed: &BTreeSet<&str>) -> Value {
    match fact {
        PathFact::Unresolvable { why } => json!([key, "unresolvable", why]),
        PathFact::Resolved(Resolved { real, file, identity, is_link, links, in_git_folder, content }) => {
            let which = identity.as_ref().map(|identity| (identity.device, identity.inode));
            let state = match file {
                FileKind::Regular if changed.contains(real.as_str()) => match content {
                    Some(hash) => json!(hash),
                    None => json!(identity.as_ref().map(|it| (it.size, it.changed_ns.to_string()))),
                },
                FileKind::Regular | FileKind::Missing | FileKind::Directory | FileKind::Special => {
                    Value::Null
                }
            };
            json!([key, real, file, which, is_link, links, in_git_folder, state])
        }
    }
}
