//! The app's own log: one file a day in the state folder, seven days kept, none without a bound; no arguments, no text,
//! no secrets.

use anyhow::Context as _;
use assent_agent::clock::{Clock as _, SystemClock, date};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tracing_subscriber::EnvFilter;

const DAYS: usize = 7;
/// The largest file, bytes; the older half of a day that says more is kept beside it, once.
const LARGEST: u64 = 4 * 1024 * 1024;
/// What the files are called: `assent.2026-12-31.log`, and `assent.2026-12-31.1.log` for the older half.
const PREFIX: &str = "assent.";

/// Where the logs of the state folder `state` are.
#[must_use]
pub fn folder(state: &Path) -> PathBuf {
    state.join("logs")
}

/// Why nothing is logged, where that is so.
static TROUBLE: OnceLock<String> = OnceLock::new();

/// Begins to log. Where that fails the app runs all the same, and [`trouble`] says why.
pub fn start(state: &Path) {
    if let Err(error) = begin(state) {
        drop(TROUBLE.set(unkept(&error)));
    }
}

/// Why nothing is logged.
#[must_use]
pub fn trouble() -> Option<&'static str> {
    TROUBLE.get().map(String::as_str)
}

fn unkept(error: &anyhow::Error) -> String {
    format!("The app's own log isn't kept: can't {error:#}.")
}

fn begin(state: &Path) -> anyhow::Result<()> {
    let folder = folder(state);
    std::fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    let unwritten = format!("write to {}", folder.display());
    let mut daily = Daily::new(folder, LARGEST, || date(SystemClock.now_ms()));
    daily.open(0).context(unwritten)?;
    let filter = EnvFilter::try_from_env("ASSENT_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(std::sync::Mutex::new(daily))
        .try_init()
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(())
}

/// The last `lines` lines of the two newest files, escaped.
#[must_use]
pub fn tail(state: &Path, lines: usize) -> Vec<String> {
    let files = files(&folder(state));
    let newest = files.get(files.len().saturating_sub(2)..).unwrap_or_default();
    let text: String = newest
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    let all: Vec<&str> = text.lines().collect();
    all.iter().skip(all.len().saturating_sub(lines)).map(|line| crate::view::shown(line)).collect()
}

/// The files in `folder`, oldest first.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| day_of(path).is_some())
        .collect();
    files.sort();
    files
}

/// The day that a file's name says.
fn day_of(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?.strip_prefix(PREFIX)?.strip_suffix(".log")?;
    Some(name.strip_suffix(".1").unwrap_or(name))
}

/// Writes into the file of the day.
struct Daily<D> {
    folder: PathBuf,
    largest: u64,
    today: D,
    day: String,
    file: Option<File>,
    bytes: u64,
}

impl<D: Fn() -> String> Daily<D> {
    fn new(folder: PathBuf, largest: u64, today: D) -> Self {
        Self { folder, largest, today, day: String::new(), file: None, bytes: 0 }
    }

    /// Opens the file that `more` bytes go into, where it isn't open already.
    fn open(&mut self, more: u64) -> io::Result<&mut File> {
        let today = (self.today)();
        let path = self.folder.join(format!("{PREFIX}{today}.log"));
        let is_new_day = today != self.day;
        if is_new_day {
            self.file = None;
            self.bytes = path.metadata().map_or(0, |file| file.len());
            self.day = today;
        }
        if self.bytes > 0 && self.bytes.saturating_add(more) > self.largest {
            self.file = None;
            std::fs::rename(&path, self.folder.join(format!("{PREFIX}{}.1.log", self.day)))?;
            self.bytes = 0;
        }
        if is_new_day {
            self.forget_old_days()?;
        }
        match &mut self.file {
            Some(file) => Ok(file),
            none => Ok(none.insert(OpenOptions::new().create(true).append(true).open(path)?)),
        }
    }

    fn forget_old_days(&self) -> io::Result<()> {
        let files = files(&self.folder);
        let mut days: Vec<&str> = files.iter().filter_map(|path| day_of(path)).collect();
        days.push(&self.day);
        days.sort_unstable();
        days.dedup();
        let kept = days.get(days.len().saturating_sub(DAYS)..).unwrap_or_default();
        for path in files.iter().filter(|path| day_of(path).is_some_and(|day| !kept.contains(&day))) {
            std::fs::remove_file(path)?;
        }
        Ok(())
    }
}

impl<D: Fn() -> String> Write for Daily<D> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let more = u64::try_from(line.len()).unwrap_or(u64::MAX);
        self.open(more)?.write_all(line)?;
        self.bytes = self.bytes.saturating_add(more);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::{DAYS, Daily, begin, files, folder, tail, unkept};
    use crate::view::Sentence;
    use crate::words::Language;
    use std::cell::Cell;
    use std::io::Write as _;

    #[test]
    fn a_log_that_cannot_be_kept_is_said_in_both_languages() {
        let state = tempfile::tempdir().unwrap();
        std::fs::write(folder(state.path()), "no folder").unwrap();
        let said = Sentence::from(unkept(&begin(state.path()).unwrap_err()));
        let english = said.in_language(Language::English);
        let place = folder(state.path()).display().to_string();
        assert!(english.contains("isn't kept: can't make ") && english.contains(&place), "{english}");
        let chinese = said.in_language(Language::Chinese);
        assert!(
            chinese.starts_with("应用自身的日志没有保存：无法创建 ") && chinese.contains(&place),
            "{chinese}"
        );
    }

    #[test]
    fn the_tail_is_of_the_two_newest_files() {
        let state = tempfile::tempdir().unwrap();
        assert!(tail(state.path(), 2).is_empty());
        std::fs::create_dir_all(folder(state.path())).unwrap();
        for (day, text) in
            [("2026-01-01", "oldest\n"), ("2026-01-02.1", "old\n"), ("2026-01-02", "a\nb\u{202e}")]
        {
            std::fs::write(folder(state.path()).join(format!("assent.{day}.log")), text).unwrap();
        }
        assert_eq!(tail(state.path(), 2), ["a", "b\\u{202e}"]);
        assert_eq!(tail(state.path(), 9), ["old", "a", "b\\u{202e}"]);
    }

    #[test]
    fn whatever_is_said_the_files_have_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let day = Cell::new(1);
        let names = || -> Vec<String> {
            let files = files(folder.path());
            files.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        let today = || format!("2026-01-{:02}", day.get());
        let mut log = Daily::new(folder.path().to_owned(), 20, today);
        for line in 0..1_000 {
            log.write_all(format!("line {line}\n").as_bytes()).unwrap();
        }
        assert_eq!(names(), ["assent.2026-01-01.1.log", "assent.2026-01-01.log"]);
        let bytes: u64 = files(folder.path()).iter().map(|path| path.metadata().unwrap().len()).sum();
        assert!(bytes <= 40, "{bytes}");
        // Another run goes on with the day's file, and not beyond its end.
        let mut again = Daily::new(folder.path().to_owned(), 20, today);
        again.write_all(b"one more run\n").unwrap();
        assert!(files(folder.path()).iter().all(|path| path.metadata().unwrap().len() <= 20));
        std::fs::write(folder.path().join("notes.txt"), "mine").unwrap();
        for next in 2..=20 {
            day.set(next);
            log.write_all(b"a\n").unwrap();
        }
        assert_eq!(names().len(), DAYS);
        assert_eq!(names().first().unwrap(), "assent.2026-01-14.log");
        assert!(folder.path().join("notes.txt").exists());
    }
}
