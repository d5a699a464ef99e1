//! Two processes and one session: the second is turned away until the first has ended, however it ends.

use crate::server::Api;
use crate::{Desk, session_of};
use std::net::TcpListener;
use std::process::Stdio;

#[test]
fn a_session_that_runs_is_not_run_twice() {
    // A model that takes a request and says nothing, so that the run stays on.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let desk = Desk::new(Api::ChatCompletions);
    let address = format!("http://{}/v1", silent.local_addr().unwrap());
    let held = ["--base-url", address.as_str()];
    let mut first = desk.command(&[&held[..], &["wait"]].concat()).spawn().unwrap();
    let (session, _lines) = session_of(&mut first);
    let (_request, _) = silent.accept().unwrap();

    let mut second = desk.command(&["--base-url", &desk.server.base_url, "--session", &session, "go on"]);
    let turned_away = second.stderr(Stdio::piped()).output().unwrap();
    assert_eq!(turned_away.status.code(), Some(2));
    let said = [turned_away.stdout, turned_away.stderr].concat();
    assert!(String::from_utf8(said).unwrap().contains("another window or process runs it"));
    assert!(desk.server.bodies().is_empty(), "nothing was asked of the model");
    assert_eq!(first.try_wait().unwrap(), None, "the first goes on");

    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(desk.go_on(&session).outcome, "completed");
    let bodies = desk.server.bodies();
    let sent = bodies.last().unwrap()["messages"].to_string();
    assert!(bodies.len() == 1 && sent.contains("wait") && sent.contains("go on"), "{sent}");
}
