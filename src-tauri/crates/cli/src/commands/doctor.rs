//! `assent doctor`: what this machine has, what it lacks, and what to do about it.

use assent_agent::audit::{AuditPlaces, AuditReader, KeyPlace};
use assent_agent::layers::{LayerFiles, Layers};
use assent_agent::machine::Machine;
use assent_agent::model::providers::local_servers;
use assent_agent::places::Places;
use assent_sandbox::{Sandbox, Strength};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;
#[cfg(target_os = "linux")]
use std::time::Duration;

/// The check that the audit key's depends on.
const KEYCHAIN: &str = "keychain";

/// The keychain of Linux desktops: its name on the bus, and two of its interfaces.
#[cfg(target_os = "linux")]
const SECRETS: &str = "org.freedesktop.secrets";
#[cfg(target_os = "linux")]
const SERVICE: &str = "org.freedesktop.Secret.Service";
#[cfg(target_os = "linux")]
const COLLECTION: &str = "org.freedesktop.Secret.Collection";

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    state: State,
    detail: String,
    /// What to do; empty where nothing is to be done.
    advice: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Limited,
    Missing,
}

/// Looks at everything and prints it. Exit code 0: to be without something is a finding, not a failure.
///
/// # Errors
/// When the output can't be written.
pub fn run(places: &Places, json: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let machine = Machine::detect();
    let mut findings = vec![sandbox(), display(), dialog()];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    findings.extend(runtime.block_on(buses()));
    let keychain = findings.iter().find(|finding| finding.check == KEYCHAIN);
    findings.push(audit_key(places, keychain.map_or(State::Missing, |keychain| keychain.state)));
    findings.push(policy(places, &machine)?);
    findings.extend(runtime.block_on(servers()));
    for finding in findings {
        if json {
            writeln!(out, "{}", serde_json::to_string(&finding)?)?;
        } else {
            let mark = match finding.state {
                State::Ok => "ok     ",
                State::Limited => "limited",
                State::Missing => "missing",
            };
            writeln!(out, "{mark}  {:<14} {}", finding.check, finding.detail)?;
            if !finding.advice.is_empty() {
                writeln!(out, "         {:<14} {}", "", finding.advice)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn finding(
    check: &'static str,
    state: State,
    detail: impl Into<String>,
    advice: impl Into<String>,
) -> Finding {
    Finding { check, state, detail: detail.into(), advice: advice.into() }
}

fn sandbox() -> Finding {
    let sandbox = match Sandbox::beside_executable() {
        Ok(sandbox) => sandbox,
        Err(error) => {
            let advice = "Install assent-sandbox beside assent. Until then every command asks.";
            return finding("sandbox", State::Missing, format!("failed to {error}"), advice);
        }
    };
    let report = sandbox.self_test();
    let (state, advice) = match report.strength {
        Strength::Full => (State::Ok, String::new()),
        Strength::Floor => (State::Limited, format!("Every command asks. {}", report.missing.join(" "))),
        Strength::None => (State::Missing, format!("Every command asks. {}", report.missing.join(" "))),
    };
    let held = report.attempts.iter().filter(|attempt| attempt.held).count();
    let tried = report.attempts.len();
    finding("sandbox", state, format!("{}; {held} of {tried} ways out held", report.summary()), advice)
}

fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(target_os = "linux")) || set("WAYLAND_DISPLAY") || set("DISPLAY")
}

fn display() -> Finding {
    if has_display() {
        return finding("display", State::Ok, "there is one", "");
    }
    let advice = "The window can't open here. `assent exec` asks on the terminal.";
    finding("display", State::Missing, "neither WAYLAND_DISPLAY nor DISPLAY is set", advice)
}

fn dialog() -> Finding {
    let backend = if cfg!(target_os = "linux") {
        "GTK 3"
    } else if cfg!(windows) {
        "task dialog"
    } else {
        "NSAlert"
    };
    if has_display() {
        finding("dialog", State::Ok, backend, "")
    } else {
        finding(
            "dialog",
            State::Missing,
            format!("{backend} needs a display"),
            "Approvals are asked on the terminal only.",
        )
    }
}

/// Who answers on the session bus: notifications and the keychain.
#[cfg(target_os = "linux")]
async fn buses() -> Vec<Finding> {
    let lost = |why: String| {
        vec![
            finding("notifications", State::Missing, why.clone(), "The window asks for attention instead."),
            finding(KEYCHAIN, State::Missing, why, "Keys stay in memory, or in a file if you choose so."),
        ]
    };
    let connection = match zbus::Connection::session().await {
        Ok(connection) => connection,
        Err(error) => return lost(format!("no session bus: {error}")),
    };
    let bus = match zbus::fdo::DBusProxy::new(&connection).await {
        Ok(bus) => bus,
        Err(error) => return lost(format!("the session bus doesn't answer: {error}")),
    };
    let mut names: Vec<String> = Vec::new();
    for list in [bus.list_names().await, bus.list_activatable_names().await] {
        match list {
            Ok(list) => names.extend(list.into_iter().map(|name| name.to_string())),
            Err(error) => return lost(format!("the session bus doesn't answer: {error}")),
        }
    }
    let there = |name: &str| names.iter().any(|known| known == name);
    let notifications = if there("org.freedesktop.Notifications") {
        finding("notifications", State::Ok, "a server shows them", "")
    } else {
        let advice = "Install a notification server (dunst, mako, your desktop's). The window asks for attention instead.";
        finding("notifications", State::Missing, "no server on the session bus", advice)
    };
    let keychain = if there(SECRETS) {
        keyring(&connection).await
    } else {
        let advice =
            "Install gnome-keyring or KeePassXC. Keys stay in memory, or in a file if you choose so.";
        finding(KEYCHAIN, State::Missing, "no Secret Service on the session bus", advice)
    };
    vec![notifications, keychain]
}

/// What the Secret Service says of the keyring that new secrets go to. Looks only: nobody is asked for a password.
#[cfg(target_os = "linux")]
async fn keyring(connection: &zbus::Connection) -> Finding {
    /// It answers from memory.
    const PATIENCE: Duration = Duration::from_secs(5);
    match tokio::time::timeout(PATIENCE, is_locked(connection)).await {
        Ok(Ok(Some(false))) => finding(KEYCHAIN, State::Ok, "the Secret Service answers", ""),
        Ok(Ok(Some(true))) => finding(
            KEYCHAIN,
            State::Limited,
            "the Secret Service answers, and its keyring is locked",
            "Unlock it: log in to the desktop, or use its keyring program. Until then it asks for its password, and \
             where it can't, gives and takes nothing.",
        ),
        Ok(Ok(None)) => finding(
            KEYCHAIN,
            State::Limited,
            "the Secret Service answers, and has no keyring yet",
            "Make one with the desktop's keyring program. Until then it asks for a new password, and where it can't, \
             takes nothing.",
        ),
        Ok(Err(error)) => finding(
            KEYCHAIN,
            State::Missing,
            format!("the Secret Service doesn't answer: {error}"),
            "Restart it. Keys stay in memory, or in a file if you choose so.",
        ),
        Err(_) => finding(
            KEYCHAIN,
            State::Missing,
            format!("the Secret Service didn't answer within {} seconds", PATIENCE.as_secs()),
            "Restart it. Keys stay in memory, or in a file if you choose so.",
        ),
    }
}

/// Whether the default keyring is locked; `None` where there is none.
#[cfg(target_os = "linux")]
async fn is_locked(connection: &zbus::Connection) -> zbus::Result<Option<bool>> {
    let service = zbus::Proxy::new(connection, SECRETS, "/org/freedesktop/secrets", SERVICE).await?;
    let keyring: zbus::OwnedObjectPath = service.call("ReadAlias", &"default").await?;
    if keyring.as_str() == "/" {
        return Ok(None);
    }
    let keyring = zbus::Proxy::new(connection, SECRETS, keyring, COLLECTION).await?;
    keyring.get_property("Locked").await.map(Some)
}

/// Windows and macOS always have both.
#[cfg(not(target_os = "linux"))]
async fn buses() -> Vec<Finding> {
    vec![
        finding("notifications", State::Ok, "the system shows them", ""),
        finding(KEYCHAIN, State::Ok, "the system's", ""),
    ]
}

fn audit_key(places: &Places, keychain: State) -> Finding {
    let log = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
    let key =
        AuditReader::open(&log).and_then(|reader| reader.map_or(Ok(None), |reader| reader.key_location()));
    match key {
        Ok(Some((KeyPlace::Keychain, _))) => key_in_keychain(keychain),
        Ok(Some((KeyPlace::File, name))) => {
            let detail = format!("in a file of mode 0600 in {} ({name})", places.data.display());
            finding(
                "audit key",
                State::Limited,
                detail,
                "Whoever can write your files can forge the log. A keychain would hold it apart.",
            )
        }
        Ok(None) => finding("audit key", State::Ok, "there is no log yet", ""),
        Err(error) => finding(
            "audit key",
            State::Missing,
            format!("failed to {error}"),
            "Nothing runs until the log can be written.",
        ),
    }
}

/// A key in the keychain is as good as the keychain: without it the log takes no record, and without a record nothing runs.
fn key_in_keychain(keychain: State) -> Finding {
    match keychain {
        State::Ok => finding("audit key", State::Ok, "in the keychain", ""),
        State::Limited => finding(
            "audit key",
            State::Limited,
            "in the keychain, which doesn't give it as it is",
            "See to the keychain as said above. Until then each start asks for its password, and where it can't, \
             nothing runs.",
        ),
        State::Missing => finding(
            "audit key",
            State::Missing,
            "in the keychain, which can't be reached",
            "See to the keychain as said above. Until then nothing runs.",
        ),
    }
}

fn policy(places: &Places, machine: &Machine) -> anyhow::Result<Finding> {
    let here = std::env::current_dir()?;
    let snapshot = Layers::new(LayerFiles::usual(places, &here), machine).current();
    Ok(match snapshot.problems.first() {
        None => {
            finding("policy", State::Ok, format!("{} rules count here", snapshot.rules.rules().len()), "")
        }
        Some(problem) => finding(
            "policy",
            State::Missing,
            problem.to_string(),
            "Mend the file. Until then every call is denied.",
        ),
    })
}

async fn servers() -> Vec<Finding> {
    let found = local_servers().await;
    if found.is_empty() {
        return vec![finding(
            "local models",
            State::Missing,
            "no server answers on this machine",
            "Start Ollama, LM Studio or llama.cpp, or use a key.",
        )];
    }
    found
        .into_iter()
        .map(|server| {
            finding(
                "local models",
                State::Ok,
                format!(
                    "{} at {} ({} models)",
                    server.provider.name,
                    server.provider.base_url,
                    server.models.len()
                ),
                "",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{State, key_in_keychain};

    /// R41: a key in a keychain that gives nothing isn't called fine, and what that means is said.
    #[test]
    fn a_key_is_as_good_as_its_keychain() {
        for (keychain, state, words) in [
            (State::Ok, State::Ok, ""),
            (State::Limited, State::Limited, "nothing runs"),
            (State::Missing, State::Missing, "nothing runs"),
        ] {
            let found = key_in_keychain(keychain);
            assert_eq!(found.state, state, "{keychain:?}");
            assert!(found.advice.contains(words), "{keychain:?}: {}", found.advice);
        }
    }
}
