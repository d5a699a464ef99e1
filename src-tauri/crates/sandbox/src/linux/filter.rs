//! Which system calls a confined command may make.

use super::bpf::{Answer, Program, Test};
use std::io;
use std::os::fd::OwnedFd;

/// What the filter lets through beside the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// Internet sockets: only in a network namespace of our own, whose loopback is all there is.
    pub internet: bool,
}

const REFUSED: Answer = Answer::Fail(libc::EPERM);

/// Calls that no tool needs and that reach other processes, the kernel, or what confines us.
const NEVER: &[(libc::c_long, &str)] = &[
    // Other processes.
    (libc::SYS_ptrace, "ptrace"),
    (libc::SYS_process_vm_readv, "process_vm_readv"),
    (libc::SYS_process_vm_writev, "process_vm_writev"),
    (libc::SYS_process_madvise, "process_madvise"),
    (libc::SYS_kcmp, "kcmp"),
    (libc::SYS_pidfd_getfd, "pidfd_getfd"),
    (libc::SYS_move_pages, "move_pages"),
    (libc::SYS_migrate_pages, "migrate_pages"),
    // Namespaces and mounts.
    (libc::SYS_setns, "setns"),
    (libc::SYS_mount, "mount"),
    (libc::SYS_umount2, "umount2"),
    (libc::SYS_pivot_root, "pivot_root"),
    (libc::SYS_chroot, "chroot"),
    (libc::SYS_open_tree, "open_tree"),
    (libc::SYS_move_mount, "move_mount"),
    (libc::SYS_fsopen, "fsopen"),
    (libc::SYS_fsconfig, "fsconfig"),
    (libc::SYS_fsmount, "fsmount"),
    (libc::SYS_fspick, "fspick"),
    (libc::SYS_mount_setattr, "mount_setattr"),
    (libc::SYS_name_to_handle_at, "name_to_handle_at"),
    (libc::SYS_open_by_handle_at, "open_by_handle_at"),
    // Ways around this filter.
    (libc::SYS_io_uring_setup, "io_uring_setup"),
    (libc::SYS_io_uring_enter, "io_uring_enter"),
    (libc::SYS_io_uring_register, "io_uring_register"),
    // Keys of the user's session.
    (libc::SYS_keyctl, "keyctl"),
    (libc::SYS_add_key, "add_key"),
    (libc::SYS_request_key, "request_key"),
    // The kernel's attack surface.
    (libc::SYS_bpf, "bpf"),
    (libc::SYS_userfaultfd, "userfaultfd"),
    (libc::SYS_perf_event_open, "perf_event_open"),
    (libc::SYS_fanotify_init, "fanotify_init"),
    (libc::SYS_quotactl, "quotactl"),
    (libc::SYS_lookup_dcookie, "lookup_dcookie"),
    (libc::SYS_vhangup, "vhangup"),
    // The machine.
    (libc::SYS_kexec_load, "kexec_load"),
    (libc::SYS_kexec_file_load, "kexec_file_load"),
    (libc::SYS_init_module, "init_module"),
    (libc::SYS_finit_module, "finit_module"),
    (libc::SYS_delete_module, "delete_module"),
    (libc::SYS_reboot, "reboot"),
    (libc::SYS_swapon, "swapon"),
    (libc::SYS_swapoff, "swapoff"),
    (libc::SYS_acct, "acct"),
    (libc::SYS_syslog, "syslog"),
    (libc::SYS_settimeofday, "settimeofday"),
    (libc::SYS_clock_settime, "clock_settime"),
    (libc::SYS_clock_adjtime, "clock_adjtime"),
    (libc::SYS_adjtimex, "adjtimex"),
    (libc::SYS_sethostname, "sethostname"),
    (libc::SYS_setdomainname, "setdomainname"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_iopl, "iopl"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_ioperm, "ioperm"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_modify_ldt, "modify_ldt"),
];

/// Calls newer than the C library's table: the number is the same on every architecture.
const NEVER_BY_NUMBER: &[(libc::c_long, &str)] =
    &[(443, "quotactl_fd"), (457, "statmount"), (458, "listmount"), (467, "open_tree_attr")];

