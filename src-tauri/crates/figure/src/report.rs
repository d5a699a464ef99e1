//! What one benchmark says, and how it ends.

use crate::figure::{Figure, Verdict};
use crate::promise::Promise;
use std::process::ExitCode;

/// Prints each figure as it comes: a line for people, or with the argument `--json` an object a line.
#[derive(Debug)]
#[must_use = "its end is the benchmark's"]
pub struct Report {
    json: bool,
    missed: bool,
}

impl Report {
    /// The form is the one this process was asked for.
    pub fn from_arguments() -> Self {
        Self { json: std::env::args().any(|argument| argument == "--json"), missed: false }
    }

    /// A figure that is promised. A name that isn't counts as missed: its promise would never be looked at.
    pub fn promised(&mut self, name: &str, value: f64) {
        self.missed |= Promise::of(name).is_none();
        self.say(&Figure::measured(name, value, ""));
    }

    /// A figure that nothing is promised of.
    pub fn plain(&mut self, name: &str, value: f64, unit: &str) {
        self.say(&Figure::measured(name, value, unit));
    }

    /// A promised figure that can't be measured here.
    pub fn not_measured(&mut self, name: &str, why: &str) {
        self.say(&Figure::not_measured(name, why));
    }

    /// Failure where a promise was missed.
    pub fn end(self) -> ExitCode {
        if self.missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }

    #[expect(clippy::print_stdout, reason = "the result of a benchmark")]
    fn say(&mut self, figure: &Figure) {
        self.missed |= figure.verdict() == Verdict::Missed;
        println!("{}", if self.json { figure.line() } else { figure.to_string() });
    }
}

#[cfg(test)]
mod tests {
    use super::Report;
    use std::process::ExitCode;

    #[test]
    fn a_benchmark_ends_as_its_figures_do() {
        let of = |say: &dyn Fn(&mut Report)| {
            let mut report = Report { json: true, missed: false };
            say(&mut report);
            format!("{:?}", report.end())
        };
        let (well, badly) = (format!("{:?}", ExitCode::SUCCESS), format!("{:?}", ExitCode::FAILURE));
        assert_eq!(of(&|_| {}), well);
        assert_eq!(of(&|report| report.promised("verify", 300_000.0)), well);
        assert_eq!(of(&|report| report.promised("verify", 100_000.0)), badly);
        assert_eq!(of(&|report| report.plain("rounds", 1e9, "")), well);
        assert_eq!(of(&|report| report.not_measured("grep_10k_files_per_ripgrep", "no rg")), well);
        assert_eq!(of(&|report| report.promised("of_no_promise", 1.0)), badly);
        let later = |report: &mut Report| {
            report.promised("verify", 100_000.0);
            report.promised("verify", 300_000.0);
        };
        assert_eq!(of(&later), badly);
    }
}
