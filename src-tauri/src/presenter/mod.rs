//! Brings waiting calls before the person: dialog, notification, tray, badge. It carries answers, it gives none.
//!
//! [`desk`] says when; here it is done. Whatever fails on the way (a dialog that can't be shown, a panic in the
//! toolkit, a notification server that lies) ends in a denial or in going on waiting, never in an allow.

pub mod desk;
#[cfg(test)]
mod tests;

use crate::dialog::{ApprovalDialog, Asks, Late, Press, Prompt};
use crate::notification::{Note, Notifier, Reaction};
use crate::view::Notifications;
use assent_agent::approval::Surface;
use async_trait::async_trait;
use desk::{Desk, Effect, Input};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A waiting call, as far as the surfaces need it.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// The approval in the broker.
    pub id: String,
    /// The dialog.
    pub prompt: Asks,
    /// The tool, for the notification; nothing the model wrote.
    pub tool: String,
    /// The workspace's name, for the notification.
    pub workspace: String,
}

/// What a person answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The one explicit yes; only ever from [`Surface::Dialog`].
    Allow,
    /// Anything else a person did.
    Deny,
    /// The question couldn't be put.
    Unavailable(String),
}

/// Takes answers to the broker, which decides whether they still count.
pub trait Answers: Send + Sync {
    /// The answer to the waiting call `id`.
    fn answer(&self, id: &str, verdict: Verdict, surface: Surface);
}

/// The window and the tray, as far as waiting calls change them.
pub trait Stage: Send + Sync {
    /// Brings the window to the front: the person asked for it.
    fn show_window(&self);
    /// Asks for attention without taking the focus.
    fn attention(&self);
    /// This many calls wait.
    fn badge(&self, waiting: usize);
    /// The dialog of this call opened or closed.
    fn dialog_changed(&self, id: &str, open: bool);
    /// What a notification says about `ticket` and `more` further calls.
    fn note(&self, ticket: &Ticket, more: usize) -> Note;
}

/// Sends notifications; a port, so that the flow can be tested without a bus.
#[async_trait]
pub trait Notify: Send + Sync {
    /// Shows `note` until it is answered or `until` fires.
    async fn notify(&self, note: Note, until: CancellationToken) -> Reaction;
}

#[async_trait]
impl Notify for Notifier {
    async fn notify(&self, note: Note, until: CancellationToken) -> Reaction {
        self.show(note, until).await
    }
}

/// The screen's one dialog: approvals and questions take turns.
pub type Screen = Arc<tokio::sync::Mutex<()>>;

/// What the presenter works with.
pub struct Parts {
    /// The native dialog.
    pub dialog: Arc<dyn ApprovalDialog>,
    /// Shared with the native questions.
    pub screen: Screen,
    /// Where answers go.
    pub answers: Arc<dyn Answers>,
    /// Window and tray.
    pub stage: Arc<dyn Stage>,
    /// Notifications.
    pub notify: Arc<dyn Notify>,
    /// When notifications are sent.
    pub setting: Notifications,
}

/// The handle: tell it what waits and what happens around it.
#[derive(Clone)]
pub struct Presenter {
    inputs: mpsc::UnboundedSender<Input>,
    tickets: Tickets,
}

type Tickets = Arc<Mutex<HashMap<String, Ticket>>>;

impl Presenter {
    /// Starts it; it ends with the last handle.
    #[must_use]
    pub fn start(parts: Parts) -> Self {
        let (inputs, received) = mpsc::unbounded_channel();
        let tickets = Tickets::default();
        let work = Work {
            desk: Desk::new(parts.setting),
            inputs: inputs.downgrade(),
            tickets: Arc::clone(&tickets),
            withdraw: CancellationToken::new(),
            note: CancellationToken::new(),
            parts,
        };
        tauri::async_runtime::spawn(work.run(received));
        Self { inputs, tickets }
    }

    /// A call began to wait.
    pub fn waiting(&self, ticket: Ticket) {
        let id = ticket.id.clone();
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), ticket);
        self.tell(Input::Waiting(id));
    }

    /// A call waits no longer.
    pub fn settled(&self, id: &str) {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.tell(Input::Settled(id.to_owned()));
    }

    /// The person wants to see this call, or the first that waits.
    pub fn review(&self, id: Option<&str>) {
        self.tell(Input::Review(id.map(str::to_owned)));
    }

    /// The window got or lost the focus.
    pub fn focused(&self, focused: bool) {
        self.tell(Input::Focused(focused));
    }

    /// The notification setting changed.
    pub fn set_notifications(&self, setting: Notifications) {
        self.tell(Input::Setting(setting));
    }

    fn tell(&self, input: Input) {
        if self.inputs.send(input).is_err() {
            tracing::error!("the presenter ended");
        }
    }
}

