//! A workspace and a `PATH` in which every program only writes down how it was called.

use assent_policy::{
    Context, Mode, Needs, Origin, Os, PreparedCall, ProgramLookup, SandboxState, ShellKind, ShellRequest,
    ShellTrust, Subject, ToolEffect,
};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Files that are there before and after.
pub const WORKSPACE_FILES: &[&str] = &["a.txt", "b c.txt", "src/a.rs", "src/deep/x.rs", "docs/n.md"];
/// Names that get a recorder: readers, and what a misread script might start.
const PROGRAMS: &[&str] = &[
    "ls", "cat", "head", "tail", "grep", "wc", "sort", "cut", "tr", "find", "sed", "uniq", "touch", "rm",
    "sh", "tee", "id", "env", "timeout", "stat", "x", "done", "then", "fi", "do", "pwned",
];

/// A folder with everything in it.
pub struct Recorder {
    folder: tempfile::TempDir,
    context: Context,
}

/// One program that ran.
#[derive(Debug)]
pub struct Ran {
    /// Where.
    pub folder: String,
    /// Its name and arguments.
    pub argv: Vec<String>,
}

impl Recorder {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in WORKSPACE_FILES {
            let path = root.join("ws").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text\n").unwrap();
        }
        fs::create_dir_all(root.join("bin")).unwrap();
        for program in PROGRAMS {
            let path = root.join("bin").join(program);
            let log = root.join("log");
            fs::write(
                &path,
                format!(
                    "#!/bin/bash -p\nprintf '%s\\0' \"$PWD\" \"${{0##*/}}\" \"$@\" $'\\x1e' >> '{}'\n",
                    log.display()
                ),
            )
            .unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let text = |name: &str| root.join(name).to_str().unwrap().to_owned();
        let context = Context {
            os: if cfg!(target_os = "macos") { Os::Macos } else { Os::Linux },
            shell: ShellKind::Bash,
            mode: Mode::Balanced,
            workspace: text("ws"),
            workspace_aliases: Vec::new(),
            home: text("home"),
            own_paths: Vec::new(),
            read_folders: Vec::new(),
            sandbox: SandboxState::InForce,
            shell_trust: ShellTrust::Trusted,
            search_path: vec!["/usr/bin".to_owned(), "/bin".to_owned()],
            programs: ProgramLookup::Assumed,
            environment: Vec::new(),
            user: "u".to_owned(),
            session: "s".to_owned(),
            policy_version: String::new(),
        };
        Self { folder, context }
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    pub fn workspace(&self) -> &Path {
        Path::new(&self.context.workspace)
    }

    pub fn call(&self, script: &str) -> PreparedCall {
        PreparedCall {
            tool: "shell".to_owned(),
            schema_version: 1,
            arguments: serde_json::Map::from_iter([("command".to_owned(), script.into())]),
            effect: ToolEffect::Execute,
            subject: Subject::Shell(ShellRequest {
                command: script.to_owned(),
                background: false,
                timeout_ms: 10_000,
                needs: Needs::default(),
            }),
            origin: Origin::Task,
        }
    }

    /// Runs `script` and says what it started.
    pub fn run(&self, script: &str) -> Vec<Ran> {
        let log = self.folder.path().join("log");
        fs::write(&log, "").unwrap();
        let bin = self.folder.path().canonicalize().unwrap().join("bin");
        Command::new("/bin/bash")
            .args(["--noprofile", "--norc", "-c", script])
            .env_clear()
            .env("PATH", bin)
            .env("HOME", &self.context.home)
            .current_dir(self.workspace())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        let text = fs::read_to_string(&log).unwrap();
        text.split("\u{1e}\0")
            .filter(|record| !record.is_empty())
            .map(|record| {
                let mut fields = record.trim_end_matches('\0').split('\0').map(str::to_owned);
                Ran { folder: fields.next().unwrap_or_default(), argv: fields.collect() }
            })
            .collect()
    }
}
