//! What the engine tells whoever watches a run: the window, the command line, a test.

use crate::approval::Answer;
use crate::model::{Reply, Usage};
use crate::session::Compacted;
use crate::tools::Change;
use assent_policy::{Behavior, CallDigest, ErrorCode, Evaluation};
use serde_json::{Map, Value};

/// Something that happened in a run, in order.
#[derive(Clone, Debug)]
pub enum Event {
    /// A run began.
    RunStarted {
        /// The session.
        session: String,
        /// The run: one user message to its end.
        run: String,
        /// The model's name.
        model: String,
    },
    /// Visible text arrived.
    TextDelta(String),
    /// Thinking text arrived.
    ReasoningDelta(String),
    /// A model reply is complete, or failed.
    Reply {
        /// 1 for the first request of the run.
        turn: u32,
        /// The reply.
        reply: Box<Reply>,
    },
    /// A call goes to the gate.
    ToolCall {
        /// The call.
        call_id: String,
        /// The tool's name as the model wrote it.
        name: String,
        /// Its arguments; `None` where they couldn't be read.
        arguments: Option<Map<String, Value>>,
        /// The sub-agent that proposed it; `None` for the agent itself.
        agent: Option<String>,
    },
    /// A person, or the lack of one, answered.
    ApprovalAnswered {
        /// The call.
        call_id: String,
        /// The answer.
        answer: Answer,
    },
    /// The one final decision.
    Decision {
        /// The call.
        call_id: String,
        /// Allow or deny.
        behavior: Behavior,
        /// Who decided.
        source: String,
        /// Why.
        reason: String,
        /// All verdicts, risk, what it touches.
        evaluation: Box<Evaluation>,
        /// What the decision is bound to.
        digest: CallDigest,
    },
    /// Output of a running command.
    Output {
        /// The call.
        call_id: String,
        /// The new piece, UTF-8 made valid.
        text: String,
    },
    /// A call is answered.
    ToolResult {
        /// The call.
        call_id: String,
        /// Whether it failed.
        error: Option<ErrorCode>,
        /// What the model reads.
        content: String,
        /// How long the tool itself ran, ms, as the audit log says it; nothing where it never began.
        duration_ms: Option<u64>,
        /// What it changed.
        changes: Vec<Change>,
    },
    /// A request is about to be made: how full the model's context is.
    Context {
        /// About how many tokens the request has.
        used: u64,
        /// The model's window, tokens, where it is known.
        window: Option<u64>,
    },
    /// From here on the older part of the conversation is sent as a summary.
    Compacted(Compacted),
    /// Tokens of a request that was none of the run's own turns: a summary's or a sub-agent's.
    Spent(Usage),
    /// Something the person should know.
    Warning {
        /// A stable word.
        code: &'static str,
        /// One sentence.
        message: String,
    },
    /// The run ended.
    RunFinished {
        /// How (R3).
        outcome: Outcome,
        /// The model error's or the gate's code, if there is one.
        error_code: Option<String>,
        /// What it means, in words.
        message: Option<String>,
        /// The last reply's text; empty unless it was an answer.
        final_text: String,
        /// Requests made.
        turns: u32,
        /// Tokens of the whole run.
        usage: Usage,
    },
}

/// How a run ended (R3): distinct and typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A final text.
    Completed,
    /// The turn limit.
    TurnLimit,
    /// A truncated, filtered or empty reply: never handed on as an answer.
    Incomplete,
    /// Stopped by the person.
    Cancelled,
    /// The provider failed.
    ProviderError,
    /// Too many denials (R22).
    CircuitBreaker,
}

impl Outcome {
    /// The stable word of the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::TurnLimit => "turn_limit",
            Self::Incomplete => "incomplete",
            Self::Cancelled => "cancelled",
            Self::ProviderError => "provider_error",
            Self::CircuitBreaker => "circuit_breaker",
        }
    }
}

/// Takes events; must not block.
pub trait Observer: Send + Sync {
    /// Takes one event.
    fn notice(&self, event: Event);
}

impl<F: Fn(Event) + Send + Sync> Observer for F {
    fn notice(&self, event: Event) {
        self(event);
    }
}
