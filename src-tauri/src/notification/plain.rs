//! Windows and macOS: a message without answers. What waits is brought up by the window's own means.

use super::{APP_ID, Note, Reaction, body};
use tokio_util::sync::CancellationToken;

/// Sends notifications.
#[derive(Clone, Debug, Default)]
pub struct Notifier;

impl Notifier {
    /// Nothing is connected before the first message.
    #[must_use]
    pub fn new() -> Self {
        Self
    }

    /// Sends `note`. Its buttons aren't offered here: a toast that outlives its request would keep live buttons.
    pub async fn show(&self, note: Note, _until: CancellationToken) -> Reaction {
        let wants_answer = note.actions.is_some();
        let sent = tokio::task::spawn_blocking(move || {
            let mut shown = ours();
            shown.appname("Assent").summary(&note.title).body(&body(&note.body)).show().map(drop)
        })
        .await;
        match sent {
            Ok(Ok(())) if !wants_answer => Reaction::Gone,
            Ok(Ok(())) => Reaction::Failed("notifications have no answers on this system".to_owned()),
            Ok(Err(error)) => Reaction::Failed(error.to_string()),
            Err(error) => Reaction::Failed(error.to_string()),
        }
    }
}

/// A notification that comes from Assent, and from no program that lends its name: by the name that the installer's
/// shortcut has.
#[cfg(windows)]
fn ours() -> notify_rust::Notification {
    let mut shown = notify_rust::Notification::new();
    shown.app_id(APP_ID);
    shown
}

/// A notification that comes from Assent; unasked, macOS would have the person choose a program.
#[cfg(target_os = "macos")]
fn ours() -> notify_rust::Notification {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        if let Err(error) = notify_rust::set_application(APP_ID) {
            tracing::info!(%error, "notifications come from no program");
        }
    });
    notify_rust::Notification::new()
}
