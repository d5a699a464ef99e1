//! Certificates of one's own, proxies and headers, against a real TLS server and a real proxy on loopback.
//! `tls/` holds an authority made for these tests alone; its own key was thrown away.

use crate::server::{Server, ask, hello, settings};
use assent_agent::model::providers::list_models;
use assent_agent::model::{HttpModelSettings, StopReason, Wire};
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

const AUTHORITY: &[u8] = include_bytes!("tls/authority.crt");
const CERTIFICATE: &[u8] = include_bytes!("tls/server.crt");
const KEY: &[u8] = include_bytes!("tls/server.key");

/// A TLS server in front of `inner`; its port.
async fn in_front_of(inner: &Server) -> u16 {
    let certificates = CertificateDer::pem_slice_iter(CERTIFICATE).map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let target = inner.base_url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (acceptor, target) = (acceptor.clone(), target.clone());
            tokio::spawn(async move {
                // A client that doesn't trust the certificate hangs up here.
                let Ok(mut outside) = acceptor.accept(socket).await else { return };
                let mut inside = tokio::net::TcpStream::connect(target).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
                let _ = outside.shutdown().await;
            });
        }
    });
    port
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_only_when_named() {
    let inner = Server::start(vec![vec![hello()]]).await;
    let port = in_front_of(&inner).await;
    let with = |pem: Option<&[u8]>| {
        let mut settings =
            HttpModelSettings { retries: 0, ..settings(&format!("https://localhost:{port}/v1")) };
        settings.connection.extra_ca = pem.map(<[u8]>::to_vec);
        settings
    };
    let (_, refused) = ask(with(None)).await;
    let message = refused.error.unwrap().message;
    assert!(message.contains("(its certificate is not trusted). If your network inspects"), "{message}");
    assert!(inner.requests().is_empty(), "nothing was sent to a server that isn't trusted");

    let (_, reply) = ask(with(Some(AUTHORITY))).await;
    assert_eq!((reply.stop, reply.text.as_str()), (StopReason::End, "hello"), "{:?}", reply.error);

    let broken = with(Some(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
    assert!(assent_agent::model::HttpModel::new(broken).is_err());
}

/// A request for another machine goes to the proxy, whole, with the headers of the settings.
#[tokio::test]
async fn a_proxy_gets_the_requests_for_other_machines() {
    let proxy = Server::start(vec![vec![hello()]]).await;
    let address = proxy.base_url.trim_end_matches("/v1").to_owned();
    let mut settings = HttpModelSettings { retries: 0, ..settings("http://model.example/v1") };
    settings.connection.proxy = Some(address);
    settings.connection.headers = vec![("X-Team".to_owned(), "blue".to_owned())];
    let (_, reply) = ask(settings.clone()).await;
    assert_eq!(reply.text, "hello", "{:?}", reply.error);
    let head = proxy.requests()[0].head.clone();
    assert!(head.starts_with("post http://model.example/v1/chat/completions "), "{head}");
    assert!(head.contains("x-team: blue"), "{head}");

    // The list of models takes the same way.
    let _ = list_models(Wire::ChatCompletions, &settings.connection).await;
    assert!(proxy.requests()[1].head.starts_with("get http://model.example/v1/models "));
}

/// What runs on this machine is never sent through a proxy, which might be another one.
#[tokio::test]
async fn loopback_goes_past_the_proxy() {
    let server = Server::start(vec![vec![hello()]]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = settings(&server.base_url);
    settings.connection.proxy = Some(format!("http://{}", listener.local_addr().unwrap()));
    let (_, reply) = ask(settings).await;
    assert_eq!(reply.text, "hello");
    assert_eq!(server.requests().len(), 1);
    let mut nobody = [0; 1];
    let asked = tokio::select! {
        biased;
        asked = listener.accept() => Some(asked),
        () = std::future::ready(()) => None,
    };
    if let Some(Ok((mut socket, _))) = asked {
        panic!("the proxy was asked: {:?}", socket.read(&mut nobody).await);
    }
}
