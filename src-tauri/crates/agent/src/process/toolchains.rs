//! What a build needs from outside the workspace: programs and libraries to read, caches to use.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What is brought into a `workspace-write` sandbox beside the system's own folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolchains {
    /// Folders of programs, to read.
    pub programs: Vec<PathBuf>,
    /// Caches: used through a private copy-on-write view.
    pub caches: Vec<PathBuf>,
    /// Files in them that hold secrets.
    pub secrets: Vec<PathBuf>,
}

/// Program folders below the home folder, where no variable says otherwise.
const PROGRAMS: &[(&str, &str)] = &[
    ("RUSTUP_HOME", ".rustup"),
    ("NVM_DIR", ".nvm"),
    ("PYENV_ROOT", ".pyenv"),
    ("VOLTA_HOME", ".volta"),
    ("RBENV_ROOT", ".rbenv"),
    ("SDKMAN_DIR", ".sdkman"),
    ("BUN_INSTALL", ".bun"),
    ("PNPM_HOME", ".local/share/pnpm"),
    ("PIPX_HOME", ".local/share/pipx"),
    ("GOROOT", ".local/go"),
    ("JAVA_HOME", ".jdks"),
    ("DOTNET_ROOT", ".dotnet"),
    ("CONDA_PREFIX", "miniconda3"),
    ("VIRTUAL_ENV", ".virtualenvs"),
    ("ANDROID_HOME", "Android/Sdk"),
];

/// Program folders below the home folder that no variable names.
const MORE_PROGRAMS: &[&str] = &[
    ".asdf",
    ".deno/bin",
    ".fnm",
    ".ghcup",
    ".jenv",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/uv",
    ".nix-profile",
    ".rvm",
    "anaconda3",
    "go/bin",
];

/// Caches below the home folder, where no variable says otherwise.
const CACHES: &[(&str, &str)] = &[
    ("CARGO_HOME", ".cargo"),
    ("GOMODCACHE", "go/pkg"),
    ("GOCACHE", ".cache/go-build"),
    ("DENO_DIR", ".cache/deno"),
    ("GRADLE_USER_HOME", ".gradle"),
];

/// Caches below the home folder that no variable names.
const MORE_CACHES: &[&str] = &[
    ".bundle/cache",
    ".cabal/packages",
    ".cache/Cypress",
    ".cache/ccache",
    ".cache/ms-playwright",
    ".cache/node",
    ".cache/pip",
    ".cache/pnpm",
    ".cache/pre-commit",
    ".cache/puppeteer",
    ".cache/pypoetry",
    ".cache/uv",
    ".cache/yarn",
    ".cache/zig",
    ".ccache",
    ".composer/cache",
    ".gem",
    ".hex",
    ".ivy2/cache",
    ".m2/repository",
    ".m2/wrapper",
    ".mix",
    ".npm",
    ".nuget/packages",
    ".sbt/boot",
    ".stack",
    ".yarn/berry",
];

/// Files with secrets in the folders above.
const SECRETS: &[(&str, &[&str])] =
    &[("CARGO_HOME", &["credentials", "credentials.toml"]), ("GRADLE_USER_HOME", &["gradle.properties"])];

/// Finds them for an environment. `exists` looks at the real tree.
#[must_use]
pub fn find(variables: &[(OsString, OsString)], exists: impl Fn(&Path) -> bool) -> Toolchains {
    let value = |name: &str| {
        let found = variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let Some(home) = value("HOME") else { return Toolchains::default() };
    let place = |(name, below): &(&str, &str)| value(name).unwrap_or_else(|| home.join(below));
    // What a variable names must not open the home folder itself, or what it lies in.
    let usable =
        |path: &PathBuf| path.is_absolute() && !home.starts_with(path) && is_plain(path) && exists(path);

    let mut programs: Vec<PathBuf> = PROGRAMS.iter().map(place).collect();
    programs.extend(MORE_PROGRAMS.iter().map(|below| home.join(below)));
    if let Some(path) = variables.iter().find(|(name, _)| name == "PATH") {
        programs
            .extend(std::env::split_paths(OsStr::new(&path.1)).filter(|folder| !is_of_the_system(folder)));
    }
    let mut caches: Vec<PathBuf> = CACHES.iter().map(place).collect();
    caches.extend(MORE_CACHES.iter().map(|below| home.join(below)));

    programs.retain(usable);
    caches.retain(usable);
    // A folder inside another adds nothing, and one inside a cache is already there.
    programs.retain(|path| !caches.iter().any(|cache| path.starts_with(cache)));
    let secrets = SECRETS.iter().flat_map(|(name, files)| {
        let folder = CACHES.iter().find(|(known, _)| known == name).map(place);
        files.iter().filter_map(move |file| Some(folder.as_ref()?.join(file)))
    });
    let secrets = secrets.filter(|path| exists(path)).collect();
    // These exist privately even where they don't really: programs write there unasked.
    for always in [".cache", ".npm"] {
        caches.push(home.join(always));
    }
    Toolchains { programs: outermost(programs), caches: sorted(caches), secrets }
}

fn is_plain(path: &Path) -> bool {
    use std::path::Component;
    path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
}

fn is_of_the_system(path: &Path) -> bool {
    ["/usr", "/bin", "/sbin", "/lib", "/opt", "/nix"].iter().any(|system| path.starts_with(system))
}

fn sorted(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup();
    paths
}

fn outermost(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in sorted(paths) {
        if !kept.iter().any(|outer| path.starts_with(outer)) {
            kept.push(path);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)], there: &[&str]) -> Toolchains {
        let variables: Vec<_> = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        find(&variables, |path| there.contains(&path.to_str().unwrap()))
    }

    /// R50: a variable can't open the home folder, nor `PATH` a folder that holds it.
    #[test]
    fn the_home_folder_is_never_a_toolchain() {
        let variables = [
            ("HOME", "/home/u"),
            ("JAVA_HOME", "/home/u"),
            ("VIRTUAL_ENV", "/home"),
            ("PATH", "/home/u:/:/home/u/.x/../bin:rel"),
        ];
        let there = ["/home/u", "/home", "/", "/home/u/.x/../bin", "rel"];
        assert_eq!(found(&variables, &there).programs, Vec::<PathBuf>::new());
    }

    /// R50
    #[test]
    fn what_a_rust_and_node_user_gets() {
        let variables = [
            ("HOME", "/home/u"),
            ("CARGO_HOME", "/data/cargo"),
            ("PATH", "/data/cargo/bin:/usr/bin:/home/u/.nvm/v22/bin:/x/bin"),
        ];
        let there = [
            "/data/cargo",
            "/data/cargo/bin",
            "/data/cargo/credentials.toml",
            "/home/u/.nvm",
            "/home/u/.nvm/v22/bin",
            "/x/bin",
            "/home/u/.m2/repository",
        ];
        insta::assert_debug_snapshot!(found(&variables, &there));
    }
}
