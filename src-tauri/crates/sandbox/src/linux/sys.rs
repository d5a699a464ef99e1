//! Thin wrappers over the system calls that the standard library lacks. Each returns the kernel's own error.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};

/// `AT_FDCWD` as a borrowed place for the calls below.
pub const HERE: RawFd = libc::AT_FDCWD;

/// Turns a system call's return value into a result.
pub fn check(returned: libc::c_long) -> io::Result<libc::c_long> {
    if returned < 0 { Err(io::Error::last_os_error()) } else { Ok(returned) }
}

fn owned(returned: libc::c_long) -> io::Result<OwnedFd> {
    let raw = RawFd::try_from(check(returned)?).map_err(io::Error::other)?;
    // SAFETY: the kernel just made this descriptor for us; nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
}

/// `clone(2)` in the manner of `fork`: `None` in the child, its process id in the parent.
///
/// The caller is single-threaded, so the child may use everything.
pub fn fork_with(flags: libc::c_int) -> io::Result<Option<libc::pid_t>> {
    let flags = libc::c_long::from(flags | libc::SIGCHLD);
    // SAFETY: no new stack is given, so the child continues here on a copy of this one; the process has one thread.
    let pid = check(unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) })?;
    Ok(if pid == 0 { None } else { Some(libc::pid_t::try_from(pid).map_err(io::Error::other)?) })
}

/// Runs `work` in a new process that shares this one's memory and descriptors, as `posix_spawn(3)` does; this process
/// stands still until the new one has executed a program or ended. It ends with `work`. Gives its process id.
///
/// Nothing is copied for it, and what `work` leaves in `shared` is there afterwards.
pub fn run_beside<T>(shared: &mut T, work: fn(&mut T)) -> io::Result<libc::pid_t> {
    struct Task<'a, T> {
        shared: &'a mut T,
        work: fn(&mut T),
    }
    extern "C" fn enter<T>(task: *mut libc::c_void) -> libc::c_int {
        // SAFETY: `run_beside` passes its task, which it doesn't touch before this process is done with it.
        if let Some(task) = unsafe { task.cast::<Task<'_, T>>().as_mut() } {
            (task.work)(task.shared);
        }
        exit(126)
    }
    let stack = Stack::new()?;
    let mut task = Task { shared, work };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES | libc::SIGCHLD;
    // SAFETY: the stack is the new process's alone, and it and the task outlive its use of this memory: this process
    // goes on only afterwards. It has one thread and catches no signal.
    let pid = unsafe { libc::clone(enter::<T>, stack.top(), flags, (&raw mut task).cast()) };
    check(libc::c_long::from(pid)).map(|_| pid)
}

/// A stack with a page below it that ends whoever overruns it.
struct Stack {
    bottom: *mut libc::c_void,
}

impl Stack {
    const BYTES: usize = 1 << 20;

