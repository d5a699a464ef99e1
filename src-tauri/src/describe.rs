//! A waiting call in words: for the dialog, the notification and the card.

use crate::conversation::{card, shown_call_id};
use crate::dialog::Prompt;
use crate::diff;
use crate::presenter::Ticket;
use crate::shell::Shell;
use crate::view::{self, AppEvent, ApprovalEnd, Surface, shown};
use crate::waiting::Describe;
use crate::words::Language;
use assent_agent::approval::{Answer, Approval};
use std::path::Path;
use std::sync::{PoisonError, Weak};

/// Speaks for the shell.
pub struct Descriptions(pub Weak<Shell>);

impl Describe for Descriptions {
    fn ticket(&self, approval: &Approval) -> Ticket {
        let shell = self.0.upgrade();
        let labels = shell.as_ref().map(|shell| shell.words().approval_labels()).unwrap_or_default();
        let language = shell.as_ref().map_or(Language::English, |shell| shell.words.language());
        // A program without the sandbox could press buttons itself, so every dialog says that one runs.
        let alive = shell.is_some_and(|shell| shell.background.any_unsandboxed());
        let request = approval.request.clone().with_unsandboxed_alive(alive);
        let text = request.text(language.of_requests());
        Ticket {
            id: approval.id.clone(),
            prompt: Prompt { title: text.title, lines: text.lines, labels, late: None },
            tool: shown(&approval.tool),
            workspace: shown(&name_of(&approval.workspace)),
        }
    }

    fn waiting(&self, approval: &Approval) {
        let Some(shell) = self.0.upgrade() else { return };
        let request = &approval.request;
        let diffs = diff::proposed(Path::new(&approval.workspace), &approval.tool, &request.arguments);
        if let Some(conversation) = shell.running_conversation(&approval.session) {
            conversation.teller().waits(&approval.call_id, &approval.id, diffs.clone());
        }
        let title = shell.record_of(&approval.session).map(|record| shown(&record.title)).unwrap_or_default();
        let language = shell.words.language().of_requests();
        let text = request.text(language);
        let view = view::Approval {
            approval_id: approval.id.clone(),
            session_id: approval.session.clone(),
            session_title: title,
            call_id: shown_call_id(&approval.session, &approval.call_id),
            tool: shown(&approval.tool),
            // The window's own cards don't repeat whose question it is.
            title: text.title.strip_prefix("Assent · ").unwrap_or(&text.title).to_owned(),
            subject: card::subject(&request.arguments),
            risk: view::Risk { level: request.risk.level, sentence: request.risk_sentence(language) },
            reason: shown(&assent_policy::request::reason_in(language, &request.reason)),
            source: shown(&request.source),
            says: request.says.as_deref().map(shown),
            lines: text
                .lines
                .into_iter()
                .filter(|line| !line.label.is_empty())
                .map(|line| view::RequestLine { label: line.label, value: line.value })
                .collect(),
            diffs,
            digest_short: approval.digest.short(),
            created_ms: approval.created_ms,
            expires_ms: approval.expires_ms,
            dialog_open: false,
            mine: true,
        };
        let mut approvals = shell.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        approvals.insert(approval.id.clone(), view.clone());
        drop(approvals);
        shell.bridge.send(AppEvent::ApprovalWaiting { approval: Box::new(view) });
        shell.session_changed(&approval.session);
    }

    fn rescheduled(&self, approval: &Approval) {
        if let Some(shell) = self.0.upgrade() {
            shell.approval_changed(&approval.id, |view| view.expires_ms = approval.expires_ms);
        }
    }

    fn settled(&self, approval: &Approval, answer: &Answer) {
        let Some(shell) = self.0.upgrade() else { return };
        shell.approvals.lock().unwrap_or_else(PoisonError::into_inner).remove(&approval.id);
        let (end, surface, words) = match answer {
            Answer::Allowed { surface } => (ApprovalEnd::Allowed, Some(*surface), None),
            Answer::Denied { surface, words } => (ApprovalEnd::Denied, Some(*surface), words.clone()),
            Answer::Expired => (ApprovalEnd::Expired, None, None),
            Answer::Withdrawn => (ApprovalEnd::Withdrawn, None, None),
            Answer::Unavailable { .. } => (ApprovalEnd::Unavailable, None, None),
        };
        shell.bridge.send(AppEvent::ApprovalSettled {
            approval_id: approval.id.clone(),
            session_id: approval.session.clone(),
            call_id: shown_call_id(&approval.session, &approval.call_id),
            end,
            surface: surface.map(Surface::from),
            words: words.map(|words| shown(&words)),
        });
        shell.session_changed(&approval.session);
    }

    fn goes_on(&self, approval: &Approval) {
        if let Some(shell) = self.0.upgrade() {
            shell.go_on(approval.session.clone(), approval.run.clone());
        }
    }
}

fn name_of(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Brings window and tray up to date with what waits.
pub struct Front(pub Weak<Shell>);

impl crate::presenter::Stage for Front {
    fn show_window(&self) {
        if let Some(shell) = self.0.upgrade() {
            crate::window::bring_up(&shell.app);
        }
    }

    fn attention(&self) {
        if let Some(shell) = self.0.upgrade() {
            crate::window::attention(&shell.app);
        }
    }

    fn badge(&self, waiting: usize) {
        if let Some(shell) = self.0.upgrade() {
            shell.show_waiting(waiting);
        }
    }

    fn dialog_changed(&self, id: &str, open: bool) {
        if let Some(shell) = self.0.upgrade() {
            shell.approval_changed(id, |view| view.dialog_open = open);
        }
    }

    fn note(&self, ticket: &Ticket, more: usize) -> crate::notification::Note {
        let words = self.0.upgrade().map(|shell| shell.words());
        let Some(words) = words else {
            return crate::notification::Note { title: String::new(), body: String::new(), actions: None };
        };
        let values = [
            ("tool", ticket.tool.as_str()),
            ("workspace", ticket.workspace.as_str()),
            ("more", &more.to_string()),
        ];
        let template = if more == 0 { &words.notify_waiting } else { &words.notify_waiting_more };
        crate::notification::Note {
            title: words.notify_title.clone(),
            body: crate::words::fill(template, &values),
            actions: Some((words.review.clone(), words.deny.clone())),
        }
    }
}
