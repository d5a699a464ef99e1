//! When a dialog opens, when a notification is sent: a state machine without a display.
//!
//! One dialog at a time. In front: at once. Not in front: a notification and a badge, and the dialog on Review,
//! on the tray's Open, or when the window gets the focus. No notification to be had: attention, then the dialog.

use crate::view::Notifications;
use std::collections::VecDeque;

/// What happens around the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A call began to wait.
    Waiting(String),
    /// A call waits no longer, whoever answered.
    Settled(String),
    /// The window got or lost the focus.
    Focused(bool),
    /// The person wants to see this call, or the first one.
    Review(Option<String>),
    /// The dialog of this call is gone from the screen.
    DialogGone(String),
    /// The notification couldn't be sent, has no actions, or its server died.
    NotificationFailed,
    /// The notification setting changed.
    Setting(Notifications),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Open the dialog of this call.
    Open(String),
    /// Close the dialog of this call: it ended elsewhere.
    Withdraw(String),
    /// Bring the window to the front, as the person asked for it.
    ShowWindow,
    /// Ask for attention without taking the focus.
    Attention,
    /// Tell, outside the window, that this call waits, and how many more.
    Notify(String, usize),
    /// Take the notification back.
    Unnotify,
    /// This many calls wait.
    Badge(usize),
}

/// The waiting calls of this process, first come first.
#[derive(Debug)]
pub struct Desk {
    queue: VecDeque<String>,
    /// Those among them whose dialog is gone though they wait on: their answer couldn't be stored. They open only when
    /// the person asks for them, else nobody could get past their dialog.
    unheard: Vec<String>,
    open: Option<String>,
    focused: bool,
    setting: Notifications,
    /// The call that the notification on screen is about.
    notified: Option<String>,
}

impl Desk {
    /// An empty desk.
    #[must_use]
    pub const fn new(setting: Notifications) -> Self {
        Self {
            queue: VecDeque::new(),
            unheard: Vec::new(),
            open: None,
            focused: false,
            setting,
            notified: None,
        }
    }

    /// Takes one input; the effects are to be carried out in order.
    #[must_use]
    pub fn handle(&mut self, input: Input) -> Vec<Effect> {
        let mut effects = Vec::new();
        match input {
            Input::Waiting(id) => {
                if !self.queue.contains(&id) {
                    self.queue.push_back(id);
                    effects.push(Effect::Badge(self.queue.len()));
                    self.arrived(&mut effects);
                }
            }
            Input::Settled(id) => {
                let before = self.queue.len();
                self.queue.retain(|waiting| *waiting != id);
                self.unheard.retain(|unheard| *unheard != id);
                if self.open.as_ref() == Some(&id) {
                    effects.push(Effect::Withdraw(id.clone()));
                }
                if self.queue.len() != before {
                    effects.push(Effect::Badge(self.queue.len()));
                    self.notify_of_the_next(&id, &mut effects);
                }
            }
            Input::Focused(focused) => {
                self.focused = focused;
                if focused {
                    self.unnotify(&mut effects);
                    self.open_first(&mut effects);
                }
            }
            Input::Review(wanted) => {
                self.unnotify(&mut effects);
                effects.push(Effect::ShowWindow);
                self.unheard.clear();
                if let Some(place) =
                    wanted.and_then(|id| self.queue.iter().position(|waiting| *waiting == id))
                    && self.open.is_none()
                    && let Some(id) = self.queue.remove(place)
                {
                    self.queue.push_front(id);
                }
                self.open_first(&mut effects);
            }
            Input::DialogGone(id) => {
                if self.open.as_ref() == Some(&id) {
                    self.open = None;
                    effects.push(Effect::Badge(self.queue.len()));
                    if self.queue.contains(&id) {
                        effects.push(Effect::Attention);
                        self.unheard.push(id);
                    }
                    // Whoever just had a dialog in front is there to see the next one.
                    self.open_first(&mut effects);
                }
            }
            Input::NotificationFailed => {
                self.notified = None;
                if !self.queue.is_empty() && self.open.is_none() {
                    effects.push(Effect::Attention);
                    self.open_first(&mut effects);
                }
            }
            Input::Setting(setting) => {
                self.setting = setting;
                self.follow_setting(&mut effects);
            }
        }
        effects
    }

    fn arrived(&mut self, effects: &mut Vec<Effect>) {
        if self.open.is_some() {
            return;
        }
        let Some(first) = self.queue.front().cloned() else { return };
        let more = self.queue.len().saturating_sub(1);
        match (self.setting, self.focused) {
            (Notifications::Off | Notifications::Unfocused, true) => self.open_first(effects),
            (Notifications::Always, true) => {
                self.notify(first, more, effects);
                self.open_first(effects);
            }
            (Notifications::Off, false) => {
                effects.push(Effect::Attention);
                self.open_first(effects);
            }
            (Notifications::Unfocused | Notifications::Always, false) => {
                self.notify(first, more, effects);
            }
        }
    }

