//! The tables, and how an older file becomes a newer one: always on a copy's back.

use super::StoreError;
use crate::erasure;
use rusqlite::{Connection, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The schema this build reads and writes.
pub(super) const VERSION: i64 = 2;

const TABLES: &str = "
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    named INTEGER NOT NULL DEFAULT 0,
    workspace TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_by_time ON sessions (archived, updated_ms DESC);
CREATE TABLE items (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE drafts (
    session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (session UNINDEXED, seq UNINDEXED, text, tokenize = 'unicode61');
";

/// From one schema to the next: the first makes the tables, each further one changes what is there.
const STEPS: [&str; 2] =
    [TABLES, "CREATE INDEX sessions_by_workspace ON sessions (workspace, archived, updated_ms DESC);"];

/// Opens the file, creates the tables or brings them up to date. Before anything that is there is changed, it is
/// copied to `sessions.sqlite.vN`, N being its schema.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let fault = |error: rusqlite::Error| StoreError::file(path, &error);
    let mut connection = Connection::open(path).map_err(fault)?;
    connection.busy_timeout(erasure::BUSY).map_err(fault)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fault)?;
    flush(&connection, Flush::EachCommit).map_err(fault)?;
    connection.pragma_update(None, "secure_delete", "ON").map_err(fault)?;
    connection.pragma_update(None, "foreign_keys", "ON").map_err(fault)?;
    let version = version(&connection).map_err(fault)?;
    if version > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), version });
    }
    if (1..VERSION).contains(&version) {
        back_up(&connection, path, version)?;
    }
    if version < VERSION {
        migrate(&mut connection).map_err(fault)?;
    }
    Ok(connection)
}

/// When what is committed reaches the disk.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flush {
    /// At once. The log and the waiting approvals are written like this, and a conversation that a power cut set back
    /// behind them would have its model do again what was done, and a person's answer lead nowhere.
    EachCommit,
    /// With the next commit that is flushed: it survives this program's end, but no power cut.
    Later,
}

/// From now on commits are flushed like this.
pub(super) fn flush(connection: &Connection, flush: Flush) -> rusqlite::Result<()> {
    let level = match flush {
        Flush::EachCommit => "FULL",
        Flush::Later => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", level)
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// A whole copy beside the file, complete or not there at all.
fn back_up(connection: &Connection, path: &Path, version: i64) -> Result<(), StoreError> {
    let named = |ending: String| with_ending(path, &ending);
    // Several may be at it: processes, and in tests threads.
    static COPIES: AtomicU64 = AtomicU64::new(0);
    let number = COPIES.fetch_add(1, Ordering::Relaxed);
    let copy = named(format!(".v{version}"));
    let temporary = named(format!(".v{version}-{}-{number}", std::process::id()));
    let io = |error: std::io::Error| StoreError::File { path: copy.clone(), why: error.to_string() };
    match std::fs::remove_file(&temporary) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(io(error)),
        Ok(()) | Err(_) => {}
    }
    if let Err(error) = crate::private::claim(&temporary) {
        tracing::warn!(%error, "the copy of the sessions keeps its mode");
    }
    let copied = connection
        .execute("VACUUM INTO ?1", [temporary.to_string_lossy()])
        .map_err(|error| StoreError::file(&copy, &error))
        .and_then(|_| std::fs::rename(&temporary, &copy).map_err(io));
    if copied.is_err() {
        // Half a copy helps nobody, least of all on a full disk.
        for half in [&temporary, &named(format!(".v{version}-{}-{number}-journal", std::process::id()))] {
            drop(std::fs::remove_file(half));
        }
    }
    copied
}

/// Removes the copies that older files were copied to; they hold every session of their time. A half one is somebody's
/// at work.
pub(super) fn remove_copies(path: &Path) -> Result<(), StoreError> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let start = format!("{}.v", name.to_string_lossy());
    let fault = |path: &Path, error: std::io::Error| StoreError::File {
        path: path.to_owned(),
        why: error.to_string(),
    };
    for entry in std::fs::read_dir(folder).map_err(|error| fault(folder, error))? {
        let entry = entry.map_err(|error| fault(folder, error))?;
        let name = entry.file_name();
        let version = name.to_string_lossy().strip_prefix(&start).map(str::to_owned);
        if version.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit())) {
            std::fs::remove_file(entry.path()).map_err(|error| fault(&entry.path(), error))?;
        }
    }
    Ok(())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The steps that are missing, in one transaction: another process may have taken them meanwhile.
fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = usize::try_from(version(&transaction)?).unwrap_or(usize::MAX);
    for step in STEPS.iter().skip(done) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::{STEPS, VERSION, open, version};
    use rusqlite::Connection;

    /// A file of schema 1 with one session in it.
    fn old_file(path: &std::path::Path) {
        let connection = Connection::open(path).unwrap();
        connection.execute_batch(STEPS[0]).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        connection.execute("INSERT INTO sessions VALUES ('a', 'Tax', 0, '/w', 1, 2, 0)", []).unwrap();
    }

    fn titles(path: &std::path::Path) -> Vec<String> {
        let connection = Connection::open(path).unwrap();
        let mut statement = connection.prepare("SELECT title FROM sessions").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn an_older_file_is_copied_and_brought_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.sqlite");
        old_file(&path);
        assert_eq!(version(&open(&path).unwrap()).unwrap(), VERSION);
        let copy = folder.path().join("sessions.sqlite.v1");
        assert_eq!(version(&Connection::open(&copy).unwrap()).unwrap(), 1, "the copy is as it was");
        assert_eq!((titles(&path), titles(&copy)), (vec!["Tax".to_owned()], vec!["Tax".to_owned()]));
        std::fs::remove_file(&copy).unwrap();
        drop(open(&path).unwrap());
        assert!(!copy.exists(), "a file that is up to date is left alone");
        let fresh = folder.path().join("fresh.sqlite");
        assert_eq!(version(&open(&fresh).unwrap()).unwrap(), VERSION);
    }

    #[test]
    fn processes_that_open_it_at_once_agree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.sqlite");
        old_file(&path);
        let opened: Vec<_> = std::thread::scope(|scope| {
            let openers: Vec<_> =
                (0..4).map(|_| scope.spawn(|| open(&path).map(|connection| version(&connection)))).collect();
            openers.into_iter().map(|opener| opener.join().unwrap()).collect()
        });
        for version in opened {
            assert_eq!(version.unwrap().unwrap(), VERSION);
        }
        assert_eq!(titles(&path), ["Tax"]);
    }

    /// Set in the process whose files may not grow, to the file that it opens.
    #[cfg(unix)]
    const SMALL_DISK: &str = "ASSENT_TEST_SMALL_DISK";

    /// A disk that is full before the copy is whole: nothing is changed, and nothing is left behind.
    #[cfg(unix)]
    #[test]
    fn on_a_full_disk_nothing_is_changed() {
        if let Some(path) = std::env::var_os(SMALL_DISK) {
            let refused = open(std::path::Path::new(&path)).unwrap_err();
            assert!(refused.to_string().contains("sessions.sqlite.v1"), "{refused}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.sqlite");
        old_file(&path);
        let connection = Connection::open(&path).unwrap();
        connection
            .execute(
                "WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 200)
                 INSERT INTO items SELECT 'a', value, 0, 'notice', hex(zeroblob(5000)) FROM n",
                [],
            )
            .unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        assert!(before.len() > 1 << 20, "{}", before.len());

        let limited = "trap '' XFSZ; ulimit -f 512; exec \"$0\" --exact \"$1\"";
        let done = std::process::Command::new("sh")
            .args(["-c", limited])
            .arg(std::env::current_exe().unwrap())
            .arg("session::schema::tests::on_a_full_disk_nothing_is_changed")
            .env(SMALL_DISK, &path)
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
        let names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().contains(".v1")), "{names:?}");
        assert_eq!(version(&Connection::open(&path).unwrap()).unwrap(), 1);
        assert_eq!(titles(&path), ["Tax"]);
        assert_eq!(version(&open(&path).unwrap()).unwrap(), VERSION, "with room it goes on");
    }

    #[test]
    fn without_a_copy_nothing_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.sqlite");
        old_file(&path);
        // A folder in the copy's place can't be replaced by it.
        std::fs::create_dir_all(folder.path().join("sessions.sqlite.v1/in the way")).unwrap();
        assert!(open(&path).is_err());
        assert_eq!(version(&Connection::open(&path).unwrap()).unwrap(), 1);
    }
}
