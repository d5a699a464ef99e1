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

    /// Whether a part may be the short name that Windows gives to a part of some entry: `VSCODE~1` for `.vscode`.
    pub(super) fn shortened_from(&self, table: &[&str]) -> bool {
        self.0.iter().filter_map(|part| ShortName::of(part)).any(|short| {
            table.iter().flat_map(|entry| entry.split('/')).any(|name| short.may_stand_for(name))
        })
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

/// A name in the old form: up to six characters, `~`, a number, up to three characters behind a dot.
/// Source: Microsoft, [MS-FSA] 2.1.5.2.1, "Algorithm for short names".
struct ShortName<'p> {
    stem: &'p str,
    extension: &'p str,
}

impl<'p> ShortName<'p> {
    fn of(part: &'p str) -> Option<Self> {
        let (stem, rest) = part.split_once('~')?;
        let (number, extension) = rest.split_once('.').unwrap_or((rest, ""));
        let is_short = (1..=6).contains(&stem.len())
            && !number.is_empty()
            && number.bytes().all(|digit| digit.is_ascii_digit())
            && extension.len() <= 3;
        is_short.then_some(Self { stem, extension })
    }

    fn may_stand_for(&self, name: &str) -> bool {
        let bare = name.trim_start_matches('.');
        let (stem, extension) = bare.rsplit_once('.').unwrap_or((bare, ""));
        let letters = stem.chars().filter(|letter| !matches!(letter, '.' | ' '));
        !name.contains('*')
            && letters.take(6).eq(self.stem.chars())
            && extension.chars().take(3).eq(self.extension.chars())
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
    fn short_names() {
        let table = &[".vscode/", ".mcp.json", ".github/workflows/", "*.pem", "mise.toml"];
        for path in ["VSCODE~1/tasks.json", "a/vscode~2", "MCP~1.JSO", "GITHUB~1/workflows/x.yml"] {
            assert!(Parts::of(path).shortened_from(table), "{path}");
        }
        for path in
            ["vscode/x", "vscod~1", "VSCODE~/x", "~1", "PEM~1", "notes~1.txt", "mcp~1.jsonc", "vscode~a"]
        {
            assert!(!Parts::of(path).shortened_from(table), "{path}");
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
