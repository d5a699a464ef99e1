//! The attempts. Each is a small program; it says whether it believes to have succeeded.

mod kernel;
mod others;

use crate::range::{Aim, MARK, SECRET};
use std::fs;
use std::io::Read;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixStream};

pub struct Attack {
    pub name: &'static str,
    pub real: Real,
    pub go: fn(&Aim) -> bool,
}

/// Where the attempt succeeds without a sandbox.
pub enum Real {
    /// Everywhere.
    Always,
    /// For root.
    ForRoot,
    /// On other machines or kernels: too dangerous, or not available here.
    Elsewhere,
}

const fn attack(name: &'static str, real: Real, go: fn(&Aim) -> bool) -> Attack {
    Attack { name, real, go }
}

/// Every attempt.
pub fn all() -> impl Iterator<Item = &'static Attack> {
    ATTACKS.iter().chain(others::ATTACKS).chain(kernel::ATTACKS)
}

const ATTACKS: &[Attack] = &[
    // Files.
    attack("write outside by path", Real::Always, |aim| {
        fs::write(aim.outside.join("new"), "x").is_ok()
            && aim.outside.join("new").exists()
            && outside_is_real(aim)
    }),
    attack("write outside through a link", Real::Always, |aim| {
        fs::write(aim.workspace.join("link/file"), "new").is_ok()
    }),
    attack("rename out", Real::Always, |aim| {
        let made = aim.workspace.join("sub/made");
        fs::write(&made, "x").is_ok() && fs::rename(&made, aim.outside.join("made")).is_ok()
    }),
    attack("hard link to the outside", Real::Always, |aim| {
        fs::hard_link(aim.outside.join("file"), aim.workspace.join("sub/hard")).is_ok()
            && fs::write(aim.workspace.join("sub/hard"), "new").is_ok()
    }),
    attack("write through /proc/self/root", Real::Always, |aim| write_below(aim, "/proc/self/root")),
    attack("write through /proc/1/root", Real::Elsewhere, |aim| write_below(aim, "/proc/1/root")),
    attack("write through /proc/self/fd", Real::Always, |aim| {
        let Ok(folder) = fs::File::open(&aim.outside) else { return false };
        let number = std::os::fd::AsRawFd::as_raw_fd(&folder);
        fs::write(format!("/proc/self/fd/{number}/file"), "new").is_ok()
    }),
    attack("change by mapped memory", Real::Always, |aim| map_and_change(&aim.outside.join("file"))),
    attack("truncate outside", Real::Always, |aim| {
        let path = c_path(&aim.outside.join("file"));
        // SAFETY: a valid C string.
        unsafe { libc::truncate(path.as_ptr(), 0) == 0 }
    }),
    attack("write a hook", Real::Always, |aim| {
        fs::write(aim.workspace.join(".git/hooks/pre-commit"), "new").is_ok()
    }),
    attack("rename the repository away", Real::Always, |aim| {
        fs::rename(aim.workspace.join(".git"), aim.workspace.join("g")).is_ok()
    }),
    attack("make a protected folder", Real::Always, |aim| {
        fs::create_dir(aim.workspace.join(".vscode")).is_ok()
            && fs::write(aim.workspace.join(".vscode/tasks.json"), "x").is_ok()
    }),
    attack("rename onto a protected name", Real::Always, |aim| {
        fs::rename(aim.workspace.join("sub"), aim.workspace.join(".vscode")).is_ok()
    }),
    attack("read a credential", Real::Always, |aim| reads(&aim.outside.join("secret"), SECRET)),
    attack("read a sensitive file", Real::Always, |aim| reads(&aim.workspace.join(".env"), SECRET)),
    attack("read a sensitive file under another name", Real::Always, |aim| {
        let other = aim.workspace.join("sub/other");
        let (from, to) = (aim.workspace.join(".env"), &other);
        fs::hard_link(&from, to).or_else(|_| fs::rename(&from, to)).is_ok() && reads(&other, SECRET)
    }),
    attack("read the shadow file", Real::ForRoot, |_| fs::read("/etc/shadow").is_ok()),
    attack("use a descriptor of the caller", Real::Elsewhere, |aim| {
        // SAFETY: the byte is valid; the descriptor may be anything.
        unsafe { libc::write(aim.inherited, b"x".as_ptr().cast(), 1) == 1 }
    }),
    attack("make a device", Real::ForRoot, |aim| {
        let path = c_path(&aim.workspace.join("device"));
        // SAFETY: a valid C string.
        unsafe { libc::mknod(path.as_ptr(), libc::S_IFCHR | 0o666, libc::makedev(1, 3)) == 0 }
    }),
    attack("leave a set-user-id program", Real::Always, |aim| {
        let path = aim.workspace.join("program");
        fs::write(&path, "x").is_ok()
            && fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).is_ok()
    }),
    attack("change a kernel setting", Real::Elsewhere, |_| {
        fs::OpenOptions::new().write(true).open("/proc/sys/kernel/core_pattern").is_ok()
    }),
    // Mounts and namespaces.
    attack("mount", Real::ForRoot, |aim| {
        let (kind, at) = (c"tmpfs", c_path(&aim.workspace.join("sub")));
        // SAFETY: valid C strings. In a namespace of its own where that is possible, so that nothing is left.
        unsafe {
            libc::unshare(libc::CLONE_NEWNS) == 0
                && libc::mount(kind.as_ptr(), at.as_ptr(), kind.as_ptr(), 0, std::ptr::null()) == 0
        }
    }),
    attack("make the repository writable again", Real::Elsewhere, |aim| {
        let at = c_path(&aim.workspace.join(".git"));
        let flags = libc::MS_REMOUNT | libc::MS_BIND;
        // SAFETY: valid C strings.
        unsafe {
            libc::mount(std::ptr::null(), at.as_ptr(), std::ptr::null(), flags, std::ptr::null()) == 0
                || libc::umount2(at.as_ptr(), libc::MNT_DETACH) == 0
        }
    }),
    attack("a user namespace", Real::Always, |_| {
        // SAFETY: plain numbers.
        unsafe {
            libc::unshare(libc::CLONE_NEWUSER) == 0
                || libc::syscall(libc::SYS_clone, libc::CLONE_NEWUSER | libc::SIGCHLD, 0, 0, 0, 0) >= 0
        }
    }),
    attack("a user namespace by clone3", Real::Always, |_| {
        let mut arguments = [0_u64; 8];
        arguments[0] = u64::from(libc::CLONE_NEWUSER.cast_unsigned());
        arguments[4] = u64::from(libc::SIGCHLD.cast_unsigned());
        // SAFETY: a valid structure of the given size; the child ends at once.
        match unsafe { libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size_of_val(&arguments)) } {
            // SAFETY: never returns.
            0 => unsafe { libc::_exit(0) },
            pid => pid > 0,
        }
    }),
    attack("chroot", Real::ForRoot, |aim| {
        let path = c_path(&aim.workspace);
        // SAFETY: a valid C string.
        unsafe { libc::chroot(path.as_ptr()) == 0 }
    }),
    attack("open by handle", Real::ForRoot, |aim| opens_by_handle(&aim.workspace)),
    // Network.
    attack("TCP", Real::Always, |aim| std::net::TcpStream::connect(("127.0.0.1", aim.tcp)).is_ok()),
    attack("UDP", Real::Always, |aim| {
        // It "succeeds" in an empty network namespace: only the receiver knows.
        if let Ok(socket) = std::net::UdpSocket::bind("127.0.0.1:0") {
            let _sent = socket.send_to(b"x", ("127.0.0.1", aim.udp));
        }
        false
    }),
    attack("a unix socket by its path", Real::Always, |aim| {
        UnixStream::connect(aim.workspace.join("socket")).is_ok()
    }),
    attack("a unix socket from a pair", Real::Always, sends_from_pair),
    attack("an abstract unix socket", Real::Always, |aim| {
        SocketAddr::from_abstract_name(&aim.abstract_name)
            .and_then(|address| UnixStream::connect_addr(&address))
            .is_ok()
    }),
    attack("netlink", Real::Always, |_| opens_socket(libc::AF_NETLINK, libc::SOCK_RAW)),
    attack("vsock", Real::Elsewhere, |_| opens_socket(libc::AF_VSOCK, libc::SOCK_STREAM)),
    attack("packets", Real::ForRoot, |_| opens_socket(libc::AF_PACKET, libc::SOCK_RAW)),
    attack("the kernel's crypto sockets", Real::Elsewhere, |_| {
        opens_socket(libc::AF_ALG, libc::SOCK_SEQPACKET)
    }),
    // Other processes.
    attack("signal", Real::Always, |aim| {
        // SAFETY: plain numbers.
        unsafe { libc::kill(aim.process, libc::SIGKILL) == 0 && libc::kill(aim.process, 0) == 0 }
    }),
    attack("ptrace", Real::Always, |aim| {
        // SAFETY: only numbers and null.
        unsafe { libc::ptrace(libc::PTRACE_SEIZE, aim.process, 0, 0) == 0 }
    }),
    attack("write into a process", Real::Always, writes_into),
    attack("write /proc/PID/mem", Real::Always, |aim| {
        fs::OpenOptions::new().write(true).open(format!("/proc/{}/mem", aim.process)).is_ok()
    }),
    attack("read /proc/PID/environ", Real::Always, |aim| {
        environments().any(|text| text.contains(MARK)) || environment(aim.process).contains(MARK)
    }),
    attack("change another's limits", Real::Always, |aim| {
        let limit = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: a valid structure; nothing is asked for.
        unsafe {
            libc::prlimit64(aim.process, libc::RLIMIT_CORE, &raw const limit, std::ptr::null_mut()) == 0
        }
    }),
    // The kernel.
    attack("io_uring", Real::Always, |_| {
        let mut parameters = [0_u8; 120];
        // SAFETY: room for the structure of this size.
        unsafe { libc::syscall(libc::SYS_io_uring_setup, 4, parameters.as_mut_ptr()) >= 0 }
    }),
    attack("keys", Real::Elsewhere, |_| {
        // SAFETY: plain numbers: the session's keyring.
        unsafe { libc::syscall(libc::SYS_keyctl, 0, -3, 0) >= 0 }
    }),
    attack("add a key", Real::Elsewhere, |_| {
        // SAFETY: valid C strings, a payload of one byte.
        unsafe {
            libc::syscall(libc::SYS_add_key, c"user".as_ptr(), c"escape".as_ptr(), c"x".as_ptr(), 1, -3) >= 0
        }
    }),
    attack("bpf", Real::Elsewhere, |_| {
        let mut attributes = [0_u32; 32];
        (attributes[0], attributes[1], attributes[2], attributes[3]) = (2, 4, 4, 1);
        // SAFETY: room for the structure of this size.
        unsafe { libc::syscall(libc::SYS_bpf, 0, attributes.as_mut_ptr(), size_of_val(&attributes)) >= 0 }
    }),
    attack("userfaultfd", Real::Elsewhere, |_| {
        // SAFETY: plain numbers; 1 is UFFD_USER_MODE_ONLY.
        unsafe { libc::syscall(libc::SYS_userfaultfd, 1) >= 0 }
    }),
    attack("performance counters", Real::Elsewhere, |_| {
        let mut attributes = [0_u64; 16];
        (attributes[0], attributes[1]) = (1 | (128 << 32), 0);
        // SAFETY: room for the structure of the size it names.
        unsafe { libc::syscall(libc::SYS_perf_event_open, attributes.as_mut_ptr(), 0, -1, -1, 0) >= 0 }
    }),
    attack("put input into a terminal", Real::Elsewhere, |_| {
        // SAFETY: the byte is valid. Refused by the filter, whatever the descriptor is.
        unsafe { libc::ioctl(1, libc::TIOCSTI, c"x".as_ptr()) == 0 || fs::File::open("/dev/tty").is_ok() }
    }),
    attack("regain privileges", Real::Elsewhere, |_| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let value = |name: &str| {
            status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("?").trim().to_owned()
        };
        let none =
            ["CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"].iter().all(|name| value(name) == "0000000000000000");
        !(none && value("NoNewPrivs:") == "1" && value("Seccomp:") == "2")
    }),
    #[cfg(target_arch = "x86_64")]
    attack("the 32-bit system calls", Real::Elsewhere, |_| {
        let answer: i32;
        // SAFETY: asks for this process's id by the old interrupt; changes one register.
        unsafe { std::arch::asm!("int 0x80", inout("eax") 20 => answer) };
        answer > 0
    }),
];

