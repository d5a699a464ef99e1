//! Puts the shell together: which port of the engine gets which implementation.

use crate::audit_feed::AuditFeed;
use crate::bridge::Bridge;
use crate::commands::{
    self, approvals, audit, changes, conversation, grants, models, outside, permissions, sessions, settings,
    workspace,
};
use crate::deep_link::SessionLink;
use crate::describe::{Descriptions, Front};
use crate::dialog::{ApprovalDialog, rfd::RfdDialog};
use crate::engine::Surroundings;
use crate::folders::{Folders, FoldersFile};
use crate::grants::{Origins, OriginsFile};
use crate::instance::{self, Claim, Instance, Knock};
use crate::kept::Kept;
use crate::keys::Keys;
use crate::notification::Notifier;
use crate::presenter::{self, Answers, Presenter, Screen};
use crate::prices::PriceFile;
use crate::questions::Questions;
use crate::settings::{Settings, SettingsFile};
use crate::shell::Shell;
use crate::tray::Tray;
use crate::view::{self, BackendError};
use crate::waiting::Waiting;
use crate::words::{CurrentWords, Language, fill, system_locale};
use crate::{engine, life, log, panics, window};
use anyhow::Context as _;
use assent_agent::audit::AuditPlaces;
use assent_agent::clock::SystemClock;
use assent_agent::places::Places;
use assent_agent::process::background::Background;
use assent_agent::session::SessionStore;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::thread::JoinHandle;
use tauri::ipc::Invoke;
use tauri::{App, Manager as _, WebviewWindow, Wry};

/// Runs the app until it is quit.
///
/// # Errors
/// When it can't start; the error says what to do.
pub fn run() -> anyhow::Result<()> {
    let places = Places::of_this_process(None)?;
    log::start(&places.state).context("begin the log")?;
    let panicked = panics::watch();
    let safe_mode = std::env::args().any(|argument| argument == "--safe");
    let wanted = SessionLink::of_this_process();
    let knock = wanted.clone().map_or(Knock::Show, Knock::Session);
    let instance = match instance::claim(&places.state, &knock)? {
        Claim::Ours(instance) => instance,
        Claim::Theirs => return Ok(()),
    };
    life::need_display()?;
    let around = std::thread::Builder::new().name("surroundings".to_owned()).spawn(Surroundings::look)?;
    let app = tauri::Builder::default()
        .setup(move |app| Ok(set_up(app, places, Start { instance, around, panicked, wanted, safe_mode })?))
        .on_window_event(life::window_event)
        .invoke_handler(unpanicking(tauri::generate_handler![
            workspace::subscribe,
            workspace::pick_workspace,
            workspace::open_workspace,
            workspace::pin_workspace,
            workspace::forget_workspace,
            workspace::trust_workspace,
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
            settings::save_profile,
            settings::remove_profile,
            settings::select_model,
            settings::test_sandbox,
            settings::delete_data,
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
            outside::diagnostics,
            outside::report_window_error,
        ]))
        .build(tauri::generate_context!())
        .context("start the window system")?;
    app.run(life::run_event);
    Ok(())
}

/// What was begun before there was a window.
struct Start {
    instance: Instance,
    around: JoinHandle<Surroundings>,
    panicked: Receiver<String>,
    /// The session that a link asked for.
    wanted: Option<SessionLink>,
    safe_mode: bool,
}

