//! Notifications: they say that something waits, offer Review and Deny, and can never allow.
//!
//! Any process of the session can forge an answer, so the most an answer can do is deny or open the dialog.
//! No arguments in the text: lock screens show it.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod plain;

#[cfg(target_os = "linux")]
pub use linux::Notifier;
#[cfg(not(target_os = "linux"))]
pub use plain::Notifier;

/// What Windows and macOS call the app: its identifier in the configuration.
#[cfg(any(test, not(target_os = "linux")))]
const APP_ID: &str = "dev.assent.Assent";

/// Longest body, characters.
const BODY: usize = 200;

/// What a notification says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// One line in our own words.
    pub title: String,
    /// Tool and workspace; nothing the model wrote.
    pub body: String,
    /// The label of the action that opens the dialog, and of the one that denies; none on a mere message.
    pub actions: Option<(String, String)>,
}

/// How a notification ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The person wants to see the request.
    #[cfg_attr(
        not(any(test, target_os = "linux")),
        expect(dead_code, reason = "only Linux's notifications have answers")
    )]
    Review,
    /// The person, or something that pretends to be them, denies.
    #[cfg_attr(
        not(any(test, target_os = "linux")),
        expect(dead_code, reason = "only Linux's notifications have answers")
    )]
    Deny,
    /// Closed, or no longer needed; what waits goes on waiting.
    Gone,
    /// It can't reach a person: no server, no actions, or the server died.
    Failed(String),
}

/// `text` for a body that servers may read as markup: escaped, bounded, on one line.
fn body(text: &str) -> String {
    let bounded: String = crate::view::shown(text).chars().take(BODY).collect();
    bounded.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{APP_ID, body};

    #[test]
    fn notifications_come_from_the_app_that_is_installed() {
        let configuration: serde_json::Value =
            serde_json::from_str(include_str!("../../tauri.conf.json")).unwrap();
        assert_eq!(configuration["identifier"], APP_ID);
    }

    #[test]
    fn markup_and_hidden_characters_are_harmless_and_the_text_is_short() {
        assert_eq!(body("a <b>&\u{202e}\n"), "a &lt;b&gt;&amp;\\u{202e}\\n");
        assert_eq!(body(&"x".repeat(1_000)).len(), super::BODY);
    }
}
