//! The text of a page in the making.

use super::references::resolved;

/// Text in the making: blanks collapsed, lines begun only where something follows.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) text: String,
    pending_blank: bool,
    pending_lines: usize,
    /// Inside so many `pre`.
    pub(super) literal: u32,
    /// Target of the link that is open, and where its text begins.
    pub(super) link: Option<(String, usize)>,
}

impl Writer {
    pub(super) fn words(&mut self, words: &str) {
        let words = resolved(words);
        if self.literal > 0 {
            if !words.is_empty() {
                self.flush();
                self.text.push_str(&words);
            }
            return;
        }
        for (at, word) in words.split(|it: char| it.is_whitespace() && it != '\u{a0}').enumerate() {
            if at > 0 {
                self.pending_blank = true;
            }
            if !word.is_empty() {
                self.flush();
                self.text.push_str(word);
            }
        }
    }

    /// Text of our own, at the start of a line.
    pub(super) fn raw(&mut self, text: &str) {
        self.flush();
        self.text.push_str(text);
    }

    pub(super) fn new_line(&mut self) {
        self.pending_lines = self.pending_lines.max(1);
    }

    pub(super) fn break_line(&mut self) {
        self.pending_lines = (self.pending_lines + 1).min(2);
    }

    pub(super) fn paragraph(&mut self) {
        self.pending_lines = 2;
    }

    pub(super) fn cell(&mut self) {
        if self.pending_lines == 0 && !self.text.ends_with('\n') && !self.text.is_empty() {
            self.raw(" | ");
        }
    }

    fn flush(&mut self) {
        if self.pending_lines > 0 {
            if !self.text.is_empty() {
                let there = self.text.chars().rev().take_while(|it| *it == '\n').count();
                for _ in there..self.pending_lines {
                    self.text.push('\n');
                }
            }
        } else if self.pending_blank && !self.text.ends_with([' ', '\n']) && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.pending_lines = 0;
        self.pending_blank = false;
    }

    pub(super) fn end_link(&mut self) {
        let Some((target, start)) = self.link.take() else { return };
        if self.text.get(start..).is_some_and(|text| !text.trim().is_empty()) {
            self.text.push_str(&format!(" <{target}>"));
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.end_link();
        self.text.trim().to_owned()
    }
}
