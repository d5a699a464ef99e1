//! Events on their way to the window: in order, streamed text joined, every message small.

use crate::view::AppEvent;

/// Most bytes of text in one message; with its frame it stays below the 8 KiB that a channel sends directly.
const PIECE: usize = 6 * 1024;

/// Collects events until they are taken.
#[derive(Debug, Default)]
pub struct Outbox {
    events: Vec<AppEvent>,
}

impl Outbox {
    /// Adds an event; text of the same item and kind joins what is already there. Whether the box was empty.
    pub fn push(&mut self, event: AppEvent) -> bool {
        let was_empty = self.events.is_empty();
        match (self.events.last_mut(), event) {
            (
                Some(AppEvent::TextDelta { session_id, item_id, text }),
                AppEvent::TextDelta { session_id: session, item_id: item, text: more },
            )
            | (
                Some(AppEvent::ReasoningDelta { session_id, item_id, text }),
                AppEvent::ReasoningDelta { session_id: session, item_id: item, text: more },
            ) if *session_id == session && *item_id == item => text.push_str(&more),
            (
                Some(AppEvent::CallOutput { session_id, call_id, chunk, total_bytes }),
                AppEvent::CallOutput { session_id: session, call_id: call, chunk: more, total_bytes: total },
            ) if *session_id == session && *call_id == call => {
                chunk.push_str(&more);
                *total_bytes = total;
            }
            // Of the whole state only the newest counts, where nothing came in between.
            (Some(AppEvent::App { app }), AppEvent::App { app: newer }) => *app = newer,
            (_, event) => self.events.push(event),
        }
        was_empty
    }

    /// Everything collected, in order; long text in pieces.
    pub fn take(&mut self) -> Vec<AppEvent> {
        std::mem::take(&mut self.events).into_iter().flat_map(in_pieces).collect()
    }
}

fn in_pieces(event: AppEvent) -> Vec<AppEvent> {
    match event {
        AppEvent::TextDelta { session_id, item_id, text } => pieces(&text)
            .into_iter()
            .map(|text| AppEvent::TextDelta {
                session_id: session_id.clone(),
                item_id: item_id.clone(),
                text,
            })
            .collect(),
        AppEvent::ReasoningDelta { session_id, item_id, text } => pieces(&text)
            .into_iter()
            .map(|text| AppEvent::ReasoningDelta {
                session_id: session_id.clone(),
                item_id: item_id.clone(),
                text,
            })
            .collect(),
        AppEvent::CallOutput { session_id, call_id, chunk, total_bytes } => pieces(&chunk)
            .into_iter()
            .map(|chunk| AppEvent::CallOutput {
                session_id: session_id.clone(),
                call_id: call_id.clone(),
                chunk,
                total_bytes,
            })
            .collect(),
        other => vec![other],
    }
}

fn pieces(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text.to_owned();
    while !rest.is_empty() {
        let (head, left) = crate::view::cut(&rest, PIECE);
        let tail = rest.split_off(rest.len() - left);
        out.push(head);
        rest = tail;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{AppEvent, Outbox, PIECE};

    fn delta(item: &str, text: &str) -> AppEvent {
        AppEvent::TextDelta { session_id: "s".into(), item_id: item.into(), text: text.into() }
    }

    #[test]
    fn text_of_one_item_is_one_message_and_order_is_kept() {
        let mut outbox = Outbox::default();
        assert!(outbox.push(delta("1", "a")));
        assert!(!outbox.push(delta("1", "b")));
        outbox.push(AppEvent::SessionsChanged);
        outbox.push(delta("1", "c"));
        outbox.push(delta("2", "d"));
        assert_eq!(
            outbox.take(),
            [delta("1", "ab"), AppEvent::SessionsChanged, delta("1", "c"), delta("2", "d")]
        );
        assert_eq!(outbox.take(), []);
    }

    #[test]
    fn every_message_is_below_eight_kibibytes_and_nothing_is_lost() {
        let mut outbox = Outbox::default();
        let long = "你好 wide ".repeat(5_000);
        outbox.push(delta("1", &long));
        let mut joined = String::new();
        for event in outbox.take() {
            assert!(serde_json::to_string(&event).unwrap().len() < 8 * 1024);
            if let AppEvent::TextDelta { text, .. } = event {
                assert!(text.len() <= PIECE);
                joined.push_str(&text);
            }
        }
        assert_eq!(joined, long);
    }
}
