//! A repository's configuration, read the way git reads it (git-config(1), SYNTAX), and judged by a list of the keys that
//! start nothing. git itself is never run to find out.

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The section, lower case.
    pub(super) section: String,
    /// The sub-section as written.
    pub(super) subsection: Option<String>,
    /// The key, lower case.
    pub(super) key: String,
    /// The value without quotes and comment.
    pub(super) value: String,
}

/// Why a configuration can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read line {line} of the configuration")]
pub(super) struct ConfigError {
    /// From 1.
    pub(super) line: usize,
}

/// Reads a configuration file.
///
/// # Errors
/// At the first line that isn't understood; continued lines aren't.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Setting>, ConfigError> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut section = String::new();
    let mut subsection = None;
    let mut settings = Vec::new();
    for (place, line) in text.split('\n').enumerate() {
        let error = ConfigError { line: place + 1 };
        let mut line = line.strip_suffix('\r').unwrap_or(line).trim_start();
        if line.ends_with('\\') || line.contains('\0') {
            return Err(error);
        }
        if let Some(header) = line.strip_prefix('[') {
            let (name, sub, rest) = split_header(header).ok_or(error.clone())?;
            section = name;
            subsection = sub;
            line = rest.trim_start();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        let key = key.trim();
        let is_key = key.starts_with(|first: char| first.is_ascii_alphabetic())
            && key.chars().all(|character| character.is_ascii_alphanumeric() || character == '-');
        if section.is_empty() || !is_key {
            return Err(error);
        }
        settings.push(Setting {
            section: section.clone(),
            subsection: subsection.clone(),
            key: key.to_ascii_lowercase(),
            value: unquoted(value).ok_or(error)?,
        });
    }
    Ok(settings)
}

/// `name]`, `name "sub"]` or `name.sub]`, and what follows.
fn split_header(header: &str) -> Option<(String, Option<String>, &str)> {
    let end = header
        .find(|character: char| !(character.is_ascii_alphanumeric() || matches!(character, '-' | '.')))?;
    let name = header.get(..end)?;
    let rest = header.get(end..)?;
    if let Some(rest) = rest.strip_prefix(']') {
        return match name.split_once('.') {
            Some((name, sub)) => Some((name.to_ascii_lowercase(), Some(sub.to_owned()), rest)),
            None => Some((name.to_ascii_lowercase(), None, rest)),
        };
    }
    let quoted = rest.trim_start().strip_prefix('"')?;
    let mut sub = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => break,
            '\\' => sub.push(characters.next()?),
            other => sub.push(other),
        }
    }
    Some((name.to_ascii_lowercase(), Some(sub), characters.as_str().strip_prefix(']')?))
}

fn unquoted(value: &str) -> Option<String> {
    let mut out = String::new();
    let mut in_quotes = false;
    let mut characters = value.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => in_quotes = !in_quotes,
            '\\' => out.push(characters.next()?),
            '#' | ';' if !in_quotes => break,
            other => out.push(other),
        }
    }
    (!in_quotes).then(|| out.trim_end().to_owned())
}