fn set_up(app: &mut App, places: Places, start: Start) -> anyhow::Result<()> {
    let Start { instance, around, panicked, wanted, safe_mode } = start;
    let mut damaged = Vec::new();
    let file = SettingsFile::in_folder(&places.config);
    let read = if safe_mode { Err(None) } else { file.read().map_err(Some) };
    // A newcomer's first minute would be in the way of mending what is damaged.
    let standing_in = || Settings { first_run_done: true, ..Settings::default() };
    let settings = kept(read, standing_in, &mut damaged, move |settings| file.write(settings));
    let window = window::open(app, settings.get().window)?;
    let folders_file = FoldersFile::in_folder(&places.config);
    let folders = folders_file.read().map_err(Some);
    let folders = kept(folders, Folders::default, &mut damaged, move |folders| folders_file.write(folders));
    let words = CurrentWords::new(Language::resolve(settings.get().language, &system_locale()))?;
    let keys = Keys::new(places.config.clone());
    let prices = PriceFile::in_folder(&places.config);
    for profile in &settings.get().profiles {
        if let Err(error) = keys.get(profile) {
            tracing::warn!(error = format!("{error:#}"), "the key of a profile is out of reach");
        }
    }
    let audit = engine::open_audit(&places, keys.known());
    if !safe_mode {
        engine::export_audit(&places);
    }
    let broker = engine::open_broker(&places, &audit);
    let waiting = Arc::new(Waiting::new(broker.as_ref().ok().cloned()));
    waiting.set_patience(settings.get().approval_minutes);
    let around = around.join().map_err(|_| anyhow::anyhow!("look at the machine"))?;
    let seen = around.seen.clone();
    let background = Background::default();
    let engine = engine::engine(&places, &audit, &broker, around, background.clone());
    let sessions = SessionStore::open(&places.data, Arc::new(SystemClock))
        .map(Arc::new)
        .map_err(|error| format!("Can't {error}."));
    let origins_file = OriginsFile::in_folder(&places.config);
    let origins = origins_file.read().map_err(Some);
    let origins = kept(origins, Origins::default, &mut damaged, move |origins| origins_file.write(origins));
    let dialog = dialog(&window);
    let screen = Screen::default();
    let handle = app.handle().clone();
    let bridge = Bridge::default();
    let log = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
    let feed = AuditFeed::start(log, bridge.clone()).context("watch the audit log")?;
    let shell = Arc::new_cyclic(|shell| {
        let presenter = Presenter::start(presenter::Parts {
            dialog: Arc::clone(&dialog),
            screen: Arc::clone(&screen),
            answers: Arc::clone(&waiting) as Arc<dyn Answers>,
            stage: Arc::new(Front(shell.clone())),
            notify: Arc::new(Notifier::new()),
            setting: settings.get().notifications,
        });
        Shell {
            app: handle.clone(),
            places,
            words,
            bridge,
            feed,
            settings,
            folders,
            questions: Questions::new(Arc::clone(&dialog), screen),
            presenter,
            waiting,
            dialog_name: dialog.name(),
            keys,
            prices,
            audit,
            engine,
            background,
            sessions,
            session_grants: Mutex::default(),
            origins,
            conversations: Mutex::default(),
            approvals: Mutex::default(),
            sandbox: RwLock::new(seen),
            safe_mode,
            damaged,
            open: Mutex::new(None),
            folder_gone: AtomicBool::new(false),
            wanted: Mutex::new(wanted),
            tray: OnceLock::new(),
        }
    });
    shell.reopen_last_folder();
    if let Ok(audit) = &shell.audit {
        let shell = Arc::downgrade(&shell);
        audit.on_change(move || {
            if let Some(shell) = shell.upgrade() {
                shell.tell_app();
            }
        });
    }
    put_up_tray(&shell);
    let descriptions = Descriptions(Arc::downgrade(&shell));
    shell.waiting.connect(shell.presenter.clone(), Arc::new(descriptions));
    app.manage(Arc::clone(&shell));
    app.manage(Arc::<commands::audit::StopVerify>::default());
    let knocked = Arc::clone(&shell);
    std::thread::Builder::new().name("instance".to_owned()).spawn(move || {
        instance.listen(|knock| match knock {
            Knock::Show => window::bring_up(&handle),
            Knock::Session(link) => knocked.want(link),
        });
    })?;
    let told = Arc::clone(&shell);
    std::thread::Builder::new().name("panics".to_owned()).spawn(move || {
        for place in panicked {
            told.warn("panic", &fill(&told.words().panicked, &[("place", &place)]));
        }
    })?;
    Ok(())
}

/// The value as it was read. In place of one that wasn't (damaged: the error; safe mode: none) another stands in
/// for this run, and the file is left alone.
fn kept<T: Clone + PartialEq>(
    read: Result<T, Option<anyhow::Error>>,
    standing_in: impl FnOnce() -> T,
    damaged: &mut Vec<String>,
    write: impl Fn(&T) -> anyhow::Result<()> + Send + Sync + 'static,
) -> Kept<T> {
    match read {
        Ok(value) => Kept::new(value, write),
        Err(error) => {
            if let Some(error) = error {
                tracing::error!(error = format!("{error:#}"), "a file of the app is damaged");
                damaged.push(view::shown(&format!("{error:#}")));
            }
            Kept::new(standing_in(), |_| Ok(()))
        }
    }
}

/// A panic in a command is an error for its caller; unwinding through the window system would end the app.
fn unpanicking(
    handle: impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static,
) -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
    move |invoke| {
        let resolver = invoke.resolver.clone();
        std::panic::catch_unwind(AssertUnwindSafe(|| handle(invoke))).unwrap_or_else(|_| {
            resolver.reject(BackendError::new("panic", "Assent failed at this. The log says where."));
            true
        })
    }
}

/// GTK's own dialog on Linux, rfd elsewhere; `ASSENT_DIALOG=rfd` takes rfd everywhere.
fn dialog(window: &WebviewWindow) -> Arc<dyn ApprovalDialog> {
    let wants_rfd = std::env::var_os("ASSENT_DIALOG").is_some_and(|name| name == "rfd");
    #[cfg(target_os = "linux")]
    if !wants_rfd {
        return Arc::new(crate::dialog::gtk::GtkDialog::new(window.app_handle().clone()));
    }
    tracing::debug!(wants_rfd, "dialogs through rfd");
    Arc::new(RfdDialog::new(window.clone()))
}

fn put_up_tray(shell: &Arc<Shell>) {
    let weak = Arc::downgrade(shell);
    let chosen = move |choice| {
        if let Some(shell) = weak.upgrade() {
            life::tray_choice(&shell, choice);
        }
    };
    match Tray::new(&shell.app, &shell.words(), chosen) {
        Ok(tray) => drop(shell.tray.set(tray)),
        Err(error) => tracing::info!(%error, "no tray icon"),
    }
}

#[cfg(test)]
mod tests {
    use super::kept;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn what_stands_in_for_a_damaged_or_skipped_file_is_never_written() {
        for (read, written, said) in [
            (Ok(1), 1, 0),
            (Err(None), 0, 0),
            (Err(Some(anyhow::anyhow!("understand a.toml: line 3"))), 0, 1),
        ] {
            let writes = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&writes);
            let mut damaged = Vec::new();
            let value = kept(
                read,
                || 7,
                &mut damaged,
                move |_| {
                    counted.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                },
            );
            assert_eq!(value.update(|value| *value = 9).unwrap(), 9, "it counts for this run");
            assert_eq!((writes.load(Ordering::Relaxed), damaged.len()), (written, said));
        }
    }
}
