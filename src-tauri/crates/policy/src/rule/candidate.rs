//! The rule that would spare the next question: made from a call, never broad, and judged before it is offered.

use super::command::program_name;
use super::{CommandPattern, Conditions, Layer, PathPattern, Rule, Rules, Scope};
use crate::reading::Reading;
use crate::shell::{SimpleCommand, Word};
use crate::{Behavior, Context, Facts, PreparedCall, ProgramPlace, Subject, evaluate};

/// A rule the app may offer, with the text that would go into the user's file.
#[derive(Clone, Debug)]
pub struct RuleCandidate {
    /// The rule.
    pub rule: Rule,
    /// What people read: `git push *`, `/home/u/shop/docs/a.md`, `example.org`, `localhost:3000`.
    pub pattern: String,
    /// Its TOML, a whole `[[rules]]` table.
    pub toml: String,
}

/// Programs that run whatever their arguments say: no rule for them is offered.
const TOO_BROAD: &[&str] = &[
    "bash",
    "sh",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "csh",
    "tcsh",
    "pwsh",
    "powershell",
    "cmd",
    "wsl",
    "env",
    "sudo",
    "su",
    "doas",
    "pkexec",
    "run0",
    "runas",
    "xargs",
    "parallel",
    "find",
    "exec",
    "eval",
    "source",
    ".",
    "command",
    "nohup",
    "setsid",
    "timeout",
    "nice",
    "time",
    "watch",
    "ssh",
    "nsenter",
    "unshare",
    "chroot",
    "strace",
    "gdb",
    "python",
    "python2",
    "python3",
    "pypy",
    "pypy3",
    "py",
    "pyw",
    "pythonw",
    "node",
    "deno",
    "bun",
    "ruby",
    "perl",
    "php",
    "lua",
    "luajit",
    "tclsh",
    "osascript",
    "rscript",
    "julia",
    "awk",
    "gawk",
    "mawk",
    "sed",
    "vim",
    "vi",
    "nvim",
    "emacs",
    "npx",
    "bunx",
    "pipx",
    "uvx",
    "docker",
    "podman",
    "kubectl",
    "direnv",
    "mise",
    "devbox",
    "nix",
    "rm",
    "dd",
    "chmod",
    "chown",
    "curl",
    "wget",
    "iex",
    "invoke-expression",
    "start-process",
    "invoke-command",
    "remove-item",
    "foreach-object",
];

/// Programs whose second word says what is done; a rule for them names it.
const WITH_SUBCOMMANDS: &[&str] = &[
    "git",
    "cargo",
    "npm",
    "pnpm",
    "yarn",
    "go",
    "dotnet",
    "gradle",
    "gradlew",
    "mvn",
    "make",
    "just",
    "gh",
    "glab",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "rustup",
    "brew",
    "apt",
    "terraform",
    "helm",
    "composer",
    "bundle",
    "mix",
    "swift",
    "flutter",
    "dart",
    "zig",
    "cmake",
    "ninja",
    "task",
    "aws",
    "gcloud",
    "az",
    "systemctl",
];

/// Sub-commands that run a script named by what follows: the rule keeps that name too.
const NAMES_A_SCRIPT: &[&str] = &["run", "run-script", "exec", "x", "dlx"];

