//! The ways out of the window: links, files, folders, diagnostics.

use super::Shared;
use crate::links::{self, Link, Showing};
use crate::questions::Question;
use crate::shell::{Reply, failed, home};
use crate::view::{Asked, shown};
use crate::{life, log};
use assent_agent::audit::redact::Redactor;
use assent_agent::instructions::{FILE_NAME, own_file};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Most bytes of an error that the window reports.
const REPORT: usize = 4 * 1024;

/// Opens an https or mailto link after showing its real host natively.
#[tauri::command]
pub async fn open_link(shell: Shared<'_>, url: String) -> Reply<Asked> {
    let link = match Link::parse(&url) {
        Ok(link) => link,
        Err(error) => return Ok(Asked::impossible(format!("Can't open that: {error:#}."))),
    };
    let words = shell.words();
    let question = Question::new(&words.ask_link_title, &words.ask_link, &words.ask_link_yes)
        .line(&words.label_host, &link.host)
        .line(&words.label_address, &link.url);
    if !shell.questions.confirmed(question, &words).await {
        return Ok(Asked::declined());
    }
    links::open(&link.url).await.map_err(|error| failed(&error))?;
    Ok(Asked::done())
}

/// What to do with a workspace file.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// In the person's editor.
    Open,
    /// In its folder.
    Reveal,
}

/// Opens a workspace file where that only shows it, or shows it in its folder. Never runs it.
#[tauri::command]
pub async fn open_path(shell: Shared<'_>, path: String, how: How) -> Reply<()> {
    let root = shell.workspace()?.path;
    let own = own_file(&shell.places);
    let done = match how {
        How::Open => match openable(&root, &own, &path) {
            Ok(showing) => showing.show().await,
            Err(error) => Err(error),
        },
        How::Reveal => match links::inside(&root, &path) {
            Ok(real) => links::reveal(&real).await,
            Err(error) => Err(error),
        },
    };
    done.map_err(|error| failed(&error))
}

/// What may be opened: a file of the workspace, or the person's own instruction file, which speaks to the model too.
fn openable(workspace: &Path, own: &Path, wanted: &str) -> anyhow::Result<Showing> {
    match own.parent() {
        Some(settings) if wanted == shown(&own.to_string_lossy()) => {
            Showing::of(&settings.canonicalize()?, FILE_NAME)
        }
        Some(_) | None => Showing::of(workspace, wanted),
    }
}

/// Our own folders.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// Sessions, audit, approvals.
    Data,
    /// The app's own log.
    Logs,
    /// Settings and policy.
    Settings,
}

#[tauri::command]
pub async fn open_folder(shell: Shared<'_>, which: Which) -> Reply<()> {
    let folder = match which {
        Which::Data => shell.places.data.clone(),
        Which::Logs => log::folder(&shell.places.state),
        Which::Settings => shell.places.config.clone(),
    };
    links::open(&folder.to_string_lossy()).await.map_err(|error| failed(&error))
}

/// Quits as the tray does, after a question where a run is on.
#[tauri::command]
pub fn quit(shell: Shared<'_>) {
    life::quit(shell.inner());
}

/// Versions, sandbox and the last log lines, as text to copy; no arguments, no messages, no keys.
#[tauri::command]
pub fn diagnostics(shell: Shared<'_>) -> Reply<String> {
    let view = shell.picture(|app| app);
    let mut out = vec![
        format!("Assent {} on {} {}", view.version, view.os, std::env::consts::ARCH),
        format!("language {}, mode {}, safe mode {}", view.language, view.mode.as_str(), view.safe_mode),
        format!(
            "sandbox {:?} ({}) {}",
            view.sandbox.state,
            view.sandbox.backend,
            view.sandbox.why.map(|why| why.to_string()).unwrap_or_default()
        ),
    ];
    out.extend(view.sandbox.checks.iter().map(|check| format!("  {}: held {}", check.name, check.held)));
    out.push(format!("dialog {}", shell.dialog_name));
    out.push(format!(
        "audit {}",
        view.audit_problem.map_or_else(|| "writes".to_owned(), |problem| problem.to_string())
    ));
    out.extend(shell.damaged.iter().map(|file| format!("damaged: {file}")));
    out.push(String::new());
    out.extend(log::tail(&shell.places.state, 100));
    let known = shell.folders.get().folders.into_iter().map(|folder| folder.path);
    let opened = shell.open_folder().into_iter().flat_map(|open| [Some(open.path), open.opened_as]).flatten();
    Ok(redacted(&out.join("\n"), &shell.redactor(), home().as_deref(), known.chain(opened).collect()))
}

