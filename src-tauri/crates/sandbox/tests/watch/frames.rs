//! What the helper says, read by hand: frames, and the descriptors that come with them.

use assent_sandbox::{Command, Confinement, Level};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;

/// A frame, and the descriptors that came with it.
pub struct Frame {
    pub value: Value,
    pub descriptors: Vec<OwnedFd>,
}

/// Everything the helper says about `cat .env` in a workspace that hides `.env`, until it is done and collected.
pub fn of_reading(hidden: bool) -> (Vec<Frame>, String) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().canonicalize().unwrap();
    std::fs::write(workspace.join(".env"), "KEY=1").unwrap();
    let mut confinement = Confinement::new(Level::ReadOnly, &workspace);
    confinement.hidden = if hidden { vec![workspace.join(".env")] } else { Vec::new() };
    let command = Command::new("/bin/cat", &workspace).arg(".env");
    let (ours, theirs) = UnixStream::pair().unwrap();
    let helper = std::process::Command::new(env!("CARGO_BIN_EXE_assent-sandbox"))
        .arg("run")
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let order = serde_json::to_vec(&json!({ "command": command, "confinement": confinement })).unwrap();
    (&mut &ours).write_all(&u32::try_from(order.len()).unwrap().to_le_bytes()).unwrap();
    (&mut &ours).write_all(&order).unwrap();
    let frames = std::iter::from_fn(|| next(&ours)).collect();
    let output = helper.wait_with_output().unwrap();
    (frames, String::from_utf8(output.stdout).unwrap())
}

/// The next frame; `None` once the helper is done.
fn next(from: &UnixStream) -> Option<Frame> {
    let mut length = [0_u8; 4];
    let mut room = [0_u64; 8];
    let mut part = libc::iovec { iov_base: length.as_mut_ptr().cast(), iov_len: length.len() };
    // SAFETY: all-zero is a valid value of this structure.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = room.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&room) as _;
    // SAFETY: the structure and all it points to are valid and writable.
    let read = unsafe { libc::recvmsg(from.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) };
    if read == 0 {
        return None;
    }
    assert_eq!(read, 4, "{}", std::io::Error::last_os_error());
    let mut descriptors = Vec::new();
    // SAFETY: the kernel filled the room; a descriptor in it is new and ours. One at most is expected.
    unsafe {
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if let Some(header) = header.as_ref() {
            assert_eq!(header.cmsg_type, libc::SCM_RIGHTS);
            descriptors.push(OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned()));
        }
    }
    let mut body = vec![0; usize::try_from(u32::from_le_bytes(length)).unwrap()];
    (&mut &*from).read_exact(&mut body).unwrap();
    Some(Frame { value: serde_json::from_slice(&body).unwrap(), descriptors })
}
