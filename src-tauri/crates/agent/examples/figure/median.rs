//! The middle of several measurements.

/// The median; infinite where nothing was measured, so that no target is met by it.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::INFINITY)
}
