//! The words of a question: what the dialog, the terminal, the card and `policy check` show.
//!
//! A [`PermissionRequest`] holds what there is to say; [`PermissionRequest::text`] says it in a language.
//! Title and labels are ours; whatever comes from the model, the workspace or the net is a value, escaped.

mod arguments;
mod layout;
mod reason;
mod words;

pub use layout::{WRAPPED, sheet, wrap};
pub use reason::{failure_in, reason_in};
pub use words::Language;
pub(crate) use words::Words;

use crate::escape::{escape, has_hidden};
use crate::{
    Access, CallDigest, Context, Evaluation, Needs, Origin, PreparedCall, Profile, Risk, SandboxState,
    Subject, Touched,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use words::fill;

/// One question to a person, in no language yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PermissionRequest {
    /// The tool.
    pub tool: String,
    /// What it does at worst.
    pub risk: Risk,
    /// Why it is asked.
    pub reason: String,
    /// Who asked for it.
    pub source: String,
    /// What the model says about the call; marked as such wherever it is shown.
    pub says: Option<String>,
    /// Who proposed it, where it isn't the user's own task.
    pub origin: Origin,
    /// The workspace, with `~` for the home folder.
    pub workspace: String,
    /// The arguments, whole; without what is said elsewhere (`description`, `needs`).
    pub arguments: Map<String, Value>,
    /// Whether a command goes on in the background.
    pub background: bool,
    /// What a command wants beyond its profile.
    pub needs: Needs,
    /// What the call touches, as the person would name it.
    pub touches: Vec<Touched>,
    /// How many files lie in the touched folders that were counted, by path as in `touches`.
    #[serde(default)]
    pub extents: BTreeMap<String, Extent>,
    /// Host names, in ASCII.
    pub hosts: Vec<String>,
    /// What confines it.
    pub confinement: Confinement,
    /// `7F3A-91C2`
    pub check: String,
    /// What a file tool would change, line by line; empty where it isn't known.
    #[serde(default)]
    pub change: Vec<String>,
    /// Whether a program that was approved without the sandbox still runs.
    #[serde(default)]
    pub unsandboxed_alive: bool,
}

/// How many files lie in a folder and its folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Extent {
    /// How many were counted.
    pub files: u64,
    /// Whether there are more: counting stopped there.
    pub cut: bool,
}

impl Extent {
    fn in_words(self, words: &Words) -> String {
        let template = match self {
            Self { cut: true, .. } => &words.touch_files_cut,
            Self { files: 1, .. } => &words.touch_one_file,
            Self { .. } => &words.touch_files,
        };
        fill(template, &[("count", &self.files.to_string())])
    }
}

/// What confines a call, as a person has to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confinement {
    /// The read-only profile.
    ReadOnly,
    /// The workspace-write profile.
    WorkspaceWrite,
    /// That profile and what the call also wants.
    WithNeeds,
    /// None, by the call's own wish.
    Unsandboxed,
    /// None, since no profile is in force.
    NotInForce,
    /// No program: a file tool.
    InProcess,
    /// No program: a request to another machine.
    Network,
}

/// A question in one language. Every text is escaped: no control, bidi or invisible character, no line break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RequestText {
    /// `Assent · Run a command?`
    pub title: String,
    /// In the order they are shown; a label occurs at most once.
    pub lines: Vec<Line>,
}

/// A labelled line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Line {
    /// `Workspace`, `Command`, …; empty for a sentence.
    pub label: String,
    /// The value on one line: line breaks in it are spelled `\n`.
    pub value: String,
    /// The value's own lines, for views that show them behind a gutter; never empty.
    pub rows: Vec<String>,
}

impl Line {
    /// A line with `value` escaped.
    #[must_use]
    pub fn new(label: &str, value: &str) -> Self {
        let rows = value.split('\n').map(|row| escape(row.strip_suffix('\r').unwrap_or(row))).collect();
        Self { label: label.to_owned(), value: escape(value), rows }
    }

