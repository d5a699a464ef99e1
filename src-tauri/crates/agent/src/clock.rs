//! Time as a port, so that expiry and jumps of the clock can be tested.

use std::time::{SystemTime, UNIX_EPOCH};

/// Wall time.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch, UTC.
    fn now_ms(&self) -> u64;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    }
}

/// The UTC day of `ms`, `2026-11-29`.
#[must_use]
pub fn date(ms: u64) -> String {
    use time::OffsetDateTime;
    use time::macros::format_description;
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000)
        .ok()
        .and_then(|time| time.format(format_description!("[year]-[month]-[day]")).ok())
        .unwrap_or_default()
}
