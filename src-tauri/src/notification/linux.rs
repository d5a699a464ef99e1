//! The desktop notification protocol over the session bus, sent by notify-rust.
//!
//! notify-rust alone can wait for ever (an answer between showing and waiting, a server that dies), so the
//! app listens on one connection of its own, from before the first message, and everything has a time limit.
//! Some servers answer the sender only: notify-rust's own wait runs beside it.

use super::{Note, Reaction, body};
use futures_util::StreamExt as _;
use notify_rust::{NotificationHandle, NotificationResponse, Timeout, Urgency};
use std::time::Duration;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use zbus::{Connection, MatchRule, MessageStream};

const SERVER: &str = "org.freedesktop.Notifications";
const REVIEW: &str = "review";
const DENY: &str = "deny";
/// How long a server may take for one call.
const CALL: Duration = Duration::from_secs(3);

/// Sends notifications and hears the answers.
#[derive(Clone, Debug, Default)]
pub struct Notifier;

impl Notifier {
    /// Nothing is connected before the first message.
    #[must_use]
    pub fn new() -> Self {
        Self
    }

    /// Shows `note` until it is answered, closed, or `until` fires; then it is taken off the screen. An answer
    /// that was on its way when `until` fired is still given.
    pub async fn show(&self, note: Note, until: CancellationToken) -> Reaction {
        let mut heard = match timeout(CALL, Listener::connect()).await {
            Ok(Ok(heard)) => heard,
            Ok(Err(error)) => return Reaction::Failed(error.to_string()),
            Err(_) => return Reaction::Failed("the session bus doesn't answer".to_owned()),
        };
        if note.actions.is_some() {
            match timeout(CALL, heard.has_actions()).await {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => {
                    drop(timeout(CALL, send(&note)).await);
                    return Reaction::Failed("the notification server has no actions".to_owned());
                }
                Ok(Err(error)) => return Reaction::Failed(error.to_string()),
                Err(_) => return Reaction::Failed("the notification server doesn't answer".to_owned()),
            }
        }
        let handle = match timeout(CALL, send(&note)).await {
            Ok(Ok(handle)) => handle,
            Ok(Err(error)) => return Reaction::Failed(error.to_string()),
            Err(_) => return Reaction::Failed("the notification server doesn't answer".to_owned()),
        };
        if note.actions.is_none() {
            return Reaction::Gone;
        }
        let id = handle.id();
        let mut answered = None;
        let reaction = tokio::select! {
            biased;
            () = until.cancelled() => None,
            reaction = heard.answer(id) => Some(reaction),
            () = handle.wait_for_action_async(|response| answered = Some(read(response))) => {
                Some(answered.unwrap_or(Reaction::Gone))
            }
        };
        drop(timeout(CALL, handle.close_async()).await);
        match reaction {
            Some(reaction) => reaction,
            // The server says when it is closed.
            None => timeout(CALL, heard.answer(id)).await.unwrap_or(Reaction::Gone),
        }
    }
}

async fn send(note: &Note) -> notify_rust::error::Result<NotificationHandle> {
    let mut message = notify_rust::Notification::new();
    message
        .appname("Assent")
        .summary(&note.title)
        .body(&body(&note.body))
        .icon("assent-desktop")
        .urgency(Urgency::Normal);
    if let Some((review, deny)) = &note.actions {
        message.action("default", review).action(REVIEW, review).action(DENY, deny).timeout(Timeout::Never);
    }
    message.show_async().await
}

fn read(response: &NotificationResponse) -> Reaction {
    match response {
        NotificationResponse::Default => Reaction::Review,
        NotificationResponse::Action(action) => reaction_to(action),
        _ => Reaction::Gone,
    }
}

/// What an action may do. There is none that allows, and an unknown one does nothing.
fn reaction_to(action: &str) -> Reaction {
    match action {
        "default" | REVIEW => Reaction::Review,
        DENY => Reaction::Deny,
        _ => Reaction::Gone,
    }
}

/// Our own ear on the bus.
struct Listener {
    connection: Connection,
    signals: MessageStream,
    owners: MessageStream,
}

impl Listener {
    async fn connect() -> zbus::Result<Self> {
        let connection = Connection::session().await?;
        let signals = MatchRule::builder()
            .msg_type(zbus::message::Type::Signal)
            .sender(SERVER)
            .interface(SERVER)
            .build()?;
        let owners = MatchRule::builder()
            .msg_type(zbus::message::Type::Signal)
            .sender("org.freedesktop.DBus")
            .member("NameOwnerChanged")
            .add_arg(SERVER)
            .build()?;
        let signals = MessageStream::for_match_rule(signals, &connection, None).await?;
        let owners = MessageStream::for_match_rule(owners, &connection, None).await?;
        Ok(Self { connection, signals, owners })
    }

    async fn has_actions(&self) -> zbus::Result<bool> {
        let path = "/org/freedesktop/Notifications";
        let reply =
            self.connection.call_method(Some(SERVER), path, Some(SERVER), "GetCapabilities", &()).await?;
        let capabilities: Vec<String> = reply.body().deserialize()?;
        Ok(capabilities.iter().any(|capability| capability == "actions"))
    }

    /// Waits for the answer to notification `id`, or the end of the server.
    async fn answer(&mut self, id: u32) -> Reaction {
        loop {
            tokio::select! {
                message = self.signals.next() => {
                    let Some(Ok(message)) = message else {
                        return Reaction::Failed("the session bus is gone".to_owned());
                    };
                    let header = message.header();
                    let body = message.body();
                    match header.member().map(|member| member.as_str().to_owned()).as_deref() {
                        Some("ActionInvoked") => match body.deserialize::<(u32, String)>() {
                            Ok((about, action)) if about == id => return reaction_to(&action),
                            Ok(_) | Err(_) => {}
                        },
                        Some("NotificationClosed") => match body.deserialize::<(u32, u32)>() {
                            Ok((about, _)) if about == id => return Reaction::Gone,
                            Ok(_) | Err(_) => {}
                        },
                        Some(_) | None => {}
                    }
                }
                message = self.owners.next() => {
                    let Some(Ok(message)) = message else {
                        return Reaction::Failed("the session bus is gone".to_owned());
                    };
                    let lost = message
                        .body()
                        .deserialize::<(String, String, String)>()
                        .is_ok_and(|(name, old, _)| name == SERVER && !old.is_empty());
                    if lost {
                        return Reaction::Failed("the notification server ended".to_owned());
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Reaction, reaction_to};

    /// R30: whatever arrives from the bus, nothing of it allows.
    #[test]
    fn an_answer_can_at_most_deny() {
        for (action, reaction) in [
            ("review", Reaction::Review),
            ("default", Reaction::Review),
            ("deny", Reaction::Deny),
            ("approve", Reaction::Gone),
            ("allow", Reaction::Gone),
            ("", Reaction::Gone),
        ] {
            assert_eq!(reaction_to(action), reaction, "{action}");
        }
    }
}
