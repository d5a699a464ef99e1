//! The environment a command gets: an allow-list, never the app's own (R55). No secret is on it, and none of the
//! variables by which a shell, a linker or an interpreter runs something else.

use assent_sandbox::Level;
use std::ffi::{OsStr, OsString};

/// Variables that are passed on as they are.
const PASSED: &[&str] = &[
    // Who and where.
    "HOME",
    "USER",
    "LOGNAME",
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    // Where toolchains live. Flags for them are not passed: many can name a program.
    "ANDROID_HOME",
    "BUN_INSTALL",
    "CARGO_HOME",
    "CONDA_PREFIX",
    "DENO_DIR",
    "DOTNET_ROOT",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "GRADLE_USER_HOME",
    "JAVA_HOME",
    "NVM_DIR",
    "PIPX_HOME",
    "PNPM_HOME",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SDKMAN_DIR",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    // Certificates.
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    // Windows needs these to start anything at all.
    "APPDATA",
    "COMMONPROGRAMFILES",
    "COMPUTERNAME",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// Passed on where no confined command has a temp folder of its own.
const PASSED_TEMP: &[&str] = if cfg!(windows) { &["TEMP", "TMP"] } else { &[] };

/// Beginnings of further names that are passed on.
const PASSED_FAMILIES: &[&str] = &["LC_"];

/// What every command gets: no pager, no prompt, no colour, no editor.
const FIXED: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PYTHONUNBUFFERED", "1"),
    ("ASSENT", "1"),
    // Tools that look for their own updates would be refused the network, and look as if the command had been.
    ("DO_NOT_TRACK", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("npm_config_audit", "false"),
    ("npm_config_fund", "false"),
    ("npm_config_update_notifier", "false"),
];

/// What a confined command gets on top: git reads the repository's own configuration and no other, and go asks no version
/// control, which fails where a name like a repository's is blocked.
const FIXED_CONFINED: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GOFLAGS", "-buildvcs=false"),
];

/// The environment for a command, from that of the app or of the user's login shell; sorted by name.
#[must_use]
pub fn of(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    level: Level,
) -> Vec<(OsString, OsString)> {
    let mut kept: Vec<(OsString, OsString)> =
        variables.into_iter().filter(|(name, _)| is_passed(name)).collect();
    let fixed = FIXED.iter().chain(match level {
        Level::ReadOnly | Level::WorkspaceWrite => FIXED_CONFINED,
        Level::Unsandboxed => &[],
    });
    for (name, value) in fixed {
        set(&mut kept, name, *value);
    }
    if level != Level::Unsandboxed && cfg!(unix) {
        set(&mut kept, "TMPDIR", "/tmp");
    }
    kept.sort();
    kept
}

/// Sets one variable, whatever was there.
pub fn set(variables: &mut Vec<(OsString, OsString)>, name: &str, value: impl Into<OsString>) {
    variables.retain(|(known, _)| known != name);
    variables.push((name.into(), value.into()));
}

/// Whether a variable of this name is passed on.
#[must_use]
pub fn is_passed(name: &OsStr) -> bool {
    // Names are case-insensitive on Windows, and `Path` is how it spells the commonest.
    let Some(name) = name.to_str() else { return false };
    let name = if cfg!(windows) { name.to_ascii_uppercase() } else { name.to_owned() };
    PASSED.contains(&name.as_str())
        || PASSED_TEMP.contains(&name.as_str())
        || PASSED_FAMILIES.iter().any(|family| name.starts_with(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(level: Level, given: &[(&str, &str)]) -> String {
        let given = given.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        of(given, level)
            .iter()
            .map(|(name, value)| format!("{}={}\n", name.display(), value.display()))
            .collect()
    }

    /// R55: neither a secret nor a variable that runs code is passed on, whatever it is called.
    #[test]
    fn secrets_and_code_stay_behind() {
        let dangerous = [
            "ASSENT_API_KEY",
            "OPENAI_API_KEY",
            "ANTHROPIC_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "NPM_TOKEN",
            "SSH_AUTH_SOCK",
            "GPG_AGENT_INFO",
            "DBUS_SESSION_BUS_ADDRESS",
            "DISPLAY",
            "WAYLAND_DISPLAY",
            "XAUTHORITY",
            "XDG_RUNTIME_DIR",
            "AT_SPI_BUS_ADDRESS",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "DYLD_INSERT_LIBRARIES",
            "BASH_ENV",
            "ENV",
            "PROMPT_COMMAND",
            "BASH_FUNC_ls%%",
            "SHELLOPTS",
            "BASHOPTS",
            "IFS",
            "PS4",
            "CDPATH",
            "PYTHONSTARTUP",
            "PYTHONPATH",
            "NODE_OPTIONS",
            "PERL5OPT",
            "PERL5LIB",
            "RUBYOPT",
            "JAVA_TOOL_OPTIONS",
            "_JAVA_OPTIONS",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
            "GIT_EXTERNAL_DIFF",
            "GIT_CONFIG_PARAMETERS",
            "GIT_CONFIG_COUNT",
            "GIT_DIR",
            "GIT_EXEC_PATH",
            "GIT_EDITOR",
            "EDITOR",
            "VISUAL",
            "LESSOPEN",
            "RUSTC_WRAPPER",
            "CARGO_BUILD_RUSTC_WRAPPER",
            "RUSTFLAGS",
            "GOFLAGS",
            "MAKEFLAGS",
            "CC",
            "CXX",
            "npm_config_script_shell",
            "PSModulePath",
            "path",
            "home",
        ];
        let given: Vec<_> = dangerous.iter().map(|name| (*name, "X")).collect();
        for level in [Level::ReadOnly, Level::WorkspaceWrite, Level::Unsandboxed] {
            assert_eq!(text(level, &given), text(level, &[]), "{level:?}");
        }
    }

    /// R55
    #[test]
    fn what_a_command_gets() {
        let given = [
            ("PATH", "/usr/bin"),
            ("HOME", "/home/u"),
            ("LC_ALL", "C.UTF-8"),
            ("GIT_PAGER", "evil"),
            ("TERM", "xterm"),
        ];
        insta::assert_snapshot!(text(Level::WorkspaceWrite, &given));
    }

    /// R55: without the sandbox the user's own git configuration counts.
    #[test]
    fn without_the_sandbox_git_is_the_users_own() {
        assert!(!text(Level::Unsandboxed, &[]).contains("GIT_CONFIG"));
    }
}
