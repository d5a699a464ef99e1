//! Files that speak to the model beside the person's messages: the person's own notes and the project's. They are read
//! at each run, no rule is loosened by them, and a person is shown that they speak ([`instruction_files`]).

use crate::places::Places;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The largest instruction file that is sent whole, bytes.
pub const INSTRUCTIONS_LIMIT: usize = 32 * 1024;

/// The file's name, in a workspace and beside the settings.
pub const FILE_NAME: &str = "AGENTS.md";

/// Whose words an instruction file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Author {
    /// The person's own file, beside the settings.
    Person,
    /// The workspace's, which came with it.
    Project,
}

/// One instruction file as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionFile {
    /// Whose it is.
    pub author: Author,
    /// Where it is.
    pub path: PathBuf,
    /// How large the whole file is, bytes.
    pub bytes: u64,
    /// What of it the model gets.
    pub sent: Instructions,
}

/// The text of an instruction file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// `AGENTS.md`, or the user's own file.
    pub origin: String,
    /// UTF-8 text, already cut to the limit.
    pub text: String,
    /// Whether the end was cut off.
    pub cut: bool,
}

/// The files that speak to the model in `workspace`, in the order it reads them: the person's own, then the project's.
/// A link is none: it could show what lies outside.
#[must_use]
pub fn instruction_files(places: &Places, workspace: &Path) -> Vec<InstructionFile> {
    let candidates = [
        (Author::Person, "the user's own AGENTS.md", own_file(places)),
        (Author::Project, FILE_NAME, workspace.join(FILE_NAME)),
    ];
    candidates.into_iter().filter_map(|(author, origin, path)| read(author, origin, path)).collect()
}

/// Where the person's own notes are, if there are any.
#[must_use]
pub fn own_file(places: &Places) -> PathBuf {
    places.config.join(FILE_NAME)
}

/// Cuts `text` to the limit at a character's edge.
#[must_use]
pub fn instructions(origin: &str, text: &str) -> Instructions {
    let end =
        (0..=INSTRUCTIONS_LIMIT.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    let kept = text.get(..end).unwrap_or_default();
    Instructions { origin: origin.to_owned(), text: kept.to_owned(), cut: kept.len() < text.len() }
}

fn read(author: Author, origin: &str, path: PathBuf) -> Option<InstructionFile> {
    let bytes = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let sent = instructions(origin, &head(&path)?);
    Some(InstructionFile { author, path, bytes, sent })
}

/// The head of a text file, a little more than is sent, so that a cut shows.
fn head(path: &Path) -> Option<String> {
    let limit = u64::try_from(INSTRUCTIONS_LIMIT).ok()?.saturating_add(4);
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{Author, INSTRUCTIONS_LIMIT, instruction_files, instructions};
    use crate::places::Places;
    use std::path::Path;

    fn places(below: &Path) -> Places {
        Places { config: below.join("config"), data: below.join("data"), state: below.join("state") }
    }

    #[test]
    fn a_long_file_is_cut_at_a_characters_edge() {
        let file = instructions("AGENTS.md", &"é".repeat(INSTRUCTIONS_LIMIT));
        assert!(file.cut && file.text.len() <= INSTRUCTIONS_LIMIT && file.text.chars().all(|it| it == 'é'));
        assert!(!instructions("AGENTS.md", "short").cut);
    }

    #[test]
    fn each_file_is_known_by_author_size_and_whether_it_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let (places, workspace) = (places(folder.path()), folder.path().join("shop"));
        std::fs::create_dir_all(&places.config).unwrap();
        std::fs::create_dir_all(&workspace).unwrap();
        assert_eq!(instruction_files(&places, &workspace), []);
        let long = "x".repeat(INSTRUCTIONS_LIMIT + 1000);
        for (text, bytes, cut) in [("Use tabs.\n", 10, false), (long.as_str(), 33_768, true)] {
            std::fs::write(places.config.join("AGENTS.md"), "Be brief.").unwrap();
            std::fs::write(workspace.join("AGENTS.md"), text).unwrap();
            let files = instruction_files(&places, &workspace);
            let known: Vec<_> = files.iter().map(|file| (file.author, file.bytes, file.sent.cut)).collect();
            assert_eq!(known, [(Author::Person, 9, false), (Author::Project, bytes, cut)]);
            assert_eq!(files[1].path, workspace.join("AGENTS.md"));
            assert!(text.starts_with(&files[1].sent.text));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_speaks_to_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "k").unwrap();
        let workspace = folder.path().join("shop");
        std::fs::create_dir(&workspace).unwrap();
        std::os::unix::fs::symlink(&secret, workspace.join("AGENTS.md")).unwrap();
        assert_eq!(instruction_files(&places(folder.path()), &workspace), []);
    }
}
