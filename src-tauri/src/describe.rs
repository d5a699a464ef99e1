//! A waiting call in words: for the dialog, the notification and the card.

use crate::conversation::{card, shown_call_id};
use crate::dialog::{Asks, Labels, Prompt};
use crate::diff;
use crate::presenter::Ticket;
use crate::shell::Shell;
use crate::view::{self, AppEvent, ApprovalEnd, FileDiff, Surface, shown};
use crate::waiting::Describe;
use crate::words::Language;
use assent_agent::approval::{Answer, Approval};
use assent_policy::request::{Language as RequestLanguage, RequestText, reason_in};
use std::path::Path;
use std::sync::{Arc, PoisonError, Weak};

/// Speaks for the shell.
pub struct Descriptions(pub Weak<Shell>);

impl Describe for Descriptions {
    fn ticket(&self, approval: &Approval) -> Ticket {
        let (shell, asked) = (self.0.clone(), approval.clone());
        let asks = move || {
            let shell = shell.upgrade();
            let labels = shell.as_ref().map(|shell| shell.words().approval_labels()).unwrap_or_default();
            prompt(said(shell.as_deref(), &asked), labels)
        };
        Ticket {
            id: approval.id.clone(),
            prompt: Asks(Arc::new(asks)),
            tool: shown(&approval.tool),
            workspace: shown(&name_of(&approval.workspace)),
        }
    }

    fn changes(&self, approval: &Approval) -> Vec<FileDiff> {
        diff::proposed(Path::new(&approval.workspace), &approval.tool, &approval.request.arguments)
    }

    fn waiting(&self, approval: &Approval, diffs: Vec<FileDiff>) {
        let Some(shell) = self.0.upgrade() else { return };
        if let Some(conversation) = shell.running_conversation(&approval.session) {
            conversation.teller().waits(&approval.call_id, &approval.id, diffs.clone());
        }
        let session_title =
            shell.record_of(&approval.session).map(|record| shown(&record.title)).unwrap_or_default();
        let language = shell.words.language().of_requests();
        let card = view::Approval {
            session_title,
            diffs,
            ..card_of(approval, said(Some(&shell), approval), language)
        };
        let mut approvals = shell.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        approvals.insert(approval.id.clone(), card.clone());
        shell.bridge.send(AppEvent::ApprovalWaiting { approval: Box::new(card) });
        drop(approvals);
        shell.session_changed(&approval.session);
    }

    fn rescheduled(&self, approval: &Approval) {
        if let Some(shell) = self.0.upgrade() {
            shell.approval_changed(&approval.id, |view| view.expires_ms = approval.expires_ms);
        }
    }

    fn settled(&self, approval: &Approval, answer: &Answer) {
        let Some(shell) = self.0.upgrade() else { return };
        let (end, surface, words) = match answer {
            Answer::Allowed { surface } => (ApprovalEnd::Allowed, Some(*surface), None),
            Answer::Denied { surface, words } => (ApprovalEnd::Denied, Some(*surface), words.clone()),
            Answer::Expired => (ApprovalEnd::Expired, None, None),
            Answer::Withdrawn => (ApprovalEnd::Withdrawn, None, None),
            Answer::Unavailable { .. } => (ApprovalEnd::Unavailable, None, None),
        };
        let mut approvals = shell.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        approvals.remove(&approval.id);
        shell.bridge.send(AppEvent::ApprovalSettled {
            approval_id: approval.id.clone(),
            session_id: approval.session.clone(),
            call_id: shown_call_id(&approval.session, &approval.call_id),
            end,
            surface: surface.map(Surface::from),
            words: words.map(|words| shown(&words)),
        });
        drop(approvals);
        shell.session_changed(&approval.session);
    }

    fn goes_on(&self, approval: &Approval) {
        if let Some(shell) = self.0.upgrade() {
            shell.go_on(approval.session.clone(), approval.run.clone());
        }
    }
}

/// Says what waits again, in the language of the shell's words by now; the window gets it with the next picture.
pub fn reword(shell: &Shell) {
    let language = shell.words.language().of_requests();
    for approval in shell.waiting.all() {
        let card = card_of(&approval, said(Some(shell), &approval), language);
        let mut approvals = shell.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shown) = approvals.get_mut(&approval.id) {
            *shown = reworded(shown, card);
        }
    }
}

/// `shown` with the texts of `card`, which says the same anew.
fn reworded(shown: &view::Approval, card: view::Approval) -> view::Approval {
    let view::Approval { session_title, diffs, expires_ms, dialog_open, mine, .. } = shown.clone();
    view::Approval { session_title, diffs, expires_ms, dialog_open, mine, ..card }
}

