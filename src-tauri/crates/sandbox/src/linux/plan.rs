//! The file tree a command sees, worked out as data before anything is mounted.
//!
//! The tree starts empty. System folders come in read-only, then what the confinement names. A step deeper in the
//! tree comes later, so that it lies on top of what its folder shows.

use crate::confinement::{Confinement, Level};
use std::path::{Path, PathBuf};

/// What is at a path of the real tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing, or nothing that can be seen.
    Nothing,
    /// A folder.
    Folder,
    /// A symbolic link with its text.
    Link(PathBuf),
    /// Our own mark at a protected name that doesn't exist.
    Placeholder,
    /// Anything else.
    File,
}

/// One step: what comes to be at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where, absolute.
    pub at: PathBuf,
    /// What.
    pub what: What,
}

/// What comes to be there. In this order where several steps share a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// An empty folder that can't be written.
    Folder,
    /// A symbolic link.
    Link(PathBuf),
    /// A copy of a small file, read-only.
    Copied,
    /// The real thing behind every link, read-only.
    Shown,
    /// The real thing, reached through no link.
    Real {
        /// Whether it can be written.
        writable: bool,
    },
    /// A device node.
    Device,
    /// An empty private folder that can be written.
    Private,
    /// A private copy-on-write view of the real folder.
    Overlay,
    /// What the steps before show here, made read-only.
    Protected,
    /// A read-only file with this content.
    Content(Vec<u8>),
    /// An empty read-only file or folder.
    Empty,
    /// The same over something that is hidden: that it was opened is told.
    Masked,
}

/// Folders of programs and libraries, shown whole.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
    "/home/linuxbrew/.linuxbrew",
];

/// Folders of `/etc` that programs and libraries read; none of them holds a secret.
const SETTINGS: &[&str] = &[
    "alternatives",
    "crypto-policies",
    "fonts",
    "java-17-openjdk",
    "java-21-openjdk",
    "java-25-openjdk",
    "perl",
    "php",
    "pki/ca-trust",
    "pki/java",
    "pki/tls/certs",
    "R",
    "ssl/certs",
    "terminfo",
];

/// Files of `/etc` that programs and libraries read; none of them holds a secret. They are small, and copied: dearer
/// than reading a file is mounting one.
const SMALL_SETTINGS: &[&str] = &[
    "bash.bashrc",
    "debian_version",
    "gai.conf",
    "gitconfig",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "locale.alias",
    "locale.conf",
    "localtime",
    "lsb-release",
    "magic",
    "mime.types",
    "netconfig",
    "networks",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/tls/cert.pem",
    "pki/tls/openssl.cnf",
    "profile",
    "protocols",
    "redhat-release",
    "resolv.conf",
    "rpc",
    "services",
    "shells",
    "ssl/cert.pem",
    "ssl/openssl.cnf",
    "system-release",
    "timezone",
];

/// The devices every program may use.
pub const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];

/// The steps for a confinement, in the order in which they are taken.
#[must_use]
pub fn steps(confinement: &Confinement, home: Option<&Path>, look: impl Fn(&Path) -> Found) -> Vec<Step> {
    let mut steps = system(&look);
    let mut add = |at: &Path, what: What| steps.push(Step { at: at.to_owned(), what });
    let writes = confinement.level >= Level::WorkspaceWrite;

    if let Some(home) = home.filter(|home| home.is_absolute() && home.parent().is_some()) {
        add(home, What::Folder);
    }
    add(&confinement.workspace, What::Real { writable: writes });
    for path in confinement.read.iter().filter(|path| look(path) != Found::Nothing) {
        add(path, What::Real { writable: false });
    }
    for path in confinement.write.iter().filter(|path| look(path) != Found::Nothing) {
        add(path, What::Real { writable: true });
    }
    if writes {
        for path in confinement.toolchains.iter().filter(|path| look(path) != Found::Nothing) {
            add(path, What::Shown);
        }
        for path in &confinement.overlays {
            add(path, if look(path) == Found::Nothing { What::Private } else { What::Overlay });
        }
        for path in &confinement.protected {
            match look(path) {
                Found::Nothing => {}
                Found::Placeholder => add(path, What::Empty),
                Found::Folder | Found::Link(_) | Found::File if confinement.write.contains(path) => {}
                Found::Folder | Found::Link(_) | Found::File => add(path, What::Protected),
            }
        }
    }
    for path in confinement.hidden.iter().filter(|path| look(path) != Found::Nothing) {
        add(path, What::Masked);
    }
    for replacement in confinement.replaced.iter().filter(|replaced| look(&replaced.path) == Found::File) {
        add(&replacement.path, What::Content(replacement.content.clone()));
    }
    in_order(steps)
}

/// The system's own places, whether they exist or not.
pub fn system_paths() -> impl Iterator<Item = PathBuf> {
    let settings = SETTINGS.iter().chain(SMALL_SETTINGS).map(|name| Path::new("/etc").join(name));
    SYSTEM.iter().map(PathBuf::from).chain(settings)
}

