//! View-models: everything that crosses between the shell and the window, as `ui/src/backend/types.ts` names it.
//!
//! Plain JSON, camelCase fields, snake_case tags. Times are Unix milliseconds (UTC), sizes are bytes, durations
//! milliseconds. Text of the model, the workspace or a program is escaped by the core's escaper before it gets
//! here, except messages, output and diff lines, which the window renders inertly.

mod app;
mod approval;
mod audit;
#[cfg(test)]
mod bindings;
mod call;
mod change;
mod event;
mod permissions;
mod sentence;
mod session;

pub use app::*;
pub use approval::*;
pub use audit::*;
pub use call::*;
pub use change::*;
pub use event::*;
pub use permissions::*;
pub use sentence::Sentence;
pub use session::*;

/// The one escaper, for everything that isn't ours.
pub fn shown(text: &str) -> String {
    assent_policy::escape::escape(text)
}

/// The same for a text of several lines, which stay lines.
pub fn shown_lines(text: &str) -> String {
    text.lines().map(shown).collect::<Vec<_>>().join("\n")
}

/// At most `bytes` of `text`, cut at a character; and how many bytes were left out.
pub fn cut(text: &str, bytes: usize) -> (String, usize) {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let (head, rest) = text.split_at(end);
    (head.to_owned(), rest.len())
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_cut_falls_between_characters_and_counts_the_rest() {
        assert_eq!(cut("你好", 4), ("你".to_owned(), 3));
        assert_eq!(cut("abc", 9), ("abc".to_owned(), 0));
        assert_eq!(cut("你", 2), (String::new(), 3));
    }
}