    /// A line of several parts: side by side where there is one row, one below the other where there are many.
    fn list(label: &str, parts: &[String], separator: &str) -> Self {
        let rows: Vec<String> = parts.iter().map(|part| escape(part)).collect();
        Self { label: label.to_owned(), value: rows.join(separator), rows }
    }
}

/// Touched paths that are only read and hold no secret are listed up to here.
const LISTED: usize = 40;

impl PermissionRequest {
    /// The question about `call`, judged as `evaluation` in `context`.
    #[must_use]
    pub fn new(call: &PreparedCall, evaluation: &Evaluation, context: &Context, digest: &CallDigest) -> Self {
        let mut arguments = call.arguments.clone();
        let says = arguments.shift_remove("description").and_then(|text| text.as_str().map(str::to_owned));
        let (background, needs) = match &call.subject {
            Subject::Shell(shell) => {
                arguments.shift_remove("needs");
                arguments.shift_remove("background");
                (shell.background, shell.needs.clone())
            }
            Subject::Files { .. } | Subject::Search(_) | Subject::Network(_) | Subject::Internal => {
                (false, Needs::default())
            }
        };
        let touches = evaluation
            .touches
            .iter()
            .map(|touched| Touched { path: shown_path(&touched.path, context), ..touched.clone() })
            .collect();
        Self {
            tool: call.tool.clone(),
            risk: evaluation.risk.clone(),
            reason: evaluation.reason.as_str().to_owned(),
            source: evaluation.source.as_str().to_owned(),
            says: says.filter(|text| !text.trim().is_empty()),
            origin: call.origin.clone(),
            workspace: home_as_tilde(&context.workspace, &context.home),
            confinement: confinement(&call.subject, evaluation.profile, &needs, context.sandbox),
            arguments,
            background,
            needs,
            touches,
            extents: BTreeMap::new(),
            hosts: evaluation.hosts.clone(),
            check: digest.short(),
            change: Vec::new(),
            unsandboxed_alive: false,
        }
    }

    /// The same, with the lines a file tool would change (`+ new`, `- old`, `  same`).
    #[must_use]
    pub fn with_change(self, change: Vec<String>) -> Self {
        Self { change, ..self }
    }

    /// The same, saying how much lies in the folder at the real path `path` of the workspace in `context`.
    #[must_use]
    pub fn with_extent(mut self, path: &str, context: &Context, extent: Extent) -> Self {
        self.extents.insert(shown_path(path, context), extent);
        self
    }

    /// The same, saying whether a program that was approved without the sandbox still runs.
    #[must_use]
    pub fn with_unsandboxed_alive(self, unsandboxed_alive: bool) -> Self {
        Self { unsandboxed_alive, ..self }
    }

    /// The question in `language`.
    #[must_use]
    pub fn text(&self, language: Language) -> RequestText {
        let words = Words::of(language);
        let mut lines = vec![Line::new("", &words.risk(&self.risk))];
        let translated = words.reason(&self.reason);
        let reason = translated.as_ref().unwrap_or(&self.reason).trim_end_matches(['.', '。']);
        lines.push(Line::new(
            &words.label_because,
            &fill(&words.because, &[("reason", reason), ("source", &self.source)]),
        ));
        if let Some(by) = self.by(words) {
            lines.push(Line::new(&words.label_by, &by));
        }
        if let Some(says) = &self.says {
            lines.push(Line::new(&words.label_says, &fill(&words.says, &[("text", says.trim())])));
        }
        let careful = self.careful(words);
        if !careful.is_empty() {
            lines.push(Line::list(&words.label_careful, &careful, &words.sentences));
        }
        lines.push(Line::new(&words.label_workspace, &self.workspace));
        lines.extend(arguments::lines(&self.tool, &self.arguments, words));
        let needs = self.needs_in_words(words);
        if !needs.is_empty() {
            lines.push(Line::list(&words.label_needs, &needs, &words.list));
        }
        let touches = self.touches_in_words(words);
        if !touches.is_empty() {
            lines.push(Line::list(&words.label_touches, &touches, &words.list));
        }
        if !self.hosts.is_empty() {
            lines.push(Line::list(&words.label_hosts, &self.hosts, &words.list));
        }
        if !self.change.is_empty() {
            lines.push(Line::new(&words.label_change, &self.change.join("\n")));
        }
        lines.push(Line::new(&words.label_sandbox, self.sandbox_in_words(words)));
        lines.push(Line::new(&words.label_check, &self.check));
        once_each(&mut lines);
        RequestText { title: escape(&fill(&words.app, &[("title", &self.title(words))])), lines }
    }

