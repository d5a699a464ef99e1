//! One word: bare characters, strings, variables and brackets side by side.

use super::super::plain::{call_of_constants, is_text_method};
use super::characters::{
    is_blank, is_close, is_dash, is_double_quote, is_doubtful, is_quote, is_single_quote,
};
use super::{MAX_DEPTH, Reader, Word};

impl Reader {
    /// The word that starts here.
    pub(super) fn word(&mut self) -> Word {
        let mut word = Word { literal: true, quoted: self.peek().is_some_and(is_quote), ..Word::default() };
        while let Some(next) = self.peek() {
            match next {
                _ if is_blank(next)
                    || matches!(next, ';' | '|' | '&' | ',' | '\n' | '\r')
                    || is_close(next) =>
                {
                    break;
                }
                '>' | '<' if !word.text.is_empty() || word.quoted => break,
                '`' => self.escape(&mut word, false),
                _ if is_single_quote(next) => self.single_quoted(&mut word),
                _ if is_double_quote(next) => self.double_quoted(&mut word),
                '$' => self.variable(&mut word),
                '@' if matches!(self.peek_at(1), Some(quote) if is_quote(quote)) => {
                    self.here_string(&mut word);
                }
                // `@(…)` makes a list of what `(…)` gives.
                '@' if self.at_head && word.text.is_empty() && self.peek_at(1) == Some('(') => self.at += 1,
                '@' if matches!(self.peek_at(1), Some('(' | '{')) => {
                    self.at += 1;
                    self.group(&mut word, "It uses a collection.");
                }
                '@' if word.text.is_empty() => {
                    self.note("It spreads a variable over parameters.");
                    word.literal = false;
                    word.text.push(next);
                    self.at += 1;
                }
                '(' if self.at_head && word.text.is_empty() => {
                    self.heads += 1;
                    self.open_group(&mut word);
                    self.heads -= 1;
                    self.at_head = false;
                }
                '(' if word.text.is_empty() && !word.quoted && self.depth == 0 => {
                    self.waiting += 1;
                    self.open_group(&mut word);
                    self.waiting -= 1;
                }
                '(' if self.calls_plainly(&word) => {}
                '(' => self.group(&mut word, "It uses an expression in brackets."),
                '{' => self.block(&mut word),
                _ => {
                    if matches!(next, '*' | '?' | '[') {
                        word.wildcard = true;
                    }
                    if is_doubtful(next) {
                        self.note("It holds a character that PowerShell may read as another one.");
                    }
                    word.text.push(if is_dash(next) { '-' } else { next });
                    self.at += 1;
                }
            }
        }
        word
    }

    /// `(…).ToString('x')`, `$PWD.Path.ToLower()`: a method of texts with constants is passed over like a property.
    fn calls_plainly(&mut self, word: &Word) -> bool {
        let is_method = word.text.rsplit_once('.').is_some_and(|(_, name)| is_text_method(name));
        if word.literal || word.quoted || !is_method {
            return false;
        }
        let call: String =
            self.text.iter().skip(self.at).take_while(|one| !matches!(one, '\n' | '\r')).take(200).collect();
        let end = call_of_constants(&call).map(|rest| call.len() - rest.len());
        let Some(passed) = end.and_then(|end| call.get(..end)) else { return false };
        self.at += passed.chars().count();
        true
    }

    /// A backtick: the next character means itself; before a line's end it joins the lines.
    fn escape(&mut self, word: &mut Word, in_string: bool) {
        self.note("It uses a backtick.");
        self.at += 1;
        match self.peek() {
            None => {}
            Some('\r') => {
                self.at += if self.peek_at(1) == Some('\n') { 2 } else { 1 };
            }
            Some('\n') => self.at += 1,
            Some(next) => {
                // In a string these letters stand for another character.
                if matches!(next, '0' | 'a' | 'b' | 'e' | 'f' | 'n' | 'r' | 't' | 'u' | 'v') && in_string {
                    word.literal = false;
                }
                word.text.push(next);
                self.at += 1;
            }
        }
    }

    fn single_quoted(&mut self, word: &mut Word) {
        self.check_quote();
        self.at += 1;
        while let Some(next) = self.peek() {
            self.at += 1;
            if is_single_quote(next) {
                if !self.peek().is_some_and(is_single_quote) {
                    return;
                }
                self.at += 1;
            }
            if is_quote(next) && !next.is_ascii() {
                self.note("It holds a quote that isn't an ASCII one.");
            }
            word.text.push(next);
        }
        self.note("A string isn't closed.");
    }

