//! What the kernel has of what the confinement is made of, and what usually stands in the way.

use crate::report::Mechanism;
use crate::unix::self_test::{Further, Platform};

/// What the self-test reports of this platform.
pub const PLATFORM: Platform =
    Platform { backend: "namespaces, Landlock, seccomp", mechanisms, hints, further: FURTHER };

/// What the self-test tries here beyond files, the network and other processes.
pub const FURTHER: &[Further] = &[Further { tried: "make a namespace", possible: can_unshare }];

fn can_unshare() -> bool {
    // SAFETY: plain numbers; only this process is concerned, and it is about to end.
    unsafe { libc::unshare(libc::CLONE_NEWUSER) == 0 }
}

/// The newest Landlock ABI of this kernel; 0 where there is none (`landlock_create_ruleset(2)`).
fn landlock_abi() -> i64 {
    const VERSION: libc::c_uint = 1;
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with this flag the call takes no structure and makes nothing.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, VERSION) }.max(0)
}

fn mechanisms() -> Vec<Mechanism> {
    let landlock = landlock_abi();
    let switch =
        |path: &str| std::fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
    let most = switch("/proc/sys/user/max_user_namespaces");
    vec![
        Mechanism {
            name: "user namespaces",
            present: !matches!(most.as_str(), "" | "0"),
            detail: if most.is_empty() {
                "the kernel has none".to_owned()
            } else {
                format!("at most {most}")
            },
        },
        Mechanism {
            name: "Landlock",
            present: landlock > 0,
            detail: if landlock > 0 {
                format!("ABI {landlock}")
            } else {
                "the kernel has none, or it is off".to_owned()
            },
        },
        Mechanism {
            name: "seccomp",
            present: std::path::Path::new("/proc/sys/kernel/seccomp").exists(),
            detail: switch("/proc/sys/kernel/seccomp/actions_avail"),
        },
    ]
}

/// What usually stands in the way.
fn hints() -> Vec<String> {
    let is = |path: &str, value: &str| std::fs::read_to_string(path).is_ok_and(|text| text.trim() == value);
    let mut hints = Vec::new();
    if is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
        hints.push(
            "AppArmor restricts user namespaces here (kernel.apparmor_restrict_unprivileged_userns = 1): allow them for assent-sandbox with an AppArmor profile that has `userns,`."
                .to_owned(),
        );
    }
    if is("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        hints.push(
            "User namespaces are off for ordinary users (kernel.unprivileged_userns_clone = 0).".to_owned(),
        );
    }
    if is("/proc/sys/user/max_user_namespaces", "0") {
        hints.push("User namespaces are off (user.max_user_namespaces = 0).".to_owned());
    }
    hints
}