/// In a private temp folder a write "succeeds" and arrives nowhere: only the receiver knows.
fn outside_is_real(aim: &Aim) -> bool {
    aim.outside.join("file").exists()
}

fn write_below(aim: &Aim, root: &str) -> bool {
    let outside = aim.outside.strip_prefix("/").unwrap_or(&aim.outside);
    fs::write(std::path::Path::new(root).join(outside).join("file"), "new").is_ok()
}

fn reads(path: &std::path::Path, secret: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text == secret)
}

fn c_path(path: &std::path::Path) -> std::ffi::CString {
    std::ffi::CString::new(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str())).unwrap()
}

fn map_and_change(path: &std::path::Path) -> bool {
    let Ok(file) = fs::OpenOptions::new().read(true).write(true).open(path) else { return false };
    let number = std::os::fd::AsRawFd::as_raw_fd(&file);
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a fresh mapping of three bytes of a file we opened; written only where it was made.
    unsafe {
        let memory = libc::mmap(std::ptr::null_mut(), 3, rights, libc::MAP_SHARED, number, 0);
        if memory == libc::MAP_FAILED {
            return false;
        }
        memory.cast::<u8>().write_volatile(b'X');
        libc::msync(memory, 3, libc::MS_SYNC) == 0
    }
}

fn opens_socket(family: i32, kind: i32) -> bool {
    // SAFETY: plain numbers.
    unsafe { libc::socket(family, kind, 0) >= 0 }
}

