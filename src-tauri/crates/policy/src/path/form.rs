//! How a path is spelled: joining, and the spellings that are refused by their form.

use crate::Os;

/// Why a spelling is refused before anybody touches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum PathFault {
    /// Nothing is named.
    #[error("the path is empty")]
    Empty,
    /// A check and a system call could see different names.
    #[error("the path holds a control character")]
    Control,
    /// File tools expand nothing.
    #[error("~ is not expanded; name the path from the workspace")]
    Tilde,
    /// `file://…` and its like.
    #[error("the path is an address; name a file of the workspace")]
    Address,
    /// A network share: touching it alone sends credentials.
    #[error("the path names a network share")]
    NetworkShare,
    /// `\\?\`, `\\.\`, `\??\`: these skip the rules that names are checked by.
    #[error("the path uses a device or verbatim prefix")]
    Verbatim,
    /// `C:name` depends on a hidden per-drive folder.
    #[error("the path is relative to a drive's current folder")]
    DriveRelative,
    /// `name:stream` is another name for the file or hides data beside it.
    #[error("the path names an alternate data stream")]
    Stream,
    /// Win32 drops them, so two spellings name one file.
    #[error("a part of the path ends in a dot or a space")]
    TrailingDotOrSpace,
    /// Reserved in every folder, whatever the extension.
    #[error("the path names a Windows device")]
    Device,
    /// Characters that Windows names can't hold, some of them wildcards of its kernel.
    #[error("the path holds a character that Windows names can't hold")]
    WindowsCharacter,
    /// Longer than any system takes.
    #[error("the path is too long")]
    TooLong,
}

/// Longest path that is judged, in bytes (Linux's `PATH_MAX`; Windows takes 32,767 UTF-16 units).
const MAX_PATH: usize = 32 * 1024;

/// `written` as an absolute path, seen from the absolute `folder`: separators are `/`, `.` and doubled
/// separators are gone, `..` stays (what it means depends on links).
///
/// # Errors
/// When the spelling is refused by its form on `os`.
pub fn join(written: &str, folder: &str, os: Os) -> Result<String, PathFault> {
    if written.is_empty() {
        return Err(PathFault::Empty);
    }
    if written.len() > MAX_PATH {
        return Err(PathFault::TooLong);
    }
    if written.chars().any(char::is_control) {
        return Err(PathFault::Control);
    }
    match os {
        Os::Linux | Os::Macos => {
            let start = if written.starts_with('/') { "" } else { folder };
            Ok(tidy(start, written))
        }
        Os::Windows => join_windows(&written.replace('\\', "/"), folder),
    }
}

fn join_windows(written: &str, folder: &str) -> Result<String, PathFault> {
    let verbatim = ["//?/", "//./", "/??/", "/?/"];
    if verbatim.iter().any(|prefix| written.starts_with(prefix)) || matches!(written, "//?" | "//.") {
        return Err(PathFault::Verbatim);
    }
    if written.starts_with("//") {
        return Err(PathFault::NetworkShare);
    }
    let (drive, rest) = split_drive(written);
    let start = match drive {
        Some(_) if !rest.starts_with('/') => return Err(PathFault::DriveRelative),
        Some(letter) => format!("{}:", letter.to_ascii_uppercase()),
        None if rest.starts_with('/') => split_drive(folder)
            .0
            .map_or_else(String::new, |letter| format!("{}:", letter.to_ascii_uppercase())),
        None => folder.replace('\\', "/"),
    };
    for part in rest.split('/').filter(|part| !matches!(*part, "" | "." | "..")) {
        check_windows_name(part)?;
    }
    Ok(tidy(&start, rest))
}

/// Refuses what Win32 would read as something else than an ordinary name.
fn check_windows_name(name: &str) -> Result<(), PathFault> {
    if is_device_name(name) {
        return Err(PathFault::Device);
    }
    if name.contains(':') {
        return Err(PathFault::Stream);
    }
    if name.ends_with(['.', ' ']) {
        return Err(PathFault::TrailingDotOrSpace);
    }
    if name.contains(['<', '>', '"', '|', '?', '*']) {
        return Err(PathFault::WindowsCharacter);
    }
    Ok(())
}

