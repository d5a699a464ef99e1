//! What a provider says when it fails: any body becomes one bounded line for the person, and only what time heals is
//! tried again.

use crate::campaign;
use assent_agent::model::{FailureCode, Report, classify};

/// What servers answer with; the first byte of an input picks one, or none for an error inside a reply.
const STATUSES: &[u16] =
    &[200, 301, 400, 401, 402, 403, 404, 408, 413, 422, 429, 499, 500, 502, 503, 529, 999];
/// Longest line for a person, in bytes: the server's own words are cut at 500.
const LONGEST: usize = 1_000;

/// R3
#[test]
fn failure() {
    campaign::run("failure", |input| {
        let (first, body) = input.split_first().map_or((0, input), |(first, rest)| (*first, rest));
        let status = STATUSES.get(usize::from(first) % (STATUSES.len() + 1)).copied();
        let report = Report::from_body(body);
        let classified = classify(status, &report);
        let error = &classified.error;
        assert_eq!(error.code, classified.code.as_str());
        assert_eq!(error.retryable, classified.code.is_retryable());
        assert!(error.retryable || error.retry_after_ms.is_none(), "{} waits for nothing", error.code);
        assert_eq!(
            classified.parameter.is_some(),
            classified.code == FailureCode::UnsupportedParameter,
            "{} names {:?}",
            error.code,
            classified.parameter
        );
        let line = &error.message;
        assert!(line.len() <= LONGEST && !line.chars().any(char::is_control), "{line:?}");
        format!("{} {} {}", error.code, error.retry_after_ms.is_some(), report.labels.len().min(3))
    });
}
