//! Runs: a message is sent or a call was answered, and what follows until the end.

use super::conversations::{TakeUp, fresh_id, limits};
use super::{OpenFolder, Reply, Shell};
use crate::conversation::replaced::{need_something, replace};
use crate::conversation::{Begun, Conversation, Work, stored, with_mentions};
use crate::notification::{Notifier, Reaction};
use crate::view::{self, AppEvent, BackendError};
use crate::{run_end, window};
use assent_agent::attachments::{NotAttached, received_base64};
use assent_agent::clock::{Clock as _, SystemClock, date};
use assent_agent::model::Attachment;
use std::path::Path;
use std::sync::Arc;
use tauri::Manager as _;
use tokio_util::sync::CancellationToken;

impl Shell {
    /// Adds a message and starts a run; the session's id.
    ///
    /// # Errors
    /// When there is no folder, no engine or no model, or a run is on.
    pub async fn send(self: &Arc<Self>, message: view::MessageInput) -> Reply<String> {
        let run_id = fresh_id()?;
        let picked =
            message.attachments.iter().map(|input| received_base64(&input.name, &input.base64)).collect();
        let picked: Result<Vec<Attachment>, NotAttached> = picked;
        let mut attachments =
            picked.map_err(|refused| BackendError::new("not_attached", format!("Can't {refused}.")))?;
        if message.replace_from.is_none() {
            need_something(&message.text, &attachments)?;
        }
        let settings = self.settings.get();
        let (client, reviewer) = (self.client(&settings.active())?, self.reviewer(&settings)?);
        let conversation = match &message.session_id {
            Some(id) => {
                self.need_folder(id)?;
                self.conversation_for_message(id)?
            }
            None => {
                let conversation = self.begin_conversation()?;
                self.tell_opened(&conversation.id)?;
                conversation
            }
        };
        let begun = conversation.begin()?;
        if let Some(item_id) = &message.replace_from {
            let (store, mut teller) = (self.store()?, conversation.teller());
            let (along, told) =
                replace(store, &conversation.id, &mut teller, item_id, &message.text, attachments)?;
            self.bridge.send(told);
            attachments = along;
        }
        let now = SystemClock.now_ms();
        conversation.session().begin_with(client, reviewer, limits(&settings), date(now));
        let (named, refused) = conversation.session().mentioned(&message.mentions);
        let by_hand = attachments.clone();
        attachments.extend(named);
        let shown_attachments = attachments.iter().map(stored::attachment_view).collect();
        let mut teller = conversation.teller();
        teller.user(now, &message.text, &message.mentions, shown_attachments);
        teller.attached(by_hand);
        drop(teller);
        for NotAttached { name, why } in refused {
            let message = format!("{name} is not sent along: {}.", why.trim_end_matches('.')).into();
            let (session_id, code) = (Some(conversation.id.clone()), "not_attached".to_owned());
            self.bridge.send(AppEvent::Warning { session_id, code, message });
        }
        let id = conversation.id.clone();
        let shell = Arc::clone(self);
        let text = with_mentions(&message.text, &message.mentions);
        tauri::async_runtime::spawn(async move {
            shell.run_to_its_end(conversation, Work::Message { run_id, text, attachments }, begun).await;
        });
        Ok(id)
    }

    /// A person answered a call of a session whose process had ended: its run goes on, in the background.
    pub fn go_on(self: &Arc<Self>, id: String, run_id: String) {
        let shell = Arc::clone(self);
        tauri::async_runtime::spawn(async move {
            if let Err(error) = shell.try_to_go_on(&id, run_id).await {
                tracing::warn!(session = id, code = error.code, "a session can't go on");
                let (code, message) = (error.code, error.message);
                shell.bridge.send(AppEvent::Warning { session_id: Some(id), code, message });
            }
        });
    }

    async fn try_to_go_on(self: &Arc<Self>, id: &str, run_id: String) -> Reply<()> {
        self.need_folder(id)?;
        let open = OpenFolder { path: self.record_of(id)?.workspace.into(), opened_as: None };
        let (conversation, calls) = self.assemble(id, &open, TakeUp::GoingOn)?;
        let begun = conversation.begin()?;
        self.run_to_its_end(conversation, Work::Resumed { run_id, calls }, begun).await;
        Ok(())
    }

    /// Nothing is sent where the session's folder isn't any more; the window is told so.
    pub(super) fn need_folder(&self, id: &str) -> Reply<()> {
        if Path::new(&self.record_of(id)?.workspace).is_dir() {
            return Ok(());
        }
        self.session_changed(id);
        self.look_for_folder();
        Err(BackendError::new("read_only", "The folder of this session is gone. Locate it first."))
    }

    async fn run_to_its_end(&self, conversation: Arc<Conversation>, work: Work, begun: Begun) {
        self.session_changed(&conversation.id);
        self.look_for_folder();
        let outcome = Arc::clone(&conversation).run(work, begun, &self.bridge).await;
        self.session_changed(&conversation.id);
        self.bridge.send(AppEvent::ChangesChanged { session_id: conversation.id.clone() });
        self.look_for_folder();
        self.run_ended(&conversation, outcome).await;
    }

    /// A run ended: a notification says so to whoever wants one.
    async fn run_ended(&self, conversation: &Conversation, outcome: Option<view::RunOutcome>) {
        tracing::info!(session = conversation.id, ?outcome, "a run ended");
        let looking = self
            .app
            .get_webview_window(window::MAIN)
            .is_some_and(|window| window.is_focused().unwrap_or(false));
        let name = conversation.workspace.file_name().map(|name| name.to_string_lossy().into_owned());
        let setting = self.settings.get().notifications;
        let note = run_end::note(&self.words(), setting, looking, outcome, &name.unwrap_or_default());
        let Some(note) = note else { return };
        if let Reaction::Failed(why) = Notifier::new().show(note, CancellationToken::new()).await {
            tracing::info!(why, "no notification");
        }
    }
}
