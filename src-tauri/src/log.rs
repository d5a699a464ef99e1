//! The app's own log: one file a day in the state folder, seven days kept; no arguments, no text, no secrets.

use anyhow::Context as _;
use std::path::{Path, PathBuf};
use tracing_appender::rolling::{Builder, Rotation};
use tracing_subscriber::EnvFilter;

const DAYS: usize = 7;

/// Where the logs of the state folder `state` are.
#[must_use]
pub fn folder(state: &Path) -> PathBuf {
    state.join("logs")
}

/// Begins to log.
///
/// # Errors
/// When the folder can't be written.
pub fn start(state: &Path) -> anyhow::Result<()> {
    let folder = folder(state);
    std::fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    let file = Builder::new()
        .rotation(Rotation::DAILY)
        .filename_prefix("assent")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(&folder)?;
    let filter = EnvFilter::try_from_env("ASSENT_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(std::sync::Mutex::new(file))
        .try_init()
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(())
}

/// The last `lines` lines of the newest log, escaped.
#[must_use]
pub fn tail(state: &Path, lines: usize) -> Vec<String> {
    let newest = std::fs::read_dir(folder(state))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .max();
    let text = newest.and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let all: Vec<&str> = text.lines().collect();
    all.iter().skip(all.len().saturating_sub(lines)).map(|line| crate::view::shown(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::{folder, tail};

    #[test]
    fn the_tail_is_of_the_newest_file() {
        let state = tempfile::tempdir().unwrap();
        assert!(tail(state.path(), 2).is_empty());
        std::fs::create_dir_all(folder(state.path())).unwrap();
        std::fs::write(folder(state.path()).join("assent.2026-01-01.log"), "old").unwrap();
        std::fs::write(folder(state.path()).join("assent.2026-01-02.log"), "a\nb\nc\u{202e}").unwrap();
        assert_eq!(tail(state.path(), 2), ["b", "c\\u{202e}"]);
    }
}