/// The names Win32 reserves (Microsoft, "Naming Files, Paths, and Namespaces"), with superscript digits;
/// an extension, a stream or spaces don't make them ordinary.
fn is_device_name(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or(name).trim_end().to_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$") {
        return true;
    }
    let digit = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    digit.is_some_and(|digit| {
        let mut characters = digit.chars();
        let first = characters.next();
        characters.next().is_none()
            && first.is_some_and(|one| one.is_ascii_digit() || matches!(one, '¹' | '²' | '³'))
    })
}

/// The drive letter of `C:…`, and what follows the colon.
fn split_drive(path: &str) -> (Option<char>, &str) {
    let mut characters = path.chars();
    match (characters.next(), characters.next()) {
        (Some(letter), Some(':')) if letter.is_ascii_alphabetic() => (Some(letter), characters.as_str()),
        _ => (None, path),
    }
}

fn tidy(start: &str, rest: &str) -> String {
    let mut out = start.trim_end_matches('/').to_owned();
    for part in rest.split('/').filter(|part| !matches!(*part, "" | ".")) {
        out.push('/');
        out.push_str(part);
    }
    if out.is_empty() || out.ends_with(':') {
        out.push('/');
    }
    out
}

/// File tools expand nothing, so a leading `~`, a folder called `~` or an address is never what was meant.
///
/// # Errors
/// [`PathFault::Tilde`] where `written` starts with `~` or has a part that is just `~`;
/// [`PathFault::Address`] where it starts like `file://`.
pub fn check_argument(written: &str) -> Result<(), PathFault> {
    if written.starts_with('~') || written.split(['/', '\\']).any(|part| part == "~") {
        return Err(PathFault::Tilde);
    }
    let scheme = written.split_once("://").map_or("", |(scheme, _)| scheme);
    if scheme.len() > 1
        && scheme.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '+' | '-' | '.'))
    {
        return Err(PathFault::Address);
    }
    Ok(())
}

/// Whether `path` names its place by itself, on `os` or in the policy's own spelling.
#[must_use]
pub fn is_absolute(path: &str, os: Os) -> bool {
    path.starts_with('/')
        || match os {
            Os::Linux | Os::Macos => false,
            Os::Windows => path.starts_with('\\') || split_drive(path).0.is_some(),
        }
}

/// An absolute path with `..` taken by the text alone, as if no part were a link.
#[must_use]
pub fn lexical(path: &str) -> String {
    let (drive, rest) = split_drive(path);
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    let drive = drive.map_or_else(String::new, |letter| format!("{letter}:"));
    format!("{drive}/{}", parts.join("/"))
}

/// The folder that holds an absolute path; the root holds itself.
#[must_use]
pub fn parent(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((folder, _)) => folder,
    }
}