/// Calls that well-behaved programs try and do without: refusing them is not worth telling.
const BY_HABIT: &[libc::c_long] =
    &[libc::SYS_io_uring_setup, libc::SYS_name_to_handle_at, libc::SYS_perf_event_open, 457, 458];

/// Calls that change a file: answered by the kernel, but the supervisor looks first whether the sandbox is about to
/// refuse them.
const CHANGES: &[libc::c_long] = &[
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_mknodat,
    libc::SYS_truncate,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_renameat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mknod,
];

/// Every way to make a namespace by `clone(2)`.
const NEW_NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET)
    .cast_unsigned();

/// `CLONE_NEWTIME`; in `clone(2)` the bit belongs to the exit signal.
const NEW_TIME: u32 = 0x80;

/// Set-user-id and set-group-id: what a run leaves behind must not lend anybody's rights.
const SET_ID: u32 = libc::S_ISUID | libc::S_ISGID;

/// Applies the filter to this process for good. Answers the descriptor on which the supervisor is asked, or nothing
/// where the kernel has no such channel to give (another one is in use): then refusals are not reported.
pub fn apply(network: Network) -> io::Result<Option<OwnedFd>> {
    match program(network, true).apply(true) {
        Ok(listener) => Ok(listener),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EBUSY | libc::EINVAL)) => {
            program(network, false).apply(false)
        }
        Err(error) => Err(error),
    }
}

/// The name of a call that is always refused.
pub fn name_of(call: libc::c_long) -> Option<&'static str> {
    let conditional = [(libc::SYS_clone, "clone"), (libc::SYS_unshare, "unshare")];
    NEVER
        .iter()
        .chain(NEVER_BY_NUMBER)
        .chain(&conditional)
        .find(|(number, _)| *number == call)
        .map(|(_, name)| *name)
}

/// Whether programs try this call and do without.
pub fn is_tried_by_habit(call: libc::c_long) -> bool {
    BY_HABIT.contains(&call)
}

/// A file that a call changes, as its arguments name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The folder's descriptor.
    pub folder: u64,
    /// The address of the path.
    pub path: u64,
    /// Whether what the path leads to is changed, rather than the entry in its folder.
    pub follows: bool,
    /// Whether the call only makes something new.
    pub makes: bool,
}

/// The files that a call changes.
pub fn targets(call: libc::c_long, arguments: &[u64; 6]) -> Vec<Target> {
    let [a, b, c, d, ..] = *arguments;
    let here = u64::from(libc::AT_FDCWD.cast_unsigned());
    let entry = |folder, path| Target { folder, path, follows: false, makes: false };
    let new = |folder, path| Target { folder, path, follows: false, makes: true };
    let file = |folder, path| Target { folder, path, follows: true, makes: false };
    match call {
        libc::SYS_openat => vec![file(a, b)],
        libc::SYS_truncate => vec![file(here, a)],
        libc::SYS_unlinkat => vec![entry(a, b)],
        libc::SYS_mkdirat | libc::SYS_mknodat => vec![new(a, b)],
        libc::SYS_renameat2 => vec![entry(a, b), entry(c, d)],
        libc::SYS_linkat => vec![new(c, d)],
        libc::SYS_symlinkat => vec![new(b, c)],
        _ => old_targets(call, arguments),
    }
}

