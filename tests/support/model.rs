//! A model that replies from a script and keeps what it was sent.

use assent_agent::model::{Arguments, Delta, ModelClient, ModelRequest, ProposedCall, Reply, StopReason};
use async_trait::async_trait;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// Replies in order; past the script it says "done".
#[derive(Clone, Default)]
pub struct ScriptedModel {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    script: VecDeque<Reply>,
    requests: Vec<ModelRequest>,
}

impl ScriptedModel {
    /// A model that will give these replies.
    #[must_use]
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        let model = Self::default();
        model.state.lock().expect("the model").script.extend(replies);
        model
    }

    /// What it was sent.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.state.lock().expect("the model").requests.clone()
    }
}

#[async_trait]
impl ModelClient for ScriptedModel {
    fn model(&self) -> &str {
        "scripted"
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        sink: &(dyn Fn(Delta) + Send + Sync),
        _cancel: &CancellationToken,
    ) -> Reply {
        let reply = {
            let mut state = self.state.lock().expect("the model");
            state.requests.push(request.clone());
            state.script.pop_front().unwrap_or_else(|| text("done"))
        };
        if !reply.text.is_empty() {
            sink(Delta::Text(reply.text.clone()));
        }
        reply
    }
}

/// A final text.
#[must_use]
pub fn text(words: &str) -> Reply {
    Reply { text: words.to_owned(), ..Reply::default() }
}

/// One call, by id, tool and arguments.
#[must_use]
pub fn call(id: &str, tool: &str, arguments: Value) -> ProposedCall {
    let arguments = match arguments {
        Value::Object(map) => Arguments::Object(map),
        other => Arguments::Unreadable { raw: other.to_string(), problem: "not an object".to_owned() },
    };
    ProposedCall { id: id.to_owned(), id_given: true, name: tool.to_owned(), arguments, extra: None }
}

/// A reply that makes these calls.
#[must_use]
pub fn calls(calls: impl IntoIterator<Item = ProposedCall>) -> Reply {
    Reply { calls: calls.into_iter().collect(), stop: StopReason::ToolCalls, ..Reply::default() }
}
