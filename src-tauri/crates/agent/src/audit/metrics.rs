//! Numbers per tool in the text format that Prometheus and OpenMetrics collectors read (R44).

use crate::audit::ToolMetrics;
use std::fmt::Write as _;

/// `metrics` as one family per number.
#[must_use]
pub fn exposition(metrics: &[ToolMetrics]) -> String {
    let mut out = String::new();
    let mut counter = |name: &str, help: &str, value: fn(&ToolMetrics) -> i64| {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter");
        for tool in metrics {
            let _ = writeln!(out, "{name}{{tool=\"{}\"}} {}", label(&tool.tool), value(tool));
        }
    };
    counter("assent_calls_total", "Calls that were decided or ended.", |it| it.calls);
    counter("assent_calls_denied_total", "Calls that were denied.", |it| it.denied);
    counter("assent_calls_asked_total", "Calls about which a person was asked.", |it| it.asked);
    counter("assent_calls_failed_total", "Calls that ran and failed.", |it| it.failed);
    let name = "assent_call_duration_ms";
    let _ = writeln!(out, "# HELP {name} How long calls ran, ms.\n# TYPE {name} summary");
    for tool in metrics {
        for (quantile, value) in [("0.5", tool.p50_ms), ("0.95", tool.p95_ms)] {
            if let Some(value) = value {
                let tool = label(&tool.tool);
                let _ = writeln!(out, "{name}{{tool=\"{tool}\",quantile=\"{quantile}\"}} {value}");
            }
        }
    }
    out
}

/// A label's value: backslash, quote and newline escaped; nothing else has a meaning in it.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::exposition;
    use crate::audit::ToolMetrics;

    /// R44
    #[test]
    fn each_number_is_a_family() {
        let shell = ToolMetrics {
            tool: "she\"ll".to_owned(),
            calls: 4,
            denied: 1,
            asked: 2,
            failed: 1,
            denial_rate: 0.25,
            p50_ms: Some(3),
            p95_ms: None,
        };
        insta::assert_snapshot!(exposition(&[shell]));
    }
}
