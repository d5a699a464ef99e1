//! A throw-away workspace with an outside folder, a home and a configuration folder, and the binary.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The folders a case may name, by their placeholder.
const FOLDERS: &[(&str, &str)] = &[
    ("${workspace}", "project"),
    ("${outside}", "elsewhere"),
    ("${home}", "home"),
    ("${config}", "home/.config/assent"),
    ("${link}", "link"),
];

pub struct World {
    _guard: tempfile::TempDir,
    root: PathBuf,
    variables: Vec<(String, String)>,
    rules: String,
}

impl World {
    pub fn new() -> Result<Self> {
        let guard = tempfile::tempdir()?;
        let root = guard.path().canonicalize()?;
        for folder in ["project", "elsewhere", "home/.config/assent"] {
            fs::create_dir_all(root.join(folder))?;
        }
        symlink(root.join("project"), root.join("link"))?;
        Ok(Self { _guard: guard, root, variables: Vec::new(), rules: "version = 1\n".to_owned() })
    }

    pub fn workspace(&self) -> PathBuf {
        self.root.join("project")
    }

    pub fn user_policy(&self) -> PathBuf {
        self.root.join("home/.config/assent/policy.toml")
    }

    /// `text` with the names of the folders filled in.
    fn fill(&self, text: &str) -> String {
        FOLDERS.iter().fold(text.to_owned(), |text, (name, folder)| {
            text.replace(name, &self.root.join(folder).to_string_lossy())
        })
    }

    /// The same in every text of `value`.
    pub fn fill_all(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_all(item)).collect(),
            Value::Object(map) => {
                Value::Object(map.iter().map(|(key, item)| (key.clone(), self.fill_all(item))).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// Arranges one fixture of a case.
    pub fn arrange(&mut self, item: &Value) -> Result<()> {
        let text = |key: &str| item.get(key).and_then(Value::as_str).map(|text| self.fill(text));
        if let Some(file) = text("file") {
            let body = match item.get("bytes").and_then(Value::as_u64) {
                Some(length) => "x".repeat(usize::try_from(length)?),
                None => text("text").context("a file has a text")?,
            };
            fs::write(self.place(&file)?, body)?;
        } else if let Some(folder) = text("folder") {
            fs::create_dir_all(self.place(&folder)?)?;
        } else if let Some(link) = text("link") {
            symlink(text("to").context("a link has a target")?, self.place(&link)?)?;
        } else if let Some(pipe) = text("pipe") {
            ensure!(Command::new("mkfifo").arg(self.place(&pipe)?).status()?.success(), "mkfifo");
        } else if let Some(program) = text("program") {
            let place = self.place(&program)?;
            fs::write(&place, "#!/bin/sh\necho hi\n")?;
            fs::set_permissions(&place, fs::Permissions::from_mode(0o755))?;
        } else if text("repository").is_some() {
            git(&self.workspace(), &["init", "-q"])?;
            configure(&self.workspace(), item)?;
        } else if let Some(folder) = text("bare_repository") {
            let place = self.place(&folder)?;
            fs::create_dir_all(&place)?;
            git(&place, &["init", "-q", "--bare"])?;
            configure(&place, item)?;
        } else if let Some(name) = text("variable") {
            let value = text("value").context("a variable has a value")?;
            self.variables.push((name, value));
        } else {
            self.rule(item)?;
        }
        Ok(())
    }

    fn rule(&mut self, item: &Value) -> Result<()> {
        let part = |key: &str| item.get(key).with_context(|| format!("a rule has {key}"));
        let (field, patterns) = match item.get("commands") {
            Some(commands) => ("commands", commands),
            None => ("paths", part("paths")?),
        };
        self.rules.push_str(&format!(
            "[[rules]]\nname = \"case-{}\"\nbehavior = {}\ntools = [{}]\n{field} = {patterns}\nreason = \"A fixture.\"\n",
            self.rules.len(),
            part("rule")?,
            part("tool")?
        ));
        Ok(())
    }

    fn place(&self, path: &str) -> Result<PathBuf> {
        let place = self.workspace().join(path);
        fs::create_dir_all(place.parent().context("a fixture lies in a folder")?)?;
        Ok(place)
    }

    /// Runs `assent` with the world's environment, in the workspace.
    pub fn assent(&self, arguments: &[&str], input: &str) -> Result<Output> {
        let home = self.root.join("home");
        let mut child = Command::new(env!("CARGO_BIN_EXE_assent"))
            .args(arguments)
            .current_dir(self.workspace())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // A program that ends before it reads (bad configuration) has closed the pipe; its exit code tells.
        match child.stdin.take().context("standard input is a pipe")?.write_all(input.as_bytes()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        Ok(child.wait_with_output()?)
    }

    /// The answer about one call, by the world's own rules.
    pub fn check(&self, arguments: &[&str], tool: &str, call: &Value) -> Result<Value> {
        let policy = self.root.join("policy.toml");
        fs::write(&policy, &self.rules)?;
        let policy = policy.to_string_lossy();
        let mut all = vec!["policy", "check", "--policy", &policy];
        all.extend(arguments);
        all.push("-");
        let line = json!({"id": "one", "tool": tool, "arguments": call}).to_string();
        let done = self.assent(&all, &format!("{line}\n"))?;
        ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Ok(serde_json::from_slice(&done.stdout)?)
    }
}

fn configure(folder: &Path, item: &Value) -> Result<()> {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    match (text("key"), text("value")) {
        (Some(key), Some(value)) => git(folder, &["config", key, value]),
        (Some(_), None) | (None, _) => Ok(()),
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Result<()> {
    let done = Command::new("git")
        .args(["-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Ok(())
}
