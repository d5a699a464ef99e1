//! Conditions: `if`, and the negations in front of a pipeline in brackets.

use super::characters::is_blank;
use super::{MAX_DEPTH, Reader};

impl Reader {
    /// `if (…) { … } elseif (…) { … } else { … }`, if one starts here: what stands in it are commands like any other,
    /// each of which may run. Anything else is left where it is.
    pub(super) fn conditional(&mut self) -> bool {
        if !self.sees_word("if") || self.levels >= MAX_DEPTH {
            return false;
        }
        let start = self.at;
        self.levels += 1;
        self.waiting += 1;
        self.at += 2;
        let mut understood = self.bracketed('(', ')') && self.bracketed('{', '}');
        loop {
            let before = self.at;
            self.skip_blanks(true);
            if understood && self.sees_word("elseif") {
                self.at += "elseif".len();
                understood = self.bracketed('(', ')') && self.bracketed('{', '}');
            } else if understood && self.sees_word("else") {
                self.at += "else".len();
                understood = self.bracketed('{', '}');
                break;
            } else {
                self.at = before;
                break;
            }
        }
        self.waiting -= 1;
        self.levels -= 1;
        if !understood || self.at == start {
            self.note("It uses control flow or definitions.");
        }
        true
    }

    /// Reads `open` statements `close`; false where something else stands there.
    fn bracketed(&mut self, open: char, close: char) -> bool {
        self.skip_blanks(true);
        if self.peek() != Some(open) {
            return false;
        }
        self.at += 1;
        self.statements(Some(close));
        let closed = self.peek() == Some(close);
        if closed {
            self.at += 1;
        } else {
            self.note("A bracket isn't closed.");
        }
        closed
    }

    /// `-not` and `!` in front of a pipeline in brackets or a variable only turn its outcome round.
    pub(super) fn negations(&mut self) {
        loop {
            let before = self.at;
            if self.peek() == Some('!') {
                self.at += 1;
            } else if self.sees_word("-not") {
                self.at += "-not".len();
            }
            self.skip_blanks(false);
            if self.at == before || !matches!(self.peek(), Some('(' | '!' | '-' | '$')) {
                self.at = before;
                return;
            }
        }
    }

    /// Whether `word` stands here whole, in any case.
    fn sees_word(&self, word: &str) -> bool {
        let same = word.chars().enumerate().all(|(ahead, expected)| {
            self.peek_at(ahead).is_some_and(|found| found.eq_ignore_ascii_case(&expected))
        });
        same && self
            .peek_at(word.len())
            .is_none_or(|next| is_blank(next) || matches!(next, '(' | '{' | '\n' | '\r'))
    }
}
