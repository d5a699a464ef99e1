//! Questions to a person and their answers (R30–R37). Anything but one explicit allow is a deny.

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

/// Where a person answers (DESIGN §5).
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

    /// Whether an allow given there counts.
    #[must_use]
    pub const fn may_allow(self) -> bool {
        match self {
            Self::Dialog | Self::Terminal => true,
            Self::Notification | Self::Tray | Self::Window => false,
        }
    }
}
