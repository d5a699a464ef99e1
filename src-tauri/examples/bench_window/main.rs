//! How soon the window can be read and how much memory it holds, beside a bare Tauri window in the same run, and how
//! soon a model's first token is on screen. Linux, on a display of its own; needs Xvfb, openbox and WebKitWebDriver.
//!
//! Built with optimisation beside `assent-desktop` and `examples/bare`; prints its figures, with `--json` one object a
//! line.

#[cfg(target_os = "linux")]
#[path = "../../../tests/window/desktop.rs"]
#[expect(dead_code, reason = "the window tests use all of it")]
mod desktop;
#[cfg(target_os = "linux")]
#[path = "../../../tests/window/driver.rs"]
#[expect(dead_code, clippy::indexing_slicing, reason = "the window tests use all of it, by their rules")]
mod driver;
#[cfg(target_os = "linux")]
mod first_token;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod screen;
#[cfg(target_os = "linux")]
mod start;

#[cfg(target_os = "linux")]
fn main() -> anyhow::Result<std::process::ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [measure, programs @ ..] = arguments.as_slice()
        && measure == start::MEASURE
    {
        start::measure(programs)?;
        return Ok(std::process::ExitCode::SUCCESS);
    }
    let examples = std::env::current_exe()?.parent().map(std::path::Path::to_path_buf).unwrap_or_default();
    let app = examples.join("../assent-desktop").canonicalize()?;
    let bare = examples.join("bare").canonicalize()?;

    let desktop = desktop::Desktop::start()?;
    let mut report = assent_figure::Report::from_arguments();
    report::window(&mut report, &start::compare(&desktop, &bare, &app)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    report::first_token(&mut report, runtime.block_on(first_token::median_ms(&desktop, &app))?);
    Ok(report.end())
}

#[cfg(not(target_os = "linux"))]
fn main() {}
