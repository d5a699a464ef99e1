//! The model client over HTTP, for both wire formats: builds the request, tries again where that helps, and turns
//! whatever comes back into one [`Reply`].

use super::call_ids::CallIds;
use super::decoder::{Decoder, Wire};
use super::errors::{Classified, FailureCode, Report, classify};
use super::history::call_ids;
use super::http::{Connection, ConnectionError, endpoint, is_loopback, origin, unreachable, why};
use super::request::{Quirks, Target, has_images};
use super::retry::{Retries, retry_after_ms};
use super::tokens::was_cut_in_silence;
use super::transfer::{Transferred, transfer};
use super::{Delta, ModelClient, ModelError, ModelRequest, Replay, Reply, StopReason, request_body};
use crate::secret::Secret;
use async_trait::async_trait;
use futures_util::StreamExt;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Response, Url};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How much of an error's body is read, bytes.
const MAX_ERROR_BODY: usize = 256 * 1024;

/// What a client is made of.
#[derive(Clone, Debug)]
pub struct HttpModelSettings {
    /// How the server is reached.
    pub connection: Connection,
    /// What it speaks.
    pub wire: Wire,
    /// The model's name there.
    pub model: String,
    /// The form of call ids it accepts.
    pub id_form: super::history::IdForm,
    /// Most tokens of a reply; the server's default where there is none.
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature; the model's own where there is none.
    pub temperature: Option<f32>,
    /// How many tokens the model can read, where that is known.
    pub context_window: Option<u64>,
    /// Further tries after a failure that may pass.
    pub retries: u32,
}

/// A model behind HTTP.
#[derive(Debug)]
pub struct HttpModel {
    client: Client,
    url: Url,
    headers: HeaderMap,
    key: Option<Secret>,
    settings: HttpModelSettings,
    quirks: Mutex<Quirks>,
}

impl HttpModel {
    /// Sets up the client; nothing is sent yet.
    ///
    /// # Errors
    /// When address, key, headers, proxy or certificates don't fit.
    pub fn new(settings: HttpModelSettings) -> Result<Self, ConnectionError> {
        let connection = &settings.connection;
        let url = match settings.wire {
            Wire::ChatCompletions => endpoint(&connection.base_url, "/chat/completions", "")?,
            Wire::Messages => endpoint(&connection.base_url, "/messages", "/v1")?,
        };
        let key = match &connection.key {
            Some(key) => Some(key.for_request(&url)?.clone()).filter(|key| !key.is_empty()),
            None => None,
        };
        let headers = request_headers(settings.wire, connection, key.as_ref())?;
        let client = connection.client(&url)?;
        Ok(Self { client, url, headers, key, settings, quirks: Mutex::default() })
    }

