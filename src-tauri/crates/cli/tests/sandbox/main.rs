//! `assent sandbox` runs a command as a tool would: in the sandbox, and with the workspace put in order afterwards.
#![cfg(target_os = "linux")]
#![cfg(test)]

use serde_json::Value;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct World {
    _folder: tempfile::TempDir,
    home: PathBuf,
    project: PathBuf,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (home, project) = (root.join("home"), root.join("project"));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(project.join("own/.vscode")).unwrap();
        Self { _folder: folder, home, project }
    }

    fn assent(&self, arguments: &[&str], workspace: &Path) -> Output {
        Command::new(env!("CARGO_BIN_EXE_assent"))
            .args(arguments)
            .current_dir(workspace)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &self.home)
            .output()
            .unwrap()
    }
}

const MAKES: &str = "mkdir -p sub/.vscode sub/.husky; echo {} >sub/.vscode/tasks.json; echo x >sub/.envrc; \
    echo y >sub/plain; exit 3";

/// R50: protected files that the command made are moved out and told of, a person's own stay; the exit code is the command's.
#[test]
fn protected_files_that_appear_are_moved_out_and_told() {
    let world = World::new();
    let ran = world.assent(&["sandbox", "--", "sh", "-c", MAKES], &world.project);
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(3), "{said}");
    for name in ["sub/.vscode", "sub/.husky", "sub/.envrc"] {
        assert!(!world.project.join(name).exists(), "{name}");
        assert!(said.contains(&format!("assent: moved out of the workspace: {name} -> ")), "{said}");
    }
    assert!(world.project.join("sub/plain").exists() && world.project.join("own/.vscode").exists());

    let ran = world.assent(&["--json", "sandbox", "--", "sh", "-c", MAKES], &world.project);
    let line: Value = serde_json::from_slice(&ran.stderr).unwrap();
    assert_eq!(line["exit"], 3, "{line}");
    let moved = line["moved"].as_array().unwrap();
    let tasks = moved.iter().find(|moved| moved["from"] == "sub/.vscode").unwrap()["to"].as_str().unwrap();
    assert_eq!(std::fs::read_to_string(Path::new(tasks).join("tasks.json")).unwrap(), "{}\n");

    let ran = world.assent(&["--json", "sandbox", "--", "true"], &world.project);
    let line: Value = serde_json::from_slice(&ran.stderr).unwrap();
    assert_eq!((&line["exit"], &line["moved"]), (&Value::from(0), &Value::from(Vec::<Value>::new())));
}

/// A folder in which nothing could be named is refused before anything is made or run, with the reason.
#[test]
fn a_folder_whose_path_is_no_text_is_refused() {
    let world = World::new();
    let odd = world.project.join(std::ffi::OsStr::from_bytes(b"ws\xff"));
    std::fs::create_dir(&odd).unwrap();
    for arguments in [&["sandbox", "--", "touch", "made"][..], &["exec", "Show me."], &["policy", "check"]] {
        let ran = world.assent(arguments, &odd);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("its path is not UTF-8"), "{arguments:?}: {said}");
        assert_eq!(std::fs::read_dir(&odd).unwrap().count(), 0);
    }
}
