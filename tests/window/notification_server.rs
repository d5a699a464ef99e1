//! A notification server on the session bus that a test can look into, and make lie, go silent or die.
//!
//! The protocol: <https://specifications.freedesktop.org/notification-spec/latest/protocol.html>.

use crate::driver::until;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use zbus::{Connection, OwnedVariant, interface};

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// How the server behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As the protocol says.
    Honest,
    /// Shows messages, but no buttons.
    WithoutActions,
    /// Owns the name and answers nothing.
    Mute,
    /// When a notification is taken back, its user has just pressed Deny.
    LateDeny,
}

/// A notification as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The server's number for it.
    pub id: u32,
    /// First line.
    pub summary: String,
    /// The rest; servers may read it as markup.
    pub body: String,
    /// Key and label of each action, one after the other.
    pub actions: Vec<String>,
}

/// The running server.
pub struct NotificationServer {
    bus: Connection,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    notes: Vec<Note>,
    closed: Vec<u32>,
}

struct Service {
    manner: Manner,
    seen: Arc<Mutex<Seen>>,
}

impl NotificationServer {
    /// Serves on the session bus at `address`.
    pub async fn start(address: &str, manner: Manner) -> anyhow::Result<Self> {
        let seen = Arc::<Mutex<Seen>>::default();
        let service = Service { manner, seen: Arc::clone(&seen) };
        let bus =
            zbus::connection::Builder::address(address).serve_at(PATH, service).name(NAME).build().await?;
        Ok(Self { bus, seen })
    }

    /// The first notification with actions, waited for.
    pub async fn question(&self) -> anyhow::Result<Note> {
        until("a notification with actions", || async {
            Ok(self.notes().into_iter().find(|note| !note.actions.is_empty()))
        })
        .await
    }

    /// Every notification so far.
    pub fn notes(&self) -> Vec<Note> {
        self.seen.lock().unwrap().notes.clone()
    }

    /// Waits until the app has taken the notification `id` back.
    pub async fn taken_back(&self, id: u32) -> anyhow::Result<()> {
        until(&format!("notification {id} to be taken back"), || async {
            Ok(self.seen.lock().unwrap().closed.contains(&id).then_some(()))
        })
        .await
    }

    /// Says that the user pressed `action` on `id`.
    pub async fn invoke(&self, id: u32, action: &str) -> anyhow::Result<()> {
        Ok(self.bus.emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &(id, action)).await?)
    }

    /// Says that `id` is off the screen; 2 is "dismissed by the user".
    pub async fn dismiss(&self, id: u32) -> anyhow::Result<()> {
        Ok(self.bus.emit_signal(None::<&str>, PATH, NAME, "NotificationClosed", &(id, 2_u32)).await?)
    }

    /// Sends an `ActionInvoked` whose body isn't one.
    pub async fn babble(&self) -> anyhow::Result<()> {
        Ok(self.bus.emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &("review", 1_u32)).await?)
    }

    /// Ends without a word, as a server that crashed.
    pub async fn die(self) -> anyhow::Result<()> {
        Ok(self.bus.close().await?)
    }
}

/// Any program of the session that pretends to be the server: broadcasts, and what only the app gets.
pub async fn forge(address: &str, app: u32, id: u32, action: &str) -> anyhow::Result<()> {
    let bus = zbus::connection::Builder::address(address).build().await?;
    let directory = zbus::fdo::DBusProxy::new(&bus).await?;
    bus.emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &(id, action)).await?;
    for name in directory.list_names().await? {
        let owner = directory.get_connection_unix_process_id(name.inner().clone()).await;
        if name.starts_with(':') && owner.is_ok_and(|owner| owner == app) {
            bus.emit_signal(Some(name.as_str()), PATH, NAME, "ActionInvoked", &(id, action)).await?;
        }
    }
    Ok(())
}

#[interface(name = "org.freedesktop.Notifications")]
impl Service {
    #[expect(clippy::too_many_arguments, reason = "the protocol's own signature")]
    fn notify(
        &self,
        _app: String,
        _replaces: u32,
        _icon: String,
        summary: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedVariant>,
        _expires: i32,
    ) -> u32 {
        let mut seen = self.seen.lock().unwrap();
        let id = u32::try_from(seen.notes.len()).unwrap() + 1;
        seen.notes.push(Note { id, summary, body, actions });
        id
    }

    async fn close_notification(
        &self,
        id: u32,
        #[zbus(connection)] bus: &Connection,
    ) -> zbus::fdo::Result<()> {
        self.seen.lock().unwrap().closed.push(id);
        if self.manner == Manner::LateDeny {
            bus.emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &(id, "deny")).await?;
        }
        bus.emit_signal(None::<&str>, PATH, NAME, "NotificationClosed", &(id, 3_u32)).await?;
        Ok(())
    }

    async fn get_capabilities(&self) -> Vec<&'static str> {
        match self.manner {
            Manner::Honest | Manner::LateDeny => vec!["actions", "body", "body-markup"],
            Manner::WithoutActions => vec!["body"],
            Manner::Mute => std::future::pending().await,
        }
    }

    fn get_server_information(&self) -> (&'static str, &'static str, &'static str, &'static str) {
        ("fake", "tests", "0", "1.2")
    }
}
