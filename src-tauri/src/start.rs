//! Puts the shell together: which port of the engine gets which implementation.
//!
//! What may take its time is done on threads of its own while the window opens. With the keychain and the stores the
//! shell stands and tells the window how everything is. Once the window has that, and asks for what needs the engine,
//! the login shell is asked and the sandbox tested; then the engine stands too, and the door opens.

use crate::audit_feed::AuditFeed;
use crate::audit_watch::WatchedLog;
use crate::bridge::Bridge;
use crate::commands;
use crate::deep_link::{EarlyLink, SessionLink};
use crate::describe::{Descriptions, Front};
use crate::dialog::{ApprovalDialog, rfd::RfdDialog};
use crate::door::Door;
use crate::engine::{self, Surroundings};
use crate::folders::{Folders, FoldersFile};
use crate::grants::{Origins, OriginsFile};
use crate::instance::{Instance, Knock};
use crate::kept::Kept;
use crate::keys::Keys;
use crate::notification::Notifier;
use crate::presenter::{self, Answers, Presenter, Screen};
use crate::prices::PriceFile;
use crate::questions::Questions;
use crate::settings::{Settings, SettingsFile};
use crate::shell::Shell;
use crate::tray::Tray;
use crate::view::{self, Sentence};
use crate::waiting::Waiting;
use crate::words::{CurrentWords, Language, fill, spoken, system_locales};
use crate::{app_menu, cannot_start, life, window};
use anyhow::Context as _;
use assent_agent::approval::Broker;
use assent_agent::audit::AuditPlaces;
use assent_agent::clock::SystemClock;
use assent_agent::places::Places;
use assent_agent::process::background::Background;
use assent_agent::session::SessionStore;
use assent_policy::Mode;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;
use tauri::ipc::Invoke;
use tauri::{App, AppHandle, Manager as _, WebviewWindow, Wry};

/// What is begun before there is a window.
pub struct Begun {
    places: Places,
    instance: Instance,
    panicked: Receiver<String>,
    wanted: Option<SessionLink>,
    safe_mode: bool,
    files: Files,
    stores: JoinHandle<Stores>,
}

impl Begun {
    /// Reads the app's own files and begins to open the stores; `wanted` is the session that a link asked for.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn begin(
        places: Places,
        instance: Instance,
        panicked: Receiver<String>,
        wanted: Option<SessionLink>,
        safe_mode: bool,
    ) -> anyhow::Result<Self> {
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let files = Files::read(&places, safe_mode);
        let (of_stores, settings) = (places.clone(), files.settings.get());
        let stores = thread("stores").spawn(move || Stores::open(&of_stores, &settings, safe_mode))?;
        Ok(Self { places, instance, panicked, wanted, safe_mode, files, stores })
    }
}

/// Opens the window and has the shell put up once the stores are open, and the engine once the window wants it;
/// `door` opens with them.
///
/// # Errors
/// When the window can't open, or the words for it can't be read.
pub fn open(app: &App, begun: Begun, door: Arc<Door>) -> anyhow::Result<()> {
    let Begun { places, instance, panicked, wanted, safe_mode, files, stores } = begun;
    let window = window::open(app, files.settings.get().window)?;
    let words = CurrentWords::new(Language::resolve(files.settings.get().language, &system_locales()))?;
    let handle = app.handle().clone();
    std::thread::Builder::new().name("start".to_owned()).spawn(move || {
        let stores = stores.join().map_err(|_| anyhow::anyhow!("open the stores"));
        let standing = stores.map(|stores| Standing {
            places,
            instance,
            panicked,
            wanted,
            safe_mode,
            files,
            stores,
            words,
            window,
        });
        let app = handle.clone();
        let (stands, standing_up) = sync_channel(1);
        let ajar = Arc::clone(&door);
        let stand = move || match standing.and_then(|standing| standing.up(&app)) {
            Ok(shell) => {
                ajar.set_ajar();
                drop(stands.send(shell));
            }
            Err(error) => give_up(&app, error),
        };
        if let Err(error) = handle.run_on_main_thread(stand) {
            return give_up(&handle, error.into());
        }
        // None where it was given up.
        let Ok(shell) = standing_up.recv() else { return };
        // Programs that were started now would take their time from the web view, which is about to paint.
        if !door.until_engine_is_wanted(PATIENCE_WITH_WINDOW) {
            tracing::warn!("the window asks for nothing; what waits for an answer is put without it");
        }
        let look = AssertUnwindSafe(|| shell.put_up_engine(Surroundings::look()));
        if std::panic::catch_unwind(look).is_err() {
            return give_up(&handle, anyhow::anyhow!("look at the machine"));
        }
        let finish = move || {
            begin_to_ask(&shell);
            door.open();
        };
        if let Err(error) = handle.run_on_main_thread(finish) {
            give_up(&handle, error.into());
        }
    })?;
    Ok(())
}

