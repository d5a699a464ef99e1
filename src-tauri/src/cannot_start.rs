//! A start that failed, said in a native box: whoever started the app from a menu sees no terminal, and on Windows
//! there is none.

use crate::dialog::rfd::without_nul;
use crate::settings::SettingsFile;
use crate::view::Sentence;
use crate::words::{Language, Words, system_locales};
use assent_agent::places::Places;

/// Says that the app can't start because of `error`, and what to do, where there is a display; waits until it is read.
pub fn tell(error: &anyhow::Error, language: Language) {
    match Said::of(error, language) {
        Ok(said) => show(&said),
        Err(error) => tracing::error!(error = format!("{error:#}"), "the words can't be read"),
    }
}

/// The language of the settings in `places`, as far as they can be read.
pub fn language_of(places: &Places) -> Language {
    let settings = SettingsFile::in_folder(&places.config).read().unwrap_or_default();
    Language::resolve(settings.language, &system_locales())
}

/// What stands in the box.
#[derive(Debug)]
struct Said {
    title: String,
    text: String,
    close: String,
}

impl Said {
    /// What, where and what to do.
    fn of(error: &anyhow::Error, language: Language) -> anyhow::Result<Self> {
        let words = Words::load(language)?;
        let what = Sentence::from(format!("Can't {error:#}.")).in_language(language);
        let text = without_nul(&format!("{what}\n\n{}", words.cannot_start));
        Ok(Self { title: words.cannot_start_title, text, close: words.close })
    }
}

#[cfg(target_os = "linux")]
fn show(said: &Said) {
    use gtk::prelude::{DialogExt as _, GtkWindowExt as _, MessageDialogExt as _, WidgetExt as _};
    // GTK is the main thread's, and needs a display.
    if (gtk::is_initialized() && !gtk::is_initialized_main_thread()) || gtk::init().is_err() {
        return;
    }
    let dialog = gtk::MessageDialog::new(
        None::<&gtk::Window>,
        gtk::DialogFlags::MODAL,
        gtk::MessageType::Error,
        gtk::ButtonsType::None,
        &said.title,
    );
    dialog.set_title(&said.title);
    dialog.set_secondary_text(Some(&said.text));
    dialog.add_button(&said.close, gtk::ResponseType::Close);
    dialog.run();
    dialog.hide();
}

#[cfg(not(target_os = "linux"))]
fn show(said: &Said) {
    rfd::MessageDialog::new()
        .set_level(rfd::MessageLevel::Error)
        .set_title(&said.title)
        .set_description(&said.text)
        .set_buttons(rfd::MessageButtons::OkCustom(said.close.clone()))
        .show();
}

#[cfg(test)]
mod tests {
    use super::Said;
    use crate::instance::{Knock, claim};
    use crate::words::Language;

    /// A state folder that can't be made: the box names it, why, and what to do.
    #[test]
    fn the_box_says_what_where_and_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        std::fs::write(&state, "").unwrap();
        let Err(error) = claim(&state, &Knock::Show) else { panic!("a file is no folder") };
        for (language, title, what, hint) in [
            (Language::English, "Assent can't start", "Can't make ", "start Assent again"),
            (Language::Chinese, "Assent 无法启动", "无法创建 ", "重新启动 Assent"),
        ] {
            let said = Said::of(&error, language).unwrap();
            assert_eq!(said.title, title);
            assert!(said.text.starts_with(what) && said.text.contains(hint), "{said:?}");
            assert!(said.text.contains(&state.display().to_string()), "{said:?}");
        }
        let hidden = Said::of(&anyhow::anyhow!("open a\0b"), Language::English).unwrap();
        assert!(!hidden.text.contains('\0'), "{hidden:?}");
    }
}
