//! How a benchmark says what it found: a line for people, or with `--json` an object a line for `cargo xtask bench`.

use serde_json::json;

/// Prints one figure beside its target; an empty target means that none was set.
#[expect(clippy::print_stdout, reason = "the result of a benchmark")]
pub fn say(name: &str, value: f64, unit: &str, target: &str) {
    if std::env::args().any(|argument| argument == "--json") {
        println!("{}", json!({ "name": name, "value": value, "unit": unit, "target": target }));
    } else {
        let target = if target.is_empty() { String::new() } else { format!(" (target {target})") };
        println!("{name} {value:.1} {unit}{target}");
    }
}
