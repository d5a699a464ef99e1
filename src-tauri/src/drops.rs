//! What is dropped on the window: a folder is opened, files go along with the message.
//!
//! The paths come from the system; the web view never sees them.

use crate::shell::Shell;
use crate::view::{AppEvent, AttachmentInput};
use crate::words::fill;
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
    Files(Vec<&'a Path>),
}

/// Takes what was dropped.
pub fn take(shell: &Arc<Shell>, paths: Vec<PathBuf>) {
    let shell = Arc::clone(shell);
    tauri::async_runtime::spawn(async move {
        match read(&paths) {
            Dropped::Folder(path) => {
                if let Err(error) = shell.open_and_ask(path).await {
                    shell.warn("drop", error.message);
                }
            }
            Dropped::Files(files) => {
                for path in files.into_iter().take(MOST) {
                    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    match attachment(path, &name) {
                        Some(file) => shell.bridge.send(AppEvent::FileDropped { file }),
                        None => shell.warn("drop", fill(&shell.words().drop_refused, &[("name", &name)])),
                    }
                }
            }
        }
    });
}

fn read(paths: &[PathBuf]) -> Dropped<'_> {
    match paths {
        [folder] if folder.is_dir() => Dropped::Folder(folder),
        _ => Dropped::Files(paths.iter().map(PathBuf::as_path).collect()),
    }
}

/// A file as the window takes it along; none where it is too large, no file, or can't be read.
fn attachment(path: &Path, name: &str) -> Option<AttachmentInput> {
    // A pipe or a device would be read for ever.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LARGEST).then(|| AttachmentInput {
        name: name.to_owned(),
        media_type: media_type(path).to_owned(),
        base64: BASE64.encode(&bytes),
    })
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
    use super::{Dropped, LARGEST, attachment, read};

    #[test]
    fn one_folder_is_opened_and_everything_else_goes_along() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, file) = (folder.path().join("shop"), folder.path().join("a.png"));
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(&file, "x").unwrap();
        assert_eq!(read(std::slice::from_ref(&inner)), Dropped::Folder(&inner));
        assert_eq!(read(&[inner.clone(), file.clone()]), Dropped::Files(vec![&inner, &file]));
        assert_eq!(attachment(&inner, "shop"), None);
        let taken = attachment(&file, "a.png").unwrap();
        assert_eq!((taken.media_type.as_str(), taken.base64.as_str()), ("image/png", "eA=="));
    }

    #[test]
    fn what_is_too_large_or_no_file_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large");
        std::fs::File::create(&large).unwrap().set_len(LARGEST + 1).unwrap();
        assert_eq!(attachment(&large, "large"), None);
        assert_eq!(attachment(&folder.path().join("gone"), "gone"), None);
        #[cfg(unix)]
        assert_eq!(attachment(std::path::Path::new("/dev/zero"), "zero"), None);
    }
}