    /// The risk as one or two plain sentences, escaped.
    #[must_use]
    pub fn risk_sentence(&self, language: Language) -> String {
        escape(&Words::of(language).risk(&self.risk))
    }

    /// The lines of the English question as plain text, one each.
    #[must_use]
    pub fn display(&self) -> Vec<String> {
        self.text(Language::English).plain()
    }

    fn title(&self, words: &Words) -> String {
        match self.tool.as_str() {
            "shell" if self.background => words.title_shell_background.clone(),
            "shell" => words.title_shell.clone(),
            "read_file" => words.title_read_file.clone(),
            "write_file" => words.title_write_file.clone(),
            "edit_file" => words.title_edit_file.clone(),
            "glob" => words.title_glob.clone(),
            "grep" => words.title_grep.clone(),
            "list_dir" => words.title_list_dir.clone(),
            "fetch_url" => words.title_fetch_url.clone(),
            other => fill(&words.title_other, &[("tool", other)]),
        }
    }

    fn by(&self, words: &Words) -> Option<String> {
        match &self.origin {
            Origin::Task => None,
            Origin::SubAgent { name } => Some(fill(&words.by_sub_agent, &[("name", name)])),
            Origin::Mcp { server } => Some(fill(&words.by_mcp, &[("name", server)])),
        }
    }

    fn careful(&self, words: &Words) -> Vec<String> {
        let texts =
            self.arguments.iter().flat_map(|(name, value)| [name.as_str(), value.as_str().unwrap_or("")]);
        let paths = self.touches.iter().map(|touched| touched.path.as_str());
        let hidden =
            texts.chain(paths).chain(self.says.as_deref()).chain([self.tool.as_str()]).any(has_hidden);
        let mut out = Vec::new();
        if hidden {
            out.push(words.careful_hidden.clone());
        }
        if self.unsandboxed_alive {
            out.push(words.careful_unsandboxed.clone());
        }
        out
    }

    fn needs_in_words(&self, words: &Words) -> Vec<String> {
        let Needs { hosts, listen, read, write, unsandboxed } = &self.needs;
        let mut out = Vec::new();
        if *unsandboxed {
            out.push(words.needs_unsandboxed.clone());
        }
        if !hosts.is_empty() {
            out.push(fill(&words.needs_hosts, &[("hosts", &hosts.join(&words.list))]));
        }
        if !listen.is_empty() {
            let ports: Vec<String> = listen.iter().map(u16::to_string).collect();
            out.push(fill(&words.needs_listen, &[("ports", &ports.join(&words.list))]));
        }
        if !read.is_empty() {
            out.push(fill(&words.needs_read, &[("paths", &read.join(&words.list))]));
        }
        if !write.is_empty() {
            out.push(fill(&words.needs_write, &[("paths", &write.join(&words.list))]));
        }
        out
    }

    /// Every path that is changed, protected or sensitive; others up to [`LISTED`].
    fn touches_in_words(&self, words: &Words) -> Vec<String> {
        let named: BTreeSet<&str> = self.arguments.values().filter_map(Value::as_str).collect();
        if let [only] = self.touches.as_slice()
            && named.contains(only.path.as_str())
            && !only.protected
            && !only.sensitive
            && self.extents.is_empty()
        {
            return Vec::new();
        }
        let mut plain = 0;
        let mut out = Vec::new();
        for touched in &self.touches {
            let mut notes = match touched.access {
                Access::Read => Vec::new(),
                Access::Write => vec![words.touch_write.clone()],
                Access::Delete => vec![words.touch_delete.clone()],
                Access::Execute => vec![words.touch_execute.clone()],
            };
            notes.extend(self.extents.get(&touched.path).map(|extent| extent.in_words(words)));
            if touched.protected {
                notes.push(words.touch_protected.clone());
            }
            if touched.sensitive {
                notes.push(words.touch_sensitive.clone());
            }
            if notes.is_empty() {
                plain += 1;
                if plain <= LISTED {
                    out.push(fill(&words.touch_plain, &[("path", &touched.path)]));
                }
            } else {
                let notes = notes.join(&words.list);
                out.push(fill(&words.touch_noted, &[("path", &touched.path), ("notes", &notes)]));
            }
        }
        if plain > LISTED {
            out.push(fill(&words.touch_more, &[("count", &(plain - LISTED).to_string())]));
        }
        out
    }

