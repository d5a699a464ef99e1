//! Talking HTTP to a model server: one client per server, its key bound to its host, every wait bounded.

use super::errors::FailureCode;
use super::{ModelError, cause};
use crate::malformed;
use crate::secret::Secret;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, Proxy, Url, redirect};
use std::time::Duration;

/// How long to wait for what. A whole reply may take any time; silence may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// To connect.
    pub connect: Duration,
    /// Until the first byte of a reply; local servers load a model first.
    pub first_byte: Duration,
    /// Between two bytes. Comments that keep the connection alive count.
    pub idle: Duration,
    /// With bytes but nothing to show: keep-alive comments hide a server that died behind a router.
    pub fruitless: Duration,
    /// Between two bytes once the reply is complete and only usage or the terminator may follow.
    pub after_finish: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(90),
            fruitless: Duration::from_secs(600),
            after_finish: Duration::from_secs(10),
        }
    }
}

/// A key and the one host it may be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    secret: Secret,
    /// Scheme, host and port.
    origin: String,
}

impl ApiKey {
    /// Binds a key to the host of `base_url`.
    ///
    /// # Errors
    /// When the address can't be read.
    pub fn for_url(secret: Secret, base_url: &str) -> Result<Self, ConnectionError> {
        Ok(Self { secret, origin: origin(&parse_url(base_url)?) })
    }

    /// The key, where `url` is on its host.
    ///
    /// # Errors
    /// When it isn't.
    pub fn for_request(&self, url: &Url) -> Result<&Secret, ConnectionError> {
        if origin(url) == self.origin {
            Ok(&self.secret)
        } else {
            Err(ConnectionError::KeyForOtherHost { saved: self.origin.clone(), asked: origin(url) })
        }
    }
}

/// How a server is reached.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// Address of the API, e.g. `https://api.openai.com/v1`.
    pub base_url: String,
    /// The key, bound to its host.
    pub key: Option<ApiKey>,
    /// Further headers, sent as they are.
    pub headers: Vec<(String, String)>,
    /// A proxy to go through; else the system's. Never used for this machine itself.
    pub proxy: Option<String>,
    /// Certificates in PEM that are trusted beside the system's.
    pub extra_ca: Option<Vec<u8>>,
    /// How long to wait.
    pub timeouts: Timeouts,
}

/// A server can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The address.
    #[error("read the address {url}: {reason}")]
    Address {
        /// As given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The key belongs to another host and stays here.
    #[error("use the key: it was saved for {saved}, not for {asked}")]
    KeyForOtherHost {
        /// Where it may go.
        saved: String,
        /// Where it should have gone.
        asked: String,
    },
    /// A header's name or value.
    #[error("read the header {0}")]
    Header(String),
    /// The proxy, a certificate, or the TLS set-up.
    #[error("set up the connection: {0}")]
    Client(String),
}