fn system(look: &impl Fn(&Path) -> Found) -> Vec<Step> {
    let shown = SYSTEM.iter().map(PathBuf::from).filter_map(|at| match look(&at) {
        Found::Nothing => None,
        Found::Link(to) => Some(Step { at, what: What::Link(to) }),
        Found::Folder | Found::File | Found::Placeholder => Some(Step { at, what: What::Shown }),
    });
    // Those that don't exist are noticed when they are brought in.
    let setting = |name: &&str, what| Step { at: Path::new("/etc").join(name), what };
    let settings = SETTINGS.iter().map(|name| setting(name, What::Shown));
    let settings = settings.chain(SMALL_SETTINGS.iter().map(|name| setting(name, What::Copied)));
    let devices = DEVICES.iter().map(|name| Step { at: Path::new("/dev").join(name), what: What::Device });
    let links = [
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/stdin", "/proc/self/fd/0"),
        ("/dev/stdout", "/proc/self/fd/1"),
        ("/dev/stderr", "/proc/self/fd/2"),
        ("/dev/shm", "/tmp"),
        ("/var/tmp", "/tmp"),
    ];
    let links = links.map(|(at, to)| Step { at: at.into(), what: What::Link(to.into()) });
    let private = [Step { at: "/tmp".into(), what: What::Private }];
    let folders = ["/run", "/proc", "/sys"].map(|at| Step { at: at.into(), what: What::Folder });
    shown.chain(settings).chain(devices).chain(links).chain(private).chain(folders).collect()
}

/// Folders that exist only to hold something inside a private folder: nothing else may be put there, for it would
/// look kept and be lost.
#[must_use]
pub fn closed(steps: &[Step]) -> Vec<PathBuf> {
    let private = || steps.iter().filter(|step| step.what == What::Private).map(|step| &step.at);
    let mut closed = Vec::new();
    for step in steps.iter().filter(|step| matches!(step.what, What::Real { .. } | What::Shown)) {
        for folder in private() {
            let below = step.at.strip_prefix(folder).ok().map(|below| below.components().collect::<Vec<_>>());
            if let Some([first, _, ..]) = below.as_deref() {
                closed.push(folder.join(first));
            }
        }
    }
    closed.sort();
    closed.dedup();
    closed
}

/// Outer before inner; at one path in the order of [`What`], each once.
fn in_order(steps: Vec<Step>) -> Vec<Step> {
    let mut depths = steps.into_iter().map(|step| (step.at.components().count(), step)).collect::<Vec<_>>();
    depths.sort_by(|(a_depth, a), (b_depth, b)| {
        a_depth.cmp(b_depth).then_with(|| a.at.cmp(&b.at)).then_with(|| a.what.cmp(&b.what))
    });
    let mut steps: Vec<Step> = depths.into_iter().map(|(_, step)| step).collect();
    steps.dedup();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(path: &Path) -> Found {
        match path.to_str().unwrap() {
            "/usr" | "/w" | "/w/.git" | "/w/.ssh" | "/home/u/.cache/pip" => Found::Folder,
            "/bin" => Found::Link("usr/bin".into()),
            "/home/u/.rustup" => Found::Link("/data/rustup".into()),
            "/w/.env" | "/w/.git/config" | "/etc/passwd" | "/etc/shadow" => Found::File,
            _ => Found::Nothing,
        }
    }

    fn confinement(level: Level) -> Confinement {
        let mut confinement = Confinement::new(level, "/w");
        confinement.protected = vec!["/w/.git".into(), "/w/.vscode".into()];
        confinement.hidden = vec!["/w/.env".into(), "/w/.ssh".into(), "/w/.netrc".into()];
        confinement.replaced =
            vec![crate::Replacement { path: "/w/.git/config".into(), content: b"[core]\n".to_vec() }];
        confinement.toolchains = vec!["/home/u/.rustup".into(), "/home/u/.nvm".into()];
        confinement.overlays = vec!["/home/u/.cache/pip".into(), "/home/u/.npm".into()];
        confinement
    }

    fn words(level: Level) -> String {
        steps(&confinement(level), Some(Path::new("/home/u")), tree)
            .iter()
            .filter(|step| !step.at.starts_with("/etc"))
            .map(|step| format!("{} {:?}\n", step.at.display(), step.what))
            .collect()
    }

    /// R50: what is written beside a workspace in the temp folder is refused, not lost.
    #[test]
    fn folders_around_the_workspace_are_closed() {
        let closed = |workspace| closed(&steps(&Confinement::new(Level::ReadOnly, workspace), None, tree));
        assert_eq!(closed("/tmp/a/b/w"), [PathBuf::from("/tmp/a")]);
        assert_eq!(closed("/tmp/w"), Vec::<PathBuf>::new());
        assert_eq!(closed("/w"), Vec::<PathBuf>::new());
    }

    /// R50
    #[test]
    fn read_only_shows_the_workspace_and_no_home() {
        insta::assert_snapshot!(words(Level::ReadOnly));
    }

    /// R50
    #[test]
    fn workspace_write_keeps_protected_paths_and_hides_secrets() {
        insta::assert_snapshot!(words(Level::WorkspaceWrite));
    }
}
