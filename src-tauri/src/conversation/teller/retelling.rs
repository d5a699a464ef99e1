//! What was stored of a conversation, told again: the transcript as it was, of which the window hears nothing.

use super::Teller;
use crate::conversation::card::{ends, state_after};
use crate::conversation::stored::is_open;
use crate::view::{Call, RunOutcome, TranscriptItem};
use assent_policy::ErrorCode;

impl Teller {
    /// A reply that was stored.
    pub fn retell_assistant(&mut self, now: u64, text: &str, reasoning: &str) {
        let item_id = self.id();
        let (text, reasoning) = (text.to_owned(), reasoning.to_owned());
        self.items.push(TranscriptItem::Assistant { item_id, time_ms: now, text, reasoning });
    }

    /// A card that was stored.
    pub fn retell_call(&mut self, call_id: &str, stored: Call) {
        let shown = self.shown_id(call_id);
        if !self.calls.contains_key(call_id) {
            // A sub-agent's: its conversation isn't kept, its card is.
            let (agent, tool, now) = (stored.agent.clone(), stored.tool.clone(), stored.proposed_ms);
            drop(self.proposed(now, call_id, &tool, None, agent));
        }
        self.change(call_id, |call| *call = Call { call_id: shown, ..stored });
    }

    /// The answer to a call whose card wasn't stored.
    pub fn retell_answer(&mut self, call_id: &str, code: Option<ErrorCode>, content: &str) {
        let (output, output_bytes) = ends(content);
        self.change(call_id, |call| {
            if is_open(call.state) {
                call.state = state_after(code);
                call.error_code = code.map(|code| code.as_str().to_owned());
                call.output = output;
                call.output_bytes = output_bytes;
            }
        });
    }

    /// A remark, in the transcript as it is shown.
    pub fn remark(&mut self, now: u64, code: &str, message: &str) -> TranscriptItem {
        let item_id = self.id();
        let (code, message) = (code.to_owned(), self.say(&item_id, message.to_owned()));
        let item = TranscriptItem::Notice { item_id, time_ms: now, code, message };
        self.items.push(item.clone());
        item
    }

    /// The tokens of a run that was stored.
    pub fn retell_spending(&mut self, model: &str, usage: assent_agent::model::Usage) {
        self.spending.retell(model, usage);
    }

    /// The end of a run that was stored.
    pub fn retell_end(
        &mut self,
        now: u64,
        outcome: RunOutcome,
        error_code: Option<String>,
        message: Option<String>,
        turns: u32,
    ) {
        let item_id = self.id();
        let message = message.map(|text| self.say(&item_id, text));
        self.items.push(TranscriptItem::RunEnd {
            item_id,
            time_ms: now,
            outcome,
            error_code,
            message,
            turns,
        });
    }

    /// The transcript as it is: everything that was said is announced with it.
    pub fn retold(&mut self) {
        self.unannounced = None;
    }
}