    /// A notification that would not be sent any more goes, and what it told of is shown as it would be now.
    fn follow_setting(&mut self, effects: &mut Vec<Effect>) {
        let sends = match (self.setting, self.focused) {
            (Notifications::Off, _) | (Notifications::Unfocused, true) => false,
            (Notifications::Unfocused, false) | (Notifications::Always, _) => true,
        };
        if sends || self.notified.is_none() {
            return;
        }
        self.unnotify(effects);
        if !self.focused && self.open.is_none() && !self.queue.is_empty() {
            effects.push(Effect::Attention);
        }
        self.open_first(effects);
    }

    fn notify(&mut self, id: String, more: usize, effects: &mut Vec<Effect>) {
        self.notified = Some(id.clone());
        effects.push(Effect::Notify(id, more));
    }

    /// The notification was about a call that ended: what waits behind it would otherwise wait unseen.
    fn notify_of_the_next(&mut self, ended: &str, effects: &mut Vec<Effect>) {
        let about_it = self.notified.as_deref() == Some(ended);
        match self.queue.front().cloned() {
            None => self.unnotify(effects),
            Some(next) if about_it && self.open.is_none() => {
                self.notify(next, self.queue.len().saturating_sub(1), effects);
            }
            Some(_) => {}
        }
    }

    fn open_first(&mut self, effects: &mut Vec<Effect>) {
        if self.open.is_none()
            && let Some(first) = self.queue.iter().find(|waiting| !self.unheard.contains(waiting))
        {
            self.open = Some(first.clone());
            effects.push(Effect::Open(first.clone()));
        }
    }