/// The rule that would allow calls like this one. Offered only if this very call would then be allowed.
#[must_use]
pub fn candidate(
    call: &PreparedCall,
    facts: &Facts,
    context: &Context,
    rules: &Rules,
) -> Option<RuleCandidate> {
    let reading = Reading::of(call, facts, context);
    let (scope, pattern, key) = match &call.subject {
        Subject::Shell(_) => {
            let pattern = command_pattern(&reading)?;
            (Scope::Commands(vec![CommandPattern::parse(&pattern).ok()?]), pattern, "commands")
        }
        Subject::Files { .. } => {
            let [touch] = reading.touches.as_slice() else { return None };
            let inside = crate::path::relative_to(touch.shown(), &context.workspace, context.os)?;
            // It goes into the user's file, which counts in every folder: the same name elsewhere isn't meant.
            let folder = context.workspace.trim_end_matches('/');
            let pattern = globset::escape(&format!("{folder}/{inside}"));
            (Scope::Paths(vec![PathPattern::parse(&pattern).ok()?]), pattern, "paths")
        }
        Subject::Network(_) => {
            let [host] = reading.hosts.as_slice() else { return None };
            let host = super::file::host_pattern(host).ok()?;
            (Scope::Hosts(vec![host.clone()]), host, "hosts")
        }
        Subject::Search(_) | Subject::Internal => return None,
    };
    let rule = Rule {
        name: format!("allow {pattern}"),
        layer: Layer::User,
        behavior: Behavior::Allow,
        tools: vec![call.tool.clone()],
        scope,
        when: Conditions::default(),
        expires: None,
        reason: "You allowed this.".to_owned(),
        line: 1,
    };
    let verdict = evaluate(call, facts, context, &rules.clone().with_rule(rule.clone()), &[]);
    if verdict.behavior != Behavior::Allow {
        return None;
    }
    let toml = format!(
        "[[rules]]\nname = {}\nbehavior = \"allow\"\ntools = [{}]\n{key} = [{}]\nreason = \"You allowed this.\"\n",
        toml_string(&rule.name),
        toml_string(&call.tool),
        toml_string(&pattern),
    );
    Some(RuleCandidate { rule, pattern, toml })
}

/// The narrowest useful pattern for a command line with one command that isn't read-only by itself.
fn command_pattern(reading: &Reading<'_>) -> Option<String> {
    let shell = reading.shell.as_ref()?;
    let mut open = shell.commands.iter().filter(|command| !command.transparent && !command.read_only);
    let command = open.next()?;
    if open.next().is_some() {
        return None;
    }
    let literals: Vec<&str> = command.words.iter().map_while(Word::literal).collect();
    let (program, rest) = literals.split_first()?;
    let name = program_name(program);
    if TOO_BROAD.contains(&name.as_str()) || name.starts_with("python") {
        return None;
    }
    let program = recorded_program(program, command, reading)?;
    let mut words = vec![program];
    if WITH_SUBCOMMANDS.contains(&name.as_str()) {
        let sub = rest.first().filter(|word| !word.starts_with('-'))?;
        words.push((*sub).to_owned());
        if NAMES_A_SCRIPT.contains(sub) {
            words.push((*rest.get(1).filter(|word| !word.starts_with('-'))?).to_owned());
        }
        words.push("*".to_owned());
    } else {
        // Nothing is known about its words: all of them, and no more.
        if literals.len() != command.words.len() {
            return None;
        }
        words.extend(rest.iter().map(|word| (*word).to_owned()));
    }
    let (last, before) = words.split_last()?;
    let last =
        if last == "*" && WITH_SUBCOMMANDS.contains(&name.as_str()) { last.clone() } else { quoted(last)? };
    let mut parts: Vec<String> = before.iter().map(|word| quoted(word)).collect::<Option<_>>()?;
    parts.push(last);
    Some(parts.join(" "))
}

/// The program as the rule names it: bare in a system folder, else by the path it was found at.
fn recorded_program(written: &str, command: &SimpleCommand, reading: &Reading<'_>) -> Option<String> {
    if command.built_in {
        return Some(written.to_owned());
    }
    let key = super::coverage::program_key(written, command, reading.context)?;
    let fact = reading.facts.programs.get(&key)?;
    match fact.place {
        ProgramPlace::System => Some(written.rsplit('/').next().unwrap_or(written).to_owned()),
        ProgramPlace::User => fact.found.clone().or_else(|| fact.real.clone()),
        ProgramPlace::Untrusted | ProgramPlace::Missing => None,
    }
}

fn quoted(word: &str) -> Option<String> {
    let plain = !word.is_empty()
        && !word.contains(|one: char| one.is_whitespace() || matches!(one, '\'' | '"' | '*'));
    if plain {
        Some(word.to_owned())
    } else if !word.contains('\'') {
        Some(format!("'{word}'"))
    } else if !word.contains('"') {
        Some(format!("\"{word}\""))
    } else {
        None
    }
}

fn toml_string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