/// How long the engine waits for the window to have painted.
const PATIENCE_WITH_WINDOW: Duration = Duration::from_secs(5);

/// Shows what waits for an answer, now that a run can go on with it; on the main thread, as the tray icon wants it.
fn begin_to_ask(shell: &Arc<Shell>) {
    put_up_tray(shell);
    let descriptions = Descriptions(Arc::downgrade(shell));
    shell.waiting.connect(shell.presenter.clone(), Arc::new(descriptions));
}

/// Whether the window's request is answered before the engine stands: how everything is, which it paints from.
pub fn needs_no_engine(invoke: &Invoke<Wry>) -> bool {
    invoke.message.command() == "subscribe"
}

/// The app can't start after all. The box that says so is the main thread's, from wherever this is called.
#[expect(clippy::print_stderr, reason = "as for what goes wrong before there is a window")]
pub fn give_up(app: &AppHandle, error: anyhow::Error) {
    tracing::error!(error = format!("{error:#}"), "the app can't start");
    eprintln!("Error: {error:#}");
    let ending = app.clone();
    let say = move || {
        cannot_start::tell(&error, spoken());
        ending.exit(1);
    };
    if app.run_on_main_thread(say).is_err() {
        app.exit(1);
    }
}

/// The app's own files, as they were read.
struct Files {
    settings: Kept<Settings>,
    folders: Kept<Folders>,
    origins: Kept<Origins>,
    /// What is wrong with those that weren't read.
    damaged: Vec<Sentence>,
}

impl Files {
    fn read(places: &Places, safe_mode: bool) -> Self {
        let mut damaged = Vec::new();
        let file = SettingsFile::in_folder(&places.config);
        let read = if safe_mode { Err(None) } else { file.read().map_err(Some) };
        // A newcomer's first minute would be in the way of mending what is damaged.
        // Whoever was strict, or had a reviewer, isn't asked less because of a slip in the file.
        let standing_in = || Settings { first_run_done: true, mode: Mode::Strict, ..Settings::default() };
        let settings = kept(read, standing_in, &mut damaged, move |before, now| file.write(before, now));
        let file = FoldersFile::in_folder(&places.config);
        let read = file.read().map_err(Some);
        let folders = kept(read, Folders::default, &mut damaged, move |before, now| file.write(before, now));
        let file = OriginsFile::in_folder(&places.config);
        let read = file.read().map_err(Some);
        let origins = kept(read, Origins::default, &mut damaged, move |before, now| file.write(before, now));
        Self { settings, folders, origins, damaged }
    }
}

/// What is opened while the window paints.
struct Stores {
    keys: Keys,
    audit: Result<Arc<WatchedLog>, String>,
    waiting: Arc<Waiting>,
    broker: Result<Arc<Broker>, String>,
    sessions: Result<Arc<SessionStore>, String>,
}

impl Stores {
    fn open(places: &Places, settings: &Settings, safe_mode: bool) -> Self {
        let keys = Keys::new(places.config.clone());
        for profile in &settings.profiles {
            if let Err(error) = keys.get(profile) {
                tracing::warn!(error = format!("{error:#}"), "the key of a profile is out of reach");
            }
        }
        let audit = engine::open_audit(places, keys.secrets(settings));
        if !safe_mode {
            engine::export_audit(places);
        }
        let broker: Result<Arc<Broker>, String> = engine::open_broker(places, &audit);
        let waiting = Arc::new(Waiting::new(broker.as_ref().ok().cloned()));
        waiting.set_patience(settings.approval_minutes);
        let sessions = SessionStore::open(&places.data, Arc::new(SystemClock))
            .map(Arc::new)
            .map_err(|error| format!("Can't {error}."));
        Self { keys, audit, waiting, broker, sessions }
    }
}

/// Everything the shell stands on.
struct Standing {
    places: Places,
    instance: Instance,
    panicked: Receiver<String>,
    wanted: Option<SessionLink>,
    safe_mode: bool,
    files: Files,
    stores: Stores,
    words: CurrentWords,
    window: WebviewWindow,
}

