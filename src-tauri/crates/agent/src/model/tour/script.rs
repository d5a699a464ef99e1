//! What the tour does next. Each step is one reply with one call; where it stands follows from the answers so far.

use super::folder::Folder;
use super::words::{Ending, TourLanguage, Words};
use crate::model::{Message, ModelRequest, ToolMessage};
use serde_json::{Map, Value, json};

/// The next reply.
#[derive(Debug)]
pub struct Move {
    /// What is said.
    pub text: String,
    /// The call: tool and arguments.
    pub call: Option<(&'static str, Map<String, Value>)>,
}

/// The stations of the tour, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Station {
    /// Lists the folder.
    Look,
    /// Reads one file of it.
    Read,
    /// Proposes a note.
    Write,
    /// Proposes a harmless command.
    Command,
    /// Proposes a command that nothing can allow.
    Forbidden,
    /// Proposes a file outside the folder.
    Outside,
}

const STATIONS: [Station; 6] =
    [Station::Look, Station::Read, Station::Write, Station::Command, Station::Forbidden, Station::Outside];

/// A visited station.
struct Visit<'a> {
    station: Station,
    subject: String,
    answer: &'a ToolMessage,
}

/// Decides the next reply from the conversation alone.
#[must_use]
pub fn next_move(request: &ModelRequest, language: TourLanguage) -> Move {
    let words = Words(language);
    let start = request.messages.iter().rposition(|message| matches!(message, Message::User { .. }));
    let (before, run) = request.messages.split_at(start.unwrap_or_default());
    if is_over(before, &words) && !asks_again(run) {
        return Move { text: words.over().to_owned(), call: None };
    }
    let visits = visits(run);
    let folder = visits.iter().find(|visit| visit.station == Station::Look);
    let folder = folder.map(|visit| Folder::from_listing(&visit.answer.content)).unwrap_or_default();
    let mut text = reaction(visits.last(), &folder, &words);
    let done = |station: Station| visits.iter().any(|visit| visit.station == station);
    let is_offered = |name: &str| request.tools.iter().any(|tool| tool.name == name);
    for station in STATIONS.into_iter().filter(|station| !done(*station)) {
        // A later station was visited: this one was left out before.
        if visits.iter().any(|visit| order(visit.station) > order(station)) {
            continue;
        }
        let Some((tool, arguments)) = proposal(station, &folder, &visits, &words) else { continue };
        if !is_offered(tool) {
            continue;
        }
        let subject = subject(&arguments);
        text.push_str(&words.before(station, &subject));
        return Move { text, call: Some((tool, arguments)) };
    }
    text.push_str(&summary(&visits, &words));
    Move { text, call: None }
}

/// Tool and arguments of a station; `None` where there is nothing to do.
fn proposal(
    station: Station,
    folder: &Folder,
    visits: &[Visit<'_>],
    words: &Words,
) -> Option<(&'static str, Map<String, Value>)> {
    let (tool, arguments) = match station {
        Station::Look => ("list_dir", json!({})),
        Station::Read => ("read_file", json!({"path": folder.file_to_read()?, "limit": 40})),
        Station::Write => {
            let read = visits.iter().find(|visit| visit.station == Station::Read && !visit.answer.is_error);
            let note = words.note(folder.len(), read.map(|visit| visit.subject.as_str()));
            ("write_file", json!({"path": folder.free_name(), "content": note}))
        }
        Station::Command => {
            let command = match (cfg!(windows), folder.has_git()) {
                (_, true) => "git status --short",
                (true, false) => "Get-ChildItem",
                (false, false) => "ls -la",
            };
            ("shell", json!({"command": command, "description": words.command_purpose()}))
        }
        Station::Forbidden => {
            let command = if cfg!(windows) { "Restart-Computer" } else { "sudo reboot" };
            ("shell", json!({"command": command, "description": words.forbidden_purpose()}))
        }
        Station::Outside => {
            ("write_file", json!({"path": "../assent-tour-outside.md", "content": words.outside_note()}))
        }
    };
    match arguments {
        Value::Object(arguments) => Some((tool, arguments)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

/// The stations of this run, told by what was called.
fn visits(run: &[Message]) -> Vec<Visit<'_>> {
    let mut visits = Vec::new();
    for message in run {
        let Message::Assistant(reply) = message else { continue };
        for call in &reply.calls {
            let answer = run.iter().find_map(|message| match message {
                Message::Tool(answer) if answer.call_id == call.id => Some(answer),
                Message::Tool(_) | Message::User { .. } | Message::Assistant(_) => None,
            });
            let crate::model::Arguments::Object(arguments) = &call.arguments else { continue };
            let subject = subject(arguments);
            let station = match call.name.as_str() {
                "list_dir" => Station::Look,
                "read_file" => Station::Read,
                "write_file" if subject.starts_with("..") => Station::Outside,
                "write_file" => Station::Write,
                "shell" if subject.contains("reboot") || subject.contains("Restart") => Station::Forbidden,
                "shell" => Station::Command,
                _ => continue,
            };
            if let Some(answer) = answer {
                visits.push(Visit { station, subject, answer });
            }
        }
    }
    visits
}

/// What the tour says to the answer it just got.
fn reaction(last: Option<&Visit<'_>>, folder: &Folder, words: &Words) -> String {
    let Some(visit) = last else { return words.opening().to_owned() };
    match (visit.station, ending(visit.answer)) {
        (Station::Look, Ending::Done) => words.saw(folder.len()),
        (station, ending) => words.after(station, ending, &visit.subject),
    }
}

fn ending(answer: &ToolMessage) -> Ending {
    match answer.error_code.as_deref() {
        None if !answer.is_error => Ending::Done,
        Some("approval_denied") => Ending::DeniedByYou,
        Some("permission_denied" | "path_escape") => Ending::DeniedByRule,
        Some("approval_expired" | "approval_unavailable" | "approval_withdrawn") => Ending::NotAnswered,
        Some(_) | None => Ending::Failed,
    }
}

fn summary(visits: &[Visit<'_>], words: &Words) -> String {
    let mut text = words.summary_opening().to_owned();
    for visit in visits {
        text.push_str(&words.summary_line(visit.station, &visit.subject, ending(visit.answer)));
    }
    text.push_str(words.closing());
    text
}

fn subject(arguments: &Map<String, Value>) -> String {
    let text = |key: &str| arguments.get(key).and_then(Value::as_str);
    text("command").or_else(|| text("path")).unwrap_or(".").to_owned()
}

fn order(station: Station) -> Option<usize> {
    STATIONS.iter().position(|other| *other == station)
}

/// Whether an earlier run came to the tour's end.
fn is_over(before: &[Message], words: &Words) -> bool {
    before.iter().any(|message| match message {
        Message::Assistant(reply) => words.is_closing(&reply.text),
        Message::User { .. } | Message::Tool(_) => false,
    })
}

fn asks_again(run: &[Message]) -> bool {
    match run.first() {
        Some(Message::User { text, .. }) => {
            let text = text.to_lowercase();
            ["again", "tour", "再", "导览"].iter().any(|word| text.contains(word))
        }
        Some(Message::Assistant(_) | Message::Tool(_)) | None => false,
    }
}
