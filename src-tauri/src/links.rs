//! The only way out of the window: https and mailto links, and files of the workspace, opened by the system.

use anyhow::{Context as _, bail};
use assent_agent::malformed;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long the system's opener is watched for a failure.
const PATIENCE: Duration = Duration::from_secs(2);

/// A link that may be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The address as it is opened: parsed and written again, so nothing of its spelling is left.
    pub url: String,
    /// Who is contacted: the host in ASCII, or the mail address.
    pub host: String,
}

impl Link {
    /// Reads `text`.
    ///
    /// # Errors
    /// When it isn't https or mailto, or names no host.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let url = malformed::address(text).map_err(|fault| anyhow::anyhow!("that is no address: {fault}"))?;
        let host = match url.scheme() {
            "https" => url.host_str().context("the address names no host")?.to_owned(),
            "mailto" => url.path().to_owned(),
            other => bail!("links of the kind `{other}` are not opened"),
        };
        if !url.username().is_empty() || url.password().is_some() {
            bail!("the address holds a user name, which hides the real host");
        }
        Ok(Self { url: url.into(), host })
    }
}

/// Opens an address or a file with the system's own opener, never through a shell. Waits up to two seconds.
///
/// # Errors
/// When there is no opener, or it finds no program.
pub async fn open(target: &str) -> anyhow::Result<()> {
    start(opener(), OsStr::new(target)).await
}

/// Shows `path` in its folder.
///
/// # Errors
/// When there is no opener, or it finds no program.
pub async fn reveal(path: &Path) -> anyhow::Result<()> {
    if cfg!(target_os = "macos") {
        let mut finder = Command::new("/usr/bin/open");
        finder.arg("-R");
        return start(finder, path.as_os_str()).await;
    }
    let folder = if path.is_dir() { path } else { path.parent().context("the file has no folder")? };
    start(opener(), folder.as_os_str()).await
}

/// What is done with something of a workspace that a person wants to see; its real path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Showing {
    /// It is handed to the program that the system has for its kind.
    Open(PathBuf),
    /// It is shown in its folder, where only the person can open it.
    Reveal(PathBuf),
}

impl Showing {
    /// How `wanted` is shown, if it is inside `workspace`: only kinds that nothing runs are opened.
    ///
    /// # Errors
    /// When it is elsewhere or gone.
    pub fn of(workspace: &Path, wanted: &str) -> anyhow::Result<Self> {
        let real = inside(workspace, wanted)?;
        Ok(if is_only_read(&real) { Self::Open(real) } else { Self::Reveal(real) })
    }

    /// Shows it.
    ///
    /// # Errors
    /// When there is no opener, or it finds no program.
    pub async fn show(&self) -> anyhow::Result<()> {
        match self {
            Self::Open(path) => open(&path.to_string_lossy()).await,
            Self::Reveal(path) => reveal(path).await,
        }
    }
}

/// The real path of `wanted`, if it is inside `workspace`.
///
/// # Errors
/// When it is elsewhere or gone.
pub fn inside(workspace: &Path, wanted: &str) -> anyhow::Result<PathBuf> {
    let real = workspace.join(wanted).canonicalize().with_context(|| format!("find {wanted}"))?;
    if !real.starts_with(workspace) {
        bail!("{wanted} is outside the workspace");
    }
    Ok(real)
}

/// Kinds of file that editors and viewers show on every system. What isn't here may have an interpreter (`py`, `js`,
/// `rb`), a macro (`docm`), a script in a browser (`html`, `svg`, `xml`) or a project to build behind it.
const ONLY_READ: &[&str] = &[
    "txt",
    "text",
    "md",
    "markdown",
    "rst",
    "adoc",
    "org",
    "tex",
    "bib",
    "log",
    "csv",
    "tsv",
    "json",
    "jsonl",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "lock",
    "properties",
    "diff",
    "patch",
    "c",
    "h",
    "cc",
    "cpp",
    "hpp",
    "rs",
    "go",
    "java",
    "kt",
    "swift",
    "ts",
    "tsx",
    "css",
    "scss",
    "less",
    "vue",
    "svelte",
    "sql",
    "proto",
    "graphql",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "bmp",
    "tif",
    "tiff",
    "heic",
    "avif",
    "pdf",
    "docx",
    "xlsx",
    "pptx",
    "mp3",
    "wav",
    "flac",
    "ogg",
    "m4a",
    "mp4",
    "mov",
    "webm",
];

/// Whether the system's opener only shows it. A folder is never opened: macOS launches one that is a bundle.
fn is_only_read(path: &Path) -> bool {
    let Ok(meta) = path.metadata() else { return false };
    if !meta.is_file() {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if meta.permissions().mode() & 0o111 != 0 {
            return false;
        }
    }
    // `a.exe:b.txt` is a stream of a program on Windows.
    let name = path.file_name().and_then(|name| name.to_str()).filter(|name| !name.contains(':'));
    let kind = name.and_then(|name| name.rsplit_once('.')).map(|(_, kind)| kind.to_ascii_lowercase());
    kind.is_some_and(|kind| ONLY_READ.contains(&kind.as_str()))
}