    fn unnotify(&mut self, effects: &mut Vec<Effect>) {
        if self.notified.take().is_some() {
            effects.push(Effect::Unnotify);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Desk, Effect, Input};
    use crate::view::Notifications::{self, Always, Off, Unfocused};

    fn id(name: &str) -> String {
        name.to_owned()
    }

    fn run(setting: Notifications, inputs: &[Input]) -> Vec<Effect> {
        let mut desk = Desk::new(setting);
        inputs.iter().flat_map(|input| desk.handle(input.clone())).collect()
    }

    #[test]
    fn in_front_the_dialog_opens_at_once_and_one_at_a_time() {
        use Effect::{Badge, Open};
        let inputs = [
            Input::Focused(true),
            Input::Waiting(id("a")),
            Input::Focused(false), // The dialog takes the focus.
            Input::Waiting(id("b")),
            Input::Settled(id("a")),
            Input::DialogGone(id("a")),
        ];
        assert_eq!(
            run(Unfocused, &inputs),
            [Badge(1), Open(id("a")), Badge(2), Effect::Withdraw(id("a")), Badge(1), Badge(1), Open(id("b")),]
        );
    }

    #[test]
    fn not_in_front_there_is_a_notification_and_no_dialog() {
        let effects = run(Unfocused, &[Input::Waiting(id("a")), Input::Waiting(id("b"))]);
        assert_eq!(
            effects,
            [Effect::Badge(1), Effect::Notify(id("a"), 0), Effect::Badge(2), Effect::Notify(id("a"), 1),]
        );
    }

    #[test]
    fn review_and_focus_open_what_waits() {
        let waiting = [Input::Waiting(id("a")), Input::Waiting(id("b"))];
        for (input, opened, shows) in [
            (Input::Focused(true), "a", false),
            (Input::Review(None), "a", true),
            (Input::Review(Some(id("b"))), "b", true),
            (Input::Review(Some(id("gone"))), "a", true),
        ] {
            let mut desk = Desk::new(Unfocused);
            for input in waiting.clone() {
                let _ = desk.handle(input);
            }
            let effects = desk.handle(input.clone());
            assert_eq!(effects.last(), Some(&Effect::Open(id(opened))), "{input:?}");
            assert_eq!(effects.contains(&Effect::ShowWindow), shows);
            assert!(effects.contains(&Effect::Unnotify));
        }
    }

    #[test]
    fn without_a_notification_attention_comes_before_the_dialog() {
        let off = run(Off, &[Input::Waiting(id("a"))]);
        assert_eq!(off, [Effect::Badge(1), Effect::Attention, Effect::Open(id("a"))]);
        let failed = run(Unfocused, &[Input::Waiting(id("a")), Input::NotificationFailed]);
        assert_eq!(failed[2..], [Effect::Attention, Effect::Open(id("a"))]);
        let nothing_waits = run(Unfocused, &[Input::NotificationFailed]);
        assert_eq!(nothing_waits, []);
    }

    /// The setting counts at once, for what waits too; a sequence of settings leaves nothing unseen.
    #[test]
    fn a_changed_setting_counts_for_what_waits() {
        use Effect::{Attention, Badge, Notify, Open, Unnotify};
        let waiting = Input::Waiting(id("a"));
        for (setting, focused, next, effects) in [
            (Unfocused, false, Off, vec![Unnotify, Attention, Open(id("a"))]),
            (Always, false, Off, vec![Unnotify, Attention, Open(id("a"))]),
            (Unfocused, false, Always, vec![]),
            (Always, true, Unfocused, vec![Unnotify]),
            (Always, true, Off, vec![Unnotify]),
            (Off, false, Always, vec![]),
        ] {
            let mut desk = Desk::new(setting);
            let _ = desk.handle(Input::Focused(focused));
            let _ = desk.handle(waiting.clone());
            assert_eq!(desk.handle(Input::Setting(next)), effects, "{setting:?} to {next:?}");
        }
        // And for what begins to wait afterwards.
        let effects = run(Off, &[Input::Setting(Unfocused), waiting.clone()]);
        assert_eq!(effects, [Badge(1), Notify(id("a"), 0)]);
        let effects = run(Unfocused, &[Input::Setting(Off), waiting]);
        assert_eq!(effects, [Badge(1), Attention, Open(id("a"))]);
    }

    #[test]
    fn always_notifies_in_front_too() {
        let effects = run(Always, &[Input::Focused(true), Input::Waiting(id("a"))]);
        assert_eq!(effects, [Effect::Badge(1), Effect::Notify(id("a"), 0), Effect::Open(id("a"))]);
    }

    #[test]
    fn what_ended_elsewhere_takes_its_dialog_and_its_notification_along() {
        let dialog =
            run(Unfocused, &[Input::Focused(true), Input::Waiting(id("a")), Input::Settled(id("a"))]);
        assert!(dialog.contains(&Effect::Withdraw(id("a"))));
        let note = run(Unfocused, &[Input::Waiting(id("a")), Input::Settled(id("a"))]);
        assert_eq!(note[2..], [Effect::Badge(0), Effect::Unnotify]);
    }

    /// R37: a denial from the notification leaves the next call as visible as the first was.
    #[test]
    fn what_waits_behind_an_ended_call_is_notified_of() {
        let effects = run(
            Unfocused,
            &[
                Input::Waiting(id("a")),
                Input::Waiting(id("b")),
                Input::Settled(id("a")),
                Input::Settled(id("b")),
            ],
        );
        assert_eq!(
            effects[4..],
            [Effect::Badge(1), Effect::Notify(id("b"), 0), Effect::Badge(0), Effect::Unnotify]
        );
        // One that ends behind the one on the notification changes nothing of it.
        let behind =
            run(Unfocused, &[Input::Waiting(id("a")), Input::Waiting(id("b")), Input::Settled(id("b"))]);
        assert_eq!(behind[4..], [Effect::Badge(1)]);
    }

    /// A call whose answer couldn't be stored waits on, and is seen to: in the badge, and again on Review.
    #[test]
    fn what_was_answered_in_vain_still_waits() {
        use Effect::{Attention, Badge, Open, ShowWindow};
        let mut desk = Desk::new(Unfocused);
        for input in [Input::Focused(true), Input::Waiting(id("a")), Input::Waiting(id("b"))] {
            let _ = desk.handle(input);
        }
        // The answer to a is lost; b is next, and a doesn't come back by itself.
        assert_eq!(desk.handle(Input::DialogGone(id("a"))), [Badge(2), Attention, Open(id("b"))]);
        let _ = desk.handle(Input::Settled(id("b")));
        assert_eq!(desk.handle(Input::DialogGone(id("b"))), [Badge(1)]);
        assert_eq!(desk.handle(Input::Focused(true)), []);
        assert_eq!(desk.handle(Input::Review(Some(id("a")))), [ShowWindow, Open(id("a"))]);
        let _ = desk.handle(Input::Settled(id("a")));
        assert_eq!(desk.handle(Input::DialogGone(id("a"))), [Badge(0)]);
    }

    /// Over every short sequence: at most one dialog is open, and it is the dialog of something that waited.
    #[test]
    fn no_sequence_opens_two_dialogs() {
        let inputs = [
            Input::Waiting(id("a")),
            Input::Waiting(id("b")),
            Input::Settled(id("a")),
            Input::Focused(true),
            Input::Focused(false),
            Input::Review(Some(id("b"))),
            Input::DialogGone(id("a")),
            Input::DialogGone(id("b")),
            Input::NotificationFailed,
            Input::Setting(Off),
            Input::Setting(Always),
        ];
        let length = 5;
        for number in 0..inputs.len().pow(length) {
            let mut desk = Desk::new(Unfocused);
            let mut on_screen: Option<String> = None;
            let mut rest = number;
            for _ in 0..length {
                let input = inputs[rest % inputs.len()].clone();
                rest /= inputs.len();
                if let Input::DialogGone(id) = &input
                    && on_screen.as_ref() == Some(id)
                {
                    on_screen = None;
                }
                for effect in desk.handle(input) {
                    if let Effect::Open(id) = effect {
                        assert_eq!(on_screen, None, "sequence {number}");
                        on_screen = Some(id);
                    }
                }
            }
        }
    }
}
