//! Native questions about what loosens, leads outside or deletes: default no, one at a time with the approvals.

use crate::dialog::{ApprovalDialog, Press, Prompt};
use crate::presenter::{Screen, ask};
use crate::words::Words;
use assent_policy::request::Line;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One question, in the words of the catalogue; values are escaped here.
pub struct Question {
    title: String,
    yes: String,
    lines: Vec<Line>,
}

impl Question {
    /// A question with what it does as its first sentence.
    #[must_use]
    pub fn new(title: &str, sentence: &str, yes: &str) -> Self {
        let lines = vec![Line::new("", sentence)];
        Self { title: title.to_owned(), yes: yes.to_owned(), lines }
    }

    /// One more sentence.
    #[must_use]
    pub fn sentence(mut self, text: &str) -> Self {
        let after = self.lines.iter().take_while(|line| line.label.is_empty()).count();
        self.lines.insert(after, Line::new("", text));
        self
    }

    /// One more labelled value.
    #[must_use]
    pub fn line(mut self, label: &str, value: &str) -> Self {
        self.lines.push(Line::new(label, value));
        self
    }
}

/// Puts questions.
pub struct Questions {
    dialog: Arc<dyn ApprovalDialog>,
    screen: Screen,
}

impl Questions {
    /// Questions through `dialog`; `screen` is shared with the approvals.
    #[must_use]
    pub fn new(dialog: Arc<dyn ApprovalDialog>, screen: Screen) -> Self {
        Self { dialog, screen }
    }

    /// Whether the person pressed yes, and nothing else.
    pub async fn confirmed(&self, question: Question, words: &Words) -> bool {
        let Question { title, yes, lines } = question;
        let prompt = Prompt { title, lines, labels: words.question_labels(&yes), late: None };
        let (dialog, screen) = (Arc::clone(&self.dialog), Arc::clone(&self.screen));
        // On a task of its own: a panic in the toolkit is a no.
        let asked = tokio::spawn(ask(dialog, screen, prompt, CancellationToken::new())).await;
        asked.is_ok_and(|press| press == Press::Allow)
    }
}

#[cfg(test)]
mod tests {
    use super::{Question, Questions};
    use crate::dialog::{ApprovalDialog, Press, Prompt};
    use crate::words::{Language, Words};
    use async_trait::async_trait;
    use std::sync::{Arc, Mutex};
    use tokio_util::sync::CancellationToken;

    struct Always(Press, Mutex<Vec<Prompt>>);

    #[async_trait]
    impl ApprovalDialog for Always {
        fn name(&self) -> &'static str {
            "always"
        }

        async fn ask(&self, prompt: Prompt, _withdraw: &CancellationToken) -> Press {
            self.1.lock().unwrap().push(prompt);
            self.0.clone()
        }
    }

    /// R30: what loosens needs the one explicit yes, as an approval does.
    #[tokio::test]
    async fn only_yes_is_yes() {
        let words = Words::load(Language::English).unwrap();
        let presses =
            [Press::Allow, Press::Deny, Press::Dismissed, Press::Withdrawn, Press::Failed("x".into())];
        for press in presses {
            let dialog = Arc::new(Always(press.clone(), Mutex::default()));
            let questions = Questions::new(Arc::clone(&dialog) as Arc<dyn ApprovalDialog>, Arc::default());
            let question = Question::new("T?", "It loosens.", "Trust").line("Folder", "/a\n\u{202e}b");
            assert_eq!(questions.confirmed(question, &words).await, press == Press::Allow, "{press:?}");
            let shown = dialog.1.lock().unwrap().pop().unwrap();
            assert_eq!(shown.lines[1].value, "/a\\n\\u{202e}b");
            assert_eq!(shown.labels.allow, "Trust");
        }
    }
}
