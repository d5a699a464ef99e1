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
    unsandboxed: Unsandboxed,
}

/// Whether a program runs without the sandbox: it could press yes itself.
pub type Unsandboxed = Arc<dyn Fn() -> bool + Send + Sync>;

impl Questions {
    /// Questions through `dialog`; `screen` is shared with the approvals.
    #[must_use]
    pub fn new(dialog: Arc<dyn ApprovalDialog>, screen: Screen, unsandboxed: Unsandboxed) -> Self {
        Self { dialog, screen, unsandboxed }
    }

    /// Whether a question or an approval is on the screen.
    #[must_use]
    pub fn one_is_open(&self) -> bool {
        self.screen.try_lock().is_err()
    }

    /// Whether the person pressed yes, and nothing else.
    pub async fn confirmed(&self, question: Question, words: &Words) -> bool {
        self.answered(question, words).await == Some(true)
    }

    /// Whether the person pressed yes; `None` where they couldn't be asked, and so said nothing.
    pub async fn answered(&self, question: Question, words: &Words) -> Option<bool> {
        let (unsandboxed, careful) = (Arc::clone(&self.unsandboxed), words.careful_unsandboxed.clone());
        let labels = words.question_labels(&question.yes);
        let prompt = move || {
            let Question { title, lines, .. } =
                if unsandboxed() { question.sentence(&careful) } else { question };
            Prompt { title, lines, labels, late: None }
        };
        let (dialog, screen) = (Arc::clone(&self.dialog), Arc::clone(&self.screen));
        // On a task of its own: a panic in the toolkit is a no.
        let asked = tokio::spawn(ask(dialog, screen, prompt, CancellationToken::new())).await;
        match asked.ok()? {
            Press::Allow => Some(true),
            Press::Deny | Press::Dismissed => Some(false),
            Press::Withdrawn | Press::Failed(_) => None,
        }
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
            let asks = Arc::clone(&dialog) as Arc<dyn ApprovalDialog>;
            let questions = Questions::new(asks, Arc::default(), Arc::new(|| false));
            let question = Question::new("T?", "It loosens.", "Trust").line("Folder", "/a\n\u{202e}b");
            let answer = match &press {
                Press::Allow => Some(true),
                Press::Deny | Press::Dismissed => Some(false),
                // Nobody said no: what the answer is kept for is asked again.
                Press::Withdrawn | Press::Failed(_) => None,
            };
            assert_eq!(questions.answered(question, &words).await, answer, "{press:?}");
            let question = Question::new("T?", "It loosens.", "Trust").line("Folder", "/a\n\u{202e}b");
            assert_eq!(questions.confirmed(question, &words).await, press == Press::Allow, "{press:?}");
            let shown = dialog.1.lock().unwrap().pop().unwrap();
            assert_eq!(shown.lines[1].value, "/a\\n\\u{202e}b");
            assert_eq!(shown.labels.allow, "Trust");
        }
    }

    /// R30: what loosens says, too, that a program runs that could press yes itself.
    #[tokio::test]
    async fn a_program_without_the_sandbox_is_told_of() {
        for (language, runs) in
            [(Language::English, true), (Language::Chinese, true), (Language::English, false)]
        {
            let words = Words::load(language).unwrap();
            let dialog = Arc::new(Always(Press::Deny, Mutex::default()));
            let asks = Arc::clone(&dialog) as Arc<dyn ApprovalDialog>;
            let questions = Questions::new(asks, Arc::default(), Arc::new(move || runs));
            let question = Question::new("T?", "It loosens.", "Trust").line("Folder", "/a");
            assert!(!questions.confirmed(question, &words).await);
            let shown = dialog.1.lock().unwrap().pop().unwrap();
            let lines: Vec<&str> = shown.lines.iter().map(|line| line.value.as_str()).collect();
            let told = ["It loosens.", &words.careful_unsandboxed, "/a"];
            assert_eq!(lines, if runs { told.to_vec() } else { vec!["It loosens.", "/a"] });
        }
    }
}
