//! What the tour learns from the listing of a folder, as the tool wrote it.

/// A folder as its listing shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// Plain files with their sizes in bytes; those that may hold secrets are left out.
    files: Vec<(String, u64)>,
    folders: Vec<String>,
}

/// Largest file that the tour reads, bytes.
const LARGEST: u64 = 200_000;

impl Folder {
    /// Reads a listing: one entry a line, `name/` or `name (N bytes)`.
    #[must_use]
    pub fn from_listing(listing: &str) -> Self {
        let mut folder = Self::default();
        for line in listing.lines() {
            if let Some(name) = line.strip_suffix('/') {
                folder.folders.push(name.to_owned());
            } else if let Some((name, size)) =
                line.strip_suffix(" bytes)").and_then(|line| line.rsplit_once(" ("))
                && let Ok(size) = size.parse()
            {
                folder.files.push((name.to_owned(), size));
            }
        }
        folder
    }

    /// How many entries were recognised.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len() + self.folders.len()
    }

    /// A file worth reading: a read-me, else a text, else source or configuration.
    #[must_use]
    pub fn file_to_read(&self) -> Option<&str> {
        const ENDINGS: [&str; 14] = [
            ".md", ".txt", ".rst", ".toml", ".json", ".yaml", ".yml", ".rs", ".py", ".ts", ".js", ".go",
            ".java", ".csv",
        ];
        let fits = |(name, size): &&(String, u64)| {
            (1..=LARGEST).contains(size) && !name.starts_with('.') && !name.contains(['\u{fffd}', '\\'])
        };
        let rank = |name: &str| {
            let name = name.to_lowercase();
            let ending = ENDINGS.iter().position(|ending| name.ends_with(ending))?;
            Some((!name.starts_with("readme"), ending, name))
        };
        let ranked = self.files.iter().filter(fits).filter_map(|(name, _)| Some((rank(name)?, name)));
        ranked.min().map(|(_, name)| name.as_str())
    }

    /// A name for a note that nothing has yet.
    #[must_use]
    pub fn free_name(&self) -> String {
        let is_taken = |name: &str| {
            let same = |other: &String| other.eq_ignore_ascii_case(name);
            self.files.iter().any(|(other, _)| same(other)) || self.folders.iter().any(same)
        };
        let numbered = (2..1_000).map(|number| format!("assent-tour-{number}.md"));
        std::iter::once("assent-tour.md".to_owned())
            .chain(numbered)
            .find(|name| !is_taken(name))
            .unwrap_or_else(|| "assent-tour-note.md".to_owned())
    }

    /// Whether it is a git working copy.
    #[must_use]
    pub fn has_git(&self) -> bool {
        self.folders.iter().any(|name| name == ".git")
    }
}

#[cfg(test)]
mod tests {
    use super::Folder;

    #[test]
    fn a_listing_is_understood() {
        let folder = Folder::from_listing(
            ".env (12 bytes, may hold secrets: reading it asks)\n.git/\nREADME.md (20 bytes)\nassent-tour.md (1 bytes)\n\
             big.md (999999999 bytes)\nlink -> /etc\nnotes (old).txt (5 bytes)\nsrc/",
        );
        assert_eq!(folder.len(), 6);
        assert_eq!(folder.file_to_read(), Some("README.md"));
        assert_eq!(folder.free_name(), "assent-tour-2.md");
        assert!(folder.has_git());
    }

    #[test]
    fn a_file_that_says_something_comes_first() {
        let pick = |listing: &str| Folder::from_listing(listing).file_to_read().map(str::to_owned);
        assert_eq!(pick("a.rs (1 bytes)\nnotes (old).txt (5 bytes)").as_deref(), Some("notes (old).txt"));
        assert_eq!(pick("a.png (1 bytes)\nempty.md (0 bytes)\n.hidden.md (3 bytes)"), None);
        assert_eq!(pick("[The folder is empty.]"), None);
    }
}
