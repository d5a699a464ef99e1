//! A change of language: what was worded already is said again.

use super::Shell;
use crate::view::AppEvent;
use crate::{app_menu, describe};
use std::sync::PoisonError;

impl Shell {
    /// The words are those of another language now. The window asks again for what it shows when it hears of that.
    pub fn language_changed(&self) {
        self.conversations.follow(|conversation| self.bring_up_to_date(conversation));
        describe::reword(self);
        let waiting = self.approvals.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.show_waiting(waiting);
        app_menu::show(&self.app, &self.words());
        self.bridge.send(AppEvent::PermissionsChanged);
    }
}
