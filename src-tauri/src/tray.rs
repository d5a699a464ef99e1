//! The tray icon: how many calls wait, Open, Deny. It can't allow.

use crate::words::{Words, fill};
use tauri::menu::{IsMenuItem, Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Wry};

/// What the person chose in the tray's menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Bring the window up, and the dialog of what waits with it.
    Open,
    /// Deny the first waiting call.
    DenyFirst,
    /// Deny everything that waits.
    DenyAll,
    /// Quit, after a question where a run is active.
    Quit,
}

impl Choice {
    const ALL: [Self; 4] = [Self::Open, Self::DenyFirst, Self::DenyAll, Self::Quit];

    const fn id(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::DenyFirst => "deny-first",
            Self::DenyAll => "deny-all",
            Self::Quit => "quit",
        }
    }
}

/// The icon, where the system has a place for it.
pub struct Tray {
    icon: TrayIcon,
    app: AppHandle,
}

impl Tray {
    /// Puts the icon up; `chosen` gets what is picked.
    ///
    /// # Errors
    /// When the system has no tray, or its library (`libayatana-appindicator3` on Linux) is missing.
    pub fn new(
        app: &AppHandle,
        words: &Words,
        chosen: impl Fn(Choice) + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let menu = menu(app, words, 0)?;
        let build = || {
            let mut builder = TrayIconBuilder::with_id("assent")
                .menu(&menu)
                .tooltip(&words.tray_idle)
                .show_menu_on_left_click(true)
                .on_menu_event(move |_, event| {
                    if let Some(choice) = Choice::ALL.into_iter().find(|choice| event.id() == choice.id()) {
                        chosen(choice);
                    }
                });
            if let Some(icon) = app.default_window_icon() {
                builder = builder.icon(icon.clone());
            }
            builder.build(app)
        };
        #[cfg(target_os = "linux")]
        anyhow::ensure!(indicator_is_there(), "the tray library is missing (libayatana-appindicator3)");
        // The indicator library is loaded at run time, and its binding panics where it is missing.
        let icon = std::panic::catch_unwind(std::panic::AssertUnwindSafe(build))
            .map_err(|_| anyhow::anyhow!("the tray library is missing (libayatana-appindicator3)"))??;
        Ok(Self { icon, app: app.clone() })
    }

    /// Shows that `waiting` calls wait.
    ///
    /// # Errors
    /// When the menu can't be made.
    pub fn show(&self, words: &Words, waiting: usize) -> anyhow::Result<()> {
        self.icon.set_menu(Some(menu(&self.app, words, waiting)?))?;
        self.icon.set_tooltip(Some(status(words, waiting)))?;
        self.icon.set_title((waiting > 0).then(|| waiting.to_string()))?;
        Ok(())
    }
}

/// Whether the library that the tray needs is where the dynamic linker looks first.
#[cfg(target_os = "linux")]
fn indicator_is_there() -> bool {
    const NAMES: [&str; 2] = ["libayatana-appindicator3.so.1", "libappindicator3.so.1"];
    let triple = format!("{}-linux-gnu", std::env::consts::ARCH);
    let folders = ["/usr/lib", "/lib", "/usr/lib64", "/lib64", "/usr/local/lib"];
    folders
        .iter()
        .flat_map(|folder| [std::path::PathBuf::from(folder), std::path::Path::new(folder).join(&triple)])
        .any(|folder| NAMES.iter().any(|name| folder.join(name).exists()))
}

/// One sentence about what waits.
fn status(words: &Words, waiting: usize) -> String {
    match waiting {
        0 => words.tray_idle.clone(),
        1 => words.tray_waiting_one.clone(),
        more => fill(&words.tray_waiting, &[("count", &more.to_string())]),
    }
}

fn menu(app: &AppHandle, words: &Words, waiting: usize) -> tauri::Result<Menu<Wry>> {
    let status = MenuItem::with_id(app, "status", status(words, waiting), false, None::<&str>)?;
    let line = PredefinedMenuItem::separator(app)?;
    let item = |choice: Choice, text: &str| MenuItem::with_id(app, choice.id(), text, true, None::<&str>);
    let open = item(Choice::Open, if waiting == 0 { &words.tray_open } else { &words.tray_review })?;
    let deny = item(Choice::DenyFirst, &words.tray_deny)?;
    let deny_all = item(Choice::DenyAll, &words.tray_deny_all)?;
    let quit = item(Choice::Quit, &words.tray_quit)?;
    let mut items: Vec<&dyn IsMenuItem<Wry>> = vec![&status, &open];
    if waiting > 0 {
        items.push(&deny);
    }
    if waiting > 1 {
        items.push(&deny_all);
    }
    items.extend([&line as &dyn IsMenuItem<Wry>, &quit]);
    Menu::with_items(app, &items)
}

#[cfg(test)]
mod tests {
    use super::{Choice, status};
    use crate::words::{Language, Words};

    /// R30: the tray opens or denies.
    #[test]
    fn no_choice_allows() {
        let ids: Vec<&str> = Choice::ALL.iter().map(|choice| choice.id()).collect();
        assert_eq!(ids, ["open", "deny-first", "deny-all", "quit"]);
    }

    #[test]
    fn the_count_is_a_sentence() {
        let words = Words::load(Language::English).unwrap();
        let said: Vec<String> = (0..3).map(|waiting| status(&words, waiting)).collect();
        assert_eq!(said, ["Nothing waits for you", "1 call waits for you", "2 calls wait for you"]);
    }
}
