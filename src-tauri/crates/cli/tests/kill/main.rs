//! `kill -9` at random moments of a run. Whatever was on, the session goes on with a request that both APIs accept,
//! and no answer says anything about a call that the disk contradicts.
#![cfg(unix)]
#![cfg(test)]

mod server;
#[path = "../../../../../tests/support/strict_api.rs"]
mod strict_api;
mod two;

use serde_json::Value;
use server::{Api, Server};
use std::io::{BufRead as _, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// Kills for each API: a few, or many under `cargo xtask soak`.
fn kills() -> u64 {
    if std::env::var_os("ASSENT_SOAK").is_some() { 100 } else { 10 }
}

/// R2 R35 R53
#[test]
fn chat_completions_go_on_after_a_kill() {
    kill_again_and_again(Api::ChatCompletions);
}

/// R2 R35 R53
#[test]
fn messages_go_on_after_a_kill() {
    kill_again_and_again(Api::Messages);
}

fn kill_again_and_again(api: Api) {
    let whole = Desk::new(api);
    let ticks = whole.run(None).ticks;
    assert!(ticks > 40, "{ticks} moments are too few");
    // Spread over the whole run; where exactly one falls is up to the scheduler.
    let step = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 1..=kills() {
        let moment = round.wrapping_mul(step) % ticks;
        let desk = Desk::new(api);
        let killed = desk.run(Some(moment));
        let story = desk.go_on(&killed.session);
        assert_eq!(story.outcome, "completed", "{api:?}, moment {moment} of {ticks}");
        for body in desk.server.bodies() {
            let checked = match api {
                Api::ChatCompletions => strict_api::check_chat_completions(&body),
                Api::Messages => strict_api::check_messages(&body),
            };
            assert_eq!(checked, Ok(()), "{api:?}, moment {moment} of {ticks}");
        }
        desk.check_effects(&format!("{api:?}, moment {moment} of {ticks}"));
    }
}

/// The session of a run, by the first line that it prints, and the lines that follow.
fn session_of(child: &mut Child) -> (String, Lines<BufReader<ChildStdout>>) {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    (first["session"].as_str().unwrap().to_owned(), lines)
}

/// A home, a folder and a server of one session.
struct Desk {
    _world: tempfile::TempDir,
    home: PathBuf,
    folder: PathBuf,
    api: Api,
    server: Server,
    moments: Receiver<()>,
}

/// A run, whole or killed.
struct Ran {
    session: String,
    ticks: u64,
    outcome: String,
}

impl Desk {
    fn new(api: Api) -> Self {
        let world = tempfile::tempdir().unwrap();
        let (home, folder) = (world.path().join("home"), world.path().join("project"));
        std::fs::create_dir_all(home.join(".config/assent")).unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.txt"), "a\n".repeat(200)).unwrap();
        std::fs::write(
            home.join(".config/assent/policy.toml"),
            "version = 1\n[[rules]]\nname = \"notes\"\nbehavior = \"allow\"\ntools = [\"write_file\"]\n\
             paths = [\"*.txt\"]\nreason = \"Notes are free.\"\n",
        )
        .unwrap();
        let (tell, moments) = channel();
        Self { _world: world, home, folder, api, server: Server::start(api, tell), moments }
    }

    fn start(&self, more: &[&str]) -> Child {
        self.command(&[&["--base-url", self.server.base_url.as_str()], more].concat()).spawn().unwrap()
    }

    fn command(&self, more: &[&str]) -> Command {
        let provider = match self.api {
            Api::ChatCompletions => "openai",
            Api::Messages => "anthropic",
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_assent"));
        command
            .args(["exec", "--json", "--provider", provider, "--model", "m", "--max-retries", "0"])
            .arg("--workspace")
            .arg(&self.folder)
            .args(more)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &self.home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }

    /// One run. Each line that it prints and each piece that the server sends is a moment; it is killed at the one
    /// that is named.
    fn run(&self, kill_at: Option<u64>) -> Ran {
        let mut child = self.start(&["do it"]);
        let (session, lines) = session_of(&mut child);
        let (tell, printed) = channel();
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let event = serde_json::from_str::<Value>(&line).unwrap_or_default();
                // A line that was cut by the kill is no event.
                let outcome = event["outcome"].as_str().unwrap_or_default().to_owned();
                let _ = tell.send(outcome);
            }
        });
        let (mut ticks, mut outcome) = (0, String::new());
        loop {
            if kill_at.is_some_and(|moment| ticks >= moment) {
                // It may have ended by itself just now.
                let _ = child.kill();
                break;
            }
            if self.moments.try_recv().is_ok() {
                ticks += 1;
                continue;
            }
            match printed.recv_timeout(std::time::Duration::from_millis(1)) {
                Ok(ended) => {
                    ticks += 1;
                    outcome = ended;
                }
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        child.wait().unwrap();
        reader.join().unwrap();
        Ran { session, ticks, outcome }
    }

    /// Goes on with the session.
    fn go_on(&self, session: &str) -> Ran {
        let done = self.start(&["--session", session, "go on"]).wait_with_output().unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        let last = text.lines().last().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let outcome = last.and_then(|event| event["outcome"].as_str().map(str::to_owned)).unwrap_or_default();
        Ran { session: session.to_owned(), ticks: 0, outcome }
    }

    /// What the last request says of each call that writes, against what is on the disk.
    fn check_effects(&self, when: &str) {
        let bodies = self.server.bodies();
        for (path, answer) in server::writes(self.api, bodies.last().unwrap()) {
            let is_there = Path::new(&self.folder).join(&path).exists();
            if answer.contains("had no effect") || answer.contains("did not run") {
                assert!(!is_there, "{when}: {path} is there, although: {answer}");
            } else if !answer.starts_with("Error") {
                assert!(is_there, "{when}: {path} is missing, although: {answer}");
            }
        }
    }
}
