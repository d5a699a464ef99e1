//! Ways out of the sandbox, each tried for real on the running kernel, in each profile, as the user who runs the tests
//! and (where that is root) as an ordinary one. What counts is what arrived, seen from outside. Each attempt is first
//! made without the sandbox, where it must succeed: one that can't succeed proves nothing.

#![cfg(target_os = "linux")]

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod range;
#[cfg(test)]
mod suite;
#[cfg(test)]
mod table;

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use suite::{AIM, ATTACK, HELPER, find, is_root, own_program, suite};

/// R50
#[test]
fn nothing_gets_out() {
    suite(Path::new(env!("CARGO_BIN_EXE_assent-sandbox")), &own_program());
}

/// R50: the same as an ordinary user, if this one is root.
#[test]
fn nothing_gets_out_for_an_ordinary_user() {
    const NOBODY: u32 = 65_534;
    if !is_root() {
        return suite(Path::new(env!("CARGO_BIN_EXE_assent-sandbox")), &own_program());
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        std::fs::copy(from, &to).unwrap();
        to
    };
    let helper = copy(Path::new(env!("CARGO_BIN_EXE_assent-sandbox")), "assent-sandbox");
    let program = copy(&own_program(), "escape");
    let ended = std::process::Command::new(program)
        .args(["--exact", "as_this_user", "--nocapture"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env(HELPER, helper)
        .current_dir("/")
        .gid(NOBODY)
        .uid(NOBODY)
        .output()
        .unwrap();
    assert!(
        ended.status.success(),
        "{}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
}

/// R50: the suite, in a process that was started as somebody else; by itself, that each attack has one name.
#[test]
fn as_this_user() {
    match std::env::var_os(HELPER) {
        Some(helper) => suite(Path::new(&helper), &own_program()),
        None => {
            let names: std::collections::BTreeSet<_> = attacks::all().map(|attack| attack.name).collect();
            assert_eq!(names.len(), attacks::all().count());
        }
    }
}

/// R50: carries out one attack, in the process that the suite starts for it; by itself, that an unknown one is no success.
#[test]
fn attacker() {
    let Some(name) = std::env::var_os(ATTACK) else {
        assert!(find(OsStr::new("no such attack")).is_none());
        return;
    };
    let aim = serde_json::from_str(&std::env::var(AIM).unwrap()).unwrap();
    let attack = find(&name).unwrap();
    let succeeded = (attack.go)(&aim);
    println!("\nescape: {}", if succeeded { "succeeded" } else { "failed" });
}
