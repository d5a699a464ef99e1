//! Starting a test of this program again on a machine that lacks something: the kernel is made to refuse it.

use std::ffi::CStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// What is lacking.
#[derive(Clone, Copy, Debug)]
pub enum Lack {
    /// Namespaces of any kind, as for an ordinary user where user namespaces are off.
    Namespaces,
    /// User namespaces alone, with root's rights over the others.
    UserNamespaces,
    /// Landlock.
    Landlock,
    /// Both.
    NamespacesAndLandlock,
    /// System call filters.
    Filter,
}

const LACK: &str = "ASSENT_TEST_LACK";

/// What such a process says between two of these counts.
const MARK: &str = "\u{1}";

impl Lack {
    pub const ALL: [Self; 5] =
        [Self::Namespaces, Self::UserNamespaces, Self::Landlock, Self::NamespacesAndLandlock, Self::Filter];

    /// What this process was started without.
    pub fn of_this_process() -> Option<Self> {
        let name = std::env::var(LACK).ok()?;
        Self::ALL.into_iter().find(|lack| format!("{lack:?}") == name)
    }

    fn apply(self, user: &CStr, group: &CStr) -> io::Result<()> {
        match self {
            Self::Namespaces => no_user_namespaces(user, group).and_then(|()| drop_rights()),
            Self::UserNamespaces => no_user_namespaces(user, group),
            Self::Landlock => refuse(&[libc::SYS_landlock_create_ruleset], libc::ENOSYS),
            Self::NamespacesAndLandlock => no_user_namespaces(user, group)
                .and_then(|()| drop_rights())
                .and_then(|()| refuse(&[libc::SYS_landlock_create_ruleset], libc::ENOSYS)),
            Self::Filter => refuse(&[libc::SYS_seccomp], libc::ENOSYS),
        }
    }
}

/// Hands a text to the process that started this one.
pub fn say(text: &str) {
    println!("{MARK}{text}{MARK}");
}

/// Runs one test of this program without something; gives what it said.
pub fn again(lack: Lack, test: &str, variables: &[(&str, &str)]) -> String {
    // SAFETY: take nothing.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    // In a user namespace of its own; for root's rights over the other namespaces it is root in there.
    let inside = |id: u32| if matches!(lack, Lack::UserNamespaces) { 0 } else { id };
    let [users, groups] =
        [user, group].map(|id| std::ffi::CString::new(format!("{} {id} 1", inside(id))).unwrap());
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(LACK, format!("{lack:?}"));
    command.envs(variables.iter().copied());
    // SAFETY: only system calls between fork and execution, on memory that was made before.
    unsafe { command.pre_exec(move || lack.apply(&users, &groups)) };
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = text.split(MARK).nth(1).map(str::to_owned);
    said.unwrap_or_else(|| panic!("{lack:?}: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

fn check(returned: libc::c_long) -> io::Result<()> {
    if returned < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn write(path: &CStr, text: &CStr) -> io::Result<()> {
    // SAFETY: valid C strings; the descriptor closes with the process that is about to be replaced.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        check(libc::c_long::from(file))?;
        check(libc::write(file, text.as_ptr().cast(), text.to_bytes().len()) as libc::c_long)
    }
}

/// A user namespace in which no further one can be made (`user_namespaces(7)`).
fn no_user_namespaces(user: &CStr, group: &CStr) -> io::Result<()> {
    // SAFETY: plain numbers.
    check(libc::c_long::from(unsafe { libc::unshare(libc::CLONE_NEWUSER) }))?;
    write(c"/proc/self/setgroups", c"deny")?;
    write(c"/proc/self/uid_map", user)?;
    write(c"/proc/self/gid_map", group)?;
    write(c"/proc/sys/user/max_user_namespaces", c"0")
}

/// No capability, and none by executing a program, as an ordinary user has it.
fn drop_rights() -> io::Result<()> {
    for capability in 0..64 {
        // SAFETY: plain numbers. The kernel ends the list of those it knows by refusing.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } < 0 {
            break;
        }
    }
    Ok(())
}

/// Makes these calls fail for good.
fn refuse(calls: &[libc::c_long], errno: i32) -> io::Result<()> {
    const NUMBER: u32 = 0;
    let answer =
        |code| libc::sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: code };
    let load = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    let equal = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    for call in calls {
        let mut code = [
            libc::sock_filter { code: load, jt: 0, jf: 0, k: NUMBER },
            libc::sock_filter { code: equal, jt: 0, jf: 1, k: u32::try_from(*call).unwrap_or(u32::MAX) },
            answer(libc::SECCOMP_RET_ERRNO | errno.cast_unsigned()),
            answer(libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: 4, filter: code.as_mut_ptr() };
        // SAFETY: the program lives through the call; the kernel copies it. `prctl` is the older way in.
        unsafe {
            check(libc::c_long::from(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)))?;
            let mode = libc::SECCOMP_MODE_FILTER;
            check(libc::c_long::from(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program)))?;
        }
    }
    Ok(())
}
