//! The macOS confinement as text: a Seatbelt profile for `sandbox-exec`, made on every system.
//!
//! Later rules win, so what is protected or hidden comes last. A replaced file can only be hidden here, and there is no
//! private view of a cache: it is readable and not writable. Rules go by path, so a folder that holds something guarded
//! stays where it is: moved, its content would be under none of them. Hard links and clones, which give a file a second
//! path, are not allowed to begin with.

use crate::confinement::{Confinement, Level};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What programs need of the system to start and run; nothing of a person's.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr",
    "/System",
    "/Library/Developer",
    "/Library/Apple",
    "/Library/Preferences/com.apple.networkd.plist",
    "/opt/homebrew",
    "/private/etc/localtime",
    "/private/etc/passwd",
    "/private/etc/protocols",
    "/private/etc/services",
    "/private/etc/ssl",
    "/private/var/db/timezone",
    "/private/var/select",
];

/// Services of the system that every program looks up. The window server, the keychain, the pasteboard, the
/// notification centre and accessibility are not among them.
const SERVICES: &[&str] = &["com.apple.system.logger", "com.apple.system.opendirectoryd.libinfo"];

/// Reading, and running what was read as a program or library.
const READ: &str = "allow file-read* file-map-executable";

/// The profile for a confinement; `temp` is the command's private temp folder, `proxy` the port of the caller's
/// forwarder on the loopback. Paths are resolved (`/private/tmp`, not `/tmp`).
#[must_use]
pub fn profile(confinement: &Confinement, temp: &Path, proxy: Option<u16>) -> String {
    let mut text = String::from(
        "(version 1)\n(deny default)\n(allow process-exec process-fork)\n(allow signal (target same-sandbox))\n\
         (allow process-info* (target same-sandbox))\n(allow sysctl-read)\n(allow ipc-posix-sem)\n\
         (allow file-read-metadata)\n\
         (allow file-read* file-write-data (literal \"/dev/null\") (literal \"/dev/zero\") (subpath \"/dev/fd\"))\n\
         (allow file-read* (literal \"/\") (literal \"/dev/random\") (literal \"/dev/urandom\"))\n",
    );
    let services = SERVICES.iter().map(|name| format!("(global-name {})", quoted(name)));
    rule(&mut text, "allow mach-lookup", services);
    rule(&mut text, READ, SYSTEM.iter().map(|path| below(Path::new(path))));

    let writes = confinement.level >= Level::WorkspaceWrite;
    let outside: &[PathBuf] = if writes { &confinement.toolchains } else { &[] };
    let caches: &[PathBuf] = if writes { &confinement.overlays } else { &[] };
    let readable = confinement.read.iter().chain(outside).chain(caches).map(PathBuf::as_path);
    rule(&mut text, READ, readable.chain([&*confinement.workspace, temp]).map(below));
    let workspace = writes.then_some(&*confinement.workspace);
    let writable = confinement.write.iter().map(PathBuf::as_path);
    rule(&mut text, "allow file-write*", writable.clone().chain(workspace).chain([temp]).map(below));

    let open = |path: &&PathBuf| !confinement.write.contains(path);
    rule(&mut text, "deny file-write*", confinement.protected.iter().filter(open).map(|path| below(path)));
    let replaced = confinement.replaced.iter().map(|replaced| &replaced.path);
    let hidden = confinement.hidden.iter().chain(replaced);
    rule(
        &mut text,
        "deny file-read* file-map-executable file-write*",
        hidden.clone().map(|path| below(path)),
    );
    let writable: Vec<&Path> = writable.chain(workspace).collect();
    let guarded = hidden.chain(confinement.protected.iter().filter(open)).map(PathBuf::as_path);
    let pinned = pinned(guarded, &writable).into_iter();
    rule(
        &mut text,
        "deny file-write-unlink",
        pinned.map(|path| format!("(literal {})", quoted(&path.to_string_lossy()))),
    );

    if let Some(port) = proxy.filter(|_| !confinement.hosts.is_empty()) {
        rule(&mut text, "allow network-outbound", [format!("(remote ip \"localhost:{port}\")")].into_iter());
    }
    let listening = confinement.listen.iter().map(|port| format!("(local ip \"localhost:{port}\")"));
    rule(&mut text, "allow network-bind network-inbound", listening);
    text
}

/// The folders above something guarded that the command could move or remove.
fn pinned<'a>(guarded: impl Iterator<Item = &'a Path>, writable: &[&Path]) -> BTreeSet<&'a Path> {
    let can_move = |folder: &&Path| writable.iter().any(|root| folder.starts_with(root));
    guarded.flat_map(|path| path.ancestors().skip(1)).filter(can_move).collect()
}

/// One rule with its filters; none without any, which would mean everything.
fn rule(text: &mut String, verb: &str, filters: impl Iterator<Item = String>) {
    let filters: Vec<String> = filters.collect();
    if !filters.is_empty() {
        // Writing to a string can't fail.
        let _infallible = writeln!(text, "({verb}\n  {})", filters.join("\n  "));
    }
}

fn below(path: &Path) -> String {
    format!("(subpath {})", quoted(&path.to_string_lossy()))
}

/// A string of the profile's language; no character of a path can end it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confinement(level: Level) -> Confinement {
        let mut confinement = Confinement::new(level, "/Users/u/w");
        confinement.protected = vec!["/Users/u/w/.git".into(), "/Users/u/w/.vscode".into()];
        confinement.hidden = vec!["/Users/u/w/.env".into()];
        confinement.toolchains = vec!["/Users/u/.rustup".into()];
        confinement.overlays = vec!["/Users/u/.cargo".into()];
        confinement
    }

    /// R50
    #[test]
    fn read_only() {
        insta::assert_snapshot!(profile(&confinement(Level::ReadOnly), Path::new("/private/tmp/a"), None));
    }

    /// R50
    #[test]
    fn workspace_write_with_a_network() {
        let mut confinement = confinement(Level::WorkspaceWrite);
        confinement.hosts = vec!["example.com".into()];
        confinement.listen = vec![3000];
        insta::assert_snapshot!(profile(&confinement, Path::new("/private/tmp/a"), Some(4000)));
    }

    /// R50: a folder that holds something guarded can't be moved to where no rule guards it; others can.
    #[test]
    fn what_holds_something_guarded_stays() {
        let guarded = ["/w/a/b/.env", "/w/.git", "/x/c/.env"].map(Path::new);
        let folders: Vec<_> =
            pinned(guarded.into_iter(), &[Path::new("/w"), Path::new("/x/c")]).into_iter().collect();
        assert_eq!(folders, ["/w", "/w/a", "/w/a/b", "/x/c"].map(Path::new));
        assert!(pinned(guarded.into_iter(), &[]).is_empty());
    }

    /// R50: a folder's name can't add a rule.
    #[test]
    fn a_path_stays_a_path() {
        let name = "/w\") (allow default) (subpath \"\\";
        let text = profile(&Confinement::new(Level::ReadOnly, name), Path::new("/t"), None);
        assert!(text.contains(r#"(subpath "/w\") (allow default) (subpath \"\\")"#), "{text}");
    }
}