impl Standing {
    /// Puts the shell up; on the main thread, as the system's menus want it.
    fn up(self, app: &AppHandle) -> anyhow::Result<Arc<Shell>> {
        let Self { places, instance, panicked, wanted, safe_mode, files, stores, words, window } = self;
        let Files { settings, folders, origins, damaged } = files;
        let Stores { keys, audit, waiting, broker, sessions } = stores;
        let dialog = dialog(&window);
        let screen = Screen::default();
        let bridge = Bridge::default();
        let prices = PriceFile::in_folder(&places.config);
        let log = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
        let feed = AuditFeed::start(log, bridge.clone()).context("watch the audit log")?;
        let background = Background::default();
        let programs = background.clone();
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
                app: app.clone(),
                places,
                words,
                bridge,
                settings,
                folders,
                questions: Questions::new(
                    Arc::clone(&dialog),
                    screen,
                    Arc::new(move || programs.any_unsandboxed()),
                ),
                presenter,
                waiting,
                dialog_name: dialog.name(),
                keys,
                prices,
                audit,
                broker,
                engine: OnceLock::new(),
                background,
                sessions,
                session_grants: Mutex::default(),
                origins,
                conversations: Default::default(),
                picturing: Mutex::default(),
                approvals: Mutex::default(),
                sandbox: RwLock::new(view::Sandbox::testing()),
                safe_mode,
                damaged,
                open: Mutex::new(None),
                folder_told: Mutex::default(),
                wanted: Mutex::new(wanted.or_else(|| app.state::<EarlyLink>().take())),
                quitting: AtomicBool::new(false),
                leaving: AtomicBool::new(false),
                tray: OnceLock::new(),
            }
        });
        shell.reopen_last_folder();
        if let Ok(audit) = &shell.audit {
            let shell = Arc::downgrade(&shell);
            audit.on_record(move || feed.poke());
            audit.on_change(move || {
                if let Some(shell) = shell.upgrade() {
                    shell.tell_app();
                }
            });
        }
        let read = Arc::downgrade(&shell);
        shell.keys.on_read(move || {
            if let Some(shell) = read.upgrade() {
                shell.redact_secrets();
            }
        });
        let told = Arc::downgrade(&shell);
        shell.background.on_change(move || {
            if let Some(shell) = told.upgrade() {
                shell.tell_app();
            }
        });
        app_menu::listen(&shell);
        // What was told before now went by.
        shell.presenter.focused(window.is_focused().unwrap_or_default());
        app.manage(Arc::clone(&shell));
        app.manage(Arc::<commands::audit::StopVerify>::default());
        listen(&shell, instance)?;
        pass_on(&shell, panicked)?;
        Ok(shell)
    }
}

/// Other starts of the app bring this window up, or their session into it.
fn listen(shell: &Arc<Shell>, instance: Instance) -> anyhow::Result<()> {
    let shell = Arc::clone(shell);
    std::thread::Builder::new().name("instance".to_owned()).spawn(move || {
        instance.listen(|knock| match knock {
            Knock::Show => window::bring_up(&shell.app),
            Knock::Session(link) => shell.want(link),
        });
    })?;
    Ok(())
}

/// The window tells of every panic.
fn pass_on(shell: &Arc<Shell>, panicked: Receiver<String>) -> anyhow::Result<()> {
    let shell = Arc::clone(shell);
    std::thread::Builder::new().name("panics".to_owned()).spawn(move || {
        for place in panicked {
            shell.warn("panic", fill(&shell.words().panicked, &[("place", &place)]));
        }
    })?;
    Ok(())
}

/// The value as it was read. In place of one that wasn't (damaged: the error; safe mode: none) another stands in
/// for this run, and the file is left alone.
fn kept<T: Clone + PartialEq>(
    read: Result<T, Option<anyhow::Error>>,
    standing_in: impl FnOnce() -> T,
    damaged: &mut Vec<Sentence>,
    write: impl Fn(&T, &T) -> anyhow::Result<()> + Send + Sync + 'static,
) -> Kept<T> {
    match read {
        Ok(value) => Kept::new(value, write),
        Err(error) => {
            if let Some(error) = error {
                tracing::error!(error = format!("{error:#}"), "a file of the app is damaged");
                damaged.push(format!("Can't {error:#}.").into());
            }
            Kept::new(standing_in(), |_, _| Ok(()))
        }
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
    use super::{Files, kept};
    use crate::settings::{Settings, SettingsFile};
    use assent_agent::places::Places;
    use assent_policy::Mode;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Settings that aren't read never make less be asked than they might have said.
    #[test]
    fn without_its_settings_the_app_is_strict() {
        let folder = tempfile::tempdir().unwrap();
        let [config, data, state] = ["config", "data", "state"].map(|name| folder.path().join(name));
        let places = Places { config: config.clone(), data, state };
        let mode = |safe| Files::read(&places, safe).settings.get().mode;
        assert_eq!((mode(false), mode(true)), (Mode::Balanced, Mode::Strict));
        let file = SettingsFile::in_folder(&config);
        let sandboxed = Settings { mode: Mode::Sandboxed, ..Settings::default() };
        file.write(&Settings::default(), &sandboxed).unwrap();
        assert_eq!((mode(false), mode(true)), (Mode::Sandboxed, Mode::Strict));
        std::fs::write(config.join("settings.toml"), "mode = \"strikt\"").unwrap();
        assert_eq!((mode(false), mode(true)), (Mode::Strict, Mode::Strict));
    }

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
                move |_, _| {
                    counted.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                },
            );
            assert_eq!(value.update(|value| *value = 9), 9, "it counts for this run");
            assert_eq!((writes.load(Ordering::Relaxed), damaged.len()), (written, said));
        }
    }
}
