//! Model servers that run on this machine. Loopback only: nothing else is ever probed.

use super::catalog::{PROVIDERS, Provider};
use super::model_list::list_models_within;
use crate::model::http::{Connection, Timeouts};
use futures_util::future::join_all;
use std::time::Duration;

/// How long a port may take to answer; a server on this machine needs far less.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A server that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// Which of the known ones its port says it is.
    pub provider: &'static Provider,
    /// Its models.
    pub models: Vec<String>,
}

/// Asks the usual ports of this machine for their models; those that give a list are servers.
pub async fn local_servers() -> Vec<LocalServer> {
    let usual = PROVIDERS.iter().filter(|provider| provider.is_local());
    answering(usual.map(|provider| (provider, provider.base_url.to_owned())), PATIENCE).await
}

/// Those of `addresses` that give a list within `patience`, in their order; all are asked at once.
async fn answering(
    addresses: impl Iterator<Item = (&'static Provider, String)>,
    patience: Duration,
) -> Vec<LocalServer> {
    let probes = addresses.map(|(provider, base_url)| async move {
        let connection = Connection {
            base_url,
            timeouts: Timeouts { connect: patience, ..Timeouts::default() },
            ..Connection::default()
        };
        let models = list_models_within(provider.wire, &connection, patience).await.ok()?;
        Some(LocalServer { provider, models })
    });
    join_all(probes).await.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::{PROVIDERS, answering};
    use std::time::Duration;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::JoinHandle;

    /// Longer than any machine takes; the test moves the clock once the others are done.
    const PATIENCE: Duration = Duration::from_secs(3600);
    const LIST: &str = r#"{"object":"list","data":[{"id":"qwen3:8b"},{"id":"llama3.2"}]}"#;

    /// What a port does once it was asked.
    #[derive(Clone, Copy)]
    enum Answer {
        /// Sends this, and ends.
        Says(&'static str),
        /// Begins a list and never ends it.
        Floods,
        /// Says nothing and keeps the connection.
        Hangs,
    }

    fn http(head: &str, body: &str) -> &'static str {
        format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n{body}").leak()
    }

    /// A port that answers one connection; its address, and its end, which comes when the client is through with it.
    async fn port(answer: Answer) -> (String, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let served = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            asked(&mut socket).await;
            match answer {
                Answer::Says(text) => {
                    socket.write_all(text.as_bytes()).await.unwrap();
                    socket.shutdown().await.unwrap();
                    let _ = socket.read(&mut [0; 64]).await;
                }
                Answer::Floods => {
                    let piece = r#"{"id":"a model of many"},"#.repeat(1000);
                    let mut next = http("200 OK", r#"{"data":["#).as_bytes();
                    while socket.write_all(next).await.is_ok() {
                        next = piece.as_bytes();
                    }
                }
                Answer::Hangs => {
                    let _ = socket.read(&mut [0; 64]).await;
                }
            }
        });
        (address, served)
    }

    /// Reads a request up to its empty line; none has a body.
    async fn asked(socket: &mut TcpStream) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(socket.read_u8().await.unwrap());
        }
    }

    #[tokio::test]
    async fn only_what_gives_a_list_is_a_server_and_nothing_holds_up_the_rest() {
        let local = || PROVIDERS.iter().filter(|provider| provider.is_local()).cycle();
        let answers = [
            Answer::Hangs,
            Answer::Floods,
            Answer::Says(http("200 OK", "<html>router</html>")),
            Answer::Says(http("404 Not Found", LIST)),
            Answer::Says(http("302 Found\r\nlocation: https://example.org/v1/models", LIST)),
            Answer::Says("SSH-2.0-OpenSSH_9.2\r\n"),
            Answer::Says(http("200 OK", LIST)),
        ];
        let (mut addresses, mut served) = (Vec::new(), Vec::new());
        for answer in answers {
            let (address, end) = port(answer).await;
            addresses.push(address);
            served.push(end);
        }
        let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        addresses.push(format!("http://{nobody}/v1"));
        let found = tokio::spawn(answering(local().zip(addresses), PATIENCE));
        for end in served.drain(1..) {
            end.await.unwrap();
        }
        assert!(!found.is_finished(), "the silent one is still waited for");
        tokio::time::pause();
        tokio::time::advance(PATIENCE).await;
        let found = found.await.unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].models, ["qwen3:8b", "llama3.2"]);
        assert_eq!(Some(found[0].provider), local().nth(6), "the address keeps its name");
        // The silent one was let go: its port sees the end.
        served.remove(0).await.unwrap();
    }
}