    fn sandbox_in_words<'a>(&self, words: &'a Words) -> &'a str {
        match self.confinement {
            Confinement::ReadOnly => &words.sandbox_read_only,
            Confinement::WorkspaceWrite => &words.sandbox_workspace_write,
            Confinement::WithNeeds => &words.sandbox_with_needs,
            Confinement::Unsandboxed => &words.sandbox_none,
            Confinement::NotInForce => &words.sandbox_not_in_force,
            Confinement::InProcess => &words.sandbox_in_process,
            Confinement::Network => &words.sandbox_network,
        }
    }
}

/// What a program that runs in `profile` can do, in `language`.
#[must_use]
pub fn profile_in(language: Language, profile: Profile) -> &'static str {
    let words = Words::of(language);
    match profile {
        Profile::ReadOnly => &words.sandbox_read_only,
        Profile::WorkspaceWrite => &words.sandbox_workspace_write,
        Profile::Unsandboxed => &words.sandbox_none,
        Profile::InProcess => &words.sandbox_in_process,
    }
}

impl RequestText {
    /// Title and lines as plain text, one each.
    #[must_use]
    pub fn plain(&self) -> Vec<String> {
        let lines = self.lines.iter().map(|line| {
            if line.label.is_empty() { line.value.clone() } else { format!("{}: {}", line.label, line.value) }
        });
        std::iter::once(self.title.clone()).chain(lines).collect()
    }
}

fn confinement(subject: &Subject, profile: Profile, needs: &Needs, sandbox: SandboxState) -> Confinement {
    let is_program = matches!(subject, Subject::Shell(_));
    match profile {
        Profile::Unsandboxed => Confinement::Unsandboxed,
        Profile::InProcess if matches!(subject, Subject::Network(_)) => Confinement::Network,
        Profile::InProcess => Confinement::InProcess,
        Profile::ReadOnly | Profile::WorkspaceWrite if !is_program => Confinement::InProcess,
        Profile::ReadOnly | Profile::WorkspaceWrite if sandbox == SandboxState::NotInForce => {
            Confinement::NotInForce
        }
        Profile::ReadOnly => Confinement::ReadOnly,
        Profile::WorkspaceWrite if needs.is_empty() => Confinement::WorkspaceWrite,
        Profile::WorkspaceWrite => Confinement::WithNeeds,
    }
}

/// `src/a.rs` inside the workspace, `~/x` below the home folder, else as it is.
fn shown_path(path: &str, context: &Context) -> String {
    match path.strip_prefix(&context.workspace) {
        Some("" | "/") => ".".to_owned(),
        Some(rest) if rest.starts_with('/') => rest.trim_start_matches('/').to_owned(),
        Some(_) | None => home_as_tilde(path, &context.home),
    }
}

fn home_as_tilde(path: &str, home: &str) -> String {
    match path.strip_prefix(home) {
        Some("") => "~".to_owned(),
        Some(rest) if !home.is_empty() && rest.starts_with('/') => format!("~{rest}"),
        Some(_) | None => path.to_owned(),
    }
}

/// Makes every label unique: an argument can't pass for a line of ours.
fn once_each(lines: &mut [Line]) {
    let mut seen = BTreeSet::new();
    for line in lines.iter_mut().filter(|line| !line.label.is_empty()) {
        let mut label = line.label.clone();
        let mut number = 2;
        while !seen.insert(label.clone()) {
            label = format!("{} ({number})", line.label);
            number += 1;
        }
        line.label = label;
    }
}

#[cfg(test)]
mod tests;
