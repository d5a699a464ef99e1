//! A workspace, and around it everything that must not be reached.

mod shared;

use serde::{Deserialize, Serialize};
use shared::Shared;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::PathBuf;
use std::process::{Child, Stdio};

/// Where attacks aim.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Aim {
    pub workspace: PathBuf,
    pub outside: PathBuf,
    pub tcp: u16,
    pub udp: u16,
    pub abstract_name: String,
    pub process: i32,
    /// The address of some bytes in that process.
    pub address: usize,
    pub inherited: i32,
    /// The name of a shared memory and of a message queue.
    pub shared: String,
    /// The key of another shared memory.
    pub key: i32,
}

pub const SECRET: &str = "the secret of the escape suite";
/// What the shared memory begins with.
pub const SHARED: u8 = 7;
pub const MARK: &str = "ESCAPE_MARK=of-the-process-outside";

pub struct Range {
    folder: tempfile::TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
    datagram: UnixDatagram,
    hidden: UnixListener,
    abstract_name: String,
    process: std::sync::Mutex<Child>,
    inherited: std::fs::File,
    shared: Shared,
}

impl Range {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o755)).unwrap();
        for path in ["ws/.git/hooks", "ws/sub", "outside"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        for (path, text) in [
            ("ws/.git/hooks/pre-commit", "old"),
            ("ws/.env", SECRET),
            ("ws/sub/.env", SECRET),
            ("outside/secret", SECRET),
            ("outside/file", "old"),
        ] {
            std::fs::write(root.join(path), text).unwrap();
        }
        std::os::unix::fs::symlink(root.join("outside"), root.join("ws/link")).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let unix = UnixListener::bind(root.join("ws/socket")).unwrap();
        let datagram = UnixDatagram::bind(root.join("ws/datagram")).unwrap();
        let abstract_name = format!("escape-{}", root.file_name().unwrap().display());
        let hidden =
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name).unwrap()).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        unix.set_nonblocking(true).unwrap();
        datagram.set_nonblocking(true).unwrap();
        hidden.set_nonblocking(true).unwrap();
        let (name, value) = MARK.split_once('=').unwrap();
        let process = std::process::Command::new("sleep")
            .arg("1000")
            .env(name, value)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let inherited = std::fs::File::create(root.join("outside/inherited")).unwrap();
        // On purpose without close-on-exec: a descriptor that the helper finds open.
        // SAFETY: a descriptor we own.
        unsafe { libc::fcntl(std::os::fd::AsRawFd::as_raw_fd(&inherited), libc::F_SETFD, 0) };
        let process = std::sync::Mutex::new(process);
        let shared = Shared::new(&abstract_name);
        Self { folder, tcp, udp, unix, datagram, hidden, abstract_name, process, inherited, shared }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn workspace(&self) -> PathBuf {
        self.root().join("ws")
    }

    pub fn aim(&self) -> Aim {
        let process = self.process.lock().unwrap().id();
        Aim {
            workspace: self.workspace(),
            outside: self.root().join("outside"),
            tcp: self.tcp.local_addr().unwrap().port(),
            udp: self.udp.local_addr().unwrap().port(),
            abstract_name: self.abstract_name.clone(),
            process: process.cast_signed(),
            address: stack_of(process),
            inherited: std::os::fd::AsRawFd::as_raw_fd(&self.inherited),
            shared: self.shared.name.clone(),
            key: self.shared.key,
        }
    }

    /// Whether anything arrived anywhere.
    pub fn was_reached(&self) -> bool {
        let root = self.root();
        let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
        let entries = |path: &str| std::fs::read_dir(root.join(path)).unwrap().count();
        let hook = root.join("ws/.git/hooks/pre-commit");
        let files = hook.metadata().is_ok_and(|data| data.permissions().mode() & 0o777 == 0o777)
            || text("ws/.git/hooks/pre-commit") != "old"
            || entries("ws/.git/hooks") != 1
            || text("ws/.env") != SECRET
            || text("outside/secret") != SECRET
            || text("outside/file") != "old"
            || !text("outside/inherited").is_empty()
            || entries("outside") != 3
            || root.join("ws/.vscode").exists()
            || !root.join("ws/.git").is_dir()
            || has_special(&root);
        let network = self.tcp.accept().is_ok()
            || self.udp.recv(&mut [0; 64]).is_ok()
            || self.unix.accept().is_ok()
            || self.datagram.recv(&mut [0; 64]).is_ok()
            || self.hidden.accept().is_ok();
        let process = self.process.lock().unwrap().try_wait().unwrap().is_some();
        files || network || process || self.shared.was_reached()
    }
}

/// A device node, or a file that lends its owner's rights.
fn has_special(root: &std::path::Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let entries = std::fs::read_dir(root.join("ws")).unwrap().flatten();
    let data = entries.filter_map(|entry| entry.path().symlink_metadata().ok());
    data.into_iter().any(|data| {
        let kind = data.file_type();
        kind.is_char_device()
            || kind.is_block_device()
            || (data.is_file() && data.permissions().mode() & 0o6000 != 0)
    })
}

/// Some writable memory of a process: the end of its stack, which stays where it is.
fn stack_of(process: u32) -> usize {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    let stack = maps.lines().find(|line| line.ends_with("[stack]")).unwrap();
    let end = stack.split([' ', '-']).nth(1).unwrap();
    usize::from_str_radix(end, 16).unwrap() - 16
}

impl Drop for Range {
    fn drop(&mut self) {
        let mut process = self.process.lock().unwrap();
        let _gone = process.kill();
        let _collected = process.wait();
    }
}
