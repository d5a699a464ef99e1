//! Deletes all of something, past what can't be deleted.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// Deletes all that `list` names, as often as it names some that weren't tried yet: a list has an end, of which there
/// may be more. Why each that was left is still there.
pub async fn delete_all<E, D: Future<Output = Result<(), E>>>(
    list: impl Fn() -> Result<Vec<String>, E>,
    delete: impl Fn(String) -> D,
) -> (BTreeSet<String>, Vec<E>) {
    let (mut tried, mut left, mut failures) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    loop {
        let listed = match list() {
            Ok(listed) => listed,
            Err(error) => {
                failures.push(error);
                break;
            }
        };
        let next: Vec<String> = listed.into_iter().filter(|id| tried.insert(id.clone())).collect();
        if next.is_empty() {
            break;
        }
        for id in next {
            if let Err(error) = delete(id.clone()).await {
                failures.push(error);
                left.insert(id);
            }
        }
    }
    (left, failures)
}

/// Empties the folder at `path`, where there is one, but for the entries named in `kept`.
///
/// # Errors
/// The first of what can't be deleted; the rest is.
pub fn empty(path: &Path, kept: &BTreeSet<String>) -> io::Result<()> {
    let entries = match std::fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    let mut done = Ok(());
    for entry in entries {
        let removed = entry.and_then(|entry| match entry.file_name().to_str() {
            Some(name) if kept.contains(name) => Ok(()),
            Some(_) | None if entry.file_type()?.is_dir() => std::fs::remove_dir_all(entry.path()),
            Some(_) | None => std::fs::remove_file(entry.path()),
        });
        done = done.and(removed);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::{delete_all, empty};
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    /// One that another process holds keeps none of the others, and is tried once.
    #[tokio::test]
    async fn what_cannot_be_deleted_stops_nothing() {
        let there = RefCell::new(vec!["a", "held", "b", "c"]);
        let list = || Ok(there.borrow().iter().take(2).map(|id| (*id).to_owned()).collect());
        let delete = |id: String| {
            let held = id == "held";
            there.borrow_mut().retain(|other| held || *other != id);
            std::future::ready(if held { Err("it is held") } else { Ok(()) })
        };
        let (left, failures) = delete_all(list, delete).await;
        assert_eq!((*there.borrow()).as_slice(), ["held"]);
        assert_eq!((left, failures), (BTreeSet::from(["held".to_owned()]), vec!["it is held"]));
        let none = delete_all(|| Err("no list"), |_| std::future::ready(Ok(()))).await;
        assert_eq!(none, (BTreeSet::new(), vec!["no list"]));
    }

    #[test]
    fn a_folder_is_emptied_around_what_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["held", "other"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
            std::fs::write(folder.path().join(name).join("lock"), "").unwrap();
        }
        std::fs::write(folder.path().join("stray"), "").unwrap();
        empty(folder.path(), &BTreeSet::from(["held".to_owned()])).unwrap();
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(left, ["held"]);
        assert!(folder.path().join("held/lock").is_file());
        empty(&folder.path().join("nowhere"), &BTreeSet::new()).unwrap();
    }
}