/// A datagram socket of a pair can still send to any name.
fn sends_from_pair(aim: &Aim) -> bool {
    let mut pair = [0; 2];
    // SAFETY: room for two descriptors.
    if unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_DGRAM, 0, pair.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: all-zero is a valid value; the path fits and stays terminated.
    let sent = unsafe {
        let mut address: libc::sockaddr_un = std::mem::zeroed();
        address.sun_family = u16::try_from(libc::AF_UNIX).unwrap();
        let path = aim.workspace.join("datagram");
        for (place, byte) in
            address.sun_path.iter_mut().zip(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()))
        {
            *place = byte.cast_signed();
        }
        let length = u32::try_from(size_of::<libc::sockaddr_un>()).unwrap();
        libc::sendto(pair[0], b"x".as_ptr().cast(), 1, 0, (&raw const address).cast(), length)
    };
    sent == 1
}

fn opens_by_handle(folder: &std::path::Path) -> bool {
    #[repr(C)]
    struct Handle {
        bytes: u32,
        kind: i32,
        data: [u8; 128],
    }
    let mut handle = Handle { bytes: 128, kind: 0, data: [0; 128] };
    let (path, mut mount) = (c_path(folder), 0);
    let Ok(root) = fs::File::open(folder) else { return false };
    // SAFETY: a valid C string and a structure with the room it names.
    unsafe {
        let at = &raw mut handle;
        libc::syscall(libc::SYS_name_to_handle_at, libc::AT_FDCWD, path.as_ptr(), at, &raw mut mount, 0) == 0
            && libc::syscall(
                libc::SYS_open_by_handle_at,
                std::os::fd::AsRawFd::as_raw_fd(&root),
                at,
                libc::O_RDONLY,
            ) >= 0
    }
}

fn writes_into(aim: &Aim) -> bool {
    let mut byte = [0_u8];
    let ours = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let theirs = libc::iovec { iov_base: aim.address as *mut libc::c_void, iov_len: 1 };
    // SAFETY: ours is one byte of room; the kernel checks theirs. What is written was read there before.
    unsafe {
        libc::process_vm_readv(aim.process, &raw const ours, 1, &raw const theirs, 1, 0) == 1
            && libc::process_vm_writev(aim.process, &raw const ours, 1, &raw const theirs, 1, 0) == 1
    }
}

fn environment(process: i32) -> String {
    let mut text = Vec::new();
    match fs::File::open(format!("/proc/{process}/environ")).and_then(|mut file| file.read_to_end(&mut text))
    {
        Ok(_) => String::from_utf8_lossy(&text).into_owned(),
        Err(_) => String::new(),
    }
}

fn environments() -> impl Iterator<Item = String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).map(environment)
}
