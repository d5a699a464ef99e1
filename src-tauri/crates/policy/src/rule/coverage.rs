//! What the rules say about a call, and whether allow rules and grants cover all of it.

use super::command::{Match, program_name};
use super::paths::HomeUnknown;
use super::{Grant, Layer, PathPattern, Rule, Rules, Scope};
use crate::participants::Opinion;
use crate::reading::{Reading, Touch, TouchedBy};
use crate::shell::{self, ShellJudgement, SimpleCommand};
use crate::{
    Behavior, Context, Facts, FileKind, Inquiry, Mode, Origin, Os, PathFact, PreparedCall, ProgramLookup,
    ProgramPlace, SandboxState, ShellKind, ShellTrust, Source, Subject, canonical_json,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Tools whose path rules also hold for what a shell command reads.
pub(super) const READERS: &[&str] = &["read_file", "grep", "glob", "list_dir"];
/// Tools whose path rules also hold for what a shell command changes.
const WRITERS: &[&str] = &["write_file", "edit_file"];

/// What came of the rules.
pub(crate) struct RuleOutcome {
    pub(crate) opinions: Vec<Opinion>,
    /// Allow rules and grants cover the whole call: the two defaults are silent.
    pub(crate) covered: bool,
    pub(crate) inquiries: BTreeSet<Inquiry>,
}

/// Asks every rule about the call. A rule that fails denies, in its own name (R12).
pub(crate) fn judge(rules: &Rules, reading: &Reading<'_>) -> RuleOutcome {
    let mut opinions: Vec<Opinion> = rules
        .problems()
        .iter()
        .map(|problem| {
            Opinion::new(Source::RULES, Behavior::Deny, format!("A policy file is broken: {problem}"))
        })
        .collect();
    let concerned = || rules.rules().iter().filter(|rule| is_in_force(rule, reading));
    for rule in concerned().filter(|rule| rule.behavior > Behavior::Allow) {
        match tightens(rule, reading) {
            Ok(Behavior::Passthrough | Behavior::Allow) => {}
            Ok(behavior) => {
                opinions.push(Opinion::new(Source::rule(&rule.name), behavior, sentence(rule, behavior)))
            }
            Err(error) => opinions.push(Opinion::new(
                Source::rule(&rule.name),
                Behavior::Deny,
                format!("The rule {:?} can't be evaluated: {error}.", rule.name),
            )),
        }
    }
    let mut inquiries = BTreeSet::new();
    let grant = rules.grants().iter().find(|grant| Grant::of(reading.call).as_ref() == Some(*grant));
    let covered_by = match grant {
        Some(grant) => {
            Some(vec![(grant.source(), "You allowed exactly this for the rest of the session.".to_owned())])
        }
        None => {
            // By name, so that the explanation doesn't depend on the order of files either.
            let mut allowing: Vec<&Rule> =
                concerned().filter(|rule| rule.behavior == Behavior::Allow).collect();
            allowing.sort_by(|left, right| (left.layer, &left.name).cmp(&(right.layer, &right.name)));
            covering(&allowing, reading, &mut inquiries)
        }
    };
    let covered = covered_by.is_some();
    opinions.extend(
        covered_by
            .into_iter()
            .flatten()
            .map(|(source, reason)| Opinion::new(source, Behavior::Allow, reason)),
    );
    RuleOutcome { opinions, covered, inquiries }
}

/// Whether a rule's conditions beside the call hold.
fn is_in_force(rule: &Rule, reading: &Reading<'_>) -> bool {
    let origin = match reading.call.origin {
        Origin::Task => "task",
        Origin::SubAgent { .. } => "sub_agent",
        Origin::Mcp { .. } => "mcp",
    };
    let holds = |wanted: &[String], is: &str| wanted.is_empty() || wanted.iter().any(|one| one == is);
    holds(&rule.when.users, &reading.context.user) && holds(&rule.when.origins, origin)
}

fn sentence(rule: &Rule, behavior: Behavior) -> String {
    if behavior == rule.behavior {
        rule.reason.clone()
    } else {
        format!("The rule {:?} may apply: {}", rule.name, rule.reason)
    }
}

/// What a deny or ask rule says about the call.
fn tightens(rule: &Rule, reading: &Reading<'_>) -> Result<Behavior, HomeUnknown> {
    let tool = reading.call.tool.as_str();
    match &rule.scope {
        Scope::Whole => Ok(if rule.concerns(tool) { rule.behavior } else { Behavior::Passthrough }),
        Scope::Commands(patterns) => {
            let Some(shell) = reading.shell.as_ref().filter(|_| rule.concerns("shell")) else {
                return Ok(Behavior::Passthrough);
            };
            let best = patterns
                .iter()
                .flat_map(|pattern| shell.commands.iter().map(|command| pattern.tightens(command)))
                .max()
                .unwrap_or(Match::No);
            Ok(match best {
                Match::No => Behavior::Passthrough,
                Match::Perhaps => Behavior::Ask,
                Match::Yes => rule.behavior,
            })
        }
        Scope::Paths(patterns) => {
            let mut result = Behavior::Passthrough;
            for touch in &reading.touches {
                let strength = strength_on(rule, touch, tool);
                if strength > result && touched(patterns, touch, reading.context)? {
                    result = strength;
                }
            }
            if READERS.iter().any(|reader| rule.concerns(reader)) || rule.concerns(tool) {
                result = result.max(on_tracked(patterns, reading)?);
            }
            Ok(result)
        }
        Scope::Hosts(hosts) => {
            let concerned = rule.concerns(tool)
                && reading.hosts.iter().any(|host| matches_host(hosts, host, rule.behavior));
            Ok(if concerned { rule.behavior } else { Behavior::Passthrough })
        }
    }
}

/// How strict a path rule is about one touch: its own behaviour for its own tools; for a shell command or
/// a search that does what its tools do, a question.
fn strength_on(rule: &Rule, touch: &Touch<'_>, tool: &str) -> Behavior {
    if rule.concerns(tool) {
        return rule.behavior;
    }
    let relatives = if touch.changes() { WRITERS } else { READERS };
    if relatives.iter().any(|relative| rule.concerns(relative)) {
        Behavior::Ask
    } else {
        Behavior::Passthrough
    }
}

/// Whether a touch meets one of the patterns: link or target, itself or in a folder they name; a folder
/// that a command or search works on also meets what lies beneath it.
fn touched(patterns: &[PathPattern], touch: &Touch<'_>, context: &Context) -> Result<bool, HomeUnknown> {
    let whole_folder = touch.by != TouchedBy::File && touch.file() == Some(FileKind::Directory);
    for pattern in patterns {
        for path in [touch.shown(), touch.lexical.as_str()] {
            if pattern.matches_or_holds(path, context)? {
                return Ok(true);
            }
            if whole_folder && touch.by != TouchedBy::Search && pattern.may_match_beneath(path, context)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// What git would print of a repository is known only when it runs: where a pattern covers any of what it tracks, it asks.
fn on_tracked(patterns: &[PathPattern], reading: &Reading<'_>) -> Result<Behavior, HomeUnknown> {
    let folders = reading.shell.iter().flat_map(|shell| &shell.tracked);
    for fact in folders.filter_map(|folder| reading.facts.tracked.get(folder)) {
        for pattern in patterns {
            if !pattern.may_match_beneath(&fact.root, reading.context)?
                && !pattern.matches_or_holds(&fact.root, reading.context)?
            {
                continue;
            }
            for file in &fact.files {
                if pattern.matches_or_holds(&format!("{}/{file}", fact.root), reading.context)? {
                    return Ok(Behavior::Ask);
                }
            }
        }
    }
    Ok(Behavior::Passthrough)
}

/// Whether one of the patterns means `host`. A pattern without a port means every port; one with a port means that one,
/// and where it forbids also the host without one, which stands for the scheme's own.
fn matches_host(patterns: &[String], host: &str, behavior: Behavior) -> bool {
    let (name, port) = with_port(host);
    patterns.iter().any(|pattern| {
        let (pattern, wanted) = with_port(pattern);
        let own = port.is_none() && matches!(wanted, Some("80" | "443")) && behavior != Behavior::Allow;
        (wanted.is_none() || wanted == port || own)
            && match pattern.strip_prefix("*.") {
                Some(parent) => name.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
                None => name == pattern,
            }
    })
}

fn with_port(host: &str) -> (&str, Option<&str>) {
    host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)))
}

/// The allow rules that together cover the whole call; nothing where a part stays uncovered.
fn covering(
    rules: &[&Rule],
    reading: &Reading<'_>,
    inquiries: &mut BTreeSet<Inquiry>,
) -> Option<Vec<(Source, String)>> {
    let used: Vec<&Rule> = match &reading.call.subject {
        Subject::Shell(_) => covering_commands(rules, reading, inquiries)?,
        Subject::Files { .. } | Subject::Search(_) => covering_paths(rules, reading)?,
        Subject::Network(_) => covering_hosts(rules, reading)?,
        Subject::Internal => vec![*rules.iter().find(|rule| is_whole(rule, &reading.call.tool))?],
    };
    let mut names = BTreeSet::new();
    Some(
        used.into_iter()
            .filter(|rule| names.insert(rule.name.clone()))
            .map(|rule| (Source::rule(&rule.name), rule.reason.clone()))
            .collect(),
    )
}

fn is_whole(rule: &Rule, tool: &str) -> bool {
    rule.concerns(tool) && matches!(rule.scope, Scope::Whole)
}

fn covering_paths<'rule>(rules: &[&'rule Rule], reading: &Reading<'_>) -> Option<Vec<&'rule Rule>> {
    if reading.touches.is_empty() || !reading.faults.is_empty() {
        return None;
    }
    let covers = |rule: &Rule, touch: &Touch<'_>| match &rule.scope {
        Scope::Whole => true,
        // Allow needs link and target.
        Scope::Paths(patterns) => patterns.iter().any(|pattern| {
            pattern.matches(touch.shown(), reading.context) == Ok(true)
                && pattern.matches(&touch.lexical, reading.context) == Ok(true)
        }),
        Scope::Commands(_) | Scope::Hosts(_) => false,
    };
    reading
        .touches
        .iter()
        .map(|touch| {
            rules.iter().copied().find(|rule| rule.concerns(&reading.call.tool) && covers(rule, touch))
        })
        .collect()
}