struct Work {
    desk: Desk,
    inputs: mpsc::WeakUnboundedSender<Input>,
    tickets: Tickets,
    withdraw: CancellationToken,
    note: CancellationToken,
    parts: Parts,
}

impl Work {
    async fn run(mut self, mut received: mpsc::UnboundedReceiver<Input>) {
        while let Some(input) = received.recv().await {
            for effect in self.desk.handle(input) {
                self.carry_out(effect);
            }
        }
        self.withdraw.cancel();
        self.note.cancel();
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Open(id) => self.open(id),
            Effect::Withdraw(_) => self.withdraw.cancel(),
            Effect::ShowWindow => self.parts.stage.show_window(),
            Effect::Attention => self.parts.stage.attention(),
            Effect::Badge(waiting) => self.parts.stage.badge(waiting),
            Effect::Unnotify => self.note.cancel(),
            Effect::Notify(id, more) => self.notify(id, more),
        }
    }

    fn open(&mut self, id: String) {
        self.withdraw = CancellationToken::new();
        let withdraw = self.withdraw.clone();
        let ticket = self.ticket(&id);
        let (dialog, screen) = (Arc::clone(&self.parts.dialog), Arc::clone(&self.parts.screen));
        let (answers, stage) = (Arc::clone(&self.parts.answers), Arc::clone(&self.parts.stage));
        let inputs = self.inputs.clone();
        let late = self.late(id.clone());
        tauri::async_runtime::spawn(async move {
            if let Some(ticket) = ticket {
                let prompt = move || Prompt { late: Some(late), ..(ticket.prompt.0)() };
                stage.dialog_changed(&id, true);
                // On a task of its own: a panic in the toolkit is a dialog that failed.
                let asked = tokio::spawn(ask(dialog, screen, prompt, withdraw)).await;
                let press = asked.unwrap_or_else(|error| Press::Failed(error.to_string()));
                match press {
                    Press::Allow => answers.answer(&id, Verdict::Allow, Surface::Dialog),
                    Press::Deny | Press::Dismissed => answers.answer(&id, Verdict::Deny, Surface::Dialog),
                    Press::Withdrawn => {}
                    Press::Failed(why) => {
                        tracing::error!(why, "the dialog failed");
                        answers.answer(&id, Verdict::Unavailable(why), Surface::Dialog);
                    }
                }
                stage.dialog_changed(&id, false);
            }
            if let Some(inputs) = inputs.upgrade() {
                drop(inputs.send(Input::DialogGone(id)));
            }
        });
    }

    /// Puts what is pressed in a dialog on record whose call has ended; it can't count any more.
    fn late(&self, id: String) -> Late {
        let (answers, tickets) = (Arc::clone(&self.parts.answers), Arc::clone(&self.tickets));
        Late(Arc::new(move |press| {
            if tickets.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&id) {
                return;
            }
            match press {
                Press::Allow => answers.answer(&id, Verdict::Allow, Surface::Dialog),
                Press::Deny => answers.answer(&id, Verdict::Deny, Surface::Dialog),
                Press::Dismissed | Press::Withdrawn | Press::Failed(_) => {}
            }
        }))
    }

    fn notify(&mut self, id: String, more: usize) {
        self.note.cancel();
        let Some(ticket) = self.ticket(&id) else { return };
        self.note = CancellationToken::new();
        let until = self.note.clone();
        let note = self.parts.stage.note(&ticket, more);
        let (notify, answers) = (Arc::clone(&self.parts.notify), Arc::clone(&self.parts.answers));
        let inputs = self.inputs.clone();
        tauri::async_runtime::spawn(async move {
            let tell = |input| {
                if let Some(inputs) = inputs.upgrade() {
                    drop(inputs.send(input));
                }
            };
            match notify.notify(note, until.clone()).await {
                Reaction::Gone => {}
                // Late or not is the broker's to say: an answer that doesn't count goes on record.
                Reaction::Deny => answers.answer(&id, Verdict::Deny, Surface::Notification),
                // Taken back meanwhile: nothing of it is on screen.
                Reaction::Review | Reaction::Failed(_) if until.is_cancelled() => {}
                Reaction::Review => tell(Input::Review(Some(id))),
                Reaction::Failed(why) => {
                    tracing::warn!(why, "no notification");
                    tell(Input::NotificationFailed);
                }
            }
        });
    }

    fn ticket(&self, id: &str) -> Option<Ticket> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}

/// One dialog, when the screen is free; what it shows is made then.
pub async fn ask(
    dialog: Arc<dyn ApprovalDialog>,
    screen: Screen,
    prompt: impl FnOnce() -> Prompt,
    withdraw: CancellationToken,
) -> Press {
    let turn = tokio::select! {
        biased;
        () = withdraw.cancelled() => return Press::Withdrawn,
        turn = screen.lock() => turn,
    };
    let press = dialog.ask(prompt(), &withdraw).await;
    drop(turn);
    press
}
