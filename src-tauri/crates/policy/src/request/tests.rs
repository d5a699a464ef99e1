//! Every text in both languages, to the letter.

use super::{Extent, Language, PermissionRequest};
use crate::{
    Access, Behavior, CallDigest, Context, Evaluation, Mode, Needs, NetworkRequest, Origin, Os, PreparedCall,
    Profile, ProgramLookup, Reason, Risk, RiskKind, RiskLevel, SandboxState, SearchRequest, ShellKind,
    ShellRequest, ShellTrust, Source, Subject, ToolEffect, Touched,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn context() -> Context {
    Context {
        os: Os::Linux,
        shell: ShellKind::Bash,
        mode: Mode::Balanced,
        workspace: "/home/ann/code/shop".to_owned(),
        workspace_aliases: Vec::new(),
        home: "/home/ann".to_owned(),
        own_paths: Vec::new(),
        read_folders: Vec::new(),
        sandbox: SandboxState::InForce,
        shell_trust: ShellTrust::Trusted,
        search_path: Vec::new(),
        programs: ProgramLookup::Search,
        environment: Vec::new(),
        user: "ann".to_owned(),
        session: "s".to_owned(),
        policy_version: "1".to_owned(),
    }
}

fn evaluation(risk: RiskKind, reason: &str, source: Source) -> Evaluation {
    Evaluation {
        behavior: Behavior::Ask,
        source,
        reason: Reason::new(reason),
        verdicts: Vec::new(),
        risk: Risk::new(RiskLevel::High, risk),
        error_code: None,
        touches: Vec::new(),
        hosts: Vec::new(),
        profile: Profile::InProcess,
        inquiries: BTreeSet::new(),
    }
}

fn call(tool: &str, subject: Subject, arguments: Value) -> PreparedCall {
    PreparedCall {
        tool: tool.to_owned(),
        schema_version: 1,
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        effect: ToolEffect::Read,
        subject,
        origin: Origin::Task,
    }
}

fn files() -> Subject {
    Subject::Files { accesses: Vec::new() }
}

fn shell(command: &str, needs: Needs, background: bool) -> Subject {
    Subject::Shell(ShellRequest { command: command.to_owned(), background, timeout_ms: 120_000, needs })
}

fn touched(path: &str, access: Access, protected: bool, sensitive: bool) -> Touched {
    Touched { path: path.to_owned(), access, protected, sensitive }
}

fn request(call: &PreparedCall, evaluation: &Evaluation) -> PermissionRequest {
    PermissionRequest::new(call, evaluation, &context(), &CallDigest::of(&json!("x")))
}

/// One request of each kind.
fn requests() -> Vec<(&'static str, PermissionRequest)> {
    let removal = call(
        "shell",
        shell("rm -r build/old", Needs::default(), false),
        json!({ "command": "rm -r build/old", "description": "Remove the old build output." }),
    );
    let mut removes =
        evaluation(RiskKind::Deletes, "shell commands that can write need you.", Source::SHELL_DEFAULT);
    removes.risk.targets = vec!["build/old".to_owned()];
    removes.profile = Profile::WorkspaceWrite;
    removes.touches = vec![touched("/home/ann/code/shop/build/old", Access::Delete, false, false)];

    let wants = Needs {
        hosts: vec!["crates.io".to_owned()],
        listen: vec![8080],
        read: vec!["/opt/x".to_owned()],
        write: vec!["~/y".to_owned()],
        unsandboxed: false,
    };
    let push = call(
        "shell",
        shell("git push\n# \u{202e}txt", wants, true),
        json!({
            "command": "git push\n# \u{202e}txt", "timeout_ms": 5000, "background": true, "needs": { "hosts": ["crates.io"] }
        }),
    );
    let mut pushes =
        evaluation(RiskKind::ChangesGit, "In strict mode every command asks.", Source::SHELL_DEFAULT);
    pushes.profile = Profile::WorkspaceWrite;
    pushes.touches = vec![
        touched("/home/ann/code/shop/.git", Access::Write, true, false),
        touched("/home/ann/.netrc", Access::Read, false, true),
        touched("/etc/hosts", Access::Read, false, false),
    ];
    pushes.hosts = vec!["xn--exmple-4nf.test".to_owned()];

    let free = call(
        "shell",
        shell("make", Needs { unsandboxed: true, ..Needs::default() }, false),
        json!({ "command": "make", "needs": { "unsandboxed": true } }),
    );
    let mut frees =
        evaluation(RiskKind::Unsandboxed, "It asks to run without the sandbox.", Source::SHELL_DEFAULT);
    frees.profile = Profile::Unsandboxed;

    let write = call("write_file", files(), json!({ "path": "src/tax.rs", "content": "fn a() {}\n" }));
    let mut writes =
        evaluation(RiskKind::Writes, "Changing files needs your consent.", Source::EFFECT_DEFAULT);
    writes.touches = vec![touched("/home/ann/code/shop/src/tax.rs", Access::Write, false, false)];

    let edit = call(
        "edit_file",
        files(),
        json!({ "path": "link.rs", "old_string": "a\nb", "new_string": "", "replace_all": true }),
    );
    let mut edits = writes.clone();
    edits.source = Source::rule("docs");
    edits.touches = vec![touched("/home/ann/code/shop/src/real.rs", Access::Write, false, false)];

    let read = call("read_file", files(), json!({ "path": ".env", "offset": 10, "limit": 5 }));
    let mut reads = evaluation(RiskKind::ReadsSecret, ".env may hold secrets.", Source::SENSITIVE_READS);
    reads.risk.targets = vec![".env".to_owned()];
    reads.touches = vec![touched("/home/ann/code/shop/.env", Access::Read, false, true)];

    let search = call(
        "grep",
        Subject::Search(SearchRequest { path: "src".to_owned(), globs: Vec::new(), contents: true }),
        json!({ "pattern": "a|b", "path": "src", "glob": "*.rs" }),
    );
    let searches = evaluation(RiskKind::Reads, "A rule asks.", Source::rule("careful"));

    let fetch = call(
        "fetch_url",
        Subject::Network(NetworkRequest { url: "https://exаmple.test/".to_owned() }),
        json!({ "url": "https://exаmple.test/" }),
    );
    let mut fetches = evaluation(
        RiskKind::Connects { hosts: vec!["xn--exmple-4nf.test".to_owned()] },
        "Connecting to xn--exmple-4nf.test needs your consent.",
        Source::EFFECT_DEFAULT,
    );
    fetches.hosts = vec!["xn--exmple-4nf.test".to_owned()];

    let mut other = call("mcp__files\u{202e}x", Subject::Internal, json!({ "Sandbox": "none", "n": [1] }));
    other.origin = Origin::SubAgent { name: "reviewer".to_owned() };
    let others = evaluation(RiskKind::Unknown, "It could not be worked out.", Source::EFFECT_DEFAULT);

    vec![
        ("removal", request(&removal, &removes)),
        ("push_with_needs", request(&push, &pushes).with_unsandboxed_alive(true)),
        ("unsandboxed", request(&free, &frees)),
        (
            "write",
            request(&write, &writes).with_change(vec!["- fn b() {}".to_owned(), "+ fn a() {}".to_owned()]),
        ),
        ("edit_through_link", request(&edit, &edits)),
        ("read_secret", request(&read, &reads)),
        ("search", request(&search, &searches)),
        ("fetch", request(&fetch, &fetches)),
        ("other", request(&other, &others)),
    ]
}

/// R30: the whole text, in both languages.
#[test]
fn every_question_reads_well() {
    for (name, request) in requests() {
        for (suffix, language) in [("en", Language::English), ("zh", Language::Chinese)] {
            insta::assert_snapshot!(format!("{name}_{suffix}"), request.text(language).plain().join("\n"));
        }
    }
}

/// A label occurs at most once, and no text holds a line break or a hidden character.
#[test]
fn labels_are_unique_and_texts_are_single_lines() {
    for (_, request) in requests() {
        for language in [Language::English, Language::Chinese] {
            let text = request.text(language);
            let labels: Vec<_> =
                text.lines.iter().map(|line| &line.label).filter(|it| !it.is_empty()).collect();
            assert_eq!(labels.iter().collect::<BTreeSet<_>>().len(), labels.len(), "{labels:?}");
            for line in &text.lines {
                assert!(!line.rows.is_empty());
                for part in line.rows.iter().chain([&line.value, &line.label]) {
                    assert!(!part.contains(['\n', '\r', '\u{202e}']), "{part:?}");
                }
            }
        }
    }
}

/// Line breaks of a value are rows of their own where a view scrolls, and `\n` where it doesn't.
#[test]
fn rows_are_the_lines_of_a_value() {
    let (_, push) = requests().swap_remove(1);
    let text = push.text(Language::English);
    let command = text.lines.iter().find(|line| line.label == "Command").unwrap();
    assert_eq!(command.rows, ["git push", "# \\u{202e}txt"]);
    assert_eq!(command.value, "git push\\n# \\u{202e}txt");
}

/// What opens a path has to be listed: nothing protected, sensitive or changed is ever left out.
#[test]
fn every_path_that_matters_is_listed() {
    let command = call("shell", shell("x", Needs::default(), false), json!({ "command": "x" }));
    let mut many = evaluation(RiskKind::Runs, "r", Source::SHELL_DEFAULT);
    many.touches = (0..300)
        .map(|number| {
            let access = if number % 3 == 0 { Access::Write } else { Access::Read };
            touched(&format!("/w/f{number}"), access, false, number % 3 == 1)
        })
        .collect();
    let text = request(&command, &many).text(Language::English);
    let touches = text.lines.iter().find(|line| line.label == "Touches").unwrap();
    assert_eq!(touches.rows.len(), 200 + 40 + 1);
    assert_eq!(touches.rows.last().unwrap(), "and 60 more");
}

/// R30: a folder says how much lies in it; a count that was cut says so.
#[test]
fn a_folder_says_how_much_it_holds() {
    let (_, removal) = requests().swap_remove(0);
    let touches = |extent, language| {
        let counted = removal.clone().with_extent("/home/ann/code/shop/build/old", &context(), extent);
        let text = counted.text(language);
        text.lines.iter().find(|line| line.label == "Touches" || line.label == "涉及").unwrap().value.clone()
    };
    let cases = [
        (
            Extent { files: 214, cut: false },
            "build/old (deletes, 214 files)",
            "build/old（删除、214 个文件）",
        ),
        (Extent { files: 1, cut: false }, "build/old (deletes, 1 file)", "build/old（删除、1 个文件）"),
        (
            Extent { files: 10_000, cut: true },
            "build/old (deletes, more than 10000 files)",
            "build/old（删除、超过 10000 个文件）",
        ),
    ];
    for (extent, english, chinese) in cases {
        assert_eq!(touches(extent, Language::English), english);
        assert_eq!(touches(extent, Language::Chinese), chinese);
    }
}

#[test]
fn it_reads_back_after_being_stored() {
    for (_, request) in requests() {
        let stored = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<PermissionRequest>(&stored).unwrap(), request);
    }
}

proptest! {
    /// Whatever the arguments hold: one title, our labels, the check at the end, nothing hidden.
    #[test]
    fn no_argument_forges_a_line(name in any::<String>(), value in any::<String>(), tool in any::<String>()) {
        let call = call(&tool, Subject::Internal, json!({ name: value }));
        let text = request(&call, &evaluation(RiskKind::Unknown, "r", Source::EFFECT_DEFAULT)).text(Language::English);
        prop_assert_eq!(&text.lines.last().unwrap().label, "Check");
        prop_assert_eq!(text.lines.iter().filter(|line| line.label == "Sandbox").count(), 1);
        for line in text.plain() {
            prop_assert!(!line.contains('\n') && !crate::escape::has_hidden(&line), "{:?}", line);
        }
    }
}