/// The settings that start no program and lead to no other file, by section; a sub-section is never looked at.
const PLAIN: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "safecrlf",
            "quotepath",
            "abbrev",
            "compression",
            "loosecompression",
            "bigfilethreshold",
            "preloadindex",
            "untrackedcache",
            "trustctime",
            "checkstat",
            "sharedrepository",
            "fscache",
            "longpaths",
            "hidedotfiles",
            "protecthfs",
            "protectntfs",
            "whitespace",
            "commitgraph",
            "multipackindex",
            "sparsecheckout",
            "sparsecheckoutcone",
            "fsync",
            "fsyncmethod",
            "commentchar",
            "commentstring",
            "deltabasecachelimit",
            "packedgitlimit",
            "packedgitwindowsize",
            "packedrefstimeout",
            "filesreflocktimeout",
            "warnambiguousrefs",
        ],
    ),
    (
        "extensions",
        &["objectformat", "refstorage", "worktreeconfig", "compatobjectformat", "noop", "relativeworktrees"],
    ),
    (
        "remote",
        &[
            "url",
            "pushurl",
            "fetch",
            "push",
            "tagopt",
            "prune",
            "prunetags",
            "mirror",
            "skipdefaultupdate",
            "gh-resolved",
            "followremotehead",
            "pushdefault",
        ],
    ),
    ("submodule", &["active", "url", "branch", "ignore", "fetchrecursesubmodules"]),
    ("user", &["name", "email", "signingkey", "useconfigonly"]),
    ("author", &["name", "email"]),
    ("committer", &["name", "email"]),
    ("commit", &["gpgsign", "verbose", "status", "cleanup"]),
    ("tag", &["gpgsign", "sort", "forcesignannotated"]),
    ("push", &["default", "autosetupremote", "followtags", "gpgsign", "recursesubmodules"]),
    ("pull", &["rebase", "ff"]),
    ("fetch", &["prune", "prunetags", "parallel", "writecommitgraph", "fsckobjects", "recursesubmodules"]),
    ("rebase", &["autosquash", "autostash", "updaterefs", "stat", "missingcommitscheck"]),
    ("merge", &["ff", "conflictstyle", "renamelimit", "renames", "log", "stat", "autostash"]),
    (
        "diff",
        &[
            "algorithm",
            "renames",
            "renamelimit",
            "mnemonicprefix",
            "noprefix",
            "colormoved",
            "colormovedws",
            "context",
            "interhunkcontext",
            "indentheuristic",
            "statgraphwidth",
        ],
    ),
    ("log", &["date", "decorate", "abbrevcommit", "follow", "excludedecoration"]),
    (
        "status",
        &["showuntrackedfiles", "short", "branch", "relativepaths", "showstash", "aheadbehind", "renames"],
    ),
    ("init", &["defaultbranch"]),
    ("index", &["version", "threads", "skiphash", "sparse"]),
    (
        "gc",
        &[
            "auto",
            "autodetach",
            "autopacklimit",
            "pruneexpire",
            "reflogexpire",
            "reflogexpireunreachable",
            "worktreepruneexpire",
        ],
    ),
    ("maintenance", &["auto", "strategy"]),
    ("pack", &["threads", "windowmemory", "packsizelimit", "writereverseindex", "usesparse"]),
    ("rerere", &["enabled", "autoupdate"]),
    ("i18n", &["commitencoding", "logoutputencoding"]),
    ("gui", &["wmstate", "geometry"]),
    ("lfs", &["repositoryformatversion", "access", "locksverify"]),
    ("worktree", &["guessremote", "userelativepaths"]),
    ("stash", &["showpatch", "showstat", "showincludeuntracked"]),
    ("transfer", &["fsckobjects"]),
    ("receive", &["fsckobjects", "denycurrentbranch"]),
];
/// Sections of which every key is plain.
const PLAIN_SECTIONS: &[&str] = &["branch", "color", "advice", "column"];

/// What a configuration comes to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The first setting that could run something or leads elsewhere.
    pub(super) danger: Option<String>,
    /// A password or token is in it.
    pub(super) secret: bool,
    /// `core.worktree`, which needs a look at where it leads.
    pub(super) worktree: Option<String>,
}

/// Judges a configuration.
pub(super) fn judge(settings: &[Setting]) -> Verdict {
    let mut verdict = Verdict::default();
    for setting in settings {
        verdict.secret |= is_secret(setting);
        if setting.section == "core" && setting.key == "worktree" {
            verdict.worktree = Some(setting.value.clone());
            continue;
        }
        if !is_plain(setting) {
            verdict.danger.get_or_insert_with(|| match &setting.subsection {
                Some(sub) => format!("{}.{sub}.{} is set", setting.section, setting.key),
                None => format!("{}.{} is set", setting.section, setting.key),
            });
        }
    }
    verdict
}

