//! Redirects, and the here-documents whose text follows the line (POSIX.1-2024 XCU 2.7).

use super::Reader;
use crate::shell::bash::command::{Redirect, RedirectKind, Unsupported, Word};
use crate::shell::bash::cursor::ends_word;
use crate::shell::bash::script::Statement;
use crate::shell::bash::word;

impl Reader<'_> {
    pub(super) fn redirects(&mut self) -> Result<Vec<Redirect>, Unsupported> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>, Unsupported> {
        let rest = self.cursor.rest();
        let digits = rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let operators = rest.get(digits..).unwrap_or_default();
        let has_descriptor = digits > 0;
        if !(operators.starts_with(['<', '>']) || !has_descriptor && operators.starts_with("&>")) {
            return Ok(None);
        }
        self.cursor.jump(self.cursor.at() + digits);
        for (operator, kind) in [
            ("&>>", RedirectKind::Append),
            ("&>", RedirectKind::Truncate),
            ("<<<", RedirectKind::Text),
            ("<<-", RedirectKind::Unknown),
            ("<<", RedirectKind::Unknown),
            (">>", RedirectKind::Append),
            (">|", RedirectKind::Truncate),
            (">&", RedirectKind::Descriptor),
            ("<&", RedirectKind::Descriptor),
            ("<>", RedirectKind::ReadWrite),
            (">", RedirectKind::Truncate),
            ("<", RedirectKind::Read),
        ] {
            if self.cursor.take(operator) {
                return match operator {
                    "<<" | "<<-" => self.document(operator == "<<-").map(Some),
                    _ => self.file(operator, kind).map(Some),
                };
            }
        }
        Ok(None)
    }

    fn file(&mut self, operator: &str, kind: RedirectKind) -> Result<Redirect, Unsupported> {
        self.blanks();
        if self.cursor.peek().is_none_or(ends_word) {
            return Err(Unsupported::new("has a redirect that isn't understood"));
        }
        let mut words = word::read(&mut self.cursor, &[])?;
        let (Some(target), true) = (words.pop(), words.is_empty()) else {
            return Err(Unsupported::new("has a redirect to several files"));
        };
        let kind = match (kind, target.literal()) {
            (RedirectKind::Descriptor, Some(text)) if is_descriptor(&text) => RedirectKind::Descriptor,
            (RedirectKind::Descriptor, Some(_)) if operator == ">&" => RedirectKind::Truncate,
            (RedirectKind::Descriptor, _) => {
                return Err(Unsupported::new("has a redirect that isn't understood"));
            }
            (RedirectKind::Text, None) => return Err(Unsupported::new("hands a variable to a program")),
            (kind, _) => kind,
        };
        let target = match kind {
            RedirectKind::Descriptor => None,
            RedirectKind::Read
            | RedirectKind::Truncate
            | RedirectKind::Append
            | RedirectKind::ReadWrite
            | RedirectKind::Text
            | RedirectKind::Unknown => Some(target),
        };
        Ok(Redirect { kind, target })
    }

    fn document(&mut self, strip_tabs: bool) -> Result<Redirect, Unsupported> {
        const UNKNOWN: Unsupported = Unsupported::new("has a here-document that isn't understood");
        self.blanks();
        let (raw, quoted) = match self.cursor.peek() {
            Some(quote @ ('\'' | '"')) => {
                self.cursor.advance();
                (self.cursor.until(if quote == '"' { "\"" } else { "'" }).ok_or(UNKNOWN)?, true)
            }
            Some(_) | None => {
                let quoted = self.cursor.take("\\");
                (self.cursor.take_while(|character| !ends_word(character)), quoted)
            }
        };
        let plain =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.');
        if raw.is_empty() || !raw.chars().all(plain) || !self.cursor.peek().is_none_or(ends_word) {
            return Err(UNKNOWN);
        }
        self.documents.push(Document { delimiter: raw.to_owned(), strip_tabs, quoted });
        Ok(Redirect { kind: RedirectKind::Text, target: None })
    }

    pub(super) fn skip_document(&mut self, document: &Document) -> Result<(), Unsupported> {
        let mut text = String::new();
        loop {
            if self.cursor.rest().is_empty() {
                return Err(Unsupported::new("has a here-document that doesn't end"));
            }
            let line = self.cursor.take_while(|character| character != '\n');
            self.cursor.take("\n");
            let bare = if document.strip_tabs { line.trim_start_matches('\t') } else { line };
            if bare == document.delimiter {
                self.texts.push(text);
                return Ok(());
            }
            if !document.quoted && line.contains(['$', '`', '\\']) {
                return Err(Unsupported::new("has a here-document that expands something"));
            }
            text.push_str(bare);
            text.push('\n');
        }
    }
}

pub(super) struct Document {
    delimiter: String,
    strip_tabs: bool,
    quoted: bool,
}

/// Gives each here-document its text; operators and texts stand in the same order.
pub(super) fn fill_documents(statement: &mut Statement, texts: &mut impl Iterator<Item = String>) {
    let own = match statement {
        Statement::Simple(simple) => &mut simple.redirects,
        Statement::Negated(body) | Statement::Background(body) => return fill_documents(body, texts),
        Statement::Pipeline(parts) | Statement::Sequence(parts) => {
            return parts.iter_mut().for_each(|part| fill_documents(part, texts));
        }
        Statement::AndOr(first, rest) => {
            fill_documents(first, texts);
            return rest.iter_mut().for_each(|(_, next)| fill_documents(next, texts));
        }
        Statement::Subshell(body, redirects) | Statement::Group(body, redirects) => {
            fill_documents(body, texts);
            redirects
        }
        Statement::If(branches, otherwise, redirects) => {
            for (condition, body) in branches {
                fill_documents(condition, texts);
                fill_documents(body, texts);
            }
            if let Some(otherwise) = otherwise {
                fill_documents(otherwise, texts);
            }
            redirects
        }
        Statement::For(repeat) => {
            fill_documents(&mut repeat.body, texts);
            &mut repeat.redirects
        }
        Statement::While(condition, body, redirects) => {
            fill_documents(condition, texts);
            fill_documents(body, texts);
            redirects
        }
    };
    for redirect in own {
        if redirect.kind == RedirectKind::Text && redirect.target.is_none() {
            redirect.target = texts.next().map(Word::text);
        }
    }
}

/// `1`, `-`, `3-`: what may follow `>&` and `<&`.
fn is_descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    (text == "-" || !digits.is_empty()) && digits.chars().all(|digit| digit.is_ascii_digit())
}
