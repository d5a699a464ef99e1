//! Every figure that the project promises. Limits stand here and nowhere else.

use std::fmt;

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// That much or less.
    AtMost(f64),
    /// That much or more.
    AtLeast(f64),
}

/// One promised figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// As the benchmark says it.
    pub name: &'static str,
    /// What the value is counted in.
    pub unit: &'static str,
    /// What is promised of it.
    pub limit: Limit,
}

/// All of them, in the order of the table.
pub const PROMISES: &[Promise] = &[
    // Median start of /bin/true: ours less `bwrap`'s in the same run.
    at_most("sandbox_start_read_only_over_bwrap", 1.0, "ms"),
    at_most("sandbox_start_workspace_write_over_bwrap", 1.0, "ms"),
    // Medians, every fact being there.
    at_most("decision_list", 50.0, "µs"),
    at_most("decision_search", 50.0, "µs"),
    at_most("decision_git", 50.0, "µs"),
    at_most("decision_chain", 50.0, "µs"),
    at_most("decision_denied", 50.0, "µs"),
    at_most("decision_asked", 50.0, "µs"),
    at_most("decision_script_1kib", 1_000.0, "µs"),
    // Medians, against one bare fsync of the same disk in the same run.
    at_most("gate_allowed_call_per_fsync", 4.0, "×"),
    at_most("audit_call_per_fsync", 4.0, "×"),
    // A log of 1,000,000 records.
    at_least("verify", 200_000.0, "records/s"),
    at_most("panel_open", 300.0, "ms"),
    at_most("panel_filter_tool", 150.0, "ms"),
    at_most("panel_filter_session", 150.0, "ms"),
    at_most("panel_filter_denied", 150.0, "ms"),
    at_most("panel_filter_nothing", 150.0, "ms"),
    at_most("panel_search_rare", 150.0, "ms"),
    at_most("panel_search_common", 150.0, "ms"),
    at_least("decode_chat_completions", 200.0, "MB/s"),
    at_least("decode_chat_arguments", 200.0, "MB/s"),
    at_least("decode_messages", 200.0, "MB/s"),
    // 10,000 messages in one session; 1,000 sessions.
    at_most("session_open_10000", 300.0, "ms"),
    at_most("session_search_rare", 100.0, "ms"),
    at_most("session_search_common", 100.0, "ms"),
    // Medians, against `rg` on the same tree in the same run.
    at_most("grep_10k_files_per_ripgrep", 1.5, "×"),
    at_most("glob_10k_files_per_ripgrep", 1.5, "×"),
    // Against a bare Tauri window in the same run.
    at_most("window_painted_per_bare", 1.5, "×"),
    at_most("window_idle_pss_per_bare", 1.25, "×"),
    at_most("first_token_on_screen", 50.0, "ms"),
    // The longest task of the window's main thread.
    at_most("frame_long_chat", 50.0, "ms"),
    at_most("frame_long_answer", 50.0, "ms"),
    at_most("frame_audit_scroll", 50.0, "ms"),
    at_most("javascript_gzip", 120.0, "KiB"),
    at_most("package_deb", 12.0, "MB"),
];

impl Promise {
    /// The one of that name.
    pub fn of(name: &str) -> Option<&'static Self> {
        PROMISES.iter().find(|promise| promise.name == name)
    }
}

impl Limit {
    /// Whether `value` keeps it; what is no number keeps none.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::AtMost(limit) => value <= limit,
            Self::AtLeast(limit) => value >= limit,
        }
    }

    /// The number, and which way it bounds, as a line has it.
    pub(crate) fn parts(self) -> (f64, &'static str) {
        match self {
            Self::AtMost(limit) => (limit, "at_most"),
            Self::AtLeast(limit) => (limit, "at_least"),
        }
    }

    /// Reads them back.
    pub(crate) fn from_parts(limit: f64, direction: &str) -> Option<Self> {
        match direction {
            "at_most" => Some(Self::AtMost(limit)),
            "at_least" => Some(Self::AtLeast(limit)),
            _ => None,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(limit) => write!(to, "≤ {limit}"),
            Self::AtLeast(limit) => write!(to, "≥ {limit}"),
        }
    }
}

const fn at_most(name: &'static str, limit: f64, unit: &'static str) -> Promise {
    Promise { name, unit, limit: Limit::AtMost(limit) }
}

const fn at_least(name: &'static str, limit: f64, unit: &'static str) -> Promise {
    Promise { name, unit, limit: Limit::AtLeast(limit) }
}

#[cfg(test)]
mod tests {
    use super::{Limit, PROMISES};

    #[test]
    fn a_limit_holds_on_its_own_side() {
        for (limit, value, holds) in [
            (Limit::AtMost(50.0), 49.9, true),
            (Limit::AtMost(50.0), 50.0, true),
            (Limit::AtMost(50.0), 50.1, false),
            (Limit::AtMost(1.0), -0.4, true),
            (Limit::AtLeast(200.0), 200.1, true),
            (Limit::AtLeast(200.0), 200.0, true),
            (Limit::AtLeast(200.0), 199.9, false),
            (Limit::AtMost(50.0), f64::NAN, false),
            (Limit::AtLeast(200.0), f64::NAN, false),
        ] {
            assert_eq!(limit.holds(value), holds, "{limit:?} {value}");
        }
    }

    #[test]
    fn no_figure_is_promised_twice() {
        let mut names: Vec<&str> = PROMISES.iter().map(|promise| promise.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PROMISES.len());
    }
}
