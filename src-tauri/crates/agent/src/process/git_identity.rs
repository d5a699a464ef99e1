//! Who commits: the user's own configuration isn't visible in the sandbox, so name and address come with the command.

use super::environment::set;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Adds author and committer, unless the repository names its own user.
pub fn pass_on(variables: &mut Vec<(OsString, OsString)>, workspace: &Path) {
    let own = std::fs::read_to_string(workspace.join(".git/config")).unwrap_or_default();
    let own = user(&own);
    let mut global = (None, None);
    for file in files(variables) {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let (name, email) = user(&text);
        global = (name.or(global.0), email.or(global.1));
    }
    for (kind, value) in [("NAME", own.0.or(global.0)), ("EMAIL", own.1.or(global.1))] {
        let Some(value) = value else { continue };
        set(variables, &format!("GIT_AUTHOR_{kind}"), value.clone());
        set(variables, &format!("GIT_COMMITTER_{kind}"), value);
    }
}

/// The user's files, the one that counts last (`git-config(1)`, FILES).
fn files(variables: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let value = |name: &str| {
        let found = variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let home = value("HOME");
    let config = value("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    [config.map(|config| config.join("git/config")), home.map(|home| home.join(".gitconfig"))]
        .into_iter()
        .flatten()
        .collect()
}

/// `user.name` and `user.email` of a configuration's text.
fn user(config: &str) -> (Option<String>, Option<String>) {
    let (mut name, mut email, mut within) = (None, None, false);
    for line in config.lines() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            within =
                header.split(']').next().is_some_and(|header| header.trim().eq_ignore_ascii_case("user"));
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| within) else { continue };
        let value = value.trim();
        let value = match value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
            Some(quoted) => quoted.replace("\\\"", "\"").replace("\\\\", "\\"),
            None => value.split([';', '#']).next().unwrap_or_default().trim().to_owned(),
        };
        match key.trim().to_ascii_lowercase().as_str() {
            "name" => name = Some(value),
            "email" => email = Some(value),
            _ => {}
        }
    }
    (name, email)
}

#[cfg(test)]
mod tests {
    use super::user;

    /// R55: only who commits is taken over.
    #[test]
    fn name_and_address() {
        let config = "[User]\n\tname = \"A \\\"B\\\" C\"\n email=a@b.c # mine\n[alias]\n\tname = evil\n[user \"x\"]\nname = no\n";
        assert_eq!(user(config), (Some("A \"B\" C".to_owned()), Some("a@b.c".to_owned())));
        assert_eq!(user("name = x"), (None, None));
    }
}