fn opener() -> Command {
    if cfg!(target_os = "macos") {
        Command::new("/usr/bin/open")
    } else if cfg!(windows) {
        let mut command = Command::new("rundll32.exe");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        Command::new("xdg-open")
    }
}

/// Starts `opener` for `target`, and waits for a little while whether it fails.
async fn start(mut opener: Command, target: &OsStr) -> anyhow::Result<()> {
    let name = opener.get_program().to_string_lossy().into_owned();
    opener.arg(target).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = tokio::process::Command::from(opener).spawn().with_context(|| format!("start {name}"))?;
    // Whoever is still there by then is the program itself. What `rundll32` ends with means nothing.
    match tokio::time::timeout(PATIENCE, child.wait()).await {
        Ok(Ok(status)) if !status.success() && !cfg!(windows) => {
            let target = target.to_string_lossy();
            bail!("open {target}: the system has no program for it, or the program failed")
        }
        Ok(Ok(_) | Err(_)) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Link, Showing};

    /// A press that does nothing is no answer.
    #[cfg(unix)]
    #[tokio::test]
    async fn an_opener_that_fails_is_told_with_what_it_was_to_open() {
        let start = |opener| super::start(std::process::Command::new(opener), "/w/report.pdf".as_ref());
        let refused = start("false").await.unwrap_err();
        assert!(refused.to_string().starts_with("open /w/report.pdf: "), "{refused}");
        start("true").await.unwrap();
    }

    #[test]
    fn only_https_and_mailto_leave_the_window() {
        for (text, host) in [
            ("https://example.org/a?b#c", Some("example.org")),
            ("HTTPS://EXAMPLE.org", Some("example.org")),
            ("https://bücher.example/", Some("xn--bcher-kva.example")),
            ("https://аpple.com/", Some("xn--pple-43d.com")),
            ("mailto:a@example.org", Some("a@example.org")),
            ("http://example.org/", None),
            ("https://good.example@evil.example/", None),
            ("file:///etc/passwd", None),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("vscode://file/x", None),
            ("//example.org", None),
            ("-a", None),
            ("", None),
        ] {
            assert_eq!(Link::parse(text).ok().map(|link| link.host).as_deref(), host, "{text}");
        }
    }

    /// What a link of the model leads to is never run: neither a program, nor a script, nor a bundle, which is a folder.
    #[cfg(unix)]
    #[test]
    fn only_what_is_read_opens_and_all_else_is_shown_in_its_folder() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("w");
        std::fs::create_dir_all(root.join("x.app/Contents/MacOS")).unwrap();
        for bundle in ["y.workflow", "z.txt", "sub", ".assent"] {
            std::fs::create_dir(root.join(bundle)).unwrap();
        }
        let scripts = [
            "b.desktop",
            "c",
            "d.js",
            "d.JS",
            "d.vbe",
            "d.wsh",
            "d.msc",
            "d.cpl",
            "d.pif",
            "d.py",
            "d.pyw",
            "d.reg",
            "d.chm",
            "d.command",
            "d.html",
            "d.svg",
            "d.docm",
            "d.sh",
            "d.rb",
            "e.exe:a.txt",
            "e.exe. ",
            ".txt.exe",
            "run.txt",
            "Makefile",
        ];
        for name in scripts.iter().chain(&["a.txt", "A.PNG", "README.md"]) {
            std::fs::write(root.join(name), "").unwrap();
        }
        std::fs::set_permissions(root.join("run.txt"), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::write(folder.path().join("outside.txt"), "").unwrap();
        symlink(folder.path().join("outside.txt"), root.join("link.txt")).unwrap();
        // The project's policy goes the same way.
        symlink(root.join("d.command"), root.join(".assent/policy.toml")).unwrap();
        for wanted in ["a.txt", "A.PNG", "README.md"] {
            assert_eq!(Showing::of(&root, wanted).unwrap(), Showing::Open(root.join(wanted)));
        }
        for wanted in scripts.iter().chain(&["x.app", "y.workflow", "z.txt", "sub", "."]) {
            let real = root.join(wanted).canonicalize().unwrap();
            assert_eq!(Showing::of(&root, wanted).unwrap(), Showing::Reveal(real), "{wanted}");
        }
        assert_eq!(
            Showing::of(&root, ".assent/policy.toml").unwrap(),
            Showing::Reveal(root.join("d.command"))
        );
        for wanted in ["link.txt", "../outside.txt", "/etc/passwd", "missing.txt"] {
            assert!(Showing::of(&root, wanted).is_err(), "{wanted}");
        }
    }
}
