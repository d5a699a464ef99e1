//! Running a script in a fresh workspace.

use assent_sandbox::{Command, Confinement, Ended, Level, Limits, Sandbox, Started, Streams};
use std::io::Read;

/// A script that was run to its end.
pub struct Run {
    pub text: String,
    pub ended: Ended,
}

/// A workspace for some scripts.
pub struct World {
    pub folder: tempfile::TempDir,
}

impl World {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn workspace(&self) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn start(
        &self,
        level: Level,
        script: &str,
        limits: Limits,
        set: impl FnOnce(&mut Confinement),
    ) -> Started {
        let mut confinement = Confinement::new(level, self.workspace());
        set(&mut confinement);
        let command = Command {
            limits,
            ..Command::new("/bin/bash", self.workspace()).arg("-c").arg(script).var("PATH", "/usr/bin:/bin")
        };
        sandbox().start(command, confinement, Streams::Merged).unwrap()
    }
}

pub fn sandbox() -> Sandbox {
    Sandbox::with_helper(env!("CARGO_BIN_EXE_assent-sandbox"))
}

/// Waits for the end, reading all output.
pub fn finish(mut started: Started) -> Run {
    let mut text = Vec::new();
    started.output.read_to_end(&mut text).unwrap();
    Run { text: String::from_utf8_lossy(&text).into_owned(), ended: started.running.wait(|_| {}) }
}
