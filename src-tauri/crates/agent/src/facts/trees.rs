//! What a recursive search from a folder would meet: sensitive files, links out of the workspace.

use super::git_config;
use assent_policy::{Context, TreeFact, path};
use globset::Glob;
use std::collections::VecDeque;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

/// Entries that are looked at, before the walk gives up.
const MAX_ENTRIES: usize = 200_000;
/// Sensitive files and links that are listed.
const MAX_LISTED: usize = 100;
/// Ignore files are read up to this size, in bytes.
const MAX_IGNORE: u64 = 256 * 1024;

/// Walks the folder at the absolute path `key`, following no link below it.
pub(super) fn look_up(key: &str, context: &Context) -> TreeFact {
    let mut walk = Walk { context, fact: TreeFact::default(), taken_back: Vec::new(), left: MAX_ENTRIES };
    match Path::new(key).canonicalize() {
        Ok(root) if root.is_dir() => walk.run(&root),
        Ok(_) => {}
        Err(error) => walk.fact.incomplete = error.kind() != std::io::ErrorKind::NotFound,
    }
    walk.finish()
}

struct Walk<'c> {
    context: &'c Context,
    fact: TreeFact,
    /// Last parts of the patterns that ignore files take back in.
    taken_back: Vec<String>,
    left: usize,
}

impl Walk<'_> {
    fn run(&mut self, root: &Path) {
        let mut folders = VecDeque::from([(root.to_owned(), String::new())]);
        while let Some((folder, prefix)) = folders.pop_front() {
            let Ok(entries) = std::fs::read_dir(&folder) else {
                self.fact.incomplete = true;
                continue;
            };
            for entry in entries {
                let Ok(entry) = entry else {
                    self.fact.incomplete = true;
                    continue;
                };
                if self.left == 0 {
                    self.fact.incomplete = true;
                    return;
                }
                self.left -= 1;
                if let Some(deeper) = self.entry(&entry, &prefix) {
                    folders.push_back(deeper);
                }
            }
        }
    }

    /// Looks at one entry; a folder comes back to be walked.
    fn entry(&mut self, entry: &DirEntry, prefix: &str) -> Option<(PathBuf, String)> {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let relative = if prefix.is_empty() { name.to_string() } else { format!("{prefix}/{name}") };
        self.fact.option_like |= prefix.is_empty() && name.starts_with('-');
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\');
        self.fact.odd_names |= !name.bytes().all(is_plain);
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(_) => {
                self.fact.incomplete = true;
                return None;
            }
        };
        if kind.is_symlink() {
            self.link(entry, relative);
            return None;
        }
        if kind.is_dir() {
            return Some((entry.path(), relative));
        }
        if matches!(name.as_ref(), ".gitignore" | ".ignore" | ".rgignore" | ".fdignore") {
            self.ignore_file(&entry.path());
        }
        let absolute = entry.path();
        let text = absolute.to_string_lossy();
        if path::is_sensitive_at(&text, self.context) && !is_plain_git_config(&absolute) {
            push(&mut self.fact.sensitive, &mut self.fact.incomplete, relative);
        }
        None
    }

    fn link(&mut self, entry: &DirEntry, relative: String) {
        let Ok(target) = entry.path().canonicalize() else { return };
        let class = path::classify(&target.to_string_lossy(), self.context);
        match class.place {
            path::Place::Workspace | path::Place::ReadFolder => {
                if class.sensitive {
                    push(&mut self.fact.sensitive, &mut self.fact.incomplete, relative);
                }
            }
            path::Place::Own | path::Place::System | path::Place::Outside => {
                push(&mut self.fact.outside_links, &mut self.fact.incomplete, relative);
            }
        }
    }

    fn ignore_file(&mut self, path: &Path) {
        let small = path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_IGNORE);
        let Some(bytes) = small.then(|| std::fs::read(path).ok()).flatten() else {
            self.fact.incomplete = true;
            return;
        };
        let text = String::from_utf8_lossy(&bytes);
        let patterns = text.lines().filter_map(|line| line.trim().strip_prefix('!'));
        self.taken_back.extend(
            patterns
                .filter_map(|pattern| pattern.trim_end_matches('/').rsplit('/').next().map(str::to_owned)),
        );
    }

    fn finish(mut self) -> TreeFact {
        self.fact.sensitive.sort();
        self.fact.outside_links.sort();
        let taken_back = &self.taken_back;
        let is_taken_back = |relative: &&String| {
            relative.split('/').any(|part| taken_back.iter().any(|pattern| may_match(pattern, part)))
        };
        self.fact.reincluded = self.fact.sensitive.iter().filter(is_taken_back).cloned().collect();
        self.fact
    }
}

/// Lists what was found; what no longer fits makes the fact incomplete, since nobody could exclude it.
fn push(list: &mut Vec<String>, incomplete: &mut bool, relative: String) {
    if list.len() < MAX_LISTED {
        list.push(relative);
    } else {
        *incomplete = true;
    }
}

/// Whether the pattern matches, or can't be read.
fn may_match(pattern: &str, name: &str) -> bool {
    Glob::new(pattern).map_or(true, |glob| glob.compile_matcher().is_match(name))
}

/// A repository's configuration without passwords: the sandbox shows a copy without them anyway.
fn is_plain_git_config(path: &Path) -> bool {
    path.ends_with(".git/config") && std::fs::read(path).is_ok_and(|bytes| !git_config::holds_secret(&bytes))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::look_up;
    use crate::facts::sample_context;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// R15
    #[test]
    fn what_a_search_would_meet() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let workspace = root.join("ws");
        fs::create_dir_all(workspace.join("src/deep")).unwrap();
        fs::create_dir_all(workspace.join(".git")).unwrap();
        fs::write(workspace.join(".git/config"), "[core]\n\tbare = false\n").unwrap();
        fs::write(workspace.join("src/deep/.env"), "x").unwrap();
        fs::write(workspace.join("src/.env.example"), "x").unwrap();
        fs::write(workspace.join("id_rsa"), "x").unwrap();
        fs::write(workspace.join("-rf"), "x").unwrap();
        symlink("id_rsa", workspace.join("key.txt")).unwrap();
        symlink("/etc", workspace.join("src/out")).unwrap();
        symlink("deep", workspace.join("src/in")).unwrap();
        let context = sample_context(workspace.to_str().unwrap());
        let fact = look_up(workspace.to_str().unwrap(), &context);
        assert_eq!(fact.sensitive, ["id_rsa", "key.txt", "src/deep/.env"]);
        assert_eq!(fact.outside_links, ["src/out"]);
        assert!(fact.option_like && !fact.incomplete && fact.reincluded.is_empty());

        fs::write(workspace.join(".ignore"), "target\n!.env\n").unwrap();
        fs::write(workspace.join(".git/config"), "[remote \"o\"]\n\turl = https://u:t@example.test/x\n")
            .unwrap();
        let fact = look_up(workspace.to_str().unwrap(), &context);
        assert_eq!(fact.reincluded, ["src/deep/.env"]);
        assert!(fact.sensitive.contains(&".git/config".to_owned()));
        let src = look_up(workspace.join("src").to_str().unwrap(), &context);
        assert_eq!(src.sensitive, ["deep/.env"]);
        assert!(!src.option_like && !src.odd_names);
        fs::write(workspace.join("src/deep/a b"), "x").unwrap();
        assert!(look_up(workspace.join("src").to_str().unwrap(), &context).odd_names);
    }
}
