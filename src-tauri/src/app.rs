//! Runs the app: the commands that the window may send, and what is begun before there is a window.

use crate::commands::{
    approvals, audit, changes, conversation, data, grants, models, outside, permissions, profiles, sessions,
    settings, workspace,
};
use crate::deep_link::{EarlyLink, SessionLink};
use crate::door::Door;
use crate::instance::{self, Claim, Knock};
use crate::removed::RemovedProfiles;
use crate::replies::Replies;
use crate::start::{self, Begun};
use crate::{cannot_start, life, log, panics};
use anyhow::Context as _;
use assent_agent::places::Places;
use std::sync::Arc;

/// Runs the app until it is quit. Where it can't start, a box says so, for whoever started it from a menu.
///
/// # Errors
/// When it can't start; the error says what to do.
pub fn run() -> anyhow::Result<()> {
    let places = Places::of_this_process(None)?;
    let ran = run_in(&places);
    if let Err(error) = &ran {
        cannot_start::tell(error, cannot_start::language_of(&places));
    }
    ran
}

fn run_in(places: &Places) -> anyhow::Result<()> {
    log::start(&places.state);
    let panicked = panics::watch();
    let safe_mode = std::env::args_os().any(|argument| argument == "--safe");
    let wanted = SessionLink::of_this_process();
    let knock = wanted.clone().map_or(Knock::Show, Knock::Session);
    let instance = match instance::claim(&places.state, &knock)? {
        Claim::Ours(instance) => instance,
        Claim::Theirs => return Ok(()),
    };
    life::need_display()?;
    let begun = Begun::begin(places.clone(), instance, panicked, wanted, safe_mode)?;
    let replies = Arc::new(Replies::default());
    let commands = replies.answering(tauri::generate_handler![
        workspace::subscribe,
        workspace::pick_workspace,
        workspace::open_workspace,
        workspace::pin_workspace,
        workspace::forget_workspace,
        workspace::trust_workspace,
        workspace::keep_restricted,
        workspace::distrust_workspace,
        workspace::set_shell_enabled,
        workspace::set_mode,
        workspace::search_files,
        sessions::list_sessions,
        sessions::open_session,
        sessions::older_items,
        sessions::rename_session,
        sessions::archive_session,
        sessions::delete_session,
        sessions::export_session,
        sessions::import_session,
        sessions::locate_workspace,
        conversation::send_message,
        conversation::stop,
        conversation::stop_command,
        conversation::call_arguments,
        conversation::tool_output,
        conversation::compact_session,
        conversation::undo_compaction,
        approvals::review,
        approvals::deny,
        approvals::deny_all,
        audit::query_audit,
        audit::audit_detail,
        audit::audit_row_of,
        audit::verify_audit,
        audit::stop_verify,
        audit::export_audit,
        audit::audit_metrics,
        permissions::permissions,
        permissions::trust_project_policy,
        permissions::distrust_project_policy,
        permissions::test_policy,
        permissions::replay_policy,
        permissions::user_policy_text,
        permissions::open_policy_file,
        grants::rule_candidates,
        grants::propose_rule,
        grants::revoke_grant,
        changes::changes,
        changes::change_diff,
        changes::undo,
        settings::set_setting,
        profiles::save_profile,
        profiles::remove_profile,
        profiles::restore_profile,
        profiles::select_model,
        settings::test_sandbox,
        data::delete_data,
        models::save_key,
        models::remove_key,
        models::test_connection,
        models::list_models,
        models::detect_local_servers,
        models::prices,
        models::save_prices,
        outside::open_link,
        outside::open_path,
        outside::open_folder,
        outside::quit,
        outside::diagnostics,
        outside::report_window_error,
    ]);
    let door = Arc::new(Door::new(commands, start::needs_no_engine));
    let invoked = Arc::clone(&door);
    let app = tauri::Builder::default()
        .manage(EarlyLink::default())
        .manage(RemovedProfiles::default())
        .manage(replies)
        .setup(move |app| {
            // An error here would panic inside the window system.
            if let Err(error) = start::open(app, begun, door) {
                start::give_up(app.handle(), error);
            }
            Ok(())
        })
        .on_window_event(life::window_event)
        .invoke_handler(move |invoke| invoked.take(invoke))
        .build(tauri::generate_context!())
        .context("start the window system")?;
    app.run(life::run_event);
    Ok(())
}