/// `path` seen from `folder`, where it lies beneath it by name; empty for the folder itself.
/// The comparison ignores case where `os` does.
#[must_use]
pub fn relative_to<'path>(path: &'path str, folder: &str, os: Os) -> Option<&'path str> {
    if !super::contains(folder, path, os) {
        return None;
    }
    let depth = folder.split('/').filter(|part| !part.is_empty()).count();
    let mut rest = path;
    for _ in 0..depth {
        rest = rest.trim_start_matches('/').split_once('/').map_or("", |(_, rest)| rest);
    }
    Some(rest.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::{PathFault, check_argument, join, lexical, parent, relative_to};
    use crate::Os;

    /// R14
    #[test]
    fn unix_spellings() {
        let cases = [
            ("a.txt", "/ws/a.txt"),
            ("./src//x", "/ws/src/x"),
            ("src/../../x", "/ws/src/../../x"),
            ("/etc/passwd", "/etc/passwd"),
            ("//server/x", "/server/x"),
            (".", "/ws"),
            ("a\\b", "/ws/a\\b"),
            ("/", "/"),
        ];
        for (written, expected) in cases {
            assert_eq!(join(written, "/ws", Os::Linux).as_deref(), Ok(expected), "{written}");
        }
        assert_eq!(join("", "/ws", Os::Linux), Err(PathFault::Empty));
        assert_eq!(join("a\0b", "/ws", Os::Linux), Err(PathFault::Control));
        assert_eq!(join("a\nb", "/ws", Os::Macos), Err(PathFault::Control));
    }

    /// R14
    #[test]
    fn windows_spellings() {
        let cases = [
            ("src\\a.rs", Ok("C:/ws/src/a.rs")),
            ("src/..\\../x", Ok("C:/ws/src/../../x")),
            ("\\notes.txt", Ok("C:/notes.txt")),
            ("d:\\x", Ok("D:/x")),
            ("D:x", Err(PathFault::DriveRelative)),
            ("\\\\server\\share\\x", Err(PathFault::NetworkShare)),
            ("//server/share", Err(PathFault::NetworkShare)),
            ("\\\\?\\C:\\x", Err(PathFault::Verbatim)),
            ("\\\\.\\pipe\\x", Err(PathFault::Verbatim)),
            ("\\??\\C:\\x", Err(PathFault::Verbatim)),
            ("NUL", Err(PathFault::Device)),
            ("src\\con.txt", Err(PathFault::Device)),
            ("aux .tar.gz", Err(PathFault::Device)),
            ("com¹", Err(PathFault::Device)),
            ("COM0", Err(PathFault::Device)),
            ("conin$", Err(PathFault::Device)),
            ("nul:", Err(PathFault::Device)),
            ("nullable.rs", Ok("C:/ws/nullable.rs")),
            ("com10", Ok("C:/ws/com10")),
            ("console.log", Ok("C:/ws/console.log")),
            ("a.txt:hidden", Err(PathFault::Stream)),
            ("a.txt::$DATA", Err(PathFault::Stream)),
            (".git./config", Err(PathFault::TrailingDotOrSpace)),
            (".git /config", Err(PathFault::TrailingDotOrSpace)),
            ("...", Err(PathFault::TrailingDotOrSpace)),
            ("a<b", Err(PathFault::WindowsCharacter)),
        ];
        for (written, expected) in cases {
            assert_eq!(join(written, "C:/ws", Os::Windows), expected.map(str::to_owned), "{written}");
        }
        assert_eq!(join("\\x", "/ws", Os::Windows).as_deref(), Ok("/x"));
    }

    /// R14
    #[test]
    fn a_tilde_is_never_expanded() {
        for path in ["~", "~/x", "~root/x", "~+/x", "./~/x", "a/~"] {
            assert_eq!(check_argument(path), Err(PathFault::Tilde), "{path}");
        }
        for path in ["file:///etc/passwd", "https://a.test/x"] {
            assert_eq!(check_argument(path), Err(PathFault::Address), "{path}");
        }
        for path in ["a~", "x/~lock", "./~draft", "a:b", "c://x"] {
            assert_eq!(check_argument(path), Ok(()), "{path}");
        }
    }

    #[test]
    fn text_operations() {
        assert_eq!(lexical("/a/b/../../../c"), "/c");
        assert_eq!(lexical("C:/a/../b"), "C:/b");
        assert_eq!(parent("/a/b"), "/a");
        assert_eq!(parent("/a"), "/");
        assert_eq!(parent("/"), "/");
        assert_eq!(relative_to("/ws/a/b", "/ws", Os::Linux), Some("a/b"));
        assert_eq!(relative_to("/ws", "/ws", Os::Linux), Some(""));
        assert_eq!(relative_to("/ws2/a", "/ws", Os::Linux), None);
        assert_eq!(relative_to("c:/WS/a", "C:/ws", Os::Windows), Some("a"));
        assert_eq!(relative_to("/a", "/", Os::Linux), Some("a"));
    }
}
