//! Simple commands: their words, their assignments, and what runs inside those (POSIX.1-2024 XCU 2.9.1).

use super::Reader;
use super::redirects::fill_documents;
use crate::shell::bash::command::{Assignment, Part, Unsupported, Word};
use crate::shell::bash::cursor::{Cursor, ends_word};
use crate::shell::bash::script::{Simple, Statement};
use crate::shell::bash::word;

impl Reader<'_> {
    pub(super) fn simple(&mut self) -> Result<Simple, Unsupported> {
        let mut simple = Simple::default();
        loop {
            self.blanks();
            if self.cursor.rest().starts_with("<(") {
                let start = self.cursor.at();
                self.cursor.take("<(");
                simple.inner.push(self.inner()?);
                simple.words.push(Word { parts: vec![Part::Pipe], span: start..self.cursor.at() });
                if !self.cursor.peek().is_none_or(ends_word) {
                    return Err(Unsupported::new("has a part that isn't understood"));
                }
                continue;
            }
            if is_open_test(&simple.words)
                && let Some(operator) =
                    ["&&", "||", "(", ")"].iter().find(|operator| self.cursor.take(operator))
            {
                let end = self.cursor.at();
                simple.words.push(Word { span: end - operator.len()..end, ..Word::text(*operator) });
                continue;
            }
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                continue;
            }
            match self.cursor.peek() {
                None => break,
                Some('(') => return Err(Unsupported::new("defines a function or uses an unknown pattern")),
                Some(end) if ends_word(end) => break,
                Some(_) => {}
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment(&mut simple.inner)?
            {
                simple.assignments.push(assignment);
                continue;
            }
            let words = self.word(&mut simple.inner)?;
            if self.cursor.peek() == Some('(') && !is_open_test(&words) {
                return Err(Unsupported::new("defines a function or uses an unknown pattern"));
            }
            let names_descriptor = self.cursor.peek().is_some_and(|next| matches!(next, '<' | '>'))
                && words.iter().any(|word| word.literal_prefix().starts_with('{'));
            if names_descriptor {
                return Err(Unsupported::new("keeps a file open in a variable"));
            }
            simple.words.extend(words);
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty() {
            return Err(Unsupported::new("has a part that isn't understood"));
        }
        Ok(simple)
    }

    /// A word, and what runs inside its double quotes.
    fn word(&mut self, inner: &mut Vec<Statement>) -> Result<Vec<Word>, Unsupported> {
        let (depth, waits) = (self.depth, !self.documents.is_empty());
        word::read_with(&mut self.cursor, &[], &mut |cursor| {
            inner.push(substitution(cursor, depth, waits)?);
            Ok(())
        })
    }

    /// What runs in brackets whose opening was taken, and the closing one.
    fn inner(&mut self) -> Result<Statement, Unsupported> {
        substitution(&mut self.cursor, self.depth, !self.documents.is_empty())
    }

    /// `NAME=value`, and what runs inside the value.
    fn assignment(&mut self, inner: &mut Vec<Statement>) -> Result<Option<Assignment>, Unsupported> {
        let rest = self.cursor.rest();
        let length = rest
            .find(|character: char| character != '_' && !character.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        let after = rest.get(length..).unwrap_or_default();
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            return Ok(None);
        }
        if after.starts_with('[') || after.starts_with("+=") {
            return Err(Unsupported::new("changes an array or adds to a variable"));
        }
        if !after.starts_with('=') {
            return Ok(None);
        }
        let name = name.to_owned();
        self.cursor.jump(self.cursor.at() + length + 1);
        let at = self.cursor.at();
        // Braces aren't expanded in an assignment; a value that would be is left to a person.
        let mut words = if self.cursor.peek().is_none_or(ends_word) {
            vec![Word { parts: Vec::new(), span: at..at }]
        } else {
            let (depth, waits) = (self.depth, !self.documents.is_empty());
            word::read_value(&mut self.cursor, &mut |cursor| {
                inner.push(substitution(cursor, depth, waits)?);
                Ok(())
            })?
        };
        match (words.pop(), words.is_empty()) {
            (Some(value), true) if self.cursor.peek() != Some('(') => Ok(Some(Assignment { name, value })),
            _ => Err(Unsupported::new("sets a variable in a way that isn't understood")),
        }
    }
}

/// The statements up to a closing bracket, which is taken; `waits` says whether the text of a here-document comes with
/// the next line, which then would be this one's.
fn substitution(cursor: &mut Cursor<'_>, depth: usize, waits: bool) -> Result<Statement, Unsupported> {
    let mut reader = Reader { cursor: cursor.clone(), documents: Vec::new(), texts: Vec::new(), depth };
    let mut body = *reader.body(&[])?;
    let ends = reader.cursor.take(")") && reader.documents.is_empty();
    let taken = reader.cursor.at();
    if !ends || waits && cursor.rest().get(..taken - cursor.at()).is_none_or(|text| text.contains('\n')) {
        return Err(Unsupported::new("has a group that doesn't end"));
    }
    fill_documents(&mut body, &mut reader.texts.into_iter());
    cursor.jump(taken);
    Ok(body)
}

/// Whether `words` start a `[[` that isn't closed yet.
fn is_open_test(words: &[Word]) -> bool {
    let is =
        |word: Option<&Word>, text: &str| word.and_then(Word::literal).is_some_and(|literal| literal == text);
    is(words.first(), "[[") && !is(words.last(), "]]")
}
