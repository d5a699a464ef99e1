//! When to try again, and how long to wait before.

use super::ModelError;
use reqwest::header::HeaderMap;
use std::time::{Duration, SystemTime};

/// Waits longer than this are not made: the person is told the time instead.
pub const LONGEST_WAIT: Duration = Duration::from_secs(300);

const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

/// Counts the tries of one request.
#[derive(Clone, Copy, Debug)]
pub struct Retries {
    left: u32,
    made: u32,
    /// A call that the provider threw away is worth one more try, no more.
    malformed: bool,
}

impl Retries {
    /// At most `limit` further tries.
    #[must_use]
    pub fn new(limit: u32) -> Self {
        Self { left: limit, made: 0, malformed: false }
    }

    /// How long to wait before the next try; `None` where there is none. `random` is uniform over all of `u64`.
    pub fn next(&mut self, error: &ModelError, random: u64) -> Option<Duration> {
        if !error.retryable || self.left == 0 {
            return None;
        }
        if error.code == "malformed_tool_call" && std::mem::replace(&mut self.malformed, true) {
            return None;
        }
        let asked = error.retry_after_ms.map(Duration::from_millis).unwrap_or_default();
        if asked > LONGEST_WAIT {
            return None;
        }
        let backoff = FIRST_WAIT.saturating_mul(1 << self.made.min(10)).min(LONGEST_BACKOFF);
        self.left -= 1;
        self.made += 1;
        // Between a half and the whole, so that many clients don't come back at once.
        let half = backoff / 2;
        let share = u32::try_from(random >> 32).unwrap_or_default();
        let jitter = Duration::from_nanos(
            u64::try_from(half.as_nanos() * u128::from(share) / u128::from(u32::MAX)).unwrap_or_default(),
        );
        // What the provider asked for is the least; a little more, for the same reason.
        Some((half + jitter).max(asked + jitter.min(asked / 10)))
    }

    /// Whether a further try is allowed at all.
    #[must_use]
    pub fn any_left(&self) -> bool {
        self.left > 0
    }
}

/// How long a response asks to wait, ms: `retry-after-ms`, or `retry-after` as seconds or as a date. A date is
/// measured against the server's own clock where it tells the time; where a proxy added its own time, against the
/// earlier one, since a wait may be too long but not too short.
#[must_use]
pub fn retry_after_ms(headers: &HeaderMap, now: SystemTime) -> Option<u64> {
    let all = |name: &str| headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    let milliseconds = |text: &str, unit: f64| {
        let number = text.trim().parse::<f64>().ok()? * unit;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be within range"
        )]
        let whole = (0.0..=1e13).contains(&number).then_some(number.ceil() as u64);
        whole
    };
    if let Some(wait) = all("retry-after-ms").find_map(|text| milliseconds(text, 1.0)) {
        return Some(wait);
    }
    let text = all("retry-after").next()?;
    milliseconds(text, 1000.0).or_else(|| {
        let time = |text: &str| httpdate::parse_http_date(text.trim()).ok();
        let date = time(text)?;
        let now = all("date").filter_map(time).min().unwrap_or(now);
        let wait = date.duration_since(now).unwrap_or_default();
        u64::try_from(wait.as_millis()).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_WAIT, Retries, retry_after_ms};
    use crate::model::FailureCode;
    use reqwest::header::{HeaderMap, HeaderValue};
    use std::time::{Duration, SystemTime};

    #[test]
    fn every_form_of_the_header_is_read() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let later = "Sun, 06 Nov 1994 08:50:07 GMT";
        type Headers<'a> = &'a [(&'static str, &'a str)];
        let cases: &[(Headers<'_>, Option<u64>)] = &[
            (&[("retry-after", "7")], Some(7_000)),
            (&[("retry-after", " 1.5 ")], Some(1_500)),
            (&[("retry-after-ms", "250"), ("retry-after", "7")], Some(250)),
            (&[("retry-after", later), ("date", date)], Some(30_000)),
            (&[("retry-after", "Sunday, 06-Nov-94 08:50:07 GMT"), ("date", date)], Some(30_000)),
            (&[("retry-after", "Sun Nov  6 08:50:07 1994"), ("date", date)], Some(30_000)),
            (&[("retry-after", date), ("date", later)], Some(0)),
            (&[("date", later), ("date", date), ("retry-after", later)], Some(30_000)),
            (&[("retry-after", date)], Some(0)),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "soon")], None),
            (&[], None),
        ];
        for (headers, expected) in cases {
            let mut map = HeaderMap::new();
            for (name, value) in *headers {
                map.append(*name, HeaderValue::from_str(value).unwrap());
            }
            assert_eq!(retry_after_ms(&map, SystemTime::now()), *expected, "{headers:?}");
        }
    }

    #[test]
    fn waits_grow_keep_to_what_was_asked_and_end() {
        let overloaded = FailureCode::Overloaded.error("");
        let mut retries = Retries::new(3);
        let waits: Vec<_> =
            (0..4).map(|_| retries.next(&overloaded, u64::MAX).map(|wait| wait.as_millis())).collect();
        assert_eq!(waits, [Some(1_000), Some(2_000), Some(4_000), None]);
        assert_eq!(Retries::new(3).next(&overloaded, 0), Some(Duration::from_millis(500)));

        let mut asked = FailureCode::RateLimited.error("");
        asked.retry_after_ms = Some(7_000);
        let wait = Retries::new(1).next(&asked, u64::MAX / 2);
        assert!(
            wait.is_some_and(|wait| wait >= Duration::from_secs(7) && wait <= Duration::from_secs(8)),
            "{wait:?}"
        );
        asked.retry_after_ms = Some(u64::try_from(LONGEST_WAIT.as_millis()).unwrap() + 1);
        assert_eq!(Retries::new(1).next(&asked, 0), None);

        let malformed = FailureCode::MalformedToolCall.error("");
        let mut retries = Retries::new(5);
        assert!(retries.next(&malformed, 0).is_some());
        assert_eq!(retries.next(&malformed, 0), None);
        assert_eq!(Retries::new(5).next(&FailureCode::Auth.error(""), 0), None);
        assert_eq!(Retries::new(0).next(&overloaded, 0), None);
    }
}