fn covering_hosts<'rule>(rules: &[&'rule Rule], reading: &Reading<'_>) -> Option<Vec<&'rule Rule>> {
    if reading.hosts.is_empty() {
        return None;
    }
    let covers = |rule: &Rule, host: &str| match &rule.scope {
        Scope::Whole => true,
        Scope::Hosts(patterns) => matches_host(patterns, host, rule.behavior),
        Scope::Commands(_) | Scope::Paths(_) => false,
    };
    reading
        .hosts
        .iter()
        .map(|host| {
            rules.iter().copied().find(|rule| rule.concerns(&reading.call.tool) && covers(rule, host))
        })
        .collect()
}

/// Every simple command has to be allowed by a rule, or be proven read-only while a rule allows the rest.
fn covering_commands<'rule>(
    rules: &[&'rule Rule],
    reading: &Reading<'_>,
    inquiries: &mut BTreeSet<Inquiry>,
) -> Option<Vec<&'rule Rule>> {
    let (Subject::Shell(request), Some(shell)) = (&reading.call.subject, &reading.shell) else { return None };
    if shell.unreadable.is_some() || shell.beyond_rules.is_some() || !request.needs.is_empty() {
        return None;
    }
    let mut used = Vec::new();
    for command in shell.commands.iter().filter(|command| !command.transparent) {
        let rule = rules.iter().copied().find(|rule| {
            rule.concerns("shell")
                && match &rule.scope {
                    Scope::Whole => is_known_program(command, None, reading, inquiries),
                    Scope::Commands(patterns) => patterns.iter().any(|pattern| {
                        pattern.loosens(command)
                            && is_known_program(command, pattern.program(), reading, inquiries)
                    }),
                    Scope::Paths(_) | Scope::Hosts(_) => false,
                }
        });
        match rule {
            Some(rule) => used.push(rule),
            None if command.read_only => {}
            None => return None,
        }
    }
    if used.is_empty() { None } else { Some(used) }
}

