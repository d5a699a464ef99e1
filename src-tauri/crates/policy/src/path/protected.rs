//! Paths whose change runs code later: version control, CI, editors, package managers, shells, other agents.

use super::names::Parts;

/// Whether writing `path` asks before any rule may allow it. `path` is seen from the workspace where it
/// lies inside (the workspace's own place is no reason), else absolute.
#[must_use]
pub fn is_protected(path: &str) -> bool {
    let parts = Parts::of(path);
    parts.covered_by(FOLDERS)
        || parts.covered_by(FILES)
        || parts.shortened_from(FOLDERS)
        || parts.shortened_from(FILES)
        // A bare repository by convention.
        || parts.iter().any(|part| part.ends_with(".git"))
}

/// Every entry of the tables, folders first.
pub(crate) fn entries() -> impl Iterator<Item = &'static str> {
    FOLDERS.iter().chain(FILES).copied()
}

const FOLDERS: &[&str] = &[
    // Version control.
    ".git/",
    ".hg/",
    ".svn/",
    ".jj/",
    ".config/git/",
    ".githooks/",
    ".husky/",
    // CI.
    ".github/workflows/",
    ".github/actions/",
    ".gitea/workflows/",
    ".forgejo/workflows/",
    ".gitlab/ci/",
    ".circleci/",
    ".buildkite/",
    ".woodpecker/",
    ".tekton/",
    ".teamcity/",
    ".azure-pipelines/",
    // Editors and their containers.
    ".vscode/",
    ".vscode-server/",
    ".idea/",
    ".fleet/",
    ".zed/",
    ".vs/",
    ".devcontainer/",
    ".config/nvim/",
    ".vim/",
    ".emacs.d/",
    // Agents.
    ".assent/",
    ".cursor/",
    ".claude/",
    ".codex/",
    ".agents/",
    ".gemini/",
    ".windsurf/",
    ".roo/",
    ".kilocode/",
    ".clinerules/",
    ".continue/",
    ".opencode/",
    ".goose/",
    ".amazonq/",
    ".kiro/",
    // Build tools and package managers.
    ".cargo/",
    ".yarn/",
    ".mvn/",
    ".bundle/",
    ".config/mise/",
    ".mise/",
    // Sign-in and session start.
    ".ssh/",
    ".gnupg/",
    ".aws/",
    ".kube/",
    ".docker/",
    ".config/fish/",
    ".config/autostart/",
    ".config/systemd/",
    ".config/environment.d/",
    ".config/powershell/",
    "library/launchagents/",
    "library/launchdaemons/",
    "start menu/programs/startup/",
    "windowspowershell/",
];

const FILES: &[&str] = &[
    // git.
    ".gitconfig",
    ".gitmodules",
    ".git-credentials",
    ".overcommit.yml",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "lefthook.*",
    ".lefthook.*",
    "lefthook-local.*",
    ".lefthook-local.*",
    // CI.
    ".gitlab-ci.yml",
    ".gitlab-ci.yaml",
    ".travis.yml",
    ".drone.yml",
    ".cirrus.yml",
    ".woodpecker.yml",
    ".woodpecker.yaml",
    ".appveyor.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "azure-pipelines.yaml",
    "bitbucket-pipelines.yml",
    "wercker.yml",
    "buildspec.yml",
    "cloudbuild.yaml",
    "jenkinsfile",
    // Editors.
    "*.code-workspace",
    "*.sublime-project",
    ".devcontainer.json",
    "pyrightconfig.json",
    ".vimrc",
    ".gvimrc",
    ".nvimrc",
    ".nvim.lua",
    ".exrc",
    ".lvimrc",
    ".dir-locals.el",
    ".emacs",
    ".gdbinit",
    ".lldbinit",
    // Start-up files that interpreters and database clients run.
    ".irbrc",
    ".pryrc",
    ".rprofile",
    ".ghci",
    ".psqlrc",
    ".sqliterc",
    // Agents.
    ".cursorrules",
    ".aider.conf.yml",
    "opencode.json",
    ".mcp.json",
    "mcp.json",
    ".claude.json",
    // Shells.
    ".profile",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".logout",
    ".inputrc",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".xsessionrc",
    ".pam_environment",
    "profile.ps1",
    "*_profile.ps1",
    ".envrc",
    ".direnvrc",
    // Package managers, build tools, their wrappers.
    ".npmrc",
    ".yarnrc*",
    ".pnp.cjs",
    ".pnp.loader.mjs",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    "bunfig.toml",
    ".bunfig.toml",
    ".bazelrc",
    ".bazelversion",
    ".bazeliskrc",
    "gradle-wrapper.properties",
    "gradle-wrapper.jar",
    "maven-wrapper.properties",
    "maven-wrapper.jar",
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".pypirc",
    ".condarc",
    "pip.conf",
    "pip.ini",
    "sitecustomize.py",
    "usercustomize.py",
    // Options that other programs read by themselves.
    ".ripgreprc",
    ".ackrc",
    ".curlrc",
    "_curlrc",
    ".wgetrc",
    ".netrc",
    "_netrc",
    ".screenrc",
    ".tmux.conf",
    "autorun.inf",
];

#[cfg(test)]
mod tests {
    use super::is_protected;

    #[test]
    fn what_is_protected_and_what_is_not() {
        for path in [
            ".git/hooks/pre-commit",
            "sub/.git/config",
            ".git",
            "lib.git/config",
            "GIT~1/config",
            "VSCODE~1/settings.json",
            ".irbrc",
            ".g\u{200c}it/config",
            ".GitHub/Workflows/x.yml",
            ".vscode/settings.json",
            "app.code-workspace",
            ".yarnrc.yml",
            ".assent/policy.toml",
            "/home/u/.bashrc",
            ".cursor/mcp.json",
            "gradle/wrapper/gradle-wrapper.properties",
            ".config/fish/config.fish",
        ] {
            assert!(is_protected(path), "{path}");
        }
        for path in [
            ".gitignore",
            ".gitattributes",
            ".github/ISSUE_TEMPLATE.md",
            "src/git/mod.rs",
            "docs/.gitkeep",
            "node_modules/x/index.js",
            "profile.rs",
            "Cargo.toml",
            ".editorconfig",
            "src/cargo/x",
        ] {
            assert!(!is_protected(path), "{path}");
        }
    }
}