fn is_plain(setting: &Setting) -> bool {
    let (section, key) = (setting.section.as_str(), setting.key.as_str());
    let off = matches!(setting.value.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0" | "");
    match (section, key) {
        // Asking for them to be off starts nothing.
        ("core", "fsmonitor" | "splitindex") => off,
        // Headers and proxies matter to the network only; they may hold a token.
        ("http", "extraheader" | "postbuffer" | "version" | "lowspeedlimit" | "lowspeedtime") => true,
        _ => {
            PLAIN_SECTIONS.contains(&section)
                || PLAIN.iter().any(|(name, keys)| *name == section && keys.contains(&key))
        }
    }
}

fn is_secret(setting: &Setting) -> bool {
    match (setting.section.as_str(), setting.key.as_str()) {
        ("remote", "url" | "pushurl") | ("submodule", "url") => has_user_info(&setting.value),
        ("http", "extraheader") => true,
        ("url", _) => setting.subsection.as_deref().is_some_and(has_user_info),
        _ => false,
    }
}

/// `https://token@host` and `https://user:password@host`; the user of an ssh address is no secret.
fn has_user_info(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').is_some_and(|(user, _)| !scheme.contains("ssh") || user.contains(':'))
}

/// Whether a configuration holds a password or token, or can't be read.
pub(super) fn holds_secret(bytes: &[u8]) -> bool {
    read(bytes).map_or(true, |settings| judge(&settings).secret)
}

#[cfg(test)]
mod tests {
    use super::{holds_secret, judge, read};
    use proptest::prelude::*;

    fn danger(text: &str) -> Option<String> {
        match read(text.as_bytes()) {
            Ok(settings) => judge(&settings).danger,
            Err(error) => Some(error.to_string()),
        }
    }

    #[test]
    fn what_a_fresh_clone_has_is_plain() {
        let text = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n\
                    [remote \"origin\"]\n\turl = git@example.test:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
                    [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = \"A; B\" # c\n[core] fsmonitor = false\n";
        assert_eq!(danger(text), None);
        assert!(!holds_secret(text.as_bytes()));
    }

    /// Whatever names a program, leads to another file, or isn't known.
    #[test]
    fn what_could_run_something() {
        for line in [
            "[core]\nfsmonitor = ./x.sh",
            "[core]\nfsmonitor",
            "[CORE] FsMonitor=true",
            "[core]\npager = less",
            "[pager]\nlog = x",
            "[diff]\nexternal = x",
            "[diff \"a\"]\ncommand = x",
            "[diff \"a\"]\ntextconv = x",
            "[diff.a]\ntextconv = x",
            "[filter \"lfs\"]\nclean = git-lfs clean -- %f",
            "[filter \"a\"]\nprocess = x",
            "[gpg]\nprogram = x",
            "[gpg \"ssh\"]\nprogram = x",
            "[core]\nsshCommand = x",
            "[core]\nhooksPath = .h",
            "[core]\neditor = x",
            "[sequence]\neditor = x",
            "[core]\naskPass = x",
            "[alias]\nlog = !x",
            "[credential]\nhelper = x",
            "[include]\npath = ../x",
            "[includeIf \"gitdir:x\"]\npath = y",
            "[core]\nattributesFile = x",
            "[remote \"o\"]\nuploadpack = x",
            "[remote \"o\"]\npromisor = true",
            "[extensions]\npartialClone = o",
            "[submodule \"s\"]\nupdate = !x",
            "[log]\nshowSignature = true",
            "[merge \"m\"]\ndriver = x",
            "[core]\nbare = fa\\\nlse",
            "[status]\nsubmoduleSummary = true",
            "[interactive]\ndiffFilter = x",
            "[tar \"x\"]\ncommand = y",
            "no section",
            "[core\nbare = true",
            "[trailer \"x\"]\ncommand = y",
            "[browser \"b\"]\ncmd = x",
            "[man \"m\"]\ncmd = x",
            "[uploadpack]\npackObjectsHook = x",
            "[core]\ngitProxy = x",
        ] {
            assert!(danger(line).is_some(), "{line}");
        }
    }

    #[test]
    fn passwords() {
        for (url, secret) in [
            ("https://user:token@example.test/x.git", true),
            ("https://ghp_x@example.test/x.git", true),
            ("https://example.test/x.git", false),
            ("ssh://git@example.test/x.git", false),
            ("git@example.test:x.git", false),
        ] {
            assert_eq!(holds_secret(format!("[remote \"o\"]\nurl = {url}\n").as_bytes()), secret, "{url}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes).map(|settings| judge(&settings));
        }
    }
}
