//! Variables that a command is given, and `env`.

use super::{Doubt, Prover};
use crate::shell::bash::command::Word;

impl Prover<'_> {
    pub(super) fn environment(&mut self, arguments: &[Word], starts: bool) -> Result<(), Doubt> {
        for word in arguments {
            let text = word.literal_prefix();
            if text.starts_with('-') {
                return Err(Doubt::new("It changes the environment in a way that isn't known."));
            }
            let Some((name, value)) = text.split_once('=') else { break };
            if word.parts.len() > 1 || !is_harmless_variable(name, &Word::text(value)) {
                return Err(Doubt::new(format!("It sets the variable {name}.")));
            }
        }
        if starts { Ok(()) } else { Err(Doubt::new("It prints the environment, secrets included.")) }
    }
}

/// Variables that change only how output looks, with a value that can't name a file or program.
pub fn is_harmless_variable(name: &str, value: &Word) -> bool {
    let Some(value) = value.literal() else { return false };
    let plain =
        value.chars().all(|character| character.is_ascii_alphanumeric() || "_-.,:@+ ".contains(character));
    match name {
        "LANG"
        | "LANGUAGE"
        | "NO_COLOR"
        | "FORCE_COLOR"
        | "CLICOLOR"
        | "CLICOLOR_FORCE"
        | "COLUMNS"
        | "LINES"
        | "CI"
        | "TERM"
        | "COLORTERM"
        | "TZ"
        | "RUST_BACKTRACE"
        | "RUST_LOG"
        | "CARGO_TERM_COLOR"
        | "PYTHONUNBUFFERED"
        | "PYTHONIOENCODING"
        | "GIT_OPTIONAL_LOCKS"
        | "GIT_TERMINAL_PROMPT" => plain,
        "PAGER" | "GIT_PAGER" | "MANPAGER" => matches!(value.as_ref(), "cat" | ""),
        other => other.starts_with("LC_") && plain,
    }
}
