//! The figures beside their targets.

use crate::start::Comparison;
use serde_json::json;

/// Against the bare window.
pub fn window(json: bool, seen: &Comparison) {
    say(json, "window_painted_bare", seen.bare.painted_ms, "ms", None);
    say(json, "window_painted", seen.app.painted_ms, "ms", Some(1.5 * seen.bare.painted_ms));
    say(json, "window_idle_pss_bare", seen.bare.pss_mib, "MiB", None);
    say(json, "window_idle_pss", seen.app.pss_mib, "MiB", Some(1.25 * seen.bare.pss_mib));
}

/// From the server's write to the screen.
pub fn first_token(json: bool, ms: f64) {
    say(json, "first_token_on_screen", ms, "ms", Some(50.0));
}

#[expect(clippy::print_stdout, reason = "the result of a benchmark")]
fn say(json: bool, name: &str, value: f64, unit: &str, limit: Option<f64>) {
    let target = limit.map(|limit| format!("≤ {limit:.0} {unit}")).unwrap_or_default();
    if json {
        let met = limit.is_none_or(|limit| value <= limit);
        println!("{}", json!({ "name": name, "value": value, "unit": unit, "target": target, "met": met }));
    } else {
        let target = if target.is_empty() { target } else { format!(" (target {target})") };
        println!("{name} {value:.1} {unit}{target}");
    }
}
