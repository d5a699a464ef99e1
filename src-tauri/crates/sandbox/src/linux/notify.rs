//! Answering the filter's questions, and telling from them what the sandbox refuses.
//!
//! What is read here decides nothing about access: a thread of the command could change it meanwhile. Calls that are
//! refused are refused whatever their arguments; all others go on to the kernel, which refuses by the mounts.

use super::{filter, sys};
use crate::confinement::Confinement;
use crate::outcome::{Refusal, RefusalKind};
use std::collections::HashSet;
use std::ffi::{CString, OsStr};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The filter's questions, and what is known to answer them.
#[derive(Debug)]
pub struct Questions {
    channel: OwnedFd,
    guarded: HashSet<PathBuf>,
    told: HashSet<Refusal>,
}

/// What becomes of a call.
enum Reply {
    Continue,
    Fail(libc::c_int),
}

/// Most different refusals that are told; a command can make up any number.
const MOST_TOLD: usize = 256;

impl AsRawFd for Questions {
    fn as_raw_fd(&self) -> RawFd {
        self.channel.as_raw_fd()
    }
}

impl Questions {
    /// Questions arriving on `channel`.
    pub fn new(channel: OwnedFd, confinement: &Confinement) -> Self {
        let replaced = confinement.replaced.iter().map(|replaced| &replaced.path);
        let guarded =
            confinement.protected.iter().chain(&confinement.hidden).chain(replaced).cloned().collect();
        Self { channel, guarded, told: HashSet::new() }
    }

    /// Answers one question; gives the refusals that weren't told yet.
    pub fn answer(&mut self) -> Vec<Refusal> {
        // SAFETY: all-zero is a valid value of this structure, and what the kernel wants to find.
        let mut asked: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the structure is writable and of the kind this request takes.
        let returned =
            unsafe { libc::ioctl(self.channel.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut asked) };
        if returned < 0 {
            // The asking thread is gone, or nothing is left that could ask.
            return Vec::new();
        }
        let (reply, refusals) = self.judge(&asked);
        let (error, flags) = match reply {
            Reply::Continue => (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
            Reply::Fail(errno) => (errno.saturating_neg(), 0),
        };
        let response = libc::seccomp_notif_resp { id: asked.id, val: 0, error, flags };
        // SAFETY: the structure is valid and of the kind this request takes. A thread that is gone needs no answer.
        unsafe { libc::ioctl(self.channel.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const response) };
        let mut fresh = refusals;
        fresh.retain(|refusal| self.told.len() < MOST_TOLD && self.told.insert(refusal.clone()));
        fresh
    }

    fn judge(&self, asked: &libc::seccomp_notif) -> (Reply, Vec<Refusal>) {
        let call = libc::c_long::from(asked.data.nr);
        let [first, second, ..] = asked.data.args;
        if call == libc::SYS_socket {
            let refusal = Refusal { kind: RefusalKind::Socket, what: family(first) };
            return (Reply::Fail(libc::EACCES), vec![refusal]);
        }
        if call == libc::SYS_connect {
            let address = read_address(asked.pid, second, asked.data.args[2]);
            let refused = address.filter(|address| !address.loopback);
            let refusal = refused.map(|address| Refusal { kind: RefusalKind::Connect, what: address.text });
            return (Reply::Continue, refusal.into_iter().collect());
        }
        if let Some(name) = filter::name_of(call) {
            let refusal = Refusal { kind: RefusalKind::Call, what: name.to_owned() };
            let told = !filter::is_tried_by_habit(call);
            return (Reply::Fail(libc::EPERM), if told { vec![refusal] } else { Vec::new() });
        }
        (Reply::Continue, self.refused_changes(call, asked))
    }

    fn refused_changes(&self, call: libc::c_long, asked: &libc::seccomp_notif) -> Vec<Refusal> {
        let targets = filter::targets(call, &asked.data.args);
        let paths = targets.into_iter().filter_map(|target| {
            let path = read_path(asked.pid, target.path)?;
            let full = base(asked.pid, target.folder, &path)?;
            let place = Place::find(&full, target.follows)?;
            let guarded = self.guarded.contains(&place.path);
            // Making what exists fails with or without a sandbox.
            let idle = target.makes && place.path.symlink_metadata().is_ok();
            (guarded || (!idle && place.is_refused())).then_some(place.path)
        });
        paths.map(|path| Refusal { kind: RefusalKind::Write, what: path.display().to_string() }).collect()
    }
}

/// A file to be changed, or to come to be, with its folder resolved.
struct Place {
    path: PathBuf,
    /// What must be writable for the change: the file, or the folder it lies in.
    decisive: PathBuf,
}

impl Place {
    fn find(path: &Path, follows: bool) -> Option<Self> {
        if follows && let Some(real) = real_path(path) {
            return Some(Self { decisive: real.clone(), path: real });
        }
        let folder = real_path(path.parent()?)?;
        let path = folder.join(path.file_name()?);
        Some(Self { path, decisive: folder })
    }

