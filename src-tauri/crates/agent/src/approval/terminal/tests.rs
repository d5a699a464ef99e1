//! A scripted terminal: what is shown, what counts as an answer.

use super::super::fixture::{ManualClock, Notes, broker, question};
use super::{TerminalSurface, Tty, choice};
use crate::approval::{Answer, Approver as _, Choice, Surface};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// What was typed before the question, and after.
struct Script {
    early: Option<&'static str>,
    lines: VecDeque<Option<&'static str>>,
    screen: Arc<Mutex<String>>,
    can_discard: bool,
}

impl Tty for Script {
    fn columns(&self) -> usize {
        60
    }

    fn discard_input(&mut self) -> io::Result<()> {
        self.early = None;
        if self.can_discard { Ok(()) } else { Err(io::Error::from(io::ErrorKind::Unsupported)) }
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        self.screen.lock().unwrap().push_str(text);
        Ok(())
    }

    fn read_line(&mut self, stop: &dyn Fn() -> bool) -> io::Result<Option<String>> {
        let typed = self.early.take().map(Some).or_else(|| self.lines.pop_front());
        match typed {
            Some(line) => Ok(line.map(str::to_owned)),
            None => {
                while !stop() {
                    std::thread::yield_now();
                }
                Ok(None)
            }
        }
    }
}

async fn ask(script: Script) -> (Answer, String) {
    let screen = Arc::clone(&script.screen);
    let folder = tempfile::tempdir().unwrap();
    let broker = broker(folder.path(), &ManualClock::new(), &Arc::new(Notes::default()));
    broker.present_to(Arc::new(TerminalSurface::new(&broker, Box::new(script)))).unwrap();
    let answer = broker.ask(question("c", "x"), &CancellationToken::new()).await;
    let shown = screen.lock().unwrap().clone();
    (answer, shown)
}

fn script(lines: &[Option<&'static str>]) -> Script {
    Script { early: None, lines: lines.iter().copied().collect(), screen: Arc::default(), can_discard: true }
}

/// R30, R31
#[test]
fn only_y_and_yes_allow() {
    for (line, allows) in [
        (Some("y"), true),
        (Some("yes"), true),
        (Some(""), false),
        (Some("n"), false),
        (Some("Y "), false),
        (Some("yes please"), false),
        (Some("ye"), false),
        (None, false),
    ] {
        assert_eq!(choice(line) == Choice::Allow, allows, "{line:?}");
    }
}

#[tokio::test]
async fn the_question_is_whole_and_ends_with_the_default() {
    let (answer, screen) = ask(script(&[Some("y")])).await;
    assert_eq!(answer, Answer::Allowed { surface: Surface::Terminal });
    insta::assert_snapshot!(screen);
}

/// What was typed ahead answers nothing.
#[tokio::test]
async fn early_keys_do_not_count() {
    let (answer, _) = ask(Script { early: Some("y"), ..script(&[Some("")]) }).await;
    assert_eq!(answer, Answer::Denied { surface: Surface::Terminal, words: None });
}

#[tokio::test]
async fn a_terminal_that_cant_be_emptied_is_none() {
    let (answer, screen) = ask(Script { can_discard: false, ..script(&[Some("y")]) }).await;
    assert!(matches!(answer, Answer::Unavailable { .. }), "{answer:?}");
    assert_eq!(screen, "");
}

/// Stop takes the question back: the thread that waited at the terminal is free for the next.
#[tokio::test]
async fn a_stopped_call_stops_waiting_at_the_terminal() {
    let script = script(&[]);
    let screen = Arc::clone(&script.screen);
    let folder = tempfile::tempdir().unwrap();
    let broker = broker(folder.path(), &ManualClock::new(), &Arc::new(Notes::default()));
    broker.present_to(Arc::new(TerminalSurface::new(&broker, Box::new(script)))).unwrap();
    let cancel = CancellationToken::new();
    let asking = broker.ask(question("c", "x"), &cancel);
    let stopping = async {
        while !screen.lock().unwrap().contains("[y/N]") {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (answer, ()) = tokio::join!(asking, stopping);
    assert_eq!(answer, Answer::Withdrawn);
    while !screen.lock().unwrap().contains("No answer is needed any more.") {
        tokio::task::yield_now().await;
    }
}