    fn new() -> io::Result<Self> {
        let (kind, access) =
            (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a new mapping wherever there is room.
        let bottom = unsafe { libc::mmap(std::ptr::null_mut(), Self::BYTES, access, kind, -1, 0) };
        if bottom == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Self { bottom };
        // SAFETY: the first part of our own mapping, a whole number of pages on every architecture.
        check(libc::c_long::from(unsafe { libc::mprotect(bottom, 64 << 10, libc::PROT_NONE) }))?;
        Ok(stack)
    }

    fn top(&self) -> *mut libc::c_void {
        self.bottom.wrapping_byte_add(Self::BYTES)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: our own mapping, which nothing refers to any more.
        unsafe { libc::munmap(self.bottom, Self::BYTES) };
    }
}

/// `fsopen(2)`, `fsconfig(2)` and `fsmount(2)`: a new file system, mounted nowhere yet.
pub fn new_mount(kind: &CStr, options: &[(&CStr, Option<&CStr>)], attributes: u64) -> io::Result<OwnedFd> {
    const FSCONFIG_SET_FLAG: libc::c_uint = 0;
    const FSCONFIG_SET_STRING: libc::c_uint = 1;
    const FSCONFIG_CMD_CREATE: libc::c_uint = 6;
    const FSOPEN_CLOEXEC: libc::c_uint = 1;
    const FSMOUNT_CLOEXEC: libc::c_uint = 1;
    // SAFETY: `kind` is a valid C string.
    let context = owned(unsafe { libc::syscall(libc::SYS_fsopen, kind.as_ptr(), FSOPEN_CLOEXEC) })?;
    let raw = context.as_raw_fd();
    for (key, value) in options {
        let command = if value.is_some() { FSCONFIG_SET_STRING } else { FSCONFIG_SET_FLAG };
        let value = value.map_or(std::ptr::null(), CStr::as_ptr);
        // SAFETY: key and value are valid C strings; a flag takes a null value.
        check(unsafe { libc::syscall(libc::SYS_fsconfig, raw, command, key.as_ptr(), value, 0) })?;
    }
    let nothing = std::ptr::null::<libc::c_char>();
    // SAFETY: the command takes neither key nor value.
    check(unsafe { libc::syscall(libc::SYS_fsconfig, raw, FSCONFIG_CMD_CREATE, nothing, nothing, 0) })?;
    // SAFETY: plain numbers.
    owned(unsafe { libc::syscall(libc::SYS_fsmount, raw, FSMOUNT_CLOEXEC, attributes) })
}

/// `open_tree(2)`: a copy of the mounts at and below a place, attached nowhere.
pub fn clone_tree(at: RawFd, path: &CStr) -> io::Result<OwnedFd> {
    const OPEN_TREE_CLONE: libc::c_uint = 1;
    const AT_RECURSIVE: libc::c_uint = 0x8000;
    let flags = OPEN_TREE_CLONE
        | AT_RECURSIVE
        | (libc::O_CLOEXEC | libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH).cast_unsigned();
    // SAFETY: `path` is a valid C string.
    owned(unsafe { libc::syscall(libc::SYS_open_tree, at, path.as_ptr(), flags) })
}

/// The same for what a path leads to through its links.
pub fn clone_tree_behind(path: &CStr) -> io::Result<OwnedFd> {
    const OPEN_TREE_CLONE: libc::c_uint = 1;
    const AT_RECURSIVE: libc::c_uint = 0x8000;
    let flags = OPEN_TREE_CLONE | AT_RECURSIVE | libc::O_CLOEXEC.cast_unsigned();
    // SAFETY: `path` is a valid C string.
    owned(unsafe { libc::syscall(libc::SYS_open_tree, HERE, path.as_ptr(), flags) })
}

/// `mount_setattr(2)` on a mount, and on all below it where `recursive`; also cuts mount propagation.
pub fn set_mount_attributes(mount: &impl AsFd, set: u64, recursive: bool) -> io::Result<()> {
    const AT_RECURSIVE: libc::c_int = 0x8000;
    let attributes =
        libc::mount_attr { attr_set: set, attr_clr: 0, propagation: libc::MS_PRIVATE, userns_fd: 0 };
    let flags = libc::AT_EMPTY_PATH | if recursive { AT_RECURSIVE } else { 0 };
    // SAFETY: the structure is valid and its size is given.
    check(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_fd().as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    })?;
    Ok(())
}

/// `move_mount(2)`: attaches a detached mount at `path` below `at`; an empty path is `at` itself.
pub fn attach(mount: &impl AsFd, at: RawFd, path: &CStr) -> io::Result<()> {
    const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 0x4;
    const MOVE_MOUNT_T_EMPTY_PATH: libc::c_uint = 0x40;
    let flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
    let from = mount.as_fd().as_raw_fd();
    // SAFETY: both paths are valid C strings.
    check(unsafe { libc::syscall(libc::SYS_move_mount, from, c"".as_ptr(), at, path.as_ptr(), flags) })?;
    Ok(())
}

