//! A person who answers from a script, and may change the world while the question is open.

use assent_agent::approval::{Answer, Approver, Question};
use async_trait::async_trait;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

type Meanwhile = Box<dyn FnOnce(&Question) + Send>;

/// Answers in order; a question beyond the script gets "unavailable".
#[derive(Clone, Default)]
pub struct ScriptedPerson {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    script: VecDeque<(Answer, Option<Meanwhile>)>,
    asked: Vec<Question>,
}

impl ScriptedPerson {
    /// Will answer the next question with `answer`.
    pub fn will(&self, answer: Answer) {
        self.state.lock().expect("the person").script.push_back((answer, None));
    }

    /// Will first do something to the world, then answer.
    pub fn will_after(&self, meanwhile: impl FnOnce(&Question) + Send + 'static, answer: Answer) {
        self.state.lock().expect("the person").script.push_back((answer, Some(Box::new(meanwhile))));
    }

    /// The questions that were asked.
    #[must_use]
    pub fn asked(&self) -> Vec<Question> {
        self.state.lock().expect("the person").asked.clone()
    }
}

#[async_trait]
impl Approver for ScriptedPerson {
    async fn ask(&self, question: Question, _cancel: &CancellationToken) -> Answer {
        let next = {
            let mut state = self.state.lock().expect("the person");
            state.asked.push(question.clone());
            state.script.pop_front()
        };
        match next {
            Some((answer, meanwhile)) => {
                if let Some(meanwhile) = meanwhile {
                    meanwhile(&question);
                }
                answer
            }
            None => Answer::Unavailable { why: "Nobody was scripted.".to_owned() },
        }
    }
}
