//! What was seen, as figures.

use crate::start::Comparison;
use assent_figure::Report;

/// Against the bare window.
pub fn window(report: &mut Report, seen: &Comparison) {
    report.plain("window_painted_bare", seen.bare.painted_ms, "ms");
    report.plain("window_painted", seen.app.painted_ms, "ms");
    report.promised("window_painted_per_bare", seen.app.painted_ms / seen.bare.painted_ms);
    report.plain("window_idle_pss_bare", seen.bare.pss_mib, "MiB");
    report.plain("window_idle_pss", seen.app.pss_mib, "MiB");
    report.promised("window_idle_pss_per_bare", seen.app.pss_mib / seen.bare.pss_mib);
}

/// From the server's write to the screen.
pub fn first_token(report: &mut Report, ms: f64) {
    report.promised("first_token_on_screen", ms);
}
