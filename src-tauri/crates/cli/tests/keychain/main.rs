//! What `assent` makes of the keychains of Linux desktops, on a session bus of its own.
#![cfg(target_os = "linux")]

mod bus;

use anyhow::bail;
use bus::{Bus, Keyring};
use serde_json::Value;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// `assent` with a data folder of its own, on `bus`.
fn assent(folder: &TempDir, bus: &str, arguments: &[&str]) -> anyhow::Result<Output> {
    let home = folder.path().join("home");
    std::fs::create_dir_all(home.join("project"))?;
    let done = Command::new(env!("CARGO_BIN_EXE_assent"))
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", &home)
        .env("ASSENT_DATA_DIR", folder.path().join("data"))
        .env("DBUS_SESSION_BUS_ADDRESS", bus)
        .current_dir(home.join("project"))
        .stdin(Stdio::null())
        .output()?;
    Ok(done)
}

/// What `assent doctor` finds under `check`: the state, and what it says.
fn finding(folder: &TempDir, bus: &str, check: &str) -> anyhow::Result<(String, String)> {
    let lines = String::from_utf8(assent(folder, bus, &["doctor", "--json"])?.stdout)?;
    for line in lines.lines() {
        let found: Value = serde_json::from_str(line)?;
        let text = |key: &str| found.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        if text("check") == check {
            return Ok((text("state"), format!("{} {}", text("detail"), text("advice"))));
        }
    }
    bail!("doctor says nothing of {check}:\n{lines}")
}

/// The key of the log goes to a file where no keychain takes it, and `doctor` says both: what the keychain is, and
/// where the key went.
#[tokio::test(flavor = "multi_thread")]
async fn a_keychain_that_takes_nothing_is_named_and_so_is_the_file() {
    let absent = "unix:path=/nonexistent/bus".to_owned();
    let locked = Bus::with(Keyring::Locked).await.unwrap();
    let without = Bus::with(Keyring::None).await.unwrap();
    let empty = Bus::start().unwrap();
    for (bus, state, words) in [
        (absent, "missing", "no session bus"),
        (empty.address.clone(), "missing", "no Secret Service"),
        (locked.address.clone(), "limited", "locked"),
        (without.address.clone(), "limited", "no keyring yet"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let done = assent(&folder, &bus, &["exec", "--json", "--provider", "tour", "hello"]).unwrap();
        assert!(done.status.success(), "{words}: {}", String::from_utf8_lossy(&done.stderr));
        let (found, said) = finding(&folder, &bus, "keychain").unwrap();
        assert!(found == state && said.contains(words), "{words}: {found} {said}");
        let (found, said) = finding(&folder, &bus, "audit key").unwrap();
        assert!(found == "limited" && said.contains("in a file"), "{words}: {found} {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_keychain_is_fine() {
    let bus = Bus::with(Keyring::Open).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(finding(&folder, &bus.address, "keychain").unwrap().0, "ok");
}
