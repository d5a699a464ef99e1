//! A message that takes the place of an earlier one: all from there on goes out of the history, changes to files stay.

use super::stored::attached_by_hand;
use super::teller::Teller;
use crate::view::{AppEvent, BackendError};
use assent_agent::model::Attachment;
use assent_agent::session::{Item, SessionStore, StoreError};

/// Cuts the history of `session` at the message `item_id`, for one of `text` and `attached`; what goes along with that,
/// and what the window is told.
///
/// # Errors
/// When the message isn't there, the history can't be written, or there is nothing to send; then nothing is cut.
pub fn replace(
    store: &SessionStore,
    session: &str,
    teller: &mut Teller,
    item_id: &str,
    text: &str,
    attached: Vec<Attachment>,
) -> Result<(Vec<Attachment>, AppEvent), BackendError> {
    let missing = || BackendError::new("not_found", "That message isn't there any more.");
    let broken = |error: StoreError| BackendError::new("io", format!("Can't {error}."));
    let place = teller.place_of(item_id).ok_or_else(missing)?;
    let attached = match teller.seq_of(item_id) {
        // The window has their names only: what went along goes along again.
        Some(seq) if attached.is_empty() => attached_by_hand(store, session, seq).map_err(broken)?,
        None if attached.is_empty() => teller.held(item_id),
        Some(_) | None => attached,
    };
    need_something(text, &attached)?;
    if let Some(from_seq) = teller.seq_from(place) {
        store.append(session, &Item::Cut { from_seq }).map_err(broken)?;
    }
    let told = teller.cut(place).ok_or_else(missing)?;
    Ok((attached, told))
}

/// # Errors
/// When the message has neither words nor attachments.
pub fn need_something(text: &str, attached: &[Attachment]) -> Result<(), BackendError> {
    if text.trim().is_empty() && attached.is_empty() {
        return Err(BackendError::new("empty", "There is nothing to send."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::replace;
    use crate::conversation::spending::Prices;
    use crate::conversation::stored::item_id;
    use crate::conversation::teller::Teller;
    use assent_agent::clock::SystemClock;
    use assent_agent::model::{Attachment, Message};
    use assent_agent::session::{Item, SessionStore};
    use assent_policy::request::Language;
    use std::sync::Arc;
    use tempfile::TempDir;

    struct Told {
        _folder: TempDir,
        store: SessionStore,
        teller: Teller,
    }

    impl Told {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store = SessionStore::open(folder.path(), Arc::new(SystemClock)).unwrap();
            store.create("s1", "/w").unwrap();
            let teller = Teller::new("s1", Language::English, Prices::default());
            Self { _folder: folder, store, teller }
        }

        /// A message of the person, stored or held back by a hook; its item.
        fn says(&mut self, text: &str, attachments: Vec<Attachment>, stored: bool) -> String {
            self.teller.user(1, text, &[], Vec::new());
            self.teller.attached(attachments.clone());
            if stored {
                self.store(text, attachments);
            }
            self.teller.items().last().map(|item| item_id(item).to_owned()).unwrap()
        }

        fn store(&mut self, text: &str, attachments: Vec<Attachment>) {
            let message = Item::Message(Message::User { text: text.to_owned(), attachments, by_hook: false });
            let seq = self.store.append("s1", &message).unwrap();
            self.teller.user_stored(seq);
        }

        /// The texts that go to the model.
        fn history(&self) -> Vec<String> {
            let mut texts = Vec::new();
            for stored in self.store.items("s1", None, usize::MAX).unwrap() {
                match stored.item {
                    Item::Message(Message::User { text, .. }) => texts.push((stored.seq, text)),
                    Item::Cut { from_seq } => texts.retain(|(seq, _)| *seq < from_seq),
                    other => panic!("{other:?}"),
                }
            }
            texts.into_iter().map(|(_, text)| text).collect()
        }

        fn replace(&mut self, item: &str, text: &str) -> Result<Vec<Attachment>, String> {
            replace(&self.store, "s1", &mut self.teller, item, text, Vec::new())
                .map(|(attached, _)| attached)
                .map_err(|error| error.code)
        }
    }

    fn notes() -> Attachment {
        Attachment {
            name: "notes.txt".into(),
            media_type: "text/plain".into(),
            data: "all of it".into(),
            cut: false,
        }
    }

    /// A `Stop` hook that keeps a run going stores a message too.
    #[test]
    fn the_history_is_cut_at_the_message_of_the_person() {
        let mut told = Told::new();
        told.says("kept", Vec::new(), true);
        let item = told.says("edited", Vec::new(), true);
        let hooks = Message::User { text: "the hook's".to_owned(), attachments: Vec::new(), by_hook: true };
        told.store.append("s1", &Item::Message(hooks)).unwrap();
        told.replace(&item, "anew").unwrap();
        assert_eq!((told.history(), told.teller.items().len()), (vec!["kept".to_owned()], 1));
    }

    /// What a hook held back is in the transcript only.
    #[test]
    fn a_message_that_was_never_stored_is_replaced() {
        let mut told = Told::new();
        told.says("kept", Vec::new(), true);
        let first = told.says("held back", Vec::new(), false);
        told.says("after it", Vec::new(), true);
        let last = told.says("held back too", Vec::new(), false);
        told.replace(&last, "anew").unwrap();
        assert_eq!((told.history().len(), told.teller.items().len()), (2, 3));
        told.replace(&first, "anew").unwrap();
        assert_eq!((told.history(), told.teller.items().len()), (vec!["kept".to_owned()], 1));
        assert_eq!(told.replace(&first, "anew").unwrap_err(), "not_found");
    }

    /// Sent again, it has what it had: nowhere else is it kept.
    #[test]
    fn what_was_attached_to_a_message_that_was_held_back_goes_along_again() {
        let mut told = Told::new();
        let first = told.says("held back", vec![notes()], false);
        let second = told.says("held back too", vec![notes(), notes()], false);
        assert_eq!(told.replace(&second, "anew").unwrap(), [notes(), notes()]);
        assert_eq!(told.replace(&first, "").unwrap(), [notes()]);
        assert!(told.teller.held(&first).is_empty(), "it is gone");
        let stored = told.says("stored", vec![notes()], true);
        assert!(told.teller.held(&stored).is_empty(), "it is kept once");
    }

    #[test]
    fn attachments_alone_are_a_message_and_nothing_is_none() {
        let mut told = Told::new();
        let alone = told.says("", vec![notes()], true);
        let words = told.says("words", Vec::new(), true);
        assert_eq!(told.replace(&words, " ").unwrap_err(), "empty");
        assert_eq!((told.history().len(), told.teller.items().len()), (2, 2), "nothing was cut");
        assert_eq!(told.replace(&alone, "").unwrap(), [notes()]);
        assert!(told.history().is_empty());
    }
}