/// Calls that only the oldest 64-bit architecture has.
#[cfg(target_arch = "x86_64")]
fn old_targets(call: libc::c_long, arguments: &[u64; 6]) -> Vec<Target> {
    let [a, b, c, d, ..] = *arguments;
    let here = u64::from(libc::AT_FDCWD.cast_unsigned());
    let entry = |folder, path| Target { folder, path, follows: false, makes: false };
    let new = |folder, path| Target { folder, path, follows: false, makes: true };
    match call {
        libc::SYS_open | libc::SYS_creat => {
            vec![Target { folder: here, path: a, follows: true, makes: false }]
        }
        libc::SYS_rmdir | libc::SYS_unlink => vec![entry(here, a)],
        libc::SYS_mkdir | libc::SYS_mknod => vec![new(here, a)],
        libc::SYS_rename => vec![entry(here, a), entry(here, b)],
        libc::SYS_renameat => vec![entry(a, b), entry(c, d)],
        libc::SYS_link | libc::SYS_symlink => vec![new(here, b)],
        _ => Vec::new(),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn old_targets(_call: libc::c_long, _arguments: &[u64; 6]) -> Vec<Target> {
    Vec::new()
}

fn program(network: Network, ask: bool) -> Program {
    let mut program = Program::new();
    let told = if ask { Answer::Ask } else { REFUSED };
    for (call, _) in NEVER.iter().chain(NEVER_BY_NUMBER) {
        program.on(*call, told);
    }
    namespaces(&mut program, told);
    sockets(&mut program, network, ask);
    terminals(&mut program);
    left_behind(&mut program);
    if ask {
        changes(&mut program);
    }
    program
}

fn namespaces(program: &mut Program, told: Answer) {
    program.on_argument(libc::SYS_clone, 0, Test::AnyBit(NEW_NAMESPACES), told);
    program.on_argument(libc::SYS_unshare, 0, Test::AnyBit(NEW_NAMESPACES | NEW_TIME), told);
    // Its flags lie in memory, where a filter can't look: programs fall back to `clone`.
    program.on(libc::SYS_clone3, Answer::Fail(libc::ENOSYS));
    // Reading the personality (0xffffffff) and the plain one stay.
    program.on_argument(libc::SYS_personality, 0, Test::Is(0), Answer::Allow);
    program.on_argument(libc::SYS_personality, 0, Test::Is(u32::MAX), Answer::Allow);
    program.on(libc::SYS_personality, REFUSED);
}

fn sockets(program: &mut Program, network: Network, ask: bool) {
    let told = if ask { Answer::Ask } else { Answer::Fail(libc::EACCES) };
    if network.internet {
        for family in [libc::AF_INET, libc::AF_INET6] {
            program.on_argument(libc::SYS_socket, 0, Test::Is(family.cast_unsigned()), Answer::Allow);
        }
        if ask {
            program.on(libc::SYS_connect, Answer::Ask);
        }
    }
    program.on(libc::SYS_socket, told);
    // Pairs stay, of the one family that everybody has, less datagram ones: those can still send to any address.
    let family = Test::IsNot(libc::AF_UNIX.cast_unsigned());
    program.on_argument(libc::SYS_socketpair, 0, family, Answer::Fail(libc::EACCES));
    let kind = 0xF;
    program.on_argument(
        libc::SYS_socketpair,
        1,
        Test::Masked(kind, libc::SOCK_STREAM.cast_unsigned()),
        Answer::Allow,
    );
    program.on_argument(
        libc::SYS_socketpair,
        1,
        Test::Masked(kind, libc::SOCK_SEQPACKET.cast_unsigned()),
        Answer::Allow,
    );
    program.on(libc::SYS_socketpair, Answer::Fail(libc::EACCES));
}

fn terminals(program: &mut Program) {
    // Both put input into a terminal (CVE-2017-5226, CVE-2023-28339).
    for request in [libc::TIOCSTI, libc::TIOCLINUX] {
        let request = u32::try_from(request).unwrap_or(u32::MAX);
        program.on_argument(libc::SYS_ioctl, 1, Test::Is(request), REFUSED);
    }
}

fn left_behind(program: &mut Program) {
    const FCHMODAT2: libc::c_long = 452;
    let by_mode = [
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (FCHMODAT2, 2),
        (libc::SYS_mknodat, 2),
        (libc::SYS_mkdirat, 2),
        (libc::SYS_openat, 3),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, 1),
    ];
    for (call, mode) in by_mode {
        program.on_argument(call, mode, Test::AnyBit(SET_ID), REFUSED);
    }
    // Its mode lies in memory, where a filter can't look: programs fall back to `openat`.
    program.on(libc::SYS_openat2, Answer::Fail(libc::ENOSYS));
}

fn changes(program: &mut Program) {
    let writing = (libc::O_WRONLY
        | libc::O_RDWR
        | libc::O_CREAT
        | libc::O_TRUNC
        | (libc::O_TMPFILE & !libc::O_DIRECTORY))
        .cast_unsigned();
    program.on_argument(libc::SYS_openat, 2, Test::AnyBit(writing), Answer::Ask);
    #[cfg(target_arch = "x86_64")]
    program.on_argument(libc::SYS_open, 1, Test::AnyBit(writing), Answer::Ask);
    for call in CHANGES {
        program.on(*call, Answer::Ask);
    }
}
