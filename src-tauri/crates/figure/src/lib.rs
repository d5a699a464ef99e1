//! What a benchmark prints: a measured value beside the limit that is promised, one JSON object a line.
//!
//! `{"name", "value", "unit", "limit", "direction": "at_most"|"at_least", "met", "why"}`; `value` is null where nothing
//! could be measured, and `why` says why. Benchmarks only: nothing that is handed to people depends on this.

mod figure;
mod promise;
mod report;

pub use figure::{Figure, Verdict};
pub use promise::{Limit, PROMISES, Promise};
pub use report::Report;

/// The middle of several measurements; not a number where there are none, which meets no limit.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
