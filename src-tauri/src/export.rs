//! A file that a person chose to export to: written whole, or left as it was.

use anyhow::{Context as _, bail};
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Has `fill` write the file at `target`, in the place of what was there.
///
/// # Errors
/// When it can't be written, or `fill` fails; what was there stays then.
pub fn write(target: &Path, fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let failed = || format!("write {}", target.display());
    // Where a link stands, what it leads to is written.
    let real = target.canonicalize().unwrap_or_else(|_| target.to_owned());
    let before = match real.metadata() {
        Ok(before) if !before.is_file() => bail!("write {}: it is no file", target.display()),
        Ok(before) => Some(before.permissions()),
        Err(_) => None,
    };
    let folder = real.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
    let mut temporary = beside(&folder).with_context(failed)?;
    let mut out = BufWriter::new(temporary.as_file_mut());
    // What can't be read to fill it says so itself.
    fill(&mut out).map_err(|error| if error.is::<io::Error>() { error.context(failed()) } else { error })?;
    out.flush().with_context(failed)?;
    drop(out);
    if let Some(permissions) = before {
        temporary.as_file().set_permissions(permissions).with_context(failed)?;
    }
    temporary.as_file().sync_all().with_context(failed)?;
    temporary.persist(&real).map_err(|error| error.error).with_context(failed)?;
    Ok(())
}

/// A new file in `folder`, as readable as any that a person makes there. The error is the system's own, without the name
/// of a file that nobody chose.
fn beside(folder: &Path) -> io::Result<NamedTempFile> {
    let mut code = None;
    let made = tempfile::Builder::new().make_in(folder, |path| {
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        made.inspect_err(|error| code = error.raw_os_error())
    });
    made.map_err(|error| code.map_or(error, io::Error::from_raw_os_error))
}

#[cfg(test)]
mod tests {
    use super::write;
    use anyhow::bail;
    use std::path::Path;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).collect()
    }

    /// What was there before is there after a failure, and nothing else is.
    #[test]
    fn what_fails_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("log.csv");
        std::fs::write(&target, "before").unwrap();
        let failed = write(&target, |out| {
            out.write_all(&[b'x'; 100_000])?;
            bail!("read the log: damaged")
        });
        assert_eq!(format!("{:#}", failed.unwrap_err()), "read the log: damaged");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "before");
        assert_eq!(names(folder.path()), ["log.csv"]);
        write(&target, |out| Ok(out.write_all(b"after")?)).unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "after");
        assert_eq!(names(folder.path()), ["log.csv"]);
    }

    /// The error says what couldn't be written and why, by the name that a person chose.
    #[test]
    fn an_error_names_the_chosen_file() {
        let folder = tempfile::tempdir().unwrap();
        for (name, why) in
            [("none/log.csv", "No such file or directory (os error 2)"), ("sub", "it is no file")]
        {
            std::fs::create_dir_all(folder.path().join("sub")).unwrap();
            let target = folder.path().join(name);
            let failed = write(&target, |_| panic!("nothing is written")).unwrap_err();
            let said = format!("{failed:#}");
            assert!(!cfg!(unix) || said == format!("write {}: {why}", target.display()), "{said}");
        }
        assert_eq!(names(folder.path()), ["sub"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_links_target_is_written_and_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("log.csv"), folder.path().join("link"));
        std::fs::write(&target, "before").unwrap();
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, |out| Ok(out.write_all(b"after")?)).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "after");
        assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }
}
