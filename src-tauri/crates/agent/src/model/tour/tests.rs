//! The tour's way through folders and answers.

use super::{Tour, TourLanguage};
use crate::model::history::check;
use crate::model::{
    Arguments, Delta, Message, ModelClient as _, ModelRequest, StopReason, ToolMessage, ToolSpec,
};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

const LISTING: &str = ".git/\nREADME.md (20 bytes)\nsrc/";

/// Runs the tour to its end; `answer` plays the gate. Gives the whole conversation as text.
async fn play(
    language: TourLanguage,
    tools: &[&str],
    messages: &mut Vec<Message>,
    answer: impl Fn(&str, &Value) -> ToolMessage,
) -> String {
    let spec =
        |name: &&str| ToolSpec { name: (*name).to_owned(), description: String::new(), schema: json!({}) };
    let mut out = String::new();
    for _ in 0..20 {
        assert_eq!(check(messages), Ok(()));
        let request = ModelRequest {
            system: String::new(),
            messages: messages.clone(),
            tools: tools.iter().map(spec).collect(),
        };
        let shown = Mutex::new(String::new());
        let sink = |delta: Delta| {
            if let Delta::Text(text) = delta {
                shown.lock().unwrap().push_str(&text);
            }
        };
        let reply = Tour::new(language).complete(&request, &sink, &CancellationToken::new()).await;
        assert_eq!(*shown.lock().unwrap(), reply.text);
        writeln!(out, "{}", reply.text).unwrap();
        messages.push(Message::Assistant(reply.to_message().unwrap()));
        if reply.stop == StopReason::End {
            return out;
        }
        for call in reply.calls {
            let Arguments::Object(arguments) = call.arguments else { panic!() };
            let arguments = Value::Object(arguments);
            let answered = ToolMessage { call_id: call.id, ..answer(&call.name, &arguments) };
            writeln!(out, "  > {} {arguments}\n  < {}", call.name, answered.content).unwrap();
            messages.push(Message::Tool(answered));
        }
    }
    panic!("the tour has no end:\n{out}");
}

fn hello() -> Vec<Message> {
    vec![user("hello")]
}

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned(), attachments: Vec::new(), by_hook: false }
}

fn ok(content: &str) -> ToolMessage {
    ToolMessage { call_id: String::new(), content: content.to_owned(), is_error: false, error_code: None }
}

fn willing(name: &str, arguments: &Value) -> ToolMessage {
    match name {
        "list_dir" => ok(LISTING),
        "shell" if arguments["command"].as_str().unwrap().contains("git") => ok("?? note"),
        "write_file" if !arguments["path"].as_str().unwrap().starts_with("..") => ok("written"),
        "read_file" => ok("     1\thello"),
        _ => ToolMessage::error("", "permission_denied", "no"),
    }
}

const ALL: [&str; 4] = ["list_dir", "read_file", "write_file", "shell"];

/// R63
#[cfg(unix)]
#[tokio::test]
async fn the_whole_way_in_english() {
    insta::assert_snapshot!(play(TourLanguage::English, &ALL, &mut hello(), willing).await);
}

/// R63
#[cfg(unix)]
#[tokio::test]
async fn the_whole_way_in_chinese_with_every_question_denied() {
    let deny = |name: &str, arguments: &Value| match name {
        "list_dir" => ok("a.bin (5 bytes)"),
        _ if willing(name, arguments).is_error => ToolMessage::error("", "permission_denied", "no"),
        _ => ToolMessage::error("", "approval_denied", "no"),
    };
    insta::assert_snapshot!(play(TourLanguage::Chinese, &ALL, &mut hello(), deny).await);
}

/// R3
#[tokio::test]
async fn a_denial_is_met_with_other_words_and_the_tour_goes_on() {
    let deny = |name: &str, arguments: &Value| match name {
        "write_file" => ToolMessage::error("", "approval_denied", "no"),
        _ => willing(name, arguments),
    };
    let allowed = play(TourLanguage::English, &ALL, &mut hello(), willing).await;
    let denied = play(TourLanguage::English, &ALL, &mut hello(), deny).await;
    assert!(allowed.contains("is written, this once") && !denied.contains("is written, this once"));
    assert!(
        denied.contains("You denied `assent-tour.md`")
            && denied.contains("- write `assent-tour.md`: denied by you")
    );
    assert!(denied.contains("sudo reboot") || denied.contains("Restart-Computer"));
}

#[tokio::test]
async fn tools_that_are_not_offered_are_not_called() {
    let text =
        play(TourLanguage::English, &["list_dir", "read_file", "write_file"], &mut hello(), willing).await;
    assert!(!text.contains("> shell") && text.contains("> write_file"), "{text}");
    let text = play(TourLanguage::English, &[], &mut hello(), willing).await;
    assert!(!text.contains("  > ") && text.contains("scripted"), "{text}");
}

#[tokio::test]
async fn a_second_message_gets_an_honest_answer_and_again_repeats_it() {
    let mut messages = hello();
    play(TourLanguage::English, &ALL, &mut messages, willing).await;
    messages.push(user("what is 2+2?"));
    let text = play(TourLanguage::English, &ALL, &mut messages, willing).await;
    assert!(text.contains("only a script") && !text.contains("  > "), "{text}");
    messages.push(user("Again, please"));
    let text = play(TourLanguage::English, &ALL, &mut messages, willing).await;
    assert!(text.contains("> list_dir"), "{text}");
}

#[tokio::test]
async fn stop_ends_it_with_what_was_said() {
    let cancel = CancellationToken::new();
    let request = ModelRequest { system: String::new(), messages: hello(), tools: Vec::new() };
    let stop = |_: Delta| cancel.cancel();
    let reply = Tour::new(TourLanguage::English).complete(&request, &stop, &cancel).await;
    assert_eq!((reply.text.as_str(), reply.stop), ("This ", StopReason::Error));
    assert_eq!(reply.error.map(|error| error.code), Some("cancelled"));
}