/// Whether the command runs the program that an allow rule means: one in a system folder under its own
/// name, or the one at the path that the rule records.
fn is_known_program(
    command: &SimpleCommand,
    wanted: Option<&str>,
    reading: &Reading<'_>,
    inquiries: &mut BTreeSet<Inquiry>,
) -> bool {
    let context = reading.context;
    let Some(written) = command.words.first().and_then(|word| word.literal()) else { return false };
    let recorded = wanted.filter(|wanted| wanted.contains('/'));
    let same_name = match context.os {
        Os::Linux => |left: &str, right: &str| left.rsplit('/').next() == right.rsplit('/').next(),
        Os::Macos | Os::Windows => |left: &str, right: &str| program_name(left) == program_name(right),
    };
    if wanted.is_some_and(|wanted| !same_name(wanted, written)) {
        return false;
    }
    if command.built_in {
        return recorded.is_none();
    }
    let Some(key) = program_key(written, command, context) else { return false };
    let Some(program) = reading.facts.programs.get(&key) else {
        inquiries.insert(Inquiry::Program(key));
        return false;
    };
    match (recorded, program.place) {
        (None, ProgramPlace::System) => true,
        (Some(recorded), ProgramPlace::System | ProgramPlace::User) => {
            if program.found.as_deref() == Some(recorded) || program.real.as_deref() == Some(recorded) {
                return true;
            }
            match reading.facts.paths.get(recorded) {
                None => {
                    inquiries.insert(Inquiry::Path(recorded.to_owned()));
                    false
                }
                Some(PathFact::Resolved(resolved)) => program.real.as_deref() == Some(resolved.real.as_str()),
                Some(PathFact::Unresolvable { .. }) => false,
            }
        }
        (None, ProgramPlace::User | ProgramPlace::Untrusted | ProgramPlace::Missing)
        | (Some(_), ProgramPlace::Untrusted | ProgramPlace::Missing) => false,
    }
}

