//! How much lies in the folders that a call would change: counted for the question, up to a bound.

use assent_policy::request::{Extent, PermissionRequest};
use assent_policy::{Access, Context, Evaluation};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Entries that are looked at for one folder.
const ENTRIES: u64 = 10_000;
/// Folders that are counted for one question.
const FOLDERS: usize = 8;
/// How long all the counting may take: a person waits for the question.
const PATIENCE: Duration = Duration::from_millis(300);

/// `request` with the number of files in each folder that the call would change or delete.
#[must_use]
pub fn with_extents(
    request: PermissionRequest,
    evaluation: &Evaluation,
    context: &Context,
) -> PermissionRequest {
    let until = Instant::now() + PATIENCE;
    evaluation
        .touches
        .iter()
        .filter(|touched| matches!(touched.access, Access::Write | Access::Delete))
        .filter_map(|touched| Some((touched, count(PathBuf::from(&touched.path), ENTRIES, until)?)))
        .take(FOLDERS)
        .fold(request, |request, (touched, extent)| request.with_extent(&touched.path, context, extent))
}

/// The files beneath `folder`, links not followed; `None` for what is no folder. Stops after `most` entries, or
/// when `until` has passed.
fn count(folder: PathBuf, most: u64, until: Instant) -> Option<Extent> {
    if !fs::symlink_metadata(&folder).ok()?.is_dir() {
        return None;
    }
    let mut extent = Extent { files: 0, cut: false };
    let mut seen = 0;
    let mut open = vec![folder];
    while let Some(folder) = open.pop() {
        // What can't be listed is not counted, and said to be more.
        let Ok(entries) = fs::read_dir(folder) else {
            extent.cut = true;
            continue;
        };
        for entry in entries {
            if seen >= most || Instant::now() > until {
                return Some(Extent { cut: true, ..extent });
            }
            seen += 1;
            match entry.and_then(|entry| Ok((entry.file_type()?, entry.path()))) {
                Ok((kind, path)) if kind.is_dir() => open.push(path),
                Ok(_) => extent.files += 1,
                Err(_) => extent.cut = true,
            }
        }
    }
    Some(extent)
}

#[cfg(test)]
mod tests {
    use super::{Extent, count};
    use std::time::{Duration, Instant};

    /// R30: the person sees how much it is about; counting has an end.
    #[test]
    fn files_are_counted_up_to_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        for name in ["one", "a/two", "a/b/three"] {
            std::fs::write(root.join(name), "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(root, root.join("a/loop")).unwrap();
        let files = if cfg!(unix) { 4 } else { 3 };
        let later = Instant::now() + Duration::from_secs(3_600);
        assert_eq!(count(root.to_owned(), 100, later), Some(Extent { files, cut: false }));
        assert_eq!(count(root.join("one"), 100, later), None);
        assert_eq!(count(root.join("none"), 100, later), None);
        let cut = count(root.to_owned(), 3, later).unwrap();
        assert!(cut.cut && cut.files < 3, "{cut:?}");
        let late = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
        assert_eq!(count(root.to_owned(), 100, late), Some(Extent { files: 0, cut: true }));
    }
}