    /// Whether the kernel refuses for the read-only mount, where the user's own rights would do.
    fn is_refused(&self) -> bool {
        let Ok(text) = CString::new(self.decisive.as_os_str().as_bytes()) else { return false };
        // SAFETY: a valid C string.
        let returned = unsafe { libc::faccessat(sys::HERE, text.as_ptr(), libc::W_OK, 0) };
        let read_only = returned < 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EROFS);
        // Settings of the kernel and terminals are no files of the user's.
        let of_the_system = ["/proc", "/dev"].iter().any(|system| self.decisive.starts_with(system));
        read_only && !of_the_system && rights_would_do(&text)
    }
}

fn rights_would_do(path: &CString) -> bool {
    // SAFETY: take nothing.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let Ok(status) = sys::status_at(sys::HERE, path) else { return false };
    let bits = if status.st_uid == user {
        libc::S_IWUSR
    } else if status.st_gid == group {
        libc::S_IWGRP
    } else {
        libc::S_IWOTH
    };
    user == 0 || status.st_mode & bits != 0
}

/// The path with every symlink resolved, for what exists.
fn real_path(path: &Path) -> Option<PathBuf> {
    let text = CString::new(path.as_os_str().as_bytes()).ok()?;
    let file = sys::open_at(sys::HERE, &text, libc::O_PATH, 0).ok()?;
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

/// The path as an absolute one, seen from the process that gave it.
fn base(pid: u32, folder: u64, path: &Path) -> Option<PathBuf> {
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    // Only the low half of the register is the descriptor.
    let folder = (folder & 0xFFFF_FFFF) as u32;
    let link = if folder.cast_signed() == libc::AT_FDCWD {
        format!("/proc/{pid}/cwd")
    } else {
        format!("/proc/{pid}/fd/{folder}")
    };
    Some(std::fs::read_link(link).ok()?.join(path))
}

fn read_path(pid: u32, address: u64) -> Option<PathBuf> {
    let mut text = Vec::new();
    // Page by page: the text may end right before memory that isn't there.
    while text.len() < usize::try_from(libc::PATH_MAX).ok()? {
        let from = address.checked_add(u64::try_from(text.len()).ok()?)?;
        let length = usize::try_from(4096 - from % 4096).ok()?;
        let piece = read_memory(pid, from, length)?;
        if let Some(end) = piece.iter().position(|byte| *byte == 0) {
            text.extend_from_slice(piece.get(..end)?);
            return Some(PathBuf::from(OsStr::from_bytes(&text)));
        }
        text.extend_from_slice(&piece);
    }
    None
}

pub(super) fn read_memory(pid: u32, address: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0_u8; length];
    let ours = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: length };
    let theirs =
        libc::iovec { iov_base: usize::try_from(address).ok()? as *mut libc::c_void, iov_len: length };
    // SAFETY: the kernel checks their address; ours is writable and its length is given.
    let read =
        unsafe { libc::process_vm_readv(pid.cast_signed(), &raw const ours, 1, &raw const theirs, 1, 0) };
    let read = usize::try_from(read).ok().filter(|read| *read > 0)?;
    bytes.truncate(read);
    Some(bytes)
}

struct Address {
    text: String,
    loopback: bool,
}

fn read_address(pid: u32, address: u64, length: u64) -> Option<Address> {
    let bytes = read_memory(pid, address, usize::try_from(length).ok()?.min(128))?;
    let family = u16::from_ne_bytes([*bytes.first()?, *bytes.get(1)?]);
    let port = u16::from_be_bytes([*bytes.get(2)?, *bytes.get(3)?]);
    match libc::c_int::from(family) {
        libc::AF_INET => {
            let octets: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
            let ip = std::net::Ipv4Addr::from(octets);
            Some(Address { text: format!("{ip}:{port}"), loopback: ip.is_loopback() || ip.is_unspecified() })
        }
        libc::AF_INET6 => {
            let octets: [u8; 16] = bytes.get(8..24)?.try_into().ok()?;
            let ip = std::net::Ipv6Addr::from(octets);
            let mapped = ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback());
            let loopback = ip.is_loopback() || ip.is_unspecified() || mapped;
            Some(Address { text: format!("[{ip}]:{port}"), loopback })
        }
        _ => None,
    }
}

fn family(number: u64) -> String {
    match libc::c_int::try_from(number & 0xFFFF_FFFF).unwrap_or(-1) {
        libc::AF_UNIX => "unix".to_owned(),
        libc::AF_INET => "IPv4".to_owned(),
        libc::AF_INET6 => "IPv6".to_owned(),
        libc::AF_NETLINK => "netlink".to_owned(),
        libc::AF_PACKET => "packet".to_owned(),
        libc::AF_VSOCK => "vsock".to_owned(),
        libc::AF_ALG => "kernel crypto".to_owned(),
        other => format!("family {other}"),
    }
}
