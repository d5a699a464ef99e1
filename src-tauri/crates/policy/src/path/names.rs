//! Tables of names: an entry is one or more parts; each part may hold `*`; a final `/` covers all beneath.

/// A path's parts, folded, as the tables see them.
pub(super) struct Parts(Vec<String>);

impl Parts {
    /// The parts of `path` with every alias removed that some system would take for the same name:
    /// case, invisible characters, streams and forks, trailing dots and spaces.
    pub(super) fn of(path: &str) -> Self {
        let parts = path
            .split(['/', '\\'])
            .filter(|part| !matches!(*part, "" | "." | ".."))
            // macOS: `name/..namedfork/rsrc` is a part of the file `name`.
            .take_while(|part| !part.eq_ignore_ascii_case("..namedfork"));
        Self(
            parts
                .map(|part| {
                    let folded = super::fold(part);
                    let name = folded.split(':').next().unwrap_or(&folded);
                    let trimmed = name.trim_end_matches(['.', ' ']);
                    if trimmed.is_empty() { folded } else { trimmed.to_owned() }
                })
                .collect(),
        )
    }

    /// The parts in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// The last part.
    pub(super) fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// Whether any entry of `table` covers the path.
    pub(super) fn covered_by(&self, table: &[&str]) -> bool {
        table.iter().any(|entry| self.may_begin(entry) && self.covered_by_entry(entry))
    }

    /// Whether some part begins as `entry` does: a cheap way to pass over most of a table.
    fn may_begin(&self, entry: &str) -> bool {
        match entry.as_bytes().first() {
            Some(b'*') | None => true,
            first => self.0.iter().any(|part| part.as_bytes().first() == first),
        }
    }

    fn covered_by_entry(&self, entry: &str) -> bool {
        let (entry, beneath) = entry.strip_suffix('/').map_or((entry, false), |entry| (entry, true));
        let mut windows = self.0.windows(entry.split('/').count());
        let matches = |window: &[String]| {
            window.iter().zip(entry.split('/')).all(|(part, pattern)| matches_name(pattern, part))
        };
        if beneath { windows.any(matches) } else { windows.next_back().is_some_and(matches) }
    }
}

/// Whether `name` matches `pattern`, in which `*` stands for any characters.
pub(super) fn matches_name(pattern: &str, name: &str) -> bool {
    if !pattern.contains('*') {
        return pattern == name;
    }
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{Parts, matches_name};

    #[test]
    fn entries() {
        for (path, entry, covered) in [
            ("a/.git/hooks/x", ".git/", true),
            (".git", ".git/", true),
            (".gitignore", ".git/", false),
            (".GIT./x", ".git/", true),
            ("x/.github/workflows/ci.yml", ".github/workflows/", true),
            (".github/x", ".github/workflows/", false),
            ("a/my.code-workspace", "*.code-workspace", true),
            (".npmrc/x", ".npmrc", false),
            (".npmrc:stream", ".npmrc", true),
            (".npmrc/..namedfork/rsrc", ".npmrc", true),
        ] {
            assert_eq!(Parts::of(path).covered_by(&[entry]), covered, "{path} {entry}");
        }
    }

    #[test]
    fn stars() {
        assert!(matches_name("id_*", "id_rsa"));
        assert!(matches_name("ssh_host_*_key", "ssh_host_ed25519_key"));
        assert!(!matches_name("ssh_host_*_key", "ssh_host_ed25519_key.pub"));
        assert!(matches_name("*", ""));
        assert!(!matches_name("a", "ab"));
    }
}