/// The key of a program in the facts; nothing where its folder can't be told.
pub(crate) fn program_key(written: &str, command: &SimpleCommand, context: &Context) -> Option<String> {
    let has_folder = match context.os {
        Os::Linux | Os::Macos => written.contains('/'),
        Os::Windows => written.contains(['/', '\\']),
    };
    if !has_folder {
        return Some(written.to_owned());
    }
    let folder = command.folder.as_deref().or(crate::path::is_absolute(written, context.os).then_some("/"))?;
    crate::path::join(written, folder, context.os).ok()
}

impl Grant {
    /// The grant that would cover exactly this call, where one can be given: file and shell calls without
    /// `needs`.
    #[must_use]
    pub fn of(call: &PreparedCall) -> Option<Self> {
        let operation = match &call.subject {
            Subject::Shell(request) if request.needs.is_empty() => request.command.clone(),
            Subject::Files { .. } => canonical_json(&Value::Object(call.arguments.clone())),
            Subject::Network(request) => request.url.clone(),
            Subject::Shell(_) | Subject::Search(_) | Subject::Internal => return None,
        };
        Some(Self { tool: call.tool.clone(), operation })
    }
}

/// Whether a rule matches an example out of its own file: a command, a path or a host.
pub(super) fn example_matches(rule: &Rule, example: &str, shell: ShellKind, os: Os) -> Result<bool, String> {
    let context = example_context(shell, os);
    match &rule.scope {
        Scope::Whole => Err("examples need commands, paths or hosts".to_owned()),
        Scope::Commands(patterns) => {
            let judgement = shell::judge(example, &Facts::default(), &context);
            Ok(matches_commands(rule.behavior, patterns, &judgement))
        }
        Scope::Paths(patterns) => {
            let home = |rest: &str| format!("{}/{}", context.home, rest.trim_start_matches('/'));
            let path = match example.strip_prefix('~') {
                Some(rest) => home(rest),
                None => {
                    crate::path::join(example, &context.workspace, os).map_err(|fault| fault.to_string())?
                }
            };
            let path = crate::path::lexical(&path);
            let matched = patterns.iter().map(|pattern| match rule.behavior {
                Behavior::Allow => pattern.matches(&path, &context),
                Behavior::Passthrough | Behavior::Ask | Behavior::Deny => {
                    pattern.matches_or_holds(&path, &context)
                }
            });
            matched
                .collect::<Result<Vec<_>, _>>()
                .map(|all| all.contains(&true))
                .map_err(|error| error.to_string())
        }
        Scope::Hosts(hosts) => Ok(matches_host(hosts, &example.to_ascii_lowercase(), rule.behavior)),
    }
}

fn matches_commands(
    behavior: Behavior,
    patterns: &[super::CommandPattern],
    judgement: &ShellJudgement,
) -> bool {
    match behavior {
        Behavior::Allow => {
            let mut commands = judgement.commands.iter().filter(|command| !command.transparent).peekable();
            let named = |pattern: &super::CommandPattern, command: &SimpleCommand| {
                let written = command.words.first().and_then(|word| word.literal());
                match (pattern.program(), written) {
                    (None, written) => written.is_some(),
                    (Some(wanted), Some(written)) => program_name(wanted) == program_name(written),
                    (Some(_), None) => false,
                }
            };
            commands.peek().is_some()
                && commands.all(|command| {
                    patterns.iter().any(|pattern| named(pattern, command) && pattern.loosens(command))
                })
        }
        Behavior::Passthrough | Behavior::Ask | Behavior::Deny => judgement
            .commands
            .iter()
            .any(|command| patterns.iter().any(|pattern| pattern.tightens(command) == Match::Yes)),
    }
}

/// A stage for examples: nothing on it exists.
fn example_context(shell: ShellKind, os: Os) -> Context {
    Context {
        os,
        shell,
        mode: Mode::Balanced,
        workspace: "/workspace".to_owned(),
        workspace_aliases: Vec::new(),
        home: "/home/user".to_owned(),
        own_paths: Vec::new(),
        read_folders: Vec::new(),
        sandbox: SandboxState::NotInForce,
        shell_trust: ShellTrust::Trusted,
        search_path: Vec::new(),
        programs: ProgramLookup::Assumed,
        environment: Vec::new(),
        user: String::new(),
        session: String::new(),
        policy_version: String::new(),
    }
}

impl Layer {
    /// The word on the command line and in the window.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Session => "session",
        }
    }
}
