//! The dialog through rfd: three buttons, paged where the text is long. Windows, macOS, and Linux on request.

use super::answer::{Backend, Middle, Reading, read};
use super::layout;
use super::{ApprovalDialog, Press, Prompt, reading_time};
use ::rfd::{AsyncMessageDialog, MessageButtons, MessageDialogResult, MessageLevel};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tauri::WebviewWindow;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often an answer that came too early is dropped before the question fails.
const PATIENCE: u32 = 5;

/// rfd's message dialog. It can't be withdrawn: one that outlives its request stays, its answer goes nowhere,
/// and the next question waits until it is closed.
pub struct RfdDialog {
    window: WebviewWindow,
    screen: Arc<Mutex<()>>,
}

impl RfdDialog {
    /// A dialog in front of `window`.
    #[must_use]
    pub fn new(window: WebviewWindow) -> Self {
        Self { window, screen: Arc::new(Mutex::new(())) }
    }

    /// Shows one page; `None` when `withdraw` fired first, and then `late` hears what is pressed all the same.
    async fn show(
        &self,
        title: &str,
        text: &str,
        buttons: [&str; 3],
        withdraw: &CancellationToken,
        late: impl FnOnce(MessageDialogResult) + Send + 'static,
    ) -> Option<Answered> {
        let screen = tokio::select! {
            biased;
            () = withdraw.cancelled() => return None,
            screen = Arc::clone(&self.screen).lock_owned() => screen,
        };
        let [deny, middle, cancel] = buttons.map(str::to_owned);
        let mut dialog = AsyncMessageDialog::new()
            .set_level(MessageLevel::Warning)
            .set_title(without_nul(title))
            .set_description(defuse(text))
            .set_buttons(MessageButtons::YesNoCancelCustom(deny, middle, cancel));
        if self.window.is_visible().unwrap_or(false) && !self.window.is_minimized().unwrap_or(true) {
            dialog = dialog.set_parent(&self.window);
        }
        let mut answer = tokio::spawn(hold(screen, dialog));
        tokio::select! {
            biased;
            () = withdraw.cancelled() => {
                tokio::spawn(async move {
                    if let Ok(answered) = answer.await {
                        late(answered.reported);
                    }
                });
                None
            }
            answered = &mut answer => Some(answered.unwrap_or(Answered {
                reported: MessageDialogResult::Cancel,
                after: Duration::MAX,
            })),
        }
    }
}

/// What was pressed, and how long the window had been shown by then.
struct Answered {
    reported: MessageDialogResult,
    after: Duration,
}

/// Keeps the screen taken for as long as the window is really there.
async fn hold(screen: OwnedMutexGuard<()>, dialog: AsyncMessageDialog) -> Answered {
    let shown = Instant::now();
    let reported = dialog.show().await;
    drop(screen);
    Answered { reported, after: shown.elapsed() }
}

#[async_trait]
impl ApprovalDialog for RfdDialog {
    fn name(&self) -> &'static str {
        "rfd"
    }

    async fn ask(&self, prompt: Prompt, withdraw: &CancellationToken) -> Press {
        let pages = layout::pages(&prompt.lines).pages;
        let last = pages.len().saturating_sub(1);
        let mut page = 0;
        let mut early = 0;
        loop {
            let Some(text) = pages.get(page) else {
                return Press::Failed("the dialog ran out of pages".to_owned());
            };
            let middle = if page == last { Middle::Allow } else { Middle::Next };
            let label = match middle {
                Middle::Allow => &prompt.labels.allow,
                Middle::Next => &prompt.labels.next,
            };
            let title = if last == 0 {
                prompt.title.clone()
            } else {
                format!("{} ({}/{})", prompt.title, page + 1, last + 1)
            };
            let buttons = [
                prompt.labels.deny.as_str(),
                label,
                third_label(&prompt.labels.cancel, cfg!(target_os = "macos")),
            ];
            let (late, labels) = (prompt.late.clone(), prompt.labels.clone());
            let late = move |reported| {
                if let (Some(late), Reading::Press(press)) =
                    (late, read(&reported, middle, &labels, Backend::HERE))
                {
                    late.0(press);
                }
            };
            let Some(Answered { reported, after }) = self.show(&title, text, buttons, withdraw, late).await
            else {
                return Press::Withdrawn;
            };
            if after < reading_time() {
                early += 1;
                tracing::info!(early, "an answer came too early and was dropped");
                if early >= PATIENCE {
                    return Press::Failed("every answer came before the question could be read".to_owned());
                }
                continue;
            }
            match read(&reported, middle, &prompt.labels, Backend::HERE) {
                Reading::Press(press) => return press,
                Reading::Next => page += 1,
            }
        }
    }
}

/// On macOS only a button titled exactly `Cancel` gets Escape (NSAlert's documentation).
fn third_label(cancel: &str, macos: bool) -> &str {
    if macos { "Cancel" } else { cancel }
}

/// rfd 0.17.2 hands its text to GTK as a printf format, and a NUL aborts the process there and cuts the text on Windows.
fn defuse(text: &str) -> String {
    let text = without_nul(text);
    if cfg!(target_os = "linux") { text.replace('%', "%%") } else { text }
}

/// `text` with a sign in the place of NUL, which ends texts in C.
pub fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{2400}")
}

#[cfg(test)]
mod tests {
    use super::{defuse, third_label};
    use crate::words::{Language, Words};

    /// R30: the third button takes Escape on macOS, and no two read the same there either.
    #[test]
    fn on_macos_the_third_button_is_the_one_that_escape_presses() {
        for language in [Language::English, Language::Chinese] {
            let words = Words::load(language).unwrap();
            assert_eq!(third_label(&words.cancel, false), words.cancel);
            assert_eq!(third_label(&words.cancel, true), "Cancel");
            assert!(
                crate::dialog::Labels { cancel: "Cancel".to_owned(), ..words.approval_labels() }
                    .are_distinct()
            );
        }
    }

    #[test]
    fn a_printf_format_and_a_nul_are_harmless() {
        let expected =
            if cfg!(target_os = "linux") { "100%% %%s %%n \u{2400}" } else { "100% %s %n \u{2400}" };
        assert_eq!(defuse("100% %s %n \0"), expected);
    }
}
