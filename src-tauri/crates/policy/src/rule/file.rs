//! One policy file: `version = 1`, `read_folders`, `[[rules]]`. An unknown key is an error, and so is a
//! rule that fails its own examples.

use super::command::CommandPattern;
use super::paths::PathPattern;
use super::{Conditions, Layer, Rule, Scope, coverage};
use crate::{Behavior, Os, ShellKind};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::Spanned;

/// Every name a rule may give in `tools`; a rule without `tools` speaks about every tool.
const TOOLS: &[&str] =
    &["shell", "read_file", "write_file", "edit_file", "glob", "grep", "list_dir", "fetch_url", "task"];

/// A policy file that is sound: its rules pass their own examples.
#[derive(Clone, Debug, Default)]
pub struct RuleFile {
    /// Its rules in order.
    pub rules: Vec<Rule>,
    /// Folders it opens for reading, as written.
    pub read_folders: Vec<String>,
}

/// What is wrong with a policy file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct RuleFileError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong, in one line.
    pub message: String,
}

impl RuleFile {
    /// Reads the text of a policy file of `layer`; examples are read as `shell` on `os` would.
    ///
    /// # Errors
    /// The first thing that is wrong, with line and column.
    pub fn parse(text: &str, layer: Layer, shell: ShellKind, os: Os) -> Result<Self, RuleFileError> {
        let at = |span: Range<usize>, message: String| position(text, span.start, message);
        let form: FileForm = toml::from_str(text)
            .map_err(|error| at(error.span().unwrap_or(0..0), one_line(error.message())))?;
        if *form.version.get_ref() != 1 {
            return Err(at(form.version.span(), "version must be 1".to_owned()));
        }
        if let Some(first) = form.read_folders.first().filter(|_| layer == Layer::Project) {
            return Err(at(
                first.span(),
                "read_folders stands only in the user's and the managed file".to_owned(),
            ));
        }
        for folder in &form.read_folders {
            check_read_folder(folder.get_ref()).map_err(|message| at(folder.span(), message))?;
        }
        let mut rules = Vec::new();
        let mut names = BTreeSet::new();
        for form in form.rules {
            let span = form.span();
            let (line, _) = line_and_column(text, span.start);
            let rule = form.into_inner();
            let examples =
                Examples { matching: rule.matching.clone(), not_matching: rule.not_matching.clone() };
            let rule = rule.build(layer, line).map_err(|(span, message)| at(span, message))?;
            if !names.insert(rule.name.clone()) {
                return Err(at(span, format!("two rules are called {:?}", rule.name)));
            }
            examples.check(&rule, shell, os).map_err(|(span, message)| at(span, message))?;
            rules.push(rule);
        }
        Ok(Self { rules, read_folders: form.read_folders.into_iter().map(Spanned::into_inner).collect() })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileForm {
    version: Spanned<u64>,
    #[serde(default)]
    read_folders: Vec<Spanned<String>>,
    #[serde(default)]
    rules: Vec<Spanned<RuleForm>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleForm {
    name: Spanned<String>,
    behavior: Spanned<BehaviorWord>,
    #[serde(default)]
    tools: Vec<Spanned<String>>,
    commands: Option<Vec<Spanned<String>>>,
    paths: Option<Vec<Spanned<String>>>,
    hosts: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    users: Vec<Spanned<String>>,
    #[serde(default)]
    origins: Vec<Spanned<Origin>>,
    reason: Spanned<String>,
    expires: Option<Spanned<toml::value::Datetime>>,
    #[serde(default, rename = "match")]
    matching: Vec<Spanned<String>>,
    #[serde(default, rename = "not_match")]
    not_matching: Vec<Spanned<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BehaviorWord {
    Deny,
    Ask,
    Allow,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Origin {
    Task,
    SubAgent,
    Mcp,
}

type Complaint = (Range<usize>, String);

impl RuleForm {
    fn build(self, layer: Layer, line: usize) -> Result<Rule, Complaint> {
        for (field, span) in
            [(self.name.get_ref(), self.name.span()), (self.reason.get_ref(), self.reason.span())]
        {
            if field.trim().is_empty() {
                return Err((span, "name and reason are not empty".to_owned()));
            }
        }
        if let Some(tool) = self.tools.iter().find(|tool| !TOOLS.contains(&tool.get_ref().as_str())) {
            return Err((
                tool.span(),
                format!("there is no tool {:?}; tools are {}", tool.get_ref(), TOOLS.join(", ")),
            ));
        }
        let managed_only = self.users.first().map(Spanned::span).or(self.origins.first().map(Spanned::span));
        if let Some(span) = managed_only.filter(|_| layer != Layer::Managed) {
            return Err((span, "users and origins stand only in the managed file".to_owned()));
        }
        let behavior = match self.behavior.into_inner() {
            BehaviorWord::Deny => Behavior::Deny,
            BehaviorWord::Ask => Behavior::Ask,
            BehaviorWord::Allow => Behavior::Allow,
        };
        let expires = self.expires.map(|day| last_day(&day, behavior)).transpose()?;
        let tools: Vec<String> = self.tools.iter().map(|tool| tool.get_ref().clone()).collect();
        let concerns = |tool: &str| tools.is_empty() || tools.iter().any(|name| name == tool);
        let span = self.name.span();
        let scope = match (self.commands, self.paths, self.hosts) {
            (None, None, None) => Scope::Whole,
            (Some(commands), None, None) => {
                if !concerns("shell") {
                    return Err((span, "commands belong to the tool \"shell\"".to_owned()));
                }
                Scope::Commands(all(&commands, |text| {
                    CommandPattern::parse(text).map_err(|error| error.to_string())
                })?)
            }
            (None, Some(paths), None) => {
                if tools.iter().all(|tool| tool == "fetch_url") && !tools.is_empty() {
                    return Err((span, "paths belong to file tools".to_owned()));
                }
                Scope::Paths(all(&paths, |text| PathPattern::parse(text).map_err(|error| error.to_string()))?)
            }
            (None, None, Some(hosts)) => Scope::Hosts(all(&hosts, host_pattern)?),
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
                return Err((span, "a rule has commands or paths or hosts, not two of them".to_owned()));
            }
        };
        Ok(Rule {
            name: self.name.into_inner(),
            layer,
            behavior,
            tools,
            scope,
            when: Conditions {
                users: self.users.into_iter().map(Spanned::into_inner).collect(),
                origins: self
                    .origins
                    .into_iter()
                    .map(|origin| match origin.into_inner() {
                        Origin::Task => "task".to_owned(),
                        Origin::SubAgent => "sub_agent".to_owned(),
                        Origin::Mcp => "mcp".to_owned(),
                    })
                    .collect(),
            },
            expires,
            reason: self.reason.into_inner(),
            line,
        })
    }
}

/// A rule that forbids doesn't end by itself: that would loosen.
fn last_day(written: &Spanned<toml::value::Datetime>, behavior: Behavior) -> Result<String, Complaint> {
    let refused = |message: &str| Err((written.span(), message.to_owned()));
    match (written.get_ref(), behavior) {
        (toml::value::Datetime { date: Some(day), time: None, offset: None }, Behavior::Allow) => {
            Ok(day.to_string())
        }
        (_, Behavior::Allow) => refused("expires is a day, as in 2026-12-31"),
        (_, Behavior::Passthrough | Behavior::Ask | Behavior::Deny) => refused("only an allow rule expires"),
    }
}

fn all<T>(texts: &[Spanned<String>], read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, Complaint> {
    texts.iter().map(|text| read(text.get_ref()).map_err(|message| (text.span(), message))).collect()
}

pub(super) fn host_pattern(text: &str) -> Result<String, String> {
    let (name, port) = text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
    let name = name.strip_prefix("*.").unwrap_or(name);
    let sound = port.is_none_or(is_port)
        && !name.is_empty()
        && name.split('.').all(|label| {
            !label.is_empty()
                && label.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '-' | '_'))
        });
    if sound {
        Ok(text.to_ascii_lowercase())
    } else {
        Err(format!("{text:?} is no host name; write it in ASCII"))
    }
}

/// As addresses spell a port: 1 to 65535, no zero in front.
fn is_port(text: &str) -> bool {
    !text.starts_with(['0', '+']) && text.parse::<u16>().is_ok()
}

fn check_read_folder(folder: &str) -> Result<(), String> {
    let absolute = folder == "~" || folder.starts_with("~/") || crate::path::is_absolute(folder, Os::Windows);
    if !absolute {
        return Err("a read folder starts with / or ~/".to_owned());
    }
    if folder.split('/').any(|part| part == "..") {
        return Err("a read folder holds no `..`".to_owned());
    }
    Ok(())
}

/// What a rule says about itself.
struct Examples {
    matching: Vec<Spanned<String>>,
    not_matching: Vec<Spanned<String>>,
}

impl Examples {
    fn check(&self, rule: &Rule, shell: ShellKind, os: Os) -> Result<(), Complaint> {
        let wanted = self.matching.iter().map(|example| (example, true));
        let unwanted = self.not_matching.iter().map(|example| (example, false));
        for (example, expected) in wanted.chain(unwanted) {
            let matched = coverage::example_matches(rule, example.get_ref(), shell, os)
                .map_err(|message| (example.span(), message))?;
            if matched != expected {
                let how = if expected { "is not matched by" } else { "is matched by" };
                return Err((
                    example.span(),
                    format!("{:?} {how} the rule {:?}", example.get_ref(), rule.name),
                ));
            }
        }
        Ok(())
    }
}

fn position(text: &str, offset: usize, message: String) -> RuleFileError {
    let (line, column) = line_and_column(text, offset);
    RuleFileError { line, column, message }
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
