//! A repository's configuration as a sandboxed command reads it: what git needs to read the repository, and nothing
//! that names a program, includes a file, or may hold a token.

/// The copy of `config` that may be read. Sections and keys that aren't known to be harmless are left out.
#[must_use]
pub fn sanitised(config: &str) -> String {
    let mut copy = String::new();
    let mut section: Option<Section> = None;
    let mut lines = config.lines();
    while let Some(line) = lines.next() {
        let mut text = line.trim();
        if let Some(rest) = text.strip_prefix('[') {
            let Some((header, after)) = split_header(rest) else {
                section = None;
                continue;
            };
            section = Section::new(header);
            if section.is_some() {
                copy.push_str(&format!("[{header}]\n"));
            }
            text = after.trim();
        }
        if text.is_empty() || text.starts_with(['#', ';']) {
            continue;
        }
        // A value that goes on in the next line is left out whole: no harmless key needs one.
        if text.ends_with('\\') {
            for next in lines.by_ref() {
                if !next.trim_end().ends_with('\\') {
                    break;
                }
            }
            continue;
        }
        let (key, value) =
            text.split_once('=').map_or((text, None), |(key, value)| (key.trim(), Some(value.trim())));
        let Some(kept) = section.as_ref().and_then(|section| section.keep(&key.to_ascii_lowercase(), value))
        else {
            continue;
        };
        copy.push_str(&match kept {
            Kept::Key => format!("\t{key}\n"),
            Kept::Value(value) => format!("\t{key} = {value}\n"),
        });
    }
    copy
}

/// The header without its brackets, and what follows it in the line. A `]` inside quotes doesn't end it.
fn split_header(rest: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let mut escaped = false;
    for (place, character) in rest.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ']' if !quoted => return Some((rest.get(..place)?, rest.get(place.checked_add(1)?..)?)),
            _ => {}
        }
    }
    None
}

enum Section {
    Core,
    Extensions,
    Branch,
    Remote,
    User,
}

enum Kept {
    Key,
    Value(String),
}

impl Section {
    fn new(header: &str) -> Option<Self> {
        let name: String =
            header.chars().take_while(|character| !character.is_whitespace() && *character != '"').collect();
        match name.to_ascii_lowercase().as_str() {
            "core" => Some(Self::Core),
            "extensions" => Some(Self::Extensions),
            "branch" => Some(Self::Branch),
            "remote" => Some(Self::Remote),
            "user" => Some(Self::User),
            _ => None,
        }
    }

    fn keep(&self, key: &str, value: Option<&str>) -> Option<Kept> {
        let known = match self {
            Self::Core => matches!(
                key,
                "repositoryformatversion"
                    | "filemode"
                    | "bare"
                    | "logallrefupdates"
                    | "ignorecase"
                    | "precomposeunicode"
                    | "symlinks"
                    | "autocrlf"
                    | "eol"
                    | "safecrlf"
                    | "quotepath"
                    | "sharedrepository"
                    | "abbrev"
                    | "sparsecheckout"
                    | "sparsecheckoutcone"
                    | "worktree"
                    | "protecthfs"
                    | "protectntfs"
            ),
            Self::Extensions => true,
            Self::Branch => matches!(key, "remote" | "merge" | "rebase" | "description"),
            Self::Remote => matches!(key, "url" | "pushurl" | "fetch" | "tagopt" | "prune"),
            Self::User => matches!(key, "name" | "email" | "useconfigonly"),
        };
        if !known {
            return None;
        }
        let Some(value) = value else { return Some(Kept::Key) };
        if matches!(key, "url" | "pushurl") {
            without_user(value).map(Kept::Value)
        } else {
            Some(Kept::Value(value.to_owned()))
        }
    }
}

/// A remote's address without what may be a token; none where the address is a command (`ext::…`).
fn without_user(url: &str) -> Option<String> {
    let plain = url.trim_matches('"');
    if plain.contains("::") {
        return None;
    }
    let Some((scheme, rest)) = plain.split_once("://") else { return Some(plain.to_owned()) };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    // A query or a fragment may hold one too.
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Some(format!("{scheme}://{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::sanitised;

    const CONFIG: &str = r#"
[core]
	repositoryformatversion = 0
	bare = false
	fsmonitor = "touch /tmp/pwned"
	hooksPath = ../evil
	sshCommand = sh -c evil
	worktree = ../other
	pager = evil \
		more evil \
		end
	filemode = true
[include]
	path = ../evil
[includeIf "gitdir:~/"]
	path = /evil
[remote "origin"] url = https://user:token@example.com/a.git?x=token
	fetch = +refs/heads/*:refs/remotes/origin/*
	uploadpack = evil
	vcs = evil
[remote "ext]"]
	url = ext::sh -c evil
	pushurl = git@example.com:a/b.git
[filter "lfs"]
	clean = evil
[diff "x"]
	textconv = evil
[credential]
	helper = evil
[http "https://x"]
	extraHeader = Authorization: token
[url "https://token@x/"]
	insteadOf = https://x/
[alias]
	st = !evil
[Branch "main"]
	remote = origin
	merge = refs/heads/main
[extensions]
	objectFormat = sha256
	worktreeConfig
[user]
	name = A B
	signingkey = K
[gpg]
	program = evil
[unclosed
	path = x
"#;

    /// R50: no program, no include, no token survives; what git needs to read the repository does.
    #[test]
    fn what_survives() {
        let copy = sanitised(CONFIG);
        assert!(!copy.contains("evil") && !copy.contains("token"), "{copy}");
        insta::assert_snapshot!(copy);
    }

    proptest::proptest! {
        /// R50: whatever the text, the copy holds no other section and no key that runs something.
        #[test]
        fn no_text_smuggles_a_key(text in "(\\[(core|include|alias|remote \"a\")\\]|\n|\\\\|\"|=|[ \t]|fsmonitor|url|ext::x|path|x){0,40}") {
            let copy = sanitised(&text);
            for line in copy.lines() {
                let line = line.trim();
                proptest::prop_assert!(!line.starts_with("[include") && !line.starts_with("[alias"));
                proptest::prop_assert!(!line.starts_with("fsmonitor") && !line.starts_with("path"));
            }
            proptest::prop_assert_eq!(sanitised(&copy), copy);
        }
    }
}