    fn target(&self) -> Target {
        Target {
            provider: origin(&self.url),
            model: self.settings.model.clone(),
            id_form: self.settings.id_form,
            max_output_tokens: self.settings.max_output_tokens,
            temperature: self.settings.temperature,
            quirks: self.quirks.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// One try.
    async fn attempt(
        &self,
        request: &ModelRequest,
        sink: &(dyn Fn(Delta) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Attempt {
        let target = self.target();
        let body = request_body(self.settings.wire, request, &target);
        let timeouts = &self.settings.connection.timeouts;
        let started = Instant::now();
        let sending = self.client.post(self.url.clone()).headers(self.headers.clone()).json(&body).send();
        let sent = tokio::select! {
            biased;
            () = cancel.cancelled() => return Attempt::failed(FailureCode::Cancelled.error("")),
            sent = tokio::time::timeout_at(started + timeouts.first_byte, sending) => sent,
        };
        let response = match sent {
            Err(_) => return Attempt::failed(self.silent()),
            Ok(Err(error)) => {
                let is_absent = error.is_connect() && is_loopback(&self.url);
                let failure = unreachable(&self.url, &error);
                return Attempt { is_hopeless: is_absent, ..Attempt::failed(failure) };
            }
            Ok(Ok(response)) => response,
        };
        if !response.status().is_success() {
            return self.refused(response, cancel).await;
        }
        let decoder = Decoder::new(
            self.settings.wire,
            tool_names(request),
            CallIds::after(call_ids(&request.messages)),
        );
        let body = response.bytes_stream().map(|piece| piece.map_err(|error| why(&error)));
        let Transferred { decoded, was_shown } =
            transfer(body, decoder, timeouts, started, sink, cancel).await;
        let mut reply = decoded.reply;
        reply.replay =
            decoded.replay.map(|parts| Replay { provider: target.provider, model: target.model, parts });
        Attempt { reply, was_shown, ..Attempt::default() }
    }

    /// A response with a status that says no.
    async fn refused(&self, response: Response, cancel: &CancellationToken) -> Attempt {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let idle = self.settings.connection.timeouts.idle;
        let reading = tokio::time::timeout(idle, read_head(response, MAX_ERROR_BODY));
        let body = tokio::select! {
            biased;
            () = cancel.cancelled() => return Attempt::failed(FailureCode::Cancelled.error("")),
            body = reading => body.unwrap_or_default(),
        };
        let Refusal { error, parameter } = refusal(status, &headers, &body);
        Attempt { parameter, ..Attempt::failed(error) }
    }

    fn silent(&self) -> ModelError {
        let seconds = self.settings.connection.timeouts.first_byte.as_secs();
        let mut error = FailureCode::UpstreamError.error("");
        error.message = format!(
            "{} sent nothing for {seconds} seconds. A local server may still be loading the model.",
            origin(&self.url)
        );
        error
    }

    /// Learns from a refusal; true where the next request will be another one.
    fn learn(&self, attempt: &Attempt, request: &ModelRequest) -> bool {
        let Some(error) = &attempt.reply.error else { return false };
        let mut quirks = self.quirks.lock().unwrap_or_else(PoisonError::into_inner);
        if has_images(request) && quirks.learn_images(&error.message) {
            return true;
        }
        if let Some(parameter) = &attempt.parameter {
            return quirks.learn_parameter(parameter, &error.message);
        }
        error.code == FailureCode::InvalidHistory.as_str() && quirks.learn_history(&error.message)
    }
}

#[async_trait]
impl ModelClient for HttpModel {
    fn model(&self) -> &str {
        &self.settings.model
    }

    fn context_window(&self) -> Option<u64> {
        self.settings.context_window
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        sink: &(dyn Fn(Delta) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Reply {
        let mut retries = Retries::new(self.settings.retries);
        loop {
            let attempt = self.attempt(request, sink, cancel).await;
            let Some(error) = &attempt.reply.error else { return self.remarked(request, attempt.reply) };
            if attempt.was_shown || attempt.is_hopeless || cancel.is_cancelled() {
                return self.tell(attempt.reply);
            }
            if retries.any_left() && self.learn(&attempt, request) {
                continue;
            }
            let Some(wait) = retries.next(error, random()) else { return self.tell(attempt.reply) };
            let message = self.hidden(&error.message);
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            tracing::debug!(code = error.code, wait_ms, "model request is tried again");
            sink(Delta::Waiting { wait_ms, message });
            tokio::select! {
                biased;
                () = cancel.cancelled() => return self.tell(Attempt::failed(FailureCode::Cancelled.error("")).reply),
                () = tokio::time::sleep(wait) => {}
            }
        }
    }
}

impl HttpModel {
    /// The reply, with a remark where a local server seems not to have read all of the request.
    fn remarked(&self, request: &ModelRequest, mut reply: Reply) -> Reply {
        let is_blind = self.quirks.lock().unwrap_or_else(PoisonError::into_inner).refuses_images;
        if is_blind && has_images(request) && reply.hint.is_none() {
            reply.hint = Some("This model reads no images: it was told their names only.".to_owned());
        }
        let was_cut = reply.usage.is_some_and(|usage| was_cut_in_silence(request, usage));
        if was_cut && is_loopback(&self.url) && reply.hint.is_none() {
            reply.hint = Some(
                "The server read far less than was sent: its context is too small, and it may have dropped the \
                 instructions and the tools. With Ollama, raise OLLAMA_CONTEXT_LENGTH."
                    .to_owned(),
            );
        }
        reply
    }

    /// Words of a server, without the key.
    fn hidden(&self, words: &str) -> String {
        self.key.as_ref().map_or_else(|| words.to_owned(), |key| key.hide_in(words))
    }

    /// The reply as it is told: its words never hold the key, and say how long to wait.
    fn tell(&self, mut reply: Reply) -> Reply {
        if let Some(error) = &mut reply.error {
            error.message = self.hidden(&error.message);
            if let Some(wait) = error.retry_after_ms.map(Duration::from_millis)
                && wait > super::retry::LONGEST_WAIT
            {
                error.message.push_str(&format!(" It asks to wait {} minutes.", wait.as_secs().div_ceil(60)));
            }
        }
        reply
    }
}

/// A refusal, read.
#[derive(Debug)]
pub struct Refusal {
    /// For the person.
    pub error: ModelError,
    /// The parameter that was refused, where that was it.
    pub parameter: Option<String>,
}

/// Reads a response whose status says no.
#[must_use]
pub fn refusal(status: u16, headers: &HeaderMap, body: &[u8]) -> Refusal {
    let Classified { mut error, parameter, .. } = classify(Some(status), &Report::from_body(body));
    if error.retryable {
        error.retry_after_ms = retry_after_ms(headers, SystemTime::now()).or(error.retry_after_ms);
    }
    Refusal { error, parameter }
}

/// What came of one try.
#[derive(Debug, Default)]
struct Attempt {
    reply: Reply,
    was_shown: bool,
    /// Waiting won't help.
    is_hopeless: bool,
    parameter: Option<String>,
}

impl Attempt {
    fn failed(error: ModelError) -> Self {
        let reply = Reply { stop: StopReason::Error, error: Some(error), ..Reply::default() };
        Self { reply, ..Self::default() }
    }
}

/// The headers of each request: what the wire asks for, the key, and the user's own.
pub(super) fn request_headers(
    wire: Wire,
    connection: &Connection,
    key: Option<&Secret>,
) -> Result<HeaderMap, ConnectionError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let mut key_header = |name: &'static str, value: String| {
        let mut value = HeaderValue::try_from(value).map_err(|_| ConnectionError::Header(name.to_owned()))?;
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok(())
    };
    match (wire, key) {
        (Wire::ChatCompletions, Some(key)) => {
            key_header(AUTHORIZATION.as_str(), format!("Bearer {}", key.expose()))?;
        }
        (Wire::Messages, Some(key)) => key_header("x-api-key", key.expose().to_owned())?,
        (Wire::ChatCompletions | Wire::Messages, None) => {}
    }
    if wire == Wire::Messages {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    headers.extend(connection.header_map()?);
    Ok(headers)
}

/// The first bytes of a body; what is read when it breaks counts.
async fn read_head(response: Response, limit: usize) -> Vec<u8> {
    let mut body = response.bytes_stream();
    let mut head = Vec::new();
    while let Some(Ok(piece)) = body.next().await {
        head.extend_from_slice(&piece);
        if head.len() >= limit {
            head.truncate(limit);
            break;
        }
    }
    head
}

fn tool_names(request: &ModelRequest) -> HashSet<String> {
    request.tools.iter().map(|tool| tool.name.clone()).collect()
}

/// Random bits; where the system has none, the time will do: they spread ids and waits, nothing more.
pub(super) fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|_| {
        SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |elapsed| u64::from(elapsed.subsec_nanos()) ^ (elapsed.as_secs() << 30))
    })
}