    fn double_quoted(&mut self, word: &mut Word) {
        self.check_quote();
        self.at += 1;
        while let Some(next) = self.peek() {
            match next {
                '`' => self.escape(word, true),
                '$' => self.variable(word),
                _ if is_double_quote(next) => {
                    self.at += 1;
                    if !self.peek().is_some_and(is_double_quote) {
                        return;
                    }
                    word.text.push('"');
                    self.at += 1;
                }
                _ => {
                    if is_quote(next) && !next.is_ascii() {
                        self.note("It holds a quote that isn't an ASCII one.");
                    }
                    word.text.push(next);
                    self.at += 1;
                }
            }
        }
        self.note("A string isn't closed.");
    }

    fn check_quote(&mut self) {
        if self.peek().is_some_and(|quote| !quote.is_ascii()) {
            self.note("It holds a quote that isn't an ASCII one.");
        }
    }

    /// `@'` … `'@` or `@"` … `"@`, the end mark at the start of its line.
    fn here_string(&mut self, word: &mut Word) {
        let expands = self.peek_at(1).is_some_and(is_double_quote);
        self.at += 2;
        let mut line_start = false;
        word.quoted = true;
        while let Some(next) = self.peek() {
            if line_start
                && is_quote(next)
                && is_double_quote(next) == expands
                && self.peek_at(1) == Some('@')
            {
                self.at += 2;
                return;
            }
            line_start = next == '\n';
            if expands && next == '$' {
                self.variable(word);
            } else {
                word.text.push(next);
                self.at += 1;
            }
        }
        self.note("A string isn't closed.");
    }

    /// `$name`, `${name}`, `$(commands)`; alone, a dollar sign means itself.
    fn variable(&mut self, word: &mut Word) {
        match self.peek_at(1) {
            Some('(') => {
                self.at += 1;
                word.text.push('$');
                self.group(word, "It runs a command inside a value.");
            }
            Some('{') => {
                word.literal = false;
                while let Some(next) = self.peek() {
                    word.text.push(next);
                    self.at += 1;
                    if next == '}' {
                        break;
                    }
                }
            }
            Some(next) if next.is_alphanumeric() || matches!(next, '_' | '?' | '^' | '$') => {
                word.literal = false;
                word.text.push('$');
                self.at += 1;
                self.variable_name(word);
            }
            Some(_) | None => {
                word.text.push('$');
                self.at += 1;
            }
        }
    }

    fn variable_name(&mut self, word: &mut Word) {
        while let Some(next) = self.peek() {
            let drive =
                next == ':' && self.peek_at(1).is_some_and(|after| after.is_alphanumeric() || after == '_');
            let special = matches!(next, '?' | '^' | '$') && word.text.ends_with('$');
            if !(next.is_alphanumeric() || next == '_' || drive || special) {
                return;
            }
            word.text.push(next);
            self.at += 1;
            if special {
                return;
            }
        }
    }

    /// Brackets: their commands are read, their value is unknown.
    fn group(&mut self, word: &mut Word, trouble: &'static str) {
        self.note(trouble);
        word.literal = false;
        self.nest(word, self.depth + 1);
    }

    /// Brackets at a command's head: what is in them is a statement like any other.
    fn open_group(&mut self, word: &mut Word) {
        word.literal = false;
        word.group = true;
        self.nest(word, self.depth);
    }

    /// A script block: its commands are read, and its text is kept for the one proof that knows blocks.
    fn block(&mut self, word: &mut Word) {
        let alone = word.text.is_empty() && !word.quoted;
        let (start, before) = (self.at + 1, self.script.trouble);
        word.literal = false;
        self.nest(word, self.depth + 1);
        // Whether a block is harmless is for its command's proof to say; only that it ends counts here.
        self.script.trouble = before;
        let closed = self.text.get(self.at.saturating_sub(1)) == Some(&'}');
        if !closed {
            self.note("A bracket isn't closed.");
        } else if alone {
            word.block = Some(self.text.get(start..self.at - 1).unwrap_or_default().iter().collect());
        } else {
            self.note("It uses an expression.");
        }
    }

    /// Reads brackets; what is in them stands at `depth`.
    fn nest(&mut self, word: &mut Word, depth: usize) {
        let close = if self.peek() == Some('{') { '}' } else { ')' };
        let start = self.at;
        self.at += 1;
        if self.levels >= MAX_DEPTH {
            self.note("It is nested too deeply.");
            self.at = self.text.len();
            return;
        }
        let before = std::mem::replace(&mut self.depth, depth);
        self.levels += 1;
        self.statements(Some(close));
        // A closing bracket of the other kind ends nothing: go on to our own.
        while self.peek().is_some_and(|next| next != close) {
            self.at += 1;
            self.statements(Some(close));
        }
        self.depth = before;
        self.levels -= 1;
        if self.peek() == Some(close) {
            self.at += 1;
        } else {
            self.note("A bracket isn't closed.");
        }
        word.text.extend(self.text.get(start..self.at).unwrap_or_default());
    }
}
