//! A run as JSON lines: one object per event, in the fields that scripts rely on.

use assent_agent::approval::Answer;
use assent_agent::event::Event;
use assent_agent::instructions::{Author, INSTRUCTIONS_LIMIT, InstructionFile};
use assent_agent::model::{Arguments, ProposedCall, Reply, Usage};
use assent_policy::escape::escape;
use serde_json::{Value, json};

/// What `run_started` says beside the event's own fields.
#[derive(Clone, Debug)]
pub struct Heading {
    /// The workspace's real path.
    pub workspace: String,
    /// The mode.
    pub mode: String,
    /// The sandbox's state, in a word.
    pub sandbox: String,
    /// The files that speak to the model beside the person.
    pub instructions: Vec<InstructionFile>,
}

/// The line for `event`; `None` for what has no line (progress of a running command).
#[must_use]
pub fn line(event: &Event, heading: &Heading) -> Option<Value> {
    Some(match event {
        Event::RunStarted { session, run, model } => json!({
            "event": "run_started", "session": session, "run": run, "model": model,
            "workspace": heading.workspace, "mode": heading.mode, "sandbox": heading.sandbox,
            "instructions": heading.instructions.iter().map(instruction_file).collect::<Vec<_>>(),
        }),
        Event::TextDelta(text) => json!({"event": "text_delta", "text": text}),
        Event::ReasoningDelta(text) => json!({"event": "reasoning_delta", "text": text}),
        Event::Reply { turn, reply } => reply_line(*turn, reply),
        Event::ToolCall { call_id, name, arguments, agent: None } => {
            json!({"event": "tool_call", "call_id": call_id, "name": name, "arguments": arguments})
        }
        Event::ToolCall { call_id, name, arguments, agent: Some(agent) } => json!({
            "event": "tool_call", "call_id": call_id, "name": name, "arguments": arguments, "agent": agent,
        }),
        Event::Output { .. } | Event::Context { .. } | Event::Spent(_) => {
            return None;
        }
        Event::Compacted(done) => json!({
            "event": "warning", "code": "compacted",
            "message": format!("The first {} messages are sent as a summary from here on.", done.messages),
        }),
        Event::ApprovalAnswered { call_id, answer } => {
            let (word, surface) = match answer {
                Answer::Allowed { surface } => ("allow", Some(surface.as_str())),
                Answer::Denied { surface, .. } => ("deny", Some(surface.as_str())),
                Answer::Expired => ("expired", None),
                Answer::Withdrawn => ("withdrawn", None),
                Answer::Unavailable { .. } => ("unavailable", None),
            };
            json!({"event": "approval", "call_id": call_id, "answer": word, "surface": surface})
        }
        Event::Decision { call_id, behavior, source, reason, evaluation, digest } => json!({
            "event": "decision", "call_id": call_id, "behavior": behavior.as_str(), "source": source,
            "reason": reason, "risk": evaluation.risk.level.as_str(), "digest": digest.to_hex(),
        }),
        Event::ToolResult { call_id, error, content, .. } => json!({
            "event": "tool_result", "call_id": call_id, "is_error": error.is_some(),
            "error_code": error.map(assent_policy::ErrorCode::as_str), "content": content,
        }),
        Event::Warning { code, message } => json!({"event": "warning", "code": code, "message": message}),
        Event::RunFinished { outcome, error_code, final_text, turns, usage, .. } => json!({
            "event": "run_finished", "outcome": outcome.as_str(), "error_code": error_code,
            "final_text": final_text, "turns": turns, "usage": usage_of(Some(usage)),
        }),
    })
}

fn instruction_file(file: &InstructionFile) -> Value {
    json!({"path": file.path.to_string_lossy(), "bytes": file.bytes, "cut": file.sent.cut})
}

/// The same for people: which file speaks to the model, how large it is, and whether it is cut.
#[must_use]
pub fn instruction_line(file: &InstructionFile) -> String {
    let of = match file.author {
        Author::Person => "Your own",
        Author::Project => "The folder's",
    };
    let cut = if file.sent.cut {
        format!("; only its first {} KiB are sent", INSTRUCTIONS_LIMIT / 1024)
    } else {
        String::new()
    };
    format!(
        "{of} instructions go to the model: {} ({} bytes{cut})",
        escape(&file.path.to_string_lossy()),
        file.bytes
    )
}

fn reply_line(turn: u32, reply: &Reply) -> Value {
    let error = reply.error.as_ref();
    json!({
        "event": "reply",
        "turn": turn,
        "text": reply.text,
        "tool_calls": reply.calls.iter().map(call).collect::<Vec<_>>(),
        "stop": reply.stop.as_str(),
        "error_code": error.map(|error| error.code),
        "retryable": error.is_some_and(|error| error.retryable),
        "retry_after_ms": error.and_then(|error| error.retry_after_ms),
        "dropped_calls": reply.dropped_calls,
        "reasoning": reply.reasoning,
        "refusal": reply.refusal,
        "usage": usage_of(reply.usage.as_ref()),
    })
}

fn call(call: &ProposedCall) -> Value {
    let (arguments, problem) = match &call.arguments {
        Arguments::Object(map) => (Value::Object(map.clone()), None),
        Arguments::Unreadable { problem, .. } => (Value::Null, Some(problem)),
    };
    json!({
        "call_id": call.id, "id_given": call.id_given, "name": call.name,
        "arguments": arguments, "arguments_error": problem,
    })
}

fn usage_of(usage: Option<&Usage>) -> Value {
    usage.map_or(Value::Null, |usage| json!({"input": usage.input, "output": usage.output}))
}

#[cfg(test)]
mod tests {
    use super::{Heading, instruction_line, line};
    use assent_agent::event::Event;
    use assent_agent::instructions::{INSTRUCTIONS_LIMIT, instruction_files};
    use assent_agent::places::Places;

    #[test]
    fn a_run_begins_by_saying_which_files_speak_to_the_model() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let places =
            Places { config: root.join("config"), data: root.join("data"), state: root.join("state") };
        std::fs::write(root.join("AGENTS.md"), "x".repeat(INSTRUCTIONS_LIMIT + 1)).unwrap();
        let instructions = instruction_files(&places, &root);
        let said = instruction_line(&instructions[0]);
        assert!(said.starts_with("The folder's instructions go to the model: "), "{said}");
        assert!(said.ends_with("AGENTS.md (32769 bytes; only its first 32 KiB are sent)"), "{said}");
        let word = String::new;
        let heading = Heading { workspace: word(), mode: word(), sandbox: word(), instructions };
        let started = Event::RunStarted { session: word(), run: word(), model: word() };
        let line = line(&started, &heading).unwrap();
        assert_eq!(
            (&line["instructions"][0]["bytes"], &line["instructions"][0]["cut"]),
            (&32769.into(), &true.into())
        );
    }
}
