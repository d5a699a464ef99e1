//! Model servers: finding, testing, listing.

use super::Shared;
use crate::keys::Keys;
use crate::model;
use crate::removed::{Removed, RemovedProfiles};
use crate::settings::Profile;
use crate::shell::{Reply, failed};
use crate::view::{
    BackendError, ConnectionTest, DetectedServer, Price, Prices, ProviderKind, Sentence, shown,
};
use assent_agent::model::prices as agent_prices;
use assent_agent::model::providers::{ToolUse, list_models as list, local_servers, test_connection as test};
use tauri::State;
use tokio_util::sync::CancellationToken;

#[tauri::command]
pub async fn test_connection(shell: Shared<'_>, profile_id: String) -> Reply<ConnectionTest> {
    let profile = profile(&shell, &profile_id)?;
    let key = shell.keys.get(&profile).map_err(|error| failed(&error))?;
    let settings = model::settings(&profile, key).map_err(|error| failed(&error))?;
    let Some(settings) = settings else {
        let message = "The tour is scripted and needs no server.".to_owned();
        return Ok(ConnectionTest {
            ok: true,
            duration_ms: 0,
            code: None,
            message: message.into(),
            tools: Some(true),
        });
    };
    let report = test(settings, &CancellationToken::new()).await;
    let tools = match report.tool_use {
        ToolUse::Works => Some(true),
        ToolUse::NotCalled | ToolUse::Unsupported => Some(false),
        ToolUse::Unknown => None,
    };
    // Whatever it could do with tools, it gets none.
    let tools = tools.filter(|_| !profile.without_tools);
    let message = match (&report.error, tools) {
        (Some(error), _) => error.message.clone(),
        (None, Some(false)) => "It answers, but didn't use a tool; another model may do better.".to_owned(),
        (None, Some(true) | None) => format!("It answers, in {} ms.", report.duration_ms),
    };
    Ok(ConnectionTest {
        ok: report.error.is_none(),
        duration_ms: report.duration_ms,
        code: report.error.as_ref().map(|error| error.code.to_owned()),
        message: message.into(),
        tools,
    })
}

#[tauri::command]
pub async fn list_models(shell: Shared<'_>, profile_id: String) -> Reply<Vec<String>> {
    let profile = profile(&shell, &profile_id)?;
    let Some(wire) = model::wire(profile.kind) else { return Ok(vec![profile.model]) };
    let key = shell.keys.get(&profile).map_err(|error| failed(&error))?;
    let connection = model::connection(&profile, key).map_err(|error| failed(&error))?;
    let names =
        list(wire, &connection).await.map_err(|error| BackendError::new(error.code, error.message))?;
    Ok(names.iter().map(|name| shown(name)).collect())
}

/// The usual local servers on loopback.
#[tauri::command]
pub async fn detect_local_servers(_shell: Shared<'_>) -> Reply<Vec<DetectedServer>> {
    Ok(local_servers()
        .await
        .into_iter()
        .map(|server| DetectedServer {
            name: server.provider.name.to_owned(),
            base_url: server.provider.base_url.to_owned(),
            models: server.models.iter().map(|name| shown(name)).collect(),
        })
        .collect())
}

/// What models cost, and the file it is from.
#[tauri::command]
pub fn prices(shell: Shared<'_>) -> Reply<Prices> {
    let rows = shell.prices.rows().into_iter().map(|row| Price {
        model: shown(&row.model),
        input: row.input,
        output: row.output,
    });
    Ok(Prices {
        file: shell.prices.path().display().to_string(),
        rows: rows.collect(),
        problem: shell.prices.problem().map(Sentence::from),
    })
}

/// Replaces the table of prices; it touches nothing but what the window shows.
#[tauri::command]
pub fn save_prices(shell: Shared<'_>, rows: Vec<Price>) -> Reply<()> {
    let rows = rows.into_iter().map(|row| agent_prices::Price {
        model: row.model.trim().to_owned(),
        input: row.input,
        output: row.output,
    });
    shell
        .prices
        .save(rows.filter(|row| !row.model.is_empty()).collect())
        .map_err(|error| BackendError::new("invalid_value", format!("Can't {error:#}.")))?;
    for conversation in shell.all_conversations() {
        let used = conversation.teller().used();
        shell.bridge.send(used);
    }
    Ok(())
}

fn profile(shell: &Shared<'_>, id: &str) -> Reply<Profile> {
    let settings = shell.settings.get();
    settings
        .profiles
        .into_iter()
        .find(|profile| profile.id == id)
        .ok_or_else(|| BackendError::new("not_found", "There is no such model."))
}

/// Where a new key goes.
pub use crate::view::KeyPlace;

/// Stores a key for a profile's host. It never comes back; the number puts the one back that it replaced.
#[tauri::command]
pub async fn save_key(
    shell: Shared<'_>,
    removed: State<'_, RemovedProfiles>,
    profile_id: String,
    key: String,
    r#where: KeyPlace,
) -> Reply<Option<usize>> {
    let profile = profile(&shell, &profile_id)?;
    if profile.kind == ProviderKind::Tour {
        return Err(BackendError::new("invalid_value", "The tour needs no key."));
    }
    let saved = save_over(&shell.keys, &profile, key.trim(), r#where);
    let (replaced, left) = saved.map_err(|error| not_kept(r#where, &error))?;
    if let Err(error) = left {
        shell.warn("key_left", format!("{error:#}"));
    }
    let change = replaced.map(|replaced| removed.keep(replaced));
    shell.key_changed(&profile_id, Some(r#where));
    Ok(change)
}

/// Keeps `key` at `place` for `profile`; what that replaces, and whether nothing of it is left elsewhere. One that can't
/// be read can be replaced all the same.
///
/// # Errors
/// When that place doesn't take it: all is as it was then.
pub(super) fn save_over(
    keys: &Keys,
    profile: &Profile,
    key: &str,
    place: KeyPlace,
) -> anyhow::Result<(Option<Removed>, anyhow::Result<()>)> {
    let before = keys.get(profile).ok().flatten();
    keys.save(profile, key, place)?;
    let elsewhere = profile.key.is_some_and(|before| before != place);
    let left = if elsewhere { keys.remove_stored(profile) } else { Ok(()) };
    let after = Profile { key: Some(place), ..profile.clone() };
    let replaced = before
        .filter(|before| elsewhere || before.expose() != key)
        .map(|before| Removed::changed(profile.clone(), after, Some(before)));
    Ok((replaced, left))
}

/// Why a key isn't kept at `place`.
pub(super) fn not_kept(place: KeyPlace, error: &anyhow::Error) -> BackendError {
    let code = match place {
        KeyPlace::Keychain => "keychain",
        KeyPlace::File => "key_file",
        KeyPlace::Memory => "invalid_value",
    };
    BackendError::new(code, format!("{error:#}"))
}

/// Removes the key of a profile; the number puts it back.
#[tauri::command]
pub async fn remove_key(
    shell: Shared<'_>,
    removed: State<'_, RemovedProfiles>,
    profile_id: String,
) -> Reply<usize> {
    let before = profile(&shell, &profile_id)?;
    let (key, taken) = shell.keys.take(&before);
    // One that can't be read can still be deleted.
    taken
        .or_else(|_| shell.keys.remove(&before))
        .map_err(|error| BackendError::new("key_left", format!("{error:#}")))?;
    let after = Profile { key: None, ..before.clone() };
    let change = removed.keep(Removed::changed(before, after, key));
    shell.key_changed(&profile_id, None);
    Ok(change)
}