/// `openat2(2)` with `O_PATH`, below `at` and through no symlink.
pub fn look_up(at: RawFd, path: &CStr) -> io::Result<OwnedFd> {
    // SAFETY: all-zero is a valid value of this structure.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = u64::from((libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW).cast_unsigned());
    // Without a folder to stay below, the root of this process is the root.
    how.resolve = libc::RESOLVE_NO_SYMLINKS | if at == HERE { 0 } else { libc::RESOLVE_IN_ROOT };
    // SAFETY: `path` is a valid C string and `how` a valid structure of the given size.
    owned(unsafe {
        libc::syscall(libc::SYS_openat2, at, path.as_ptr(), &raw const how, size_of::<libc::open_how>())
    })
}

/// `openat(2)`.
pub fn open_at(at: RawFd, path: &CStr, flags: libc::c_int, mode: libc::mode_t) -> io::Result<OwnedFd> {
    // SAFETY: `path` is a valid C string.
    owned(libc::c_long::from(unsafe {
        libc::openat(at, path.as_ptr(), flags | libc::O_CLOEXEC, libc::c_uint::from(mode))
    }))
}

/// `mkdirat(2)`.
pub fn make_dir(at: RawFd, path: &CStr, mode: libc::mode_t) -> io::Result<()> {
    // SAFETY: `path` is a valid C string.
    check(libc::c_long::from(unsafe { libc::mkdirat(at, path.as_ptr(), mode) })).map(drop)
}

/// `mknodat(2)` for a regular, empty file.
pub fn make_file(at: RawFd, path: &CStr, mode: libc::mode_t) -> io::Result<()> {
    // SAFETY: `path` is a valid C string.
    check(libc::c_long::from(unsafe { libc::mknodat(at, path.as_ptr(), libc::S_IFREG | mode, 0) })).map(drop)
}

/// `symlinkat(2)`.
pub fn make_symlink(to: &CStr, at: RawFd, path: &CStr) -> io::Result<()> {
    // SAFETY: both are valid C strings.
    check(libc::c_long::from(unsafe { libc::symlinkat(to.as_ptr(), at, path.as_ptr()) })).map(drop)
}

/// `fstatat(2)` without following a final symlink; an empty path is `at` itself.
pub fn status_at(at: RawFd, path: &CStr) -> io::Result<libc::stat> {
    // SAFETY: all-zero is a valid value of this structure.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    let flags = libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH;
    // SAFETY: `path` is a valid C string and `status` is writable.
    check(libc::c_long::from(unsafe { libc::fstatat(at, path.as_ptr(), &raw mut status, flags) }))?;
    Ok(status)
}

/// Makes `root` the root folder of this mount namespace and lets go of the old one.
pub fn pivot_into(root: &OwnedFd) -> io::Result<()> {
    // SAFETY: a descriptor we own.
    check(libc::c_long::from(unsafe { libc::fchdir(root.as_raw_fd()) }))?;
    // SAFETY: valid C strings. With both the same, the old root ends up stacked on the new one.
    check(unsafe { libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()) })?;
    // SAFETY: a valid C string.
    check(libc::c_long::from(unsafe { libc::umount2(c".".as_ptr(), libc::MNT_DETACH) }))?;
    // SAFETY: a valid C string.
    check(libc::c_long::from(unsafe { libc::chdir(c"/".as_ptr()) })).map(drop)
}

/// Cuts the propagation of every mount of this namespace.
pub fn make_all_mounts_private() -> io::Result<()> {
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    let nothing = std::ptr::null::<libc::c_char>();
    // SAFETY: a valid target; source, type and data are ignored for a change of propagation.
    let returned = unsafe { libc::mount(nothing, c"/".as_ptr(), nothing, flags, nothing.cast()) };
    check(libc::c_long::from(returned)).map(drop)
}

/// `prctl(2)` with one number.
pub fn process_control(option: libc::c_int, value: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the options used here take numbers only.
    check(libc::c_long::from(unsafe { libc::prctl(option, value, 0_u64, 0_u64, 0_u64) })).map(drop)
}

/// Ends this process at once, running nothing of it.
pub fn exit(code: libc::c_int) -> ! {
    // SAFETY: takes a number, never returns.
    unsafe { libc::_exit(code) }
}