/// The question in words, one text for every surface.
fn said(shell: Option<&Shell>, approval: &Approval) -> RequestText {
    let language = shell.map_or(Language::English, |shell| shell.words.language());
    // A program without the sandbox could press buttons itself, so every question says that one runs.
    let alive = shell.is_some_and(|shell| shell.background.any_unsandboxed());
    approval.request.clone().with_unsandboxed_alive(alive).text(language.of_requests())
}

/// What the native dialog shows.
fn prompt(text: RequestText, labels: Labels) -> Prompt {
    Prompt { title: text.title, lines: text.lines, labels, late: None }
}

/// What the window shows: the same text, and what it needs to place and order it.
fn card_of(approval: &Approval, text: RequestText, language: RequestLanguage) -> view::Approval {
    let request = &approval.request;
    view::Approval {
        approval_id: approval.id.clone(),
        session_id: approval.session.clone(),
        session_title: String::new(),
        call_id: shown_call_id(&approval.session, &approval.call_id),
        tool: shown(&approval.tool),
        // The window's own cards don't repeat whose question it is.
        title: text.title.strip_prefix("Assent · ").unwrap_or(&text.title).to_owned(),
        subject: card::subject(&request.arguments),
        risk: view::Risk { level: request.risk.level, sentence: request.risk_sentence(language) },
        reason: shown(&reason_in(language, &request.reason)),
        source: shown(&request.source),
        says: request.says.as_deref().map(shown),
        lines: text
            .lines
            .into_iter()
            .filter(|line| !line.label.is_empty())
            .map(|line| view::RequestLine { label: line.label, value: line.value })
            .collect(),
        diffs: Vec::new(),
        digest_short: approval.digest.short(),
        created_ms: approval.created_ms,
        expires_ms: approval.expires_ms,
        dialog_open: false,
        mine: true,
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

#[cfg(test)]
mod tests {
    use super::{card_of, prompt, reworded};
    use crate::dialog::Labels;
    use assent_agent::approval::{Approval, Question};
    use assent_policy::ToolEffect;
    use assent_policy::request::Language;
    use e2e::{bench, call};
    use serde_json::json;

    async fn approval() -> Approval {
        let bench = bench(ToolEffect::Write);
        bench.gate.run(&call("c", "probe", json!({"path": "a.txt"})), &bench.run).await;
        let Question { session, run, call_id, call, digest, workspace, request, .. } =
            bench.person.asked().remove(0);
        Approval {
            id: "a".to_owned(),
            nonce: "n".to_owned(),
            digest,
            owner: "o".to_owned(),
            session,
            run,
            call_id,
            tool: call.tool,
            workspace,
            request,
            created_ms: 1,
            expires_ms: 2,
        }
    }

    /// A call that waits while the language changes keeps what it is, and says it in the other.
    #[tokio::test]
    async fn a_waiting_call_is_said_again_in_another_language() {
        let approval = approval().await;
        let card = |language| card_of(&approval, approval.request.clone().text(language), language);
        let mut shown = card(Language::English);
        (shown.session_title, shown.expires_ms, shown.dialog_open) = ("Tax".to_owned(), 9, true);
        let again = reworded(&shown, card(Language::Chinese));
        let chinese = card(Language::Chinese);
        assert_ne!((&shown.title, &shown.reason), (&chinese.title, &chinese.reason));
        assert_eq!(
            (&again.title, &again.reason, &again.lines),
            (&chinese.title, &chinese.reason, &chinese.lines)
        );
        assert_eq!((again.session_title.as_str(), again.expires_ms, again.dialog_open), ("Tax", 9, true));
    }

    /// R30, R32: window and dialog show one text and one digest, in each language, also while a program runs without
    /// the sandbox.
    #[tokio::test]
    async fn the_card_says_what_the_dialog_says() {
        let approval = approval().await;
        for (language, alive) in
            [(Language::English, false), (Language::English, true), (Language::Chinese, true)]
        {
            let text = approval.request.clone().with_unsandboxed_alive(alive).text(language);
            let dialog = prompt(text.clone(), Labels::default());
            let card = card_of(&approval, text, language);
            let said = dialog.lines.iter().filter(|line| !line.label.is_empty());
            let said: Vec<_> = said.map(|line| (line.label.as_str(), line.value.as_str())).collect();
            let shown: Vec<_> =
                card.lines.iter().map(|line| (line.label.as_str(), line.value.as_str())).collect();
            assert_eq!(shown, said);
            assert!(dialog.title.ends_with(&card.title), "{} and {}", dialog.title, card.title);
            assert!(said.iter().any(|(_, value)| *value == card.digest_short), "{said:?}");
            assert!(dialog.lines.iter().any(|line| line.value == card.risk.sentence));
            assert_eq!((card.created_ms, card.expires_ms), (1, 2));
        }
    }
}
