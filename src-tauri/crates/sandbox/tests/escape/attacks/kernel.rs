//! Attempts at the kernel and at devices.

use super::{Attack, Real, attack, c_path};
use std::fs;
use std::io;

pub const ATTACKS: &[Attack] = &[
    attack("leave a set-user-id program by openat2", Real::Always, |aim| {
        let path = c_path(&aim.workspace.join("program"));
        // SAFETY: all-zero is a valid value of this structure.
        let mut how: libc::open_how = unsafe { std::mem::zeroed() };
        (how.flags, how.mode) = ((libc::O_CREAT | libc::O_WRONLY) as u64, 0o4755);
        let size = size_of::<libc::open_how>();
        // SAFETY: a valid C string and a structure of the given size.
        unsafe { libc::syscall(libc::SYS_openat2, libc::AT_FDCWD, path.as_ptr(), &raw const how, size) >= 0 }
    }),
    attack("open a device", Real::Elsewhere, |_| {
        let names = "console dri/card0 fuse hpet input/event0 kmsg kvm loop-control loop0 mapper/control mem mqueue \
                     net/tun port ptmx rtc0 sda snapshot tty tty1 uinput vda vhost-vsock";
        names.split_whitespace().any(|name| fs::File::open(format!("/dev/{name}")).is_ok())
    }),
    attack("write below /sys", Real::Elsewhere, |_| {
        let names = "fs/cgroup/cgroup.procs kernel/mm/ksm/run kernel/uevent_helper power/state";
        names.split(' ').any(|name| opens_to_write(&format!("/sys/{name}")))
    }),
    attack("change any kernel setting", Real::Elsewhere, |_| {
        let names = "sysrq-trigger sys/kernel/modprobe sys/kernel/hostname sys/kernel/shmmax sys/net/ipv4/ip_forward \
                     sys/user/max_user_namespaces sys/vm/drop_caches 1/oom_score_adj";
        names.split_whitespace().any(|name| opens_to_write(&format!("/proc/{name}")))
    }),
    attack("a new file system", Real::ForRoot, |_| {
        // SAFETY: a valid C string.
        unsafe { libc::syscall(libc::SYS_fsopen, c"tmpfs".as_ptr(), 0) >= 0 }
    }),
    attack("join another's namespace", Real::ForRoot, |aim| {
        let files = [aim.process, 1].map(|process| fs::File::open(format!("/proc/{process}/ns/uts")));
        // SAFETY: a descriptor we own.
        let join = |file: &fs::File| unsafe { libc::setns(std::os::fd::AsRawFd::as_raw_fd(file), 0) == 0 };
        files.iter().flatten().any(join)
    }),
    attack("watch all files", Real::ForRoot, |_| {
        // SAFETY: plain numbers; 0x200 is `FAN_REPORT_FID`.
        unsafe { libc::syscall(libc::SYS_fanotify_init, 0x200, libc::O_RDONLY) >= 0 }
    }),
    attack("another personality", Real::Always, |_| {
        // SAFETY: plain numbers.
        unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) >= 0 }
    }),
    attack("put input into a terminal by a request with more bits", Real::Elsewhere, |_| {
        // What isn't refused by the filter fails for another reason: there is no terminal.
        [libc::TIOCSTI, libc::TIOCLINUX].iter().any(|request| {
            // SAFETY: the byte is valid.
            let done = unsafe { libc::syscall(libc::SYS_ioctl, 1, request | (1 << 32), c"x".as_ptr()) };
            done == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::EPERM)
        })
    }),
    // A collector is a program of the system's own, which the limit of files doesn't keep from anything; only a limit of
    // one byte does (`core(5)`).
    attack("hand a core to the system's collector", Real::Elsewhere, |_| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the structure is valid and writable.
        unsafe {
            libc::getrlimit(libc::RLIMIT_CORE, &raw mut limit);
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_CORE, &raw const limit);
        }
        limit.rlim_cur != 1
    }),
    #[cfg(target_arch = "x86_64")]
    attack("the x32 system calls", Real::Elsewhere, |_| {
        // SAFETY: asks for this process's id by the other table.
        unsafe { libc::syscall(0x4000_0000 | libc::SYS_getpid) > 0 }
    }),
];

fn opens_to_write(path: &str) -> bool {
    fs::OpenOptions::new().write(true).open(path).is_ok()
}
