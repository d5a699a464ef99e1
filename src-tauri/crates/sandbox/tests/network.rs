//! A command with a network of its own: what it may reach, and how its listeners are reached.

#![cfg(target_os = "linux")]

#[cfg(test)]
mod support;

use assent_sandbox::{Command, Confinement, Level, Limits, Outcome, RefusalKind, Streams};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};
use support::{World, finish, sandbox};

/// R50: the proxy is the only way out, and it refuses what wasn't approved, and addresses of this machine.
#[test]
fn the_proxy_refuses_and_says_so() {
    let outside = TcpListener::bind("127.0.0.1:0").unwrap();
    outside.set_nonblocking(true).unwrap();
    let port = outside.local_addr().unwrap().port();
    let script = format!(
        "proxy=${{HTTPS_PROXY#http://}}; ask() {{ exec 3<>/dev/tcp/${{proxy/://}} && printf 'CONNECT %s HTTP/1.1\\r\\n\\r\\n' $1 >&3 && head -1 <&3; }}
         ask example.com:443; ask 127.0.0.1:{port}; (exec 4<>/dev/tcp/127.0.0.1/{port}) || echo direct refused"
    );
    let world = World::new();
    let hosts = vec![format!("127.0.0.1:{port}")];
    let started = world
        .start(Level::WorkspaceWrite, &script, Limits::default(), |confinement| confinement.hosts = hosts);
    let run = finish(started);
    assert_eq!(run.ended.outcome, Outcome::Exited(0), "{}", run.text);
    assert_eq!(run.text.matches("403 Forbidden").count(), 2, "{}", run.text);
    assert!(run.text.contains("direct refused"), "{}", run.text);
    assert!(outside.accept().is_err(), "a connection arrived");
    let refused =
        |what: &str| run.ended.refusals.iter().any(|r| r.kind == RefusalKind::Connect && r.what == what);
    assert!(refused("example.com:443") && refused(&format!("127.0.0.1:{port}")), "{:?}", run.ended.refusals);
}

/// R50: a command without a network has no proxy.
#[test]
fn without_hosts_there_is_no_proxy() {
    let world = World::new();
    let run = finish(world.start(
        Level::WorkspaceWrite,
        "env | grep -i proxy; echo end",
        Limits::default(),
        |_| {},
    ));
    assert_eq!(run.text, "end\n");
}

/// R50: a listener in the sandbox is reached through the caller's port, and the port is free again afterwards.
#[test]
fn a_listener_is_reached() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().canonicalize().unwrap();
    let mut confinement = Confinement::new(Level::WorkspaceWrite, &workspace);
    confinement.listen = vec![free];
    let script = format!(
        "$| = 1; my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => {free}, Listen => 1) or die $!;
         print \"ready\\n\"; my $c = $s->accept; sysread $c, my $heard, 99; syswrite $c, \"from inside: $heard\";"
    );
    let command = Command::new("/usr/bin/perl", &workspace).arg("-MIO::Socket::INET").arg("-e").arg(script);
    let mut started = sandbox().start(command, confinement, Streams::Merged).unwrap();
    let mut ready = [0; 6];
    started.output.read_exact(&mut ready).unwrap();
    let mut client = TcpStream::connect(("127.0.0.1", free)).unwrap();
    client.write_all(b"hello").unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "from inside: hello");
    assert_eq!(started.running.wait(|_| {}).outcome, Outcome::Exited(0));
    let deadline = Instant::now() + Duration::from_secs(5);
    while TcpListener::bind(("127.0.0.1", free)).is_err() {
        assert!(Instant::now() < deadline, "the port stays taken");
        std::thread::yield_now();
    }
}

/// R50: a port that is taken is said before anything runs.
#[test]
fn a_taken_port_is_an_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut confinement = Confinement::new(Level::WorkspaceWrite, "/nonexistent");
    confinement.listen = vec![taken.local_addr().unwrap().port()];
    let error = sandbox().start(Command::new("true", "/"), confinement, Streams::Merged).unwrap_err();
    assert!(error.to_string().starts_with("listen on port "), "{error}");
}