impl Connection {
    /// The HTTP client. It follows no redirect: a key must not travel to where a server points.
    ///
    /// # Errors
    /// When proxy or certificates can't be used.
    pub fn client(&self, url: &Url) -> Result<Client, ConnectionError> {
        let failed = |error: reqwest::Error| ConnectionError::Client(why(&error));
        let mut builder = Client::builder()
            .user_agent(concat!("assent/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .connect_timeout(self.timeouts.connect)
            .pool_idle_timeout(Duration::from_secs(60))
            .tcp_keepalive(Duration::from_secs(30));
        if is_loopback(url) {
            builder = builder.no_proxy();
        } else if let Some(proxy) = &self.proxy {
            builder = builder.proxy(Proxy::all(proxy).map_err(failed)?);
        }
        if let Some(pem) = &self.extra_ca {
            for certificate in Certificate::from_pem_bundle(pem).map_err(failed)? {
                builder = builder.add_root_certificate(certificate);
            }
        }
        builder.build().map_err(failed)
    }

    /// The user's own headers.
    ///
    /// # Errors
    /// When one of them is none.
    pub fn header_map(&self) -> Result<HeaderMap, ConnectionError> {
        let mut map = HeaderMap::new();
        for (name, value) in &self.headers {
            let invalid = || ConnectionError::Header(name.clone());
            let key = HeaderName::try_from(name.as_str()).map_err(|_| invalid())?;
            let mut value = HeaderValue::try_from(value.as_str()).map_err(|_| invalid())?;
            // Such headers often hold tokens.
            value.set_sensitive(true);
            map.insert(key, value);
        }
        Ok(map)
    }
}

/// Reads a base address and appends the path of an endpoint: `/v1` where the address has no path of its own.
///
/// # Errors
/// When the address can't be read or isn't HTTP.
pub fn endpoint(base_url: &str, path: &str, version: &str) -> Result<Url, ConnectionError> {
    let mut url = parse_url(base_url)?;
    let base = url.path().trim_end_matches('/').to_owned();
    let base = base.strip_suffix(path).unwrap_or(&base).trim_end_matches('/');
    let has_version = !base.is_empty() && version.is_empty() || base.ends_with("/v1");
    let joined = match (base.is_empty(), has_version, version.is_empty()) {
        (true, _, _) => format!("/v1{path}"),
        (false, true, _) | (false, false, true) => format!("{base}{path}"),
        (false, false, false) => format!("{base}{version}{path}"),
    };
    url.set_path(&joined);
    Ok(url)
}

/// Whether a server runs on this machine.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Scheme, host and port, as a key is bound to them.
#[must_use]
pub fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The failure to reach a server, in words for the person.
#[must_use]
pub fn unreachable(url: &Url, error: &reqwest::Error) -> ModelError {
    let cause = why(error);
    let advice = if cause == cause::UNTRUSTED {
        "If your network inspects traffic, add its certificate in the model settings."
    } else if is_loopback(url) {
        "Is the server running?"
    } else {
        "Check the address and the network."
    };
    let mut failure = FailureCode::UpstreamError.error("");
    failure.message = format!("Can't reach {} ({cause}). {advice}", origin(url));
    failure
}

/// Why a request failed: a phrase of our own, else the words of the innermost cause. Without the address: it may hold
/// a key.
#[must_use]
pub fn why(error: &reqwest::Error) -> String {
    let raw = root_cause(error);
    let phrase = cause::phrase(error).or_else(|| error.is_timeout().then_some("timed out"));
    let Some(phrase) = phrase else { return raw };
    tracing::info!(cause = raw, "a model server can't be reached");
    phrase.to_owned()
}

fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string().to_lowercase()
}

fn parse_url(text: &str) -> Result<Url, ConnectionError> {
    let invalid = |reason: String| ConnectionError::Address { url: text.to_owned(), reason };
    let url = malformed::address(text).map_err(|fault| invalid(fault.to_owned()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(invalid("it must begin with http:// or https://".to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("it holds a user name or password".to_owned()));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, ConnectionError, endpoint, is_loopback};
    use crate::secret::Secret;
    use reqwest::Url;

    #[test]
    fn endpoints_are_found_from_what_people_write() {
        let cases = [
            ("http://localhost:11434", "/chat/completions", "", "http://localhost:11434/v1/chat/completions"),
            (
                "http://localhost:1234/v1/",
                "/chat/completions",
                "",
                "http://localhost:1234/v1/chat/completions",
            ),
            (
                "https://a.example/v1/chat/completions",
                "/chat/completions",
                "",
                "https://a.example/v1/chat/completions",
            ),
            (
                "https://a.example/v1beta/openai/",
                "/chat/completions",
                "",
                "https://a.example/v1beta/openai/chat/completions",
            ),
            ("https://api.anthropic.com", "/messages", "/v1", "https://api.anthropic.com/v1/messages"),
            ("https://api.anthropic.com/v1", "/messages", "/v1", "https://api.anthropic.com/v1/messages"),
            ("https://a.example/anthropic", "/messages", "/v1", "https://a.example/anthropic/v1/messages"),
        ];
        for (base, path, version, expected) in cases {
            assert_eq!(endpoint(base, path, version).unwrap().as_str(), expected);
        }
        for bad in ["", "localhost:1234", "file:///etc/passwd", "https://me:pw@a.example/v1", "http://"] {
            assert!(endpoint(bad, "/x", "").is_err(), "{bad}");
        }
    }

    #[test]
    fn a_key_stays_with_its_host() {
        let key = ApiKey::for_url(Secret::new("sk"), "https://a.example/v1").unwrap();
        let ask = |url: &str| key.for_request(&Url::parse(url).unwrap()).map(|_| ());
        assert!(ask("https://a.example/v1/chat/completions").is_ok());
        for other in [
            "https://b.example/v1",
            "http://a.example/v1",
            "https://a.example:444/",
            "https://a.example.evil.com/",
        ] {
            assert!(matches!(ask(other), Err(ConnectionError::KeyForOtherHost { .. })), "{other}");
        }
    }

    #[test]
    fn this_machine_is_recognised() {
        for (url, expected) in [
            ("http://localhost:1/", true),
            ("http://127.0.0.1/", true),
            ("http://[::1]:8/", true),
            ("http://localhost.evil.com/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