/// `text` without secrets, and without the names of the home folder and of the folders that are worked in: they often
/// are those of people and customers.
fn redacted(text: &str, redactor: &Redactor, home: Option<&Path>, folders: Vec<PathBuf>) -> String {
    let homes: Vec<PathBuf> = home
        .into_iter()
        .flat_map(|home| [Some(home.to_owned()), home.canonicalize().ok()])
        .flatten()
        .collect();
    let folders = folders.into_iter().filter(|folder| !homes.contains(folder)).collect();
    let text = without(redactor.text(text), folders, "[folder]");
    without(text, homes, "~")
}

/// `text` with `instead` for each of `paths`, as it is and as it is escaped; the longest first, as one may lie in another.
fn without(text: String, mut paths: Vec<PathBuf>, instead: &str) -> String {
    paths.sort_by_key(|path| std::cmp::Reverse(path.as_os_str().len()));
    let names = paths.iter().filter(|path| path.parent().is_some()).flat_map(|path| {
        let name = path.to_string_lossy().into_owned();
        [shown(&name), format!("{name:?}").trim_matches('"').to_owned(), name]
    });
    names.fold(text, |text, name| text.replace(&name, instead))
}

/// Puts an error of the window into the log.
#[tauri::command]
pub fn report_window_error(_shell: Shared<'_>, message: String) {
    let (message, _) = crate::view::cut(&shown(&message), REPORT);
    tracing::error!(message, "the window reports an error");
}

#[cfg(test)]
mod tests {
    use super::{Showing, openable, redacted};
    use assent_agent::audit::redact::Redactor;
    use std::path::{Path, PathBuf};

    #[test]
    fn ones_own_instruction_file_opens_and_nothing_else_beside_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (shop, config) = (base.join("shop"), base.join("config"));
        for at in [&shop, &config] {
            std::fs::create_dir(at).unwrap();
            std::fs::write(at.join("AGENTS.md"), "Be brief.").unwrap();
        }
        std::fs::write(config.join("policy.toml"), "version = 1").unwrap();
        let own = config.join("AGENTS.md");
        let open = |wanted: &str| openable(&shop, &own, wanted).ok();
        assert_eq!(open("AGENTS.md"), Some(Showing::Open(shop.join("AGENTS.md"))));
        assert_eq!(open(own.to_str().unwrap()), Some(Showing::Open(own.clone())));
        assert_eq!(open(config.join("policy.toml").to_str().unwrap()), None);
        assert_eq!(open("../config/AGENTS.md"), None);
    }

    /// R43
    #[test]
    fn what_is_copied_names_no_key_and_no_person() {
        let redactor = Redactor::new(["our-own-key-1234".to_owned()]);
        let text = "open /home/ada/code: our-own-key-1234 sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
        let folders = ["/home/ada/code/acme", "/home/ada/code/acme/inner", "/srv/beta", "/"];
        let redact = |text: &str, home: &Path| {
            redacted(text, &redactor, Some(home), folders.map(PathBuf::from).to_vec())
        };
        let shown = redact(text, Path::new("/home/ada"));
        assert!(shown.starts_with("open ~/code: "), "{shown}");
        for secret in ["ada", "our-own-key", "abcdefghij"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert_eq!(redact("/etc", Path::new("/")), "/etc");
        let text = "/home/ada/code/acme/inner/a /home/ada/code/acme/b \"/srv/beta\" /usr/bin";
        assert_eq!(redact(text, Path::new("/home/ada")), "[folder]/a [folder]/b \"[folder]\" /usr/bin");
    }

    /// The home folder may be a link, and an error names where it leads.
    #[cfg(unix)]
    #[test]
    fn where_the_home_folder_leads_is_not_named_either() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) =
            (folder.path().canonicalize().unwrap().join("ada-real"), folder.path().join("ada"));
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let text = format!("read {}/a, {}/b", real.display(), link.display());
        let redactor = Redactor::new(Vec::<String>::new());
        assert_eq!(redacted(&text, &redactor, Some(&link), Vec::new()), "read ~/a, ~/b");
    }
}
