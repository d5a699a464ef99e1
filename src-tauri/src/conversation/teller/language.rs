//! The language that a conversation is told in, and a change of it.

use super::Teller;
use crate::view::{Decision, TranscriptItem, shown};
use assent_policy::request::{Language, failure_in};
use std::collections::HashMap;

impl Teller {
    /// From here on everything is told in `language`: what comes, and what this process heard from the engine. A
    /// decision that was stored is kept as it was said.
    pub fn speak(&mut self, language: Language) {
        if self.language == language {
            return;
        }
        self.language = language;
        let decisions: Vec<(String, Decision)> = self
            .calls
            .iter()
            .filter_map(|(id, open)| {
                Some((id.clone(), self.decision(open.judged.as_ref()?, open.answer.as_ref())))
            })
            .collect();
        for (id, decision) in decisions {
            self.change(&id, |call| call.decision = Some(decision));
        }
        let said: HashMap<String, String> =
            self.sentences.iter().map(|(id, sentence)| (id.clone(), self.said(sentence))).collect();
        for item in &mut self.items {
            match item {
                TranscriptItem::Notice { item_id, message, .. } => {
                    if let Some(said) = said.get(item_id) {
                        message.clone_from(said);
                    }
                }
                TranscriptItem::RunEnd { item_id, message, .. } => {
                    if let Some(said) = said.get(item_id) {
                        *message = Some(said.clone());
                    }
                }
                TranscriptItem::User { .. }
                | TranscriptItem::Assistant { .. }
                | TranscriptItem::Call { .. }
                | TranscriptItem::Summary { .. } => {}
            }
        }
    }

    /// A sentence of the engine in the language of the transcript; anybody else's stays as it is.
    pub fn said(&self, sentence: &str) -> String {
        shown(&failure_in(self.language, sentence))
    }

    /// [`Self::said`], for an item that says it again in another language.
    pub(super) fn say(&mut self, item_id: &str, sentence: String) -> String {
        let said = self.said(&sentence);
        self.sentences.insert(item_id.to_owned(), sentence);
        said
    }
}
