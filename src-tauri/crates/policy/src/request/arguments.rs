//! A call's arguments as labelled lines, whole, in an order people read.

use super::Line;
use super::words::{Words, fill};
use crate::escape::escape;
use serde_json::{Map, Value};

/// Every argument once: the known ones of the tool first, in order, then what is left under its own name.
pub(super) fn lines(tool: &str, arguments: &Map<String, Value>, words: &Words) -> Vec<Line> {
    let mut lines = Vec::new();
    let known = known(tool, words);
    for (name, label) in &known {
        if let Some(value) = arguments.get(*name) {
            lines.push(Line::new(label, &text(name, value, words)));
        }
    }
    for (name, value) in arguments {
        if !known.iter().any(|(known, _)| known == name) {
            let label = fill(&words.label_argument, &[("name", &escape(name))]);
            lines.push(Line::new(&label, &text(name, value, words)));
        }
    }
    lines
}

fn known<'a>(tool: &str, words: &'a Words) -> Vec<(&'static str, &'a str)> {
    match tool {
        "shell" => vec![("command", &words.label_command), ("timeout_ms", &words.label_time_limit)],
        "read_file" => vec![
            ("path", &words.label_path),
            ("offset", &words.label_from_line),
            ("limit", &words.label_lines),
        ],
        "write_file" => vec![("path", &words.label_path), ("content", &words.label_content)],
        "edit_file" => vec![
            ("path", &words.label_path),
            ("old_string", &words.label_replaces),
            ("new_string", &words.label_with),
            ("replace_all", &words.label_every_place),
        ],
        "glob" | "grep" => vec![
            ("pattern", &words.label_pattern),
            ("path", &words.label_folder),
            ("glob", &words.label_files),
        ],
        "list_dir" => vec![("path", &words.label_folder)],
        "fetch_url" => vec![("url", &words.label_address)],
        _ => Vec::new(),
    }
}

fn text(name: &str, value: &Value, words: &Words) -> String {
    match value {
        Value::String(text) if text.is_empty() => words.empty.clone(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => words.yes.clone(),
        Value::Bool(false) => words.no.clone(),
        Value::Number(number) if name == "timeout_ms" => {
            fill(&words.milliseconds, &[("count", &number.to_string())])
        }
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}
