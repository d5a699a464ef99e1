//! Runs `tests/protocol/cases.jsonl`.

use crate::strict_api::{check_chat_completions, check_messages};
use assent_agent::model::Replay;
use assent_agent::model::history::IdForm;
use assent_agent::model::{
    Arguments, BodyEnd, CallIds, Decoder, Delta, Message, ModelRequest, Quirks, Reply, StopReason, Target,
    ToolMessage, Wire, refusal, request_body,
};
use reqwest::header::{HeaderMap, HeaderName};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

struct Case {
    id: String,
    wire: Wire,
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
    end: BodyEnd,
    expect: Map<String, Value>,
    or: Vec<Map<String, Value>>,
    why: String,
}

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/protocol");
    let index = std::fs::read_to_string(folder.join("cases.jsonl")).unwrap();
    let object = |value: &Value| value.as_object().unwrap().clone();
    let read = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let headers = row["headers"].as_object().cloned().unwrap_or_default();
        Case {
            id: text("id"),
            wire: if text("wire") == "chat" { Wire::ChatCompletions } else { Wire::Messages },
            status: u16::try_from(row["status"].as_u64().unwrap()).unwrap(),
            headers: headers
                .into_iter()
                .map(|(name, value)| {
                    (name.parse::<HeaderName>().unwrap(), value.as_str().unwrap().parse().unwrap())
                })
                .collect(),
            body: std::fs::read(folder.join(text("file"))).unwrap(),
            end: if row["abort"] == true {
                BodyEnd::Broken("connection reset".to_owned())
            } else {
                BodyEnd::Whole
            },
            expect: object(&row["expect"]),
            or: row["or"].as_array().into_iter().flatten().map(object).collect(),
            why: text("why"),
        }
    };
    let cases: Vec<Case> = index.lines().map(read).collect();
    assert!(cases.len() >= 144, "the cases are whole");
    cases
}

/// Every body.
pub fn bodies() -> Vec<Vec<u8>> {
    cases().into_iter().map(|case| case.body).collect()
}

const PROVIDER: &str = "https://model.example";

impl Case {
    fn decode(&self, pieces: &mut dyn Iterator<Item = &[u8]>) -> (Reply, Vec<Delta>) {
        if self.status >= 300 {
            let error = refusal(self.status, &self.headers, &self.body).error;
            return (Reply { stop: StopReason::Error, error: Some(error), ..Reply::default() }, Vec::new());
        }
        let tools =
            ["shell", "read_file", "write_file", "edit_file", "glob", "grep", "list_dir", "fetch_url"];
        let mut decoder =
            Decoder::new(self.wire, tools.map(str::to_owned).into(), CallIds::new([].into(), 42));
        let mut deltas = Vec::new();
        for piece in pieces {
            deltas.extend(decoder.push(piece));
        }
        deltas.extend(decoder.close());
        let decoded = decoder.finish(&self.end);
        let mut reply = decoded.reply;
        reply.replay = decoded.replay.map(|parts| Replay {
            provider: PROVIDER.to_owned(),
            model: "m".to_owned(),
            parts,
        });
        (reply, deltas)
    }

    fn decode_whole(&self) -> (Reply, Vec<Delta>) {
        self.decode(&mut std::iter::once(self.body.as_slice()))
    }

    fn target(&self) -> Target {
        Target {
            provider: PROVIDER.to_owned(),
            model: "m".to_owned(),
            id_form: if self.wire == Wire::Messages { IdForm::Word } else { IdForm::Short },
            max_output_tokens: None,
            temperature: None,
            quirks: Quirks::default(),
        }
    }

    /// The request after this reply was kept and its calls answered.
    fn next_request(&self, reply: &Reply, target: &Target) -> Value {
        let mut messages =
            vec![Message::User { text: "hello".to_owned(), attachments: Vec::new(), by_hook: false }];
        if let Some(kept) = reply.to_message() {
            let answers: Vec<_> =
                kept.calls.iter().map(|call| ToolMessage::error(&call.id, "invalid_json", "x")).collect();
            messages.push(Message::Assistant(kept));
            messages.extend(answers.into_iter().map(Message::Tool));
        }
        messages.push(Message::User { text: "go on".to_owned(), attachments: Vec::new(), by_hook: false });
        let request = ModelRequest { system: "s".to_owned(), messages, tools: Vec::new() };
        request_body(self.wire, &request, target)
    }
}

/// Where a reply differs from what is expected; empty where it doesn't.
fn differences(expect: &Map<String, Value>, reply: &Reply) -> Vec<String> {
    let error = reply.error.as_ref();
    let mut out = Vec::new();
    for (key, want) in expect {
        let got = match key.as_str() {
            "text" => json!(reply.text),
            "stop" => json!(reply.stop.as_str()),
            "error_code" => json!(error.map(|error| error.code)),
            "retryable" => json!(error.is_some_and(|error| error.retryable)),
            "retry_after_ms" => json!(error.and_then(|error| error.retry_after_ms)),
            "dropped_calls" => json!(reply.dropped_calls),
            "reasoning" => json!(reply.reasoning),
            "refusal" => json!(reply.refusal),
            "usage" => json!(reply.usage),
            "empty" => json!(reply.to_message().is_none()),
            "resume" => json!(reply.resume),
            "tool_calls" => {
                out.extend(call_differences(want.as_array().unwrap(), reply));
                continue;
            }
            "replay" => continue,
            other => panic!("unknown field {other}"),
        };
        if got != *want {
            out.push(format!("{key} is {got}, expected {want}"));
        }
    }
    out
}

