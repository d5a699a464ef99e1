//! Attempts at other processes, and at what is shared with them.

use super::{Attack, Real, attack, reads};
use crate::range::{SECRET, SHARED};
use std::fs;
use std::io;
use std::path::Path;

pub const ATTACKS: &[Attack] = &[
    attack("read a sensitive file in a folder that moved", Real::Always, |aim| {
        let moved = aim.workspace.join("moved");
        fs::rename(aim.workspace.join("sub"), &moved).is_ok() && reads(&moved.join(".env"), SECRET)
    }),
    attack("change the mode of a hook", Real::Always, |aim| {
        use std::os::unix::fs::PermissionsExt;
        let hook = aim.workspace.join(".git/hooks/pre-commit");
        fs::set_permissions(hook, fs::Permissions::from_mode(0o777)).is_ok()
    }),
    attack("shared memory by its name", Real::Always, |aim| {
        // It "succeeds" in a folder of the command's own: only the receiver knows.
        let path = Path::new("/dev/shm").join(aim.shared.trim_start_matches('/'));
        let _written = fs::write(path, "new");
        false
    }),
    attack("shared memory by its key", Real::Always, |aim| {
        // SAFETY: the kernel says where the segment is, and it holds as many bytes as are written.
        unsafe {
            let segment = libc::shmget(aim.key, 0, 0o600);
            let memory = libc::shmat(segment, std::ptr::null(), 0);
            segment >= 0 && memory as isize != -1 && {
                memory.cast::<u8>().write_volatile(SHARED + 1);
                true
            }
        }
    }),
    attack("a message queue by its name", Real::Always, |aim| {
        let name = std::ffi::CString::new(aim.shared.as_str()).unwrap();
        // SAFETY: a valid C string, and one byte to send.
        unsafe {
            let queue = libc::mq_open(name.as_ptr(), libc::O_WRONLY | libc::O_NONBLOCK);
            queue >= 0 && libc::mq_send(queue, b"x".as_ptr().cast(), 1, 0) == 0
        }
    }),
    attack("take a descriptor of a process", Real::Always, |aim| takes_descriptor(aim.process)),
    attack("change another's priority", Real::Always, |aim| {
        // SAFETY: plain numbers.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, aim.process.cast_unsigned(), 5) == 0 }
    }),
    attack("reach the supervisor", Real::Elsewhere, |_| {
        let opens = |name: &str| {
            let path = format!("/proc/1/{name}");
            fs::read_link(&path).is_ok() || fs::OpenOptions::new().read(true).write(true).open(path).is_ok()
        };
        // SAFETY: only numbers and null.
        let traced = unsafe { libc::ptrace(libc::PTRACE_SEIZE, 1, 0, 0) == 0 };
        ["cwd", "exe", "mem", "ns/mnt", "root"].iter().any(|name| opens(name))
            || (0..16).any(|number| opens(&format!("fd/{number}")))
            || fs::read("/proc/1/environ").is_ok()
            || takes_descriptor(1)
            || traced
    }),
    attack("end the supervisor", Real::Elsewhere, |_| {
        // It "succeeds", but the first process of a namespace takes no signal from inside: the suite would hear of it.
        // SAFETY: plain numbers.
        unsafe {
            libc::kill(1, libc::SIGTERM);
            libc::kill(1, libc::SIGKILL);
        }
        false
    }),
    attack("a socket of any other family", Real::Always, |_| {
        let kinds = [libc::SOCK_STREAM, libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET];
        let families = (0..64).filter(|family| ![libc::AF_INET, libc::AF_INET6].contains(family));
        families.flat_map(|family| kinds.map(|kind| (family, kind))).any(|(family, kind)| {
            // SAFETY: plain numbers.
            unsafe { libc::socket(family, kind, 0) >= 0 }
        })
    }),
    attack("a pair of sockets of another family", Real::Elsewhere, |_| {
        let mut pair = [0; 2];
        // What isn't refused by the filter fails for another reason where the kernel has no such sockets.
        // SAFETY: room for two descriptors.
        let made = unsafe { libc::socketpair(libc::AF_TIPC, libc::SOCK_STREAM, 0, pair.as_mut_ptr()) };
        made == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::EACCES)
    }),
];

fn takes_descriptor(process: i32) -> bool {
    // SAFETY: plain numbers.
    unsafe {
        let handle = libc::syscall(libc::SYS_pidfd_open, process, 0);
        handle >= 0 && (0..8).any(|number| libc::syscall(libc::SYS_pidfd_getfd, handle, number, 0) >= 0)
    }
}
