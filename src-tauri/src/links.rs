//! The only way out of the window: https and mailto links, and files of the workspace, opened by the system.

use anyhow::{Context as _, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tauri::Url;

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
        let url = Url::parse(text.trim()).context("that is no address")?;
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

/// Opens an address or a file with the system's own opener, never through a shell.
///
/// # Errors
/// When there is no opener.
pub fn open(target: &str) -> anyhow::Result<()> {
    start(opener().arg(target))
}

/// Shows `path` in its folder.
///
/// # Errors
/// When there is no opener.
pub fn reveal(path: &Path) -> anyhow::Result<()> {
    if cfg!(target_os = "macos") {
        return start(Command::new("/usr/bin/open").arg("-R").arg(path));
    }
    let folder = if path.is_dir() { path } else { path.parent().context("the file has no folder")? };
    start(opener().arg(folder))
}

/// The real path of `wanted`, if it is inside `workspace` and opening it can't run it.
///
/// # Errors
/// When it is elsewhere, gone, or a program.
pub fn workspace_file(workspace: &Path, wanted: &str) -> anyhow::Result<PathBuf> {
    let real = inside(workspace, wanted)?;
    if real.is_file() && runs_when_opened(&real) {
        bail!("{wanted} is a program; open its folder instead");
    }
    Ok(real)
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

/// Whether the system's opener might start it instead of showing it.
fn runs_when_opened(path: &Path) -> bool {
    const PROGRAMS: [&str; 23] = [
        "desktop", "appimage", "exe", "com", "bat", "cmd", "ps1", "msi", "scr", "lnk", "url", "vbs", "jse",
        "wsf", "hta", "jar", "app", "command", "terminal", "workflow", "pkg", "webloc", "scpt",
    ];
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    if extension.is_some_and(|extension| PROGRAMS.contains(&extension.as_str())) {
        return true;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    false
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

fn start(command: &mut Command) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("start {name}"))?;
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Link, workspace_file};

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

    #[cfg(unix)]
    #[test]
    fn files_open_only_inside_the_workspace_and_never_run() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("w");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.txt"), "").unwrap();
        std::fs::write(root.join("b.desktop"), "").unwrap();
        std::fs::write(root.join("c"), "").unwrap();
        std::fs::set_permissions(root.join("c"), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::write(folder.path().join("outside"), "").unwrap();
        std::os::unix::fs::symlink(folder.path().join("outside"), root.join("link")).unwrap();
        for (wanted, opens) in [
            ("a.txt", true),
            ("b.desktop", false),
            ("c", false),
            ("link", false),
            ("../outside", false),
            ("/etc/passwd", false),
            ("missing", false),
        ] {
            assert_eq!(workspace_file(&root, wanted).is_ok(), opens, "{wanted}");
        }
    }
}
