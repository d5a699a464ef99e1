//! Windows and macOS: a message without answers. What waits is brought up by the window's own means.

use super::{Note, Reaction, body};
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
            notify_rust::Notification::new()
                .appname("Assent")
                .summary(&note.title)
                .body(&body(&note.body))
                .show()
                .map(drop)
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
