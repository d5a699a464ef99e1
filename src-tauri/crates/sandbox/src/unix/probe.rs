//! What the self-test tries from inside: a subcommand of the helper, started as a confined command.

use crate::unix::self_test::Further;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where the attempts aim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Targets {
    /// A file that doesn't exist, outside the workspace.
    pub outside: PathBuf,
    /// A file that doesn't exist, in the workspace.
    pub inside: PathBuf,
    /// A file that doesn't exist, in a protected folder of the workspace.
    pub protected: PathBuf,
    /// A file outside the workspace.
    pub secret: PathBuf,
    /// A hidden file in the workspace.
    pub hidden: PathBuf,
    /// A listener's port on the loopback.
    pub tcp: u16,
    /// A receiver's port on the loopback.
    pub udp: u16,
    /// A listening unix socket in the workspace.
    pub unix: PathBuf,
    /// A process outside.
    pub process: u32,
}

/// What came of them, as seen from inside. What counts is seen from outside, where anything can be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// What was read of the secret.
    pub secret: Option<String>,
    /// What was read of the hidden file.
    pub hidden: Option<String>,
    /// Whether the process outside could be signalled.
    pub signalled: bool,
    /// Which of the platform's further things could be done, in their order.
    pub further: Vec<bool>,
}

/// Tries everything; `None` where the targets can't be understood.
pub fn run(targets: &str, further: &[Further]) -> Option<String> {
    let targets = serde_json::from_str(targets).ok()?;
    serde_json::to_string(&find(&targets, further)).ok()
}

fn find(targets: &Targets, further: &[Further]) -> Findings {
    // Each may fail: that is the point. What must not happen is looked for from outside.
    for path in [&targets.outside, &targets.inside, &targets.protected] {
        let _refused = std::fs::write(path, b"written by the self-test");
    }
    let address = |port: u16| (std::net::Ipv4Addr::LOCALHOST, port);
    let _refused = std::net::TcpStream::connect(address(targets.tcp));
    if let Ok(socket) = std::net::UdpSocket::bind(address(0)) {
        let _refused = socket.send_to(b"self-test", address(targets.udp));
    }
    let _refused = std::os::unix::net::UnixStream::connect(&targets.unix);
    Findings {
        secret: std::fs::read_to_string(&targets.secret).ok(),
        hidden: std::fs::read_to_string(&targets.hidden).ok(),
        signalled: can_signal(targets.process),
        further: further.iter().map(|further| (further.possible)()).collect(),
    }
}

fn can_signal(process: u32) -> bool {
    // SAFETY: plain numbers; signal 0 only asks.
    unsafe { libc::kill(process.cast_signed(), 0) == 0 }
}
