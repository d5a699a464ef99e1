//! A folder, a permit as the gate would give it, and one call.

use super::{Execution, Tool, ToolFailure, ToolOutput};
use crate::gate::Permit;
use crate::samples;
use crate::workspace::Workspace;
use crate::workspace::undo::UndoLog;
use assent_policy::{Access, Facts, FileKind, Identity, Origin, PathFact, PreparedCall, Resolved, Subject};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A workspace, a folder beside it, and a session's scratch folder.
pub(crate) struct World {
    folder: TempDir,
    pub(crate) workspace: Arc<Workspace>,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["ws", "out", "scratch"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let workspace = Arc::new(Workspace::open(&folder.path().join("ws")).expect("a workspace"));
        Self { folder, workspace }
    }

    /// Where `name` lies in the workspace.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.workspace.root().join(name)
    }

    /// Where `name` lies outside.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder").join("out").join(name)
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        self.folder.path().join("scratch")
    }

    pub(crate) fn undo(&self) -> UndoLog {
        UndoLog::open(&self.scratch()).expect("an undo log")
    }

    /// Writes a file, with its folders.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(&path, content).expect("a file");
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("a file")
    }

    /// What the gate hands over when everything was allowed: facts as they are at this moment.
    pub(crate) fn permit(&self, tool: &dyn Tool, arguments: Value) -> Permit {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let subject = tool.prepare(&arguments).expect("valid arguments");
        let mut facts = Facts::default();
        match &subject {
            Subject::Files { accesses } => {
                for access in accesses {
                    let hash = access.access != Access::Read;
                    let (key, fact) = self.look(&access.path, hash);
                    facts.paths.insert(key, fact);
                }
            }
            Subject::Search(request) => {
                let (key, fact) = self.look(&request.path, false);
                facts.paths.insert(key, fact);
            }
            Subject::Shell(_) | Subject::Network(_) | Subject::Internal => {}
        }
        let definition = tool.definition();
        let call = PreparedCall {
            tool: definition.name.to_owned(),
            schema_version: definition.schema_version,
            arguments,
            effect: definition.effect,
            subject,
            origin: Origin::Task,
        };
        Permit::for_test(call, samples::evaluation(), facts)
    }

    /// Runs a permitted call; what the model reads.
    pub(crate) async fn execute(&self, tool: &dyn Tool, permit: Permit) -> String {
        match self.outcome(tool, permit).await {
            Ok(output) => output.content,
            Err(failure) => failure.to_string(),
        }
    }

    /// Runs a permitted call.
    pub(crate) async fn outcome(&self, tool: &dyn Tool, permit: Permit) -> Result<ToolOutput, ToolFailure> {
        let run = Execution {
            workspace: Arc::clone(&self.workspace),
            session: "session".to_owned(),
            run: crate::gate::Run::new("session", "run", Origin::Task, CancellationToken::new()),
            call_id: "call".to_owned(),
            cancel: CancellationToken::new(),
            scratch: self.scratch(),
            output: Arc::new(|_| {}),
        };
        tool.execute(permit, &run).await
    }

    /// Permits and runs a call with nothing in between.
    pub(crate) async fn call(&self, tool: &dyn Tool, arguments: Value) -> String {
        self.execute(tool, self.permit(tool, arguments)).await
    }

    fn look(&self, written: &str, hash: bool) -> (String, PathFact) {
        let joined = self.workspace.root().join(written);
        let key = joined.to_string_lossy().into_owned();
        let is_link = joined.symlink_metadata().is_ok_and(|found| found.is_symlink());
        let real = real_path(&joined);
        let metadata = real.metadata().ok();
        let resolved = Resolved {
            file: metadata.as_ref().map_or(FileKind::Missing, |found| {
                if found.is_dir() {
                    FileKind::Directory
                } else if found.file_type().is_fifo() || !found.is_file() {
                    FileKind::Special
                } else {
                    FileKind::Regular
                }
            }),
            identity: metadata.as_ref().map(|found| Identity {
                device: found.dev(),
                inode: found.ino(),
                size: found.len(),
                changed_ns: i128::from(found.ctime()) * 1_000_000_000 + i128::from(found.ctime_nsec()),
            }),
            is_link,
            links: metadata.as_ref().map_or(1, |found| found.nlink()),
            in_git_folder: false,
            content: metadata
                .as_ref()
                .filter(|found| hash && found.is_file())
                .map(|_| hex(&std::fs::read(&real).expect("a file"))),
            real: real.to_string_lossy().into_owned(),
        };
        (key, PathFact::Resolved(resolved))
    }
}

/// The helper of this build, one folder above the test programs; a test run of this package alone doesn't build it.
pub(crate) fn helper() -> &'static Path {
    static HELPER: OnceLock<PathBuf> = OnceLock::new();
    HELPER.get_or_init(build_helper)
}

fn build_helper() -> PathBuf {
    let built = std::process::Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "assent-sandbox"])
        .status();
    assert!(built.expect("cargo").success(), "assent-sandbox doesn't build");
    let own = std::env::current_exe().expect("this program's path");
    let helper = own.parent().and_then(Path::parent).expect("the build's folder").join("assent-sandbox");
    assert!(helper.exists(), "{} is missing", helper.display());
    helper
}

/// The nearest existing ancestor's real path, the rest appended.
fn real_path(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), _, _) => real,
        (Err(_), Some(parent), Some(name)) => real_path(parent).join(name),
        (Err(_), _, _) => path.to_owned(),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every path below `folder` with its bytes and mode: two equal ones mean that nothing happened.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let metadata = entry.path().symlink_metadata().expect("an entry");
            let content = if metadata.is_dir() {
                waiting.push(entry.path());
                Vec::new()
            } else if metadata.is_symlink() {
                entry.path().read_link().expect("a link").to_string_lossy().into_owned().into_bytes()
            } else if metadata.is_file() {
                std::fs::read(entry.path()).expect("a file")
            } else {
                Vec::new()
            };
            found.insert(entry.path(), (metadata.permissions().mode(), content));
        }
    }
    found
}
