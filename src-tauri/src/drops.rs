//! What is dropped on the window: a folder is opened, files go along with the message.
//!
//! The paths come from the system; the web view never sees them.

use crate::shell::Shell;
use crate::view::{AppEvent, AttachmentInput};
use crate::words::{Words, fill};
use assent_agent::layers::own_paths;
use assent_policy::path::is_sensitive;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest file that is taken along, bytes.
const LARGEST: u64 = 5 * 1024 * 1024;
/// Most files of one drop.
const MOST: usize = 20;

/// What a drop means.
#[derive(Debug, PartialEq, Eq)]
enum Dropped<'a> {
    Folder(&'a Path),
    Files,
}

/// Takes what was dropped, unless a question is open.
pub fn take(shell: &Arc<Shell>, paths: Vec<PathBuf>) {
    // The window takes nothing else then either.
    if shell.questions.one_is_open() {
        shell.warn("drop", shell.words().drop_busy.as_str());
        return;
    }
    let shell = Arc::clone(shell);
    tauri::async_runtime::spawn(async move {
        match read(&paths) {
            Dropped::Folder(path) => {
                if let Err(error) = shell.open_and_ask(path).await {
                    shell.warn("drop", error.message);
                }
            }
            Dropped::Files => drop(tauri::async_runtime::spawn_blocking(move || take_files(&shell, &paths))),
        }
    });
}

/// Tells the window of each file that goes along, and why one doesn't.
fn take_files(shell: &Shell, files: &[PathBuf]) {
    let (words, own) = (shell.words(), own_paths(&shell.places));
    let more = files.len().saturating_sub(MOST);
    for path in files.iter().take(MOST) {
        match attachment(path, &own) {
            Ok(file) => shell.bridge.send(AppEvent::FileDropped { file }),
            Err(refused) => shell.warn("drop", refused.in_words(path, &words)),
        }
    }
    if more > 0 {
        let (most, more) = (MOST.to_string(), more.to_string());
        shell.warn("drop", fill(&words.drop_more, &[("most", &most), ("count", &more)]));
    }
}

fn read(paths: &[PathBuf]) -> Dropped<'_> {
    match paths {
        [folder] if folder.is_dir() => Dropped::Folder(folder),
        _ => Dropped::Files,
    }
}

/// Why a file stays where it is.
#[derive(Debug, PartialEq, Eq)]
enum Refused {
    /// It is no file, can't be read, or is too large.
    Unfit,
    /// What it really is, by this path, may hold secrets, or is a file of ours.
    Secret(PathBuf),
}

impl Refused {
    fn in_words(&self, path: &Path, words: &Words) -> String {
        let name = name_of(path);
        match self {
            Self::Unfit => fill(&words.drop_refused, &[("name", &name)]),
            Self::Secret(real) => {
                fill(&words.drop_secret, &[("name", &name), ("path", &real.to_string_lossy())])
            }
        }
    }
}

/// A file as the window takes it along. A link is what it leads to.
fn attachment(path: &Path, own: &[PathBuf]) -> Result<AttachmentInput, Refused> {
    let unfit = |_| Refused::Unfit;
    let real = path.canonicalize().map_err(unfit)?;
    // A pipe or a device would be read for ever.
    if !real.metadata().map_err(unfit)?.is_file() {
        return Err(Refused::Unfit);
    }
    if own.iter().any(|own| real.starts_with(own)) || is_sensitive(&real.to_string_lossy()) {
        return Err(Refused::Secret(real));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(&real)
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(unfit)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Refused::Unfit);
    }
    let (name, media_type) = (name_of(path), media_type(path).to_owned());
    Ok(AttachmentInput { name, media_type, base64: BASE64.encode(&bytes) })
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// By the name's end, as browsers do.
fn media_type(path: &Path) -> &'static str {
    let extension = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("svg") => "image/svg+xml",
        Some("pdf") => "application/pdf",
        Some("json") => "application/json",
        Some("md" | "txt" | "log" | "csv" | "toml" | "yaml" | "yml" | "rs" | "ts" | "js" | "py" | "sh") => {
            "text/plain"
        }
        Some(_) | None => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::{Dropped, LARGEST, Refused, attachment, read};

    #[test]
    fn one_folder_is_opened_and_everything_else_goes_along() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, file) = (folder.path().join("shop"), folder.path().join("a.png"));
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(&file, "x").unwrap();
        assert_eq!(read(std::slice::from_ref(&inner)), Dropped::Folder(&inner));
        assert_eq!(read(&[inner.clone(), file.clone()]), Dropped::Files);
        assert_eq!(attachment(&inner, &[]), Err(Refused::Unfit));
        let taken = attachment(&file, &[]).unwrap();
        assert_eq!((taken.media_type.as_str(), taken.base64.as_str()), ("image/png", "eA=="));
    }

    #[test]
    fn what_is_too_large_or_no_file_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large");
        std::fs::File::create(&large).unwrap().set_len(LARGEST + 1).unwrap();
        assert_eq!(attachment(&large, &[]), Err(Refused::Unfit));
        assert_eq!(attachment(&folder.path().join("gone"), &[]), Err(Refused::Unfit));
        #[cfg(unix)]
        assert_eq!(attachment(std::path::Path::new("/dev/zero"), &[]), Err(Refused::Unfit));
    }

    /// R15: what holds secrets and what is ours is not taken, by whatever name.
    #[test]
    fn a_secret_is_not_taken_and_neither_is_a_link_to_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let own = root.join("assent");
        std::fs::create_dir(&own).unwrap();
        for secret in [root.join("id_rsa"), own.join("settings.toml")] {
            std::fs::write(&secret, "x").unwrap();
            let refused = Err(Refused::Secret(secret.clone()));
            assert_eq!(attachment(&secret, std::slice::from_ref(&own)), refused);
            #[cfg(unix)]
            {
                let link = root.join("notes.txt");
                std::os::unix::fs::symlink(&secret, &link).unwrap();
                assert_eq!(attachment(&link, std::slice::from_ref(&own)), refused);
                std::fs::remove_file(&link).unwrap();
            }
        }
    }
}
