//! What an approval is bound to: one digest over everything the call depends on (R32).

use assent_policy::{
    Access, CallDigest, Context, Evaluation, Facts, FileKind, PathFact, PreparedCall, Resolved,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The digest of `call` as it was judged. Changes with the tool, the arguments, what they resolve to, the
/// programs, the profile, the folder, the environment, the user and the policy.
#[must_use]
pub fn bind(call: &PreparedCall, evaluation: &Evaluation, facts: &Facts, context: &Context) -> CallDigest {
    CallDigest::of(&bound(call, evaluation, facts, context))
}

fn bound(call: &PreparedCall, evaluation: &Evaluation, facts: &Facts, context: &Context) -> Value {
    let changed: BTreeSet<&str> = evaluation
        .touches
        .iter()
        .filter(|touched| touched.access != Access::Read)
        .map(|touched| touched.path.as_str())
        .collect();
    let paths: Vec<Value> = facts.paths.iter().map(|(key, fact)| path(key, fact, &changed)).collect();
    json!({
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
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::sample_context;
    use assent_policy::{
        FileAccess, Identity, Needs, Origin, Profile, ProgramFact, ProgramPlace, RepositoryFact, Rules,
        SandboxState, ShellRequest, Subject, ToolEffect, Touched, evaluate,
    };

    /// Everything that a digest is taken of.
    struct Bound {
        call: PreparedCall,
        evaluation: Evaluation,
        facts: Facts,
        context: Context,
    }

    type Edit = fn(&mut Bound);

    const SCRIPT: &str = "/ws/deploy";

    fn script() -> Resolved {
        Resolved {
            real: SCRIPT.to_owned(),
            file: FileKind::Regular,
            identity: Some(Identity { device: 1, inode: 2, size: 3, changed_ns: 4 }),
            is_link: false,
            links: 1,
            in_git_folder: false,
            content: Some("hash".to_owned()),
        }
    }

    fn program() -> ProgramFact {
        ProgramFact {
            found: Some("/home/u/bin/tool".to_owned()),
            real: Some("/home/u/bin/tool".to_owned()),
            place: ProgramPlace::User,
            identity: Some(Identity { device: 1, inode: 5, size: 6, changed_ns: 7 }),
            content: Some("program".to_owned()),
        }
    }

    fn sample() -> Bound {
        let call = PreparedCall {
            tool: "shell".to_owned(),
            schema_version: 1,
            arguments: json!({ "command": "tool; bash deploy" }).as_object().cloned().unwrap(),
            effect: ToolEffect::Execute,
            subject: Subject::Shell(ShellRequest {
                command: "tool; bash deploy".to_owned(),
                background: false,
                timeout_ms: 1_000,
                needs: Needs::default(),
            }),
            origin: Origin::Task,
        };
        let context = sample_context("/ws");
        let facts = Facts {
            paths: [(SCRIPT.to_owned(), PathFact::Resolved(script()))].into(),
            programs: [("tool".to_owned(), program())].into(),
            repositories: [("/ws".to_owned(), RepositoryFact::None)].into(),
            ..Facts::default()
        };
        let evaluation = evaluate(&call, &facts, &context, &Rules::default(), &[]);
        Bound { call, evaluation, facts, context }
    }

    fn with_script(bound: &mut Bound, edit: impl FnOnce(&mut Resolved)) {
        let mut resolved = script();
        edit(&mut resolved);
        bound.facts.paths.insert(SCRIPT.to_owned(), PathFact::Resolved(resolved));
    }

    fn with_program(bound: &mut Bound, edit: impl FnOnce(&mut ProgramFact)) {
        let mut found = program();
        edit(&mut found);
        bound.facts.programs.insert("tool".to_owned(), found);
    }

    /// The part of the digest that each change shows in.
    const TABLE: &[(&str, Edit)] = &[
        ("tool", |it| it.call.tool = "other".to_owned()),
        ("schema", |it| it.call.schema_version = 2),
        ("arguments", |it| _ = it.call.arguments.insert("command".to_owned(), json!("tool; bash other"))),
        ("arguments", |it| _ = it.call.arguments.insert("timeout_ms".to_owned(), json!(1))),
        ("origin", |it| it.call.origin = Origin::SubAgent { name: "helper".to_owned() }),
        ("touches", |it| {
            let path = "/ws/more".to_owned();
            let touched = Touched { path, access: Access::Read, protected: false, sensitive: false };
            it.evaluation.touches.push(touched);
        }),
        ("touches", |it| it.evaluation.touches.iter_mut().for_each(|touched| touched.access = Access::Write)),
        ("hosts", |it| it.evaluation.hosts.push("example.org".to_owned())),
        ("profile", |it| it.evaluation.profile = Profile::Unsandboxed),
        ("paths", |it| with_script(it, |script| script.content = Some("rewritten".to_owned()))),
        ("paths", |it| with_script(it, |script| script.real = "/ws/other".to_owned())),
        ("paths", |it| with_script(it, |script| script.is_link = true)),
        ("paths", |it| with_script(it, |script| script.links = 2)),
        ("paths", |it| with_script(it, |script| script.in_git_folder = true)),
        ("paths", |it| with_script(it, |script| script.file = FileKind::Missing)),
        ("paths", |it| with_script(it, |script| script.identity.as_mut().unwrap().inode = 9)),
        ("paths", |it| {
            let gone = PathFact::Unresolvable { why: "a loop".to_owned() };
            it.facts.paths.insert(SCRIPT.to_owned(), gone);
        }),
        ("programs", |it| with_program(it, |program| program.content = Some("replaced".to_owned()))),
        ("programs", |it| with_program(it, |program| program.identity.as_mut().unwrap().changed_ns = 8)),
        ("programs", |it| with_program(it, |program| program.real = Some("/ws/tool".to_owned()))),
        ("programs", |it| with_program(it, |program| program.place = ProgramPlace::Untrusted)),
        ("repositories", |it| {
            let fact = RepositoryFact::Plain { gitdir: "/ws/.git".to_owned(), secret: false };
            it.facts.repositories.insert("/ws".to_owned(), fact);
        }),
        ("environment", |it| it.context.environment.push("LANG".to_owned())),
        ("search_path", |it| it.context.search_path.reverse()),
        ("sandbox", |it| it.context.sandbox = SandboxState::NotInForce),
        ("workspace", |it| it.context.workspace = "/elsewhere".to_owned()),
        ("user", |it| it.context.user = "other".to_owned()),
        ("policy", |it| it.context.policy_version = "v2".to_owned()),
    ];

    fn value(it: &Bound) -> Value {
        bound(&it.call, &it.evaluation, &it.facts, &it.context)
    }

    /// R32: every part is there, and every change shows in its part and in the digest.
    #[test]
    fn each_part_of_the_digest_is_bound() {
        let before = sample();
        let (old, digest) =
            (value(&before), bind(&before.call, &before.evaluation, &before.facts, &before.context));
        for (part, edit) in TABLE {
            let mut after = sample();
            edit(&mut after);
            let new = value(&after);
            let differing: Vec<&str> = old
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .filter(|key| old.get(key) != new.get(key))
                .collect();
            assert_eq!(differing, [*part]);
            assert_ne!(bind(&after.call, &after.evaluation, &after.facts, &after.context), digest, "{part}");
        }
        let named: BTreeSet<&str> = TABLE.iter().map(|(part, _)| *part).collect();
        let parts: BTreeSet<&str> = old.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(named, parts, "each part has a row");
    }

    /// R33: what is only read may grow while the question stands.
    #[test]
    fn what_is_only_read_counts_by_which_file_it_is() {
        let path = "/ws/app.log";
        let at = |size, inode, content: &str| {
            let mut it = sample();
            it.call.subject = Subject::Files {
                accesses: vec![FileAccess { path: "app.log".to_owned(), access: Access::Read }],
            };
            let log = Resolved {
                real: path.to_owned(),
                identity: Some(Identity { device: 1, inode, size, changed_ns: size.into() }),
                content: Some(content.to_owned()),
                ..script()
            };
            it.facts.paths = [(path.to_owned(), PathFact::Resolved(log))].into();
            it.evaluation = evaluate(&it.call, &it.facts, &it.context, &Rules::default(), &[]);
            value(&it)
        };
        assert_eq!(at(3, 2, "a"), at(4, 2, "ab"));
        assert_ne!(at(3, 2, "a"), at(3, 9, "a"), "another file");
    }
}
