//! A workspace as facts: what a look-up would find, without a disk.

use super::setting::context;
use assent_policy::shell::{self, ShellJudgement};
use assent_policy::{
    Context, Facts, FileKind, Inquiry, PathFact, ProgramFact, ProgramPlace, RepositoryFact, Resolved,
    TrackedFact, TreeFact, path,
};

const FOLDERS: &[&str] = &["", "src", "docs", "d", "conf"];
/// Words that name revisions, and no file.
const REVISIONS: &[&str] =
    &["HEAD", "HEAD~1", "HEAD^", "main", "v1.0", "stash@{0}", "deadbeef", "main..HEAD", "HEAD~1..HEAD"];

/// The judgement of `command` in a plain workspace.
pub fn judge(command: &str) -> ShellJudgement {
    settle(command, &context(), Holds::None)
}

/// The judgement of `command` where `.env`, `id_rsa`, a link to `.env` and a link out of the workspace lie.
pub fn with_secrets(command: &str) -> ShellJudgement {
    settle(command, &context(), Holds::Lying)
}

/// The judgement of `command` where the repository tracks `.env` and `conf/tls.key`.
pub fn with_tracked_secrets(command: &str) -> ShellJudgement {
    settle(command, &context(), Holds::Tracked)
}

/// The judgement of `command` where files are called `a b` and `-x`, in the folder and in the index.
pub fn with_odd_names(command: &str) -> ShellJudgement {
    settle(command, &context(), Holds::OddNames)
}

/// What the workspace holds that is out of the ordinary.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    None,
    Lying,
    Tracked,
    OddNames,
}

fn settle(command: &str, context: &Context, holds: Holds) -> ShellJudgement {
    let mut facts = Facts::default();
    for _ in 0..8 {
        let judgement = shell::judge(command, &facts, context);
        if judgement.inquiries.is_empty() {
            return judgement;
        }
        for inquiry in judgement.inquiries {
            answer(inquiry, context, holds, &mut facts);
        }
    }
    panic!("{command:?} never stops asking");
}

fn answer(inquiry: Inquiry, context: &Context, holds: Holds, facts: &mut Facts) {
    match inquiry {
        Inquiry::Path(key) => {
            let fact = look_at(&key, context, holds);
            facts.paths.insert(key, fact);
        }
        Inquiry::Repository(key) => {
            let gitdir = format!("{}/.git", context.workspace);
            facts.repositories.insert(key, RepositoryFact::Plain { gitdir, secret: false });
        }
        Inquiry::Tree(key) => {
            let at_root = path::lexical(&key) == context.workspace;
            let fact = if holds == Holds::Lying && at_root {
                TreeFact {
                    sensitive: [".env", "alias.txt", "id_rsa"].map(str::to_owned).to_vec(),
                    outside_links: vec!["out".to_owned()],
                    ..TreeFact::default()
                }
            } else {
                let odd = holds == Holds::OddNames;
                TreeFact { odd_names: odd, option_like: odd && at_root, ..TreeFact::default() }
            };
            facts.trees.insert(key, fact);
        }
        Inquiry::Tracked(key) => {
            let secret = if holds == Holds::Tracked { vec![".env", "conf/tls.key"] } else { Vec::new() };
            let sensitive: Vec<String> = secret.into_iter().map(str::to_owned).collect();
            let files = ["README.md", "src/main.rs"].map(str::to_owned).into_iter().chain(sensitive.clone());
            let root = context.workspace.clone();
            let fact = TrackedFact { root, files: files.collect(), sensitive, incomplete: false };
            facts.tracked.insert(key, fact);
        }
        Inquiry::Program(key) => {
            let place =
                if key.starts_with("/usr/bin/") { ProgramPlace::System } else { ProgramPlace::Untrusted };
            let fact = ProgramFact { found: None, real: None, place, identity: None, content: None };
            facts.programs.insert(key, fact);
        }
    }
}

fn look_at(key: &str, context: &Context, holds: Holds) -> PathFact {
    let lexical = path::lexical(key);
    let inside = path::relative_to(&lexical, &context.workspace, context.os);
    let real = match inside {
        Some("alias.txt") if holds == Holds::Lying => format!("{}/.env", context.workspace),
        Some(inside) if holds == Holds::Lying && (inside == "out" || inside.starts_with("out/")) => {
            format!("/etc{}", inside.trim_start_matches("out"))
        }
        Some(_) | None => lexical.clone(),
    };
    let file = match inside {
        Some(inside) if FOLDERS.contains(&inside) => FileKind::Directory,
        // Only below `d` is there one.
        Some(inside) if inside.contains("rust-toolchain") && !inside.starts_with("d/") => FileKind::Missing,
        Some(inside) if REVISIONS.contains(&inside) => FileKind::Missing,
        Some(_) => FileKind::Regular,
        None => FileKind::Missing,
    };
    PathFact::Resolved(Resolved {
        is_link: real != lexical,
        real,
        file,
        identity: None,
        links: 1,
        in_git_folder: false,
        content: None,
    })
}
