//! From a body that arrives to a decoded reply: feeds the decoder, watches the clock, heeds cancel.

use super::decoder::{DecodedReply, Decoder};
use super::draft::BodyEnd;
use super::errors::FailureCode;
use super::http::Timeouts;
use super::{Delta, StopReason};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use std::fmt::Display;
use std::pin::pin;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// A reply, and whether anything of it was shown while it arrived.
#[derive(Debug)]
pub struct Transferred {
    /// The reply.
    pub decoded: DecodedReply,
    /// Something was shown: no silent second try.
    pub was_shown: bool,
}

/// Reads a body to its end. `started` is when the request was sent.
pub async fn transfer<E: Display>(
    body: impl Stream<Item = Result<Bytes, E>>,
    mut decoder: Decoder,
    timeouts: &Timeouts,
    started: Instant,
    sink: &(dyn Fn(Delta) + Send + Sync),
    cancel: &CancellationToken,
) -> Transferred {
    let mut body = pin!(body);
    let mut was_shown = false;
    let mut fruitful = started;
    let mut deadline = started + timeouts.first_byte;
    let show = |deltas: Vec<Delta>, was_shown: &mut bool| {
        *was_shown |= !deltas.is_empty();
        deltas.into_iter().for_each(sink);
    };
    let end = loop {
        if decoder.is_done() {
            break BodyEnd::Whole;
        }
        let next = tokio::select! {
            biased;
            () = cancel.cancelled() => return cancelled(decoder, was_shown),
            next = timeout_at(deadline.min(fruitful + timeouts.fruitless), body.next()) => next,
        };
        match next {
            Err(_) if fruitful + timeouts.fruitless <= Instant::now() => {
                break BodyEnd::Broken("nothing but keep-alives arrived for too long".to_owned());
            }
            Err(_) => break BodyEnd::Broken("no byte arrived for too long".to_owned()),
            Ok(None) => break BodyEnd::Whole,
            Ok(Some(Err(error))) => break BodyEnd::Broken(error.to_string()),
            Ok(Some(Ok(bytes))) => {
                let deltas = decoder.push(&bytes);
                let now = Instant::now();
                if !deltas.is_empty() {
                    fruitful = now;
                }
                deadline = now + if decoder.has_finish() { timeouts.after_finish } else { timeouts.idle };
                show(deltas, &mut was_shown);
            }
        }
    };
    show(decoder.close(), &mut was_shown);
    Transferred { decoded: decoder.finish(&end), was_shown }
}

/// What had arrived is kept; its calls never run.
fn cancelled(decoder: Decoder, was_shown: bool) -> Transferred {
    let mut decoded = decoder.finish(&BodyEnd::Broken("stopped".to_owned()));
    let reply = &mut decoded.reply;
    reply.dropped_calls += u32::try_from(std::mem::take(&mut reply.calls).len()).unwrap_or(u32::MAX);
    reply.stop = StopReason::Error;
    reply.error = Some(FailureCode::Cancelled.error(""));
    reply.resume = false;
    reply.hint = None;
    Transferred { decoded, was_shown }
}
