//! Questions to a person and their answers (R30–R37). Anything but one explicit allow is a deny.
//!
//! The [`broker`] owns what waits; surfaces register as a [`Presenter`] and answer through [`broker::Broker::decide`].

pub mod broker;
pub mod extent;
#[cfg(test)]
pub(crate) mod fixture;
pub mod owner;
pub mod preview;
pub mod store;
pub mod terminal;

pub use broker::{Broker, DecideError};

use assent_policy::request::PermissionRequest;
use assent_policy::{CallDigest, Evaluation, PreparedCall};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

/// Somebody who can be asked. The engine can't be built without one (R60).
#[async_trait]
pub trait Approver: Send + Sync {
    /// Asks, and waits for the answer, the expiry or `cancel`; a failure of any kind is an answer that denies.
    async fn ask(&self, question: Question, cancel: &CancellationToken) -> Answer;
}

/// One call that needs a person.
#[derive(Clone, Debug)]
pub struct Question {
    /// The session.
    pub session: String,
    /// The run.
    pub run: String,
    /// The call.
    pub call_id: String,
    /// What is asked for.
    pub call: PreparedCall,
    /// How it was judged.
    pub evaluation: Evaluation,
    /// What the answer is bound to (R32).
    pub digest: CallDigest,
    /// The workspace's real path.
    pub workspace: String,
    /// The words, already escaped.
    pub request: PermissionRequest,
}

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Approval {
    /// Which one.
    pub id: String,
    /// Proves that an answer is meant for this very showing; new after each take-over.
    pub nonce: String,
    /// What the answer is bound to.
    pub digest: CallDigest,
    /// The process that owns it.
    pub owner: String,
    /// The session.
    pub session: String,
    /// The run.
    pub run: String,
    /// The call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The workspace's real path.
    pub workspace: String,
    /// What is asked, in no language yet.
    pub request: PermissionRequest,
    /// When it was asked, ms since the epoch.
    pub created_ms: u64,
    /// When it stops waiting, ms since the epoch.
    pub expires_ms: u64,
}

/// A surface that shows waiting calls. Its functions must return at once.
pub trait Presenter: Send + Sync {
    /// A call waits: a new one, or one whose process ended.
    fn waiting(&self, approval: &Approval);

    /// It waits until another time now: its `expires_ms` is a new one.
    fn rescheduled(&self, _approval: &Approval) {}

    /// It waits no longer, whoever answered. What was shown of it must go.
    fn settled(&self, id: &str, answer: &Answer);
}

/// What a person says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This call, once.
    Allow,
    /// Not this call.
    Deny {
        /// Words for the model.
        words: Option<String>,
    },
}

impl Choice {
    /// The word in the audit.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny { .. } => "deny",
        }
    }
}

/// How a question ended (R34).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One explicit allow, for this call, once.
    Allowed {
        /// Where it was given.
        surface: Surface,
    },
    /// A person said no.
    Denied {
        /// Where it was given.
        surface: Surface,
        /// The person's own words for the model.
        words: Option<String>,
    },
    /// Nobody answered in time.
    Expired,
    /// Stopped while it waited.
    Withdrawn,
    /// There was nobody to ask.
    Unavailable {
        /// Why.
        why: String,
    },
}

/// Where a person answers (R30, R31).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// The native dialog: may allow.
    Dialog,
    /// A terminal: may allow.
    Terminal,
    /// A desktop notification: may only deny.
    Notification,
    /// The tray menu: may only deny.
    Tray,
    /// The window: may only deny.
    Window,
}

impl Surface {
    /// The word in audit and events.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dialog => "dialog",
            Self::Terminal => "terminal",
            Self::Notification => "notification",
            Self::Tray => "tray",
            Self::Window => "window",
        }
    }

    /// Reads [`Self::as_str`] back.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Dialog, Self::Terminal, Self::Notification, Self::Tray, Self::Window]
            .into_iter()
            .find(|surface| surface.as_str() == word)
    }

    /// Whether an allow given there counts.
    #[must_use]
    pub const fn may_allow(self) -> bool {
        match self {
            Self::Dialog | Self::Terminal => true,
            Self::Notification | Self::Tray | Self::Window => false,
        }
    }
}