fn call_differences(want: &[Value], reply: &Reply) -> Vec<String> {
    if want.len() != reply.calls.len() {
        return vec![format!("{} calls, expected {}", reply.calls.len(), want.len())];
    }
    let mut out = Vec::new();
    for (want, got) in want.iter().zip(&reply.calls) {
        let arguments = match &got.arguments {
            Arguments::Object(object) => json!({"arguments": object, "error": false}),
            Arguments::Unreadable { .. } => json!({"arguments": null, "error": true}),
        };
        let expected = json!({"arguments": want["arguments"], "error": want["arguments_error"] == true});
        if want["name"] != got.name || expected != arguments {
            out.push(format!("call {got:?}, expected {want}"));
        }
        let is_given = want["id_present"] == true;
        if is_given != got.id_given || is_given && want["id"] != got.id || got.id.is_empty() {
            out.push(format!("id {:?}, given {}, expected {want}", got.id, got.id_given));
        }
    }
    out
}

/// `expect` with the fields of an alternative, less those that belonged to the first outcome.
fn alternative(expect: &Map<String, Value>, other: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = expect.clone();
    merged
        .retain(|key, _| !["dropped_calls", "error_code", "retryable", "reasoning"].contains(&key.as_str()));
    merged.extend(other.clone());
    merged
}

/// R2, R3, R5
#[test]
fn each_answer_is_read_as_it_must_be() {
    let mut failures = Vec::new();
    for case in cases() {
        let (reply, _) = case.decode_whole();
        let faults = differences(&case.expect, &reply);
        let fits_another =
            case.or.iter().any(|other| differences(&alternative(&case.expect, other), &reply).is_empty());
        if !faults.is_empty() && !fits_another {
            failures.push(format!("{} ({}): {}", case.id, case.why, faults.join("; ")));
        }
        if reply.stop == StopReason::Error {
            assert!(
                reply.error.is_some() && reply.calls.is_empty(),
                "{}: a failed reply runs nothing",
                case.id
            );
        }
    }
    assert!(failures.is_empty(), "{} short:\n{}", failures.len(), failures.join("\n"));
}

/// R3
#[test]
fn cuts_never_change_the_result() {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap()
    };
    for case in cases() {
        let (whole, deltas) = case.decode_whole();
        assert_shown(&case.id, &whole, &deltas);
        for round in 0..12 {
            let mut rest = case.body.as_slice();
            let mut pieces = Vec::new();
            while !rest.is_empty() {
                let size = if round == 0 { 1 } else { 1 + next() % 9 };
                let (piece, after) = rest.split_at(size.min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            let (reply, deltas) = case.decode(&mut pieces.into_iter());
            assert_eq!(reply, whole, "{} round {round}", case.id);
            assert_shown(&case.id, &reply, &deltas);
        }
    }
}

/// What was shown while it streamed is what the reply says.
fn assert_shown(id: &str, reply: &Reply, deltas: &[Delta]) {
    let mut text = String::new();
    let mut reasoning = String::new();
    for delta in deltas {
        match delta {
            Delta::Text(piece) => text.push_str(piece),
            Delta::Reasoning(piece) => reasoning.push_str(piece),
            Delta::CallStarted(_) => {}
            Delta::Waiting { .. } => panic!("{id}: a decoder doesn't wait"),
        }
    }
    assert_eq!(text, reply.text, "{id}");
    assert_eq!(reasoning, reply.reasoning.clone().unwrap_or_default(), "{id}");
}

/// R2
#[test]
fn the_next_request_is_valid_and_echoes_what_it_must() {
    for case in cases() {
        let (reply, _) = case.decode_whole();
        let body = case.next_request(&reply, &case.target());
        let check = match case.wire {
            Wire::ChatCompletions => check_chat_completions(&body),
            Wire::Messages => check_messages(&body),
        };
        assert_eq!(check, Ok(()), "{}", case.id);
        let Some(replay) = case.expect.get("replay") else { continue };
        if let Some(reasoning) = replay.get("reasoning_content") {
            assert_eq!(body["messages"][2]["reasoning_content"], *reasoning, "{}", case.id);
        }
        for block in replay.get("blocks").and_then(Value::as_array).into_iter().flatten() {
            let content = body["messages"][1]["content"].as_array().unwrap();
            assert!(content.contains(block), "{}: {block} is missing in {content:?}", case.id);
        }
        // What one model made is never sent to another.
        let other = Target { model: "other".to_owned(), ..case.target() };
        let body = case.next_request(&reply, &other).to_string();
        assert!(
            !body.contains("reasoning_content") && !body.contains("redacted_thinking"),
            "{}: {body}",
            case.id
        );
    }
}

/// R3: the effects of a cut, filtered or failed reply are none: its calls leave no trace in the next request.
#[test]
fn calls_of_a_cut_reply_are_not_sent_back() {
    let mut seen = 0;
    for case in cases().iter().filter(|case| case.expect.get("dropped_calls").is_some()) {
        let (reply, _) = case.decode_whole();
        if reply.dropped_calls == 0 {
            continue;
        }
        seen += 1;
        let body = case.next_request(&reply, &case.target()).to_string();
        assert!(!body.contains("tool_calls") && !body.contains("tool_use"), "{}: {body}", case.id);
    }
    assert!(seen >= 5, "{seen}");
}
