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

/// The last millisecond of the UTC day `day`, `2026-11-29`; `None` for what is no day.
#[must_use]
pub fn end_of_day(day: &str) -> Option<u64> {
    use time::Date;
    use time::macros::{format_description, time};
    let day = Date::parse(day, format_description!("[year]-[month]-[day]")).ok()?;
    let ms = day.with_time(time!(23:59:59.999)).assume_utc().unix_timestamp_nanos() / 1_000_000;
    u64::try_from(ms).ok()
}

#[cfg(test)]
mod tests {
    use super::{date, end_of_day};

    #[test]
    fn a_day_ends_where_the_next_begins() {
        let end = end_of_day("2026-11-29").unwrap();
        assert_eq!((date(end).as_str(), date(end + 1).as_str()), ("2026-11-29", "2026-11-30"));
        for text in ["", "2026-13-01", "2026-2-3", "tomorrow"] {
            assert_eq!(end_of_day(text), None, "{text}");
        }
    }
}
