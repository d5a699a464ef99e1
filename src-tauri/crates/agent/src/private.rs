//! Files that only their owner reads.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// Creates the file where it is missing, or takes it back from others, before anything is written to it: what SQLite puts
/// beside a database gets the database's mode. What it left there earlier is taken back too.
///
/// # Errors
/// When it can't be created, or belongs to somebody else.
pub(crate) fn claim(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        // Not by opening it: closing it again would drop the locks that SQLite holds on it in this process.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => take_back(path),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn take_back(path: &Path) -> io::Result<()> {
    let own = || std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(path, own())?;
    for ending in ["-wal", "-shm"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(ending);
        match std::fs::set_permissions(beside, own()) {
            // Whoever closed the database last took them away.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => done?,
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn take_back(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use crate::approval::store::ApprovalStore;
    use crate::clock::SystemClock;
    use crate::session::SessionStore;
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::Arc;

    /// What the stores hold is nobody else's to read, in what SQLite puts beside them neither, whatever mode they had.
    #[test]
    fn stores_are_private_from_the_first_write() {
        for existed in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            if existed {
                for name in ["approvals.sqlite", "sessions.sqlite"] {
                    let path = folder.path().join(name);
                    std::fs::write(&path, "").unwrap();
                    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
                }
            }
            let sessions = SessionStore::open(folder.path(), Arc::new(SystemClock)).unwrap();
            sessions.create("s", "/w").unwrap();
            let _approvals = ApprovalStore::open(folder.path(), 0).unwrap();
            let entries: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
            assert!(entries.len() > 2, "{entries:?}");
            for entry in entries {
                let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
                assert_eq!(mode, 0o600, "{entry:?}");
            }
        }
    }
}
