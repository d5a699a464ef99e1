//! Paths that hold secrets: environment files, keys, credential stores.

use super::names::Parts;

/// Whether reading `path` asks. `path` is seen from the workspace where it lies inside, else absolute.
#[must_use]
pub fn is_sensitive(path: &str) -> bool {
    let parts = Parts::of(path);
    if parts.covered_by(FOLDERS) || parts.shortened_from(FOLDERS) || parts.shortened_from(FILES) {
        return true;
    }
    let name = parts.last();
    if is_template(name) || name.ends_with(".pub") {
        return false;
    }
    let in_git_folder = parts.iter().any(|part| part.ends_with(".git") || part.starts_with("git~"));
    parts.covered_by(FILES) || in_git_folder && is_git_configuration(path)
}

/// Examples without values, made to be read.
fn is_template(name: &str) -> bool {
    name.starts_with(".env")
        && [".example", ".sample", ".template", ".dist"].iter().any(|end| name.ends_with(end))
}

/// A remote's URL may hold a token, wherever below a git folder the configuration lies (modules, worktrees).
pub(crate) fn is_git_configuration(path: &str) -> bool {
    matches!(Parts::of(path).last(), "config" | "config.worktree" | "credentials" | "config.lock")
}

/// Every entry of the tables, folders first.
pub(crate) fn entries() -> impl Iterator<Item = &'static str> {
    FOLDERS.iter().chain(FILES).copied()
}

const FOLDERS: &[&str] = &[
    ".ssh/",
    ".gnupg/",
    ".password-store/",
    // Clouds.
    ".aws/",
    ".azure/",
    ".config/gcloud/",
    "application data/gcloud/",
    "appdata/roaming/gcloud/",
    ".config/doctl/",
    ".oci/",
    ".bluemix/",
    ".aliyun/",
    ".fly/",
    ".config/heroku/",
    ".config/netlify/",
    ".config/rclone/",
    ".config/op/",
    ".config/gh/",
    ".config/hub",
    ".config/glab-cli/",
    ".config/github-copilot/",
    ".config/sops/age/",
    ".terraform.d/",
    ".vercel/",
    ".netlify/",
    ".snowflake/",
    ".heroku/",
    ".age/",
    ".nuget/",
    ".jupyter/",
    // Containers.
    ".kube/",
    ".docker/",
    ".config/containers/",
    ".minikube/",
    "run/secrets/",
    // Browsers.
    ".mozilla/",
    ".thunderbird/",
    ".config/google-chrome*/",
    ".config/chromium/",
    ".config/bravesoftware/",
    ".config/microsoft-edge*/",
    ".config/vivaldi/",
    ".config/opera*/",
    "application support/google/chrome*/",
    "application support/chromium/",
    "application support/firefox/",
    "application support/bravesoftware/",
    "application support/microsoft edge*/",
    "library/safari/",
    "library/cookies/",
    "google/chrome/user data/",
    "microsoft/edge/user data/",
    "mozilla/firefox/",
    // Keychains.
    "library/keychains/",
    ".local/share/keyrings/",
    ".local/share/kwalletd/",
    "microsoft/credentials/",
    "microsoft/protect/",
    "microsoft/crypto/",
    "microsoft/vault/",
    "system32/config/",
    // Wallets.
    ".bitcoin/",
    ".ethereum/",
    ".electrum/",
    ".config/solana/",
];

const FILES: &[&str] = &[
    // Environment files.
    ".env*",
    "*.env",
    "env~*",
    // Private keys and key stores.
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "id_xmss*",
    "*_rsa",
    "*_ed25519",
    "*_ecdsa",
    "ssh_host_*_key",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.p8",
    "*.pvk",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.kdb",
    "*.ovpn",
    "*.keychain",
    "*.keychain-db",
    "secring.gpg",
    "wallet.dat",
    // Sign-in files of programs.
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".npmrc",
    ".pypirc",
    ".yarnrc.yml",
    ".dockercfg",
    ".dockerconfigjson",
    ".pgpass",
    "pgpass.conf",
    ".my.cnf",
    ".mylogin.cnf",
    ".boto",
    ".s3cfg",
    ".rclone.conf",
    "rclone.conf",
    "kubeconfig*",
    "*.kubeconfig",
    "*.tfvars",
    "*.tfvars.json",
    "wp-config.php",
    ".composer/auth.json",
    "cookies",
    ".vault-token",
    ".databrickscfg",
    ".snowsql/config",
    ".terraformrc",
    "terraform.rc",
    "*.tfstate",
    "*.tfstate.backup",
    ".htpasswd",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".bundle/config",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".config/composer/auth.json",
    ".config/pypoetry/auth.toml",
    ".huggingface/token",
    "huggingface/token",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".claude.json",
    ".wakatime.cfg",
    "credentials.json",
    "service-account*.json",
    "service_account*.json",
    "client_secret*.json",
    "application_default_credentials.json",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.toml",
    "master.key",
    // Browser stores that were copied elsewhere.
    "login data",
    "cookies.sqlite",
    "key4.db",
    "logins.json",
    // Shell and client histories hold what was typed, passwords among it.
    ".bash_history",
    ".zsh_history",
    ".sh_history",
    ".python_history",
    ".psql_history",
    ".mysql_history",
    ".node_repl_history",
    ".rediscli_history",
    "consolehost_history.txt",
    // The system's own.
    "etc/shadow",
    "etc/shadow-",
    "etc/gshadow",
    "etc/sudoers",
    "etc/master.passwd",
    "ntuser.dat",
    "proc/*/environ",
    "proc/*/mem",
];

#[cfg(test)]
mod tests {
    use super::is_sensitive;

    /// R15
    #[test]
    fn what_is_sensitive_and_what_is_not() {
        for path in [
            ".env",
            "config/.env.production",
            ".ENV",
            "prod.env",
            "id_ed25519",
            "keys/server.pem",
            ".git/config",
            ".git/modules/lib/config",
            ".AWS/Credentials",
            "AWS~1/credentials",
            "SECRET~1.JSO",
            ".npmrc",
            "/home/u/.ssh/known_hosts",
            ".docker/config.json",
            "/proc/self/environ",
            ".local/share/keyrings/login.keyring",
        ] {
            assert!(is_sensitive(path), "{path}");
        }
        for path in [
            ".env.example",
            "docs/environment.md",
            "src/keyboard.rs",
            "id_rsa.pub",
            ".git/HEAD",
            ".gitignore",
            "src/config",
            "README.md",
            "credentials.md",
        ] {
            assert!(!is_sensitive(path), "{path}");
        }
    }
}
