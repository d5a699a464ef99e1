//! An HTTP proxy (RFC 9110, 9.3.6) for the hosts that were approved: `CONNECT`, and requests with a whole address.

use super::address::{HostRule, split_port};
use super::{Refused, join};
use crate::outcome::{Refusal, RefusalKind};
use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// The longest head of a request, bytes.
const LONGEST_HEAD: usize = 64 * 1024;

/// How long a client may take to say what it wants, and a host to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Serves one client to its end; `permitted` says which addresses a name may lead to.
pub fn answer(mut client: TcpStream, rules: &[HostRule], refused: &Refused, permitted: fn(IpAddr) -> bool) {
    // A client that goes away in between ends its own connection, nothing else.
    let Ok(wish) = hear(&mut client) else { return };
    let Some(wish) = wish else {
        let _gone = client.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        return;
    };
    let target = format!("{}:{}", wish.host, wish.port);
    match connect(&wish, rules, permitted) {
        Ok(mut host) => {
            let greeted = if wish.tunnel {
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            } else {
                Ok(())
            };
            if greeted.and_then(|()| host.write_all(&wish.rest)).is_ok() {
                join(client, host);
            }
        }
        Err(Why::Refused(why)) => {
            refused.add(Refusal { kind: RefusalKind::Connect, what: target });
            let body = format!("Assent's sandbox refused this connection: {why}\n");
            let _gone = write!(
                client,
                "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
        Err(Why::Unreachable) => {
            let _gone = client.write_all(b"HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n");
        }
    }
}

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    host: String,
    port: u16,
    /// Whether bytes just go through (`CONNECT`).
    tunnel: bool,
    /// What goes to the host first.
    rest: Vec<u8>,
}

enum Why {
    Refused(&'static str),
    Unreachable,
}

fn connect(wish: &Wish, rules: &[HostRule], permitted: fn(IpAddr) -> bool) -> Result<TcpStream, Why> {
    if !rules.iter().any(|rule| rule.allows(&wish.host, wish.port)) {
        return Err(Why::Refused("the host and port were not approved."));
    }
    let host = wish.host.trim_start_matches('[').trim_end_matches(']');
    let addresses: Vec<_> = (host, wish.port).to_socket_addrs().map_err(|_| Why::Unreachable)?.collect();
    // One name with a public and a private address is as suspicious as a private one.
    if addresses.iter().any(|address| !permitted(address.ip())) {
        return Err(Why::Refused("the name leads to an address of this machine or its networks."));
    }
    let mut connections = addresses.iter().map(|address| TcpStream::connect_timeout(address, PATIENCE));
    connections.find_map(Result::ok).ok_or(Why::Unreachable)
}

/// Reads a request's head; `None` where it is none.
fn hear(client: &mut TcpStream) -> io::Result<Option<Wish>> {
    client.set_read_timeout(Some(PATIENCE))?;
    let mut heard = Vec::new();
    let mut piece = [0; 4096];
    while !ends_head(&heard) {
        if heard.len() > LONGEST_HEAD {
            return Ok(None);
        }
        match client.read(&mut piece)? {
            0 => return Ok(None),
            length => heard.extend_from_slice(piece.get(..length).unwrap_or_default()),
        }
    }
    client.set_read_timeout(None)?;
    Ok(understand(&heard))
}

fn ends_head(heard: &[u8]) -> bool {
    heard.windows(4).any(|window| window == b"\r\n\r\n")
}

fn understand(heard: &[u8]) -> Option<Wish> {
    let end = heard.windows(2).position(|window| window == b"\r\n")?;
    let line = std::str::from_utf8(heard.get(..end)?).ok()?;
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") {
        return None;
    }
    if method == "CONNECT" {
        let (host, port) = split_port(target);
        let body = heard.windows(4).position(|window| window == b"\r\n\r\n")?.checked_add(4)?;
        return Some(Wish {
            host: name(host)?,
            port: port?,
            tunnel: true,
            rest: heard.get(body..)?.to_vec(),
        });
    }
    let address = target.strip_prefix("http://")?;
    let (authority, path) = address.split_once('/').unwrap_or((address, ""));
    if authority.contains('@') {
        return None;
    }
    let (host, port) = split_port(authority);
    // The host gets the request as if it had been asked directly.
    let mut rest = format!("{method} /{path} {version}").into_bytes();
    rest.extend_from_slice(heard.get(end..)?);
    Some(Wish { host: name(host)?, port: port.unwrap_or(80), tunnel: false, rest })
}

fn name(host: &str) -> Option<String> {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'[' | b']');
    (!host.is_empty() && host.bytes().all(plain)).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(text: &str) -> Option<(String, u16, bool, String)> {
        let wish = understand(text.as_bytes())?;
        Some((wish.host, wish.port, wish.tunnel, String::from_utf8(wish.rest).unwrap()))
    }

    use super::super::address::is_public;
    use std::net::TcpListener;

    /// What a client that says `text` reads; the host answers `hello` to whatever comes.
    fn exchange(text: &str, rule: &str, permitted: fn(IpAddr) -> bool) -> (String, usize, bool) {
        let host = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = host.local_addr().unwrap().port().to_string();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (served, _) = listener.accept().unwrap();
        let refused = Refused::default();
        let rules = [HostRule::new(&rule.replace("PORT", &port))];
        let told = refused.clone();
        host.set_nonblocking(true).unwrap();
        let proxy = std::thread::spawn(move || answer(served, &rules, &told, permitted));
        client.write_all(text.replace("PORT", &port).as_bytes()).unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        let mut reached = false;
        while !proxy.is_finished() {
            if let Ok((mut connection, _)) = host.accept() {
                reached = true;
                connection.write_all(b"hello").unwrap();
            }
            std::thread::yield_now();
        }
        proxy.join().unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        (answer, refused.lock().len(), reached)
    }

    /// R50: only an approved host, only at a public address; nothing else is even connected to.
    #[test]
    fn what_is_connected_to() {
        let connect = "CONNECT localhost:PORT HTTP/1.1\r\n\r\n";
        let (answer, refused, reached) = exchange(connect, "localhost:PORT", |_| true);
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello") && reached && refused == 0,
            "{answer}"
        );
        let (answer, refused, reached) = exchange(connect, "localhost:PORT", is_public);
        assert!(
            answer.starts_with("HTTP/1.1 403")
                && answer.contains("of this machine")
                && !reached
                && refused == 1,
            "{answer}"
        );
        let (answer, refused, reached) = exchange(connect, "example.com", |_| true);
        assert!(
            answer.starts_with("HTTP/1.1 403") && answer.contains("not approved") && !reached && refused == 1,
            "{answer}"
        );
        let (answer, _, reached) = exchange("nonsense\r\n\r\n", "localhost:PORT", |_| true);
        assert!(answer.starts_with("HTTP/1.1 400") && !reached, "{answer}");
    }

    /// R50
    #[test]
    fn requests() {
        let found =
            |host: &str, port, tunnel, rest: &str| Some((host.to_owned(), port, tunnel, rest.to_owned()));
        assert_eq!(heard("CONNECT a.b:443 HTTP/1.1\r\nHost: x\r\n\r\nTLS"), found("a.b", 443, true, "TLS"));
        assert_eq!(
            heard("GET http://a.b/p?q HTTP/1.1\r\nHost: a.b\r\n\r\n"),
            found("a.b", 80, false, "GET /p?q HTTP/1.1\r\nHost: a.b\r\n\r\n")
        );
        assert_eq!(
            heard("GET http://a.b:8080 HTTP/1.0\r\n\r\n"),
            found("a.b", 8080, false, "GET / HTTP/1.0\r\n\r\n")
        );
        for bad in [
            "GET / HTTP/1.1\r\n\r\n",
            "CONNECT a.b HTTP/1.1\r\n\r\n",
            "CONNECT a b:1 HTTP/1.1\r\n\r\n",
            "GET http://u@a.b/ HTTP/1.1\r\n\r\n",
            "CONNECT a/b:1 HTTP/1.1\r\n\r\n",
            "\r\n\r\n",
            "CONNECT :443 HTTP/1.1\r\n\r\n",
            "CONNECT a:99999 HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(heard(bad), None, "{bad}");
        }
    }
}
