//! Reads the closed grammar: what is not written here can't be allowed.
//!
//! It is independent of `tree-sitter-bash` on purpose: a text is understood only where both see the same commands.
//! Source: POSIX.1-2024 XCU 2.10 and bash(1), SHELL GRAMMAR.

mod redirects;
mod simple;

use super::command::{Redirect, RedirectKind, Unsupported};
use super::cursor::{Cursor, ends_word};
use super::script::{Connector, For, Statement};
use super::variables::may_be_set;
use super::word;
use redirects::{Document, fill_documents};

/// How deep groups may stand in each other.
const MAX_DEPTH: usize = 24;

/// Reads `text` whole.
///
/// # Errors
/// When any of it is outside the closed grammar.
pub fn read(text: &str) -> Result<Statement, Unsupported> {
    let odd = |character: char| {
        !matches!(character, ' ' | '\n' | '\t') && (character.is_control() || character.is_whitespace())
    };
    if text.chars().any(odd) {
        return Err(Unsupported::new("holds control characters or unusual spaces"));
    }
    let mut reader = Reader { cursor: Cursor::new(text), documents: Vec::new(), texts: Vec::new(), depth: 0 };
    let mut script = reader.sequence(&[])?;
    reader.blanks();
    if !reader.cursor.rest().is_empty() {
        return Err(Unsupported::new("has a part that isn't understood"));
    }
    if !reader.documents.is_empty() {
        return Err(Unsupported::new("has a here-document that doesn't end"));
    }
    fill_documents(&mut script, &mut reader.texts.into_iter());
    Ok(script)
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    /// Here-documents whose text starts after the next line end.
    documents: Vec<Document>,
    /// The texts of those that were read.
    texts: Vec<String>,
    depth: usize,
}

impl Reader<'_> {
    /// Statements until one of `ends` stands where a command would start, or a `)`, or the end.
    fn sequence(&mut self, ends: &[&str]) -> Result<Statement, Unsupported> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Unsupported::new("is nested too deeply"));
        }
        let mut statements = Vec::new();
        loop {
            self.lines()?;
            if self.at_end(ends) {
                break;
            }
            let statement = self.and_or()?;
            self.blanks();
            match self.cursor.peek() {
                Some('&') => {
                    self.cursor.advance();
                    statements.push(Statement::Background(Box::new(statement)));
                }
                Some(';') => {
                    self.cursor.advance();
                    if self.cursor.peek() == Some(';') {
                        return Err(Unsupported::new("has a part that isn't understood"));
                    }
                    statements.push(statement);
                }
                Some('\n' | ')') | None => statements.push(statement),
                Some(_) => return Err(Unsupported::new("has a part that isn't understood")),
            }
        }
        self.depth -= 1;
        Ok(match (statements.pop(), statements.is_empty()) {
            (Some(only), true) => only,
            (Some(last), false) => {
                statements.push(last);
                Statement::Sequence(statements)
            }
            (None, _) => Statement::Sequence(Vec::new()),
        })
    }

    fn at_end(&self, ends: &[&str]) -> bool {
        matches!(self.cursor.peek(), None | Some(')')) || ends.iter().any(|end| self.sees_keyword(end))
    }

    fn and_or(&mut self) -> Result<Statement, Unsupported> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let connector = if self.cursor.take("&&") {
                Connector::And
            } else if self.cursor.take("||") {
                Connector::Or
            } else {
                break;
            };
            self.lines()?;
            rest.push((connector, self.pipeline()?));
        }
        Ok(if rest.is_empty() { first } else { Statement::AndOr(Box::new(first), rest) })
    }

    fn pipeline(&mut self) -> Result<Statement, Unsupported> {
        let mut negated = false;
        while self.take_keyword("!") {
            negated = !negated;
            self.blanks();
        }
        let first = self.command()?;
        let mut stages = vec![first];
        loop {
            self.blanks();
            if self.cursor.rest().starts_with("||") || !self.cursor.take("|") {
                break;
            }
            if self.cursor.take("&")
                && let Some(Statement::Simple(before)) = stages.last_mut()
            {
                before.redirects.push(Redirect { kind: RedirectKind::Descriptor, target: None });
            }
            self.lines()?;
            stages.push(self.command()?);
        }
        let statement = match (stages.pop(), stages.is_empty()) {
            (Some(only), true) => only,
            (Some(last), false) => {
                stages.push(last);
                Statement::Pipeline(stages)
            }
            (None, _) => Statement::Sequence(Vec::new()),
        };
        Ok(if negated { Statement::Negated(Box::new(statement)) } else { statement })
    }

    fn command(&mut self) -> Result<Statement, Unsupported> {
        self.blanks();
        if self.cursor.rest().starts_with("((") {
            return Err(Unsupported::new("computes a value"));
        }
        if self.cursor.take("(") {
            let body = self.body(&[])?;
            if !self.cursor.take(")") {
                return Err(Unsupported::new("has a group that doesn't end"));
            }
            return Ok(Statement::Subshell(body, self.redirects()?));
        }
        if self.take_keyword("{") {
            let body = self.body(&["}"])?;
            self.keyword("}")?;
            return Ok(Statement::Group(body, self.redirects()?));
        }
        if self.take_keyword("if") {
            return self.conditional();
        }
        if self.take_keyword("while") || self.take_keyword("until") {
            let condition = self.body(&["do"])?;
            self.keyword("do")?;
            let body = self.body(&["done"])?;
            self.keyword("done")?;
            return Ok(Statement::While(condition, body, self.redirects()?));
        }
        if self.take_keyword("for") {
            return self.for_loop();
        }
        const UNREAD: &[&str] = &[
            "then", "elif", "else", "fi", "do", "done", "case", "esac", "in", "function", "select", "}",
            "coproc",
        ];
        if UNREAD.iter().any(|word| self.sees_keyword(word)) {
            return Err(Unsupported::new("has a part that isn't understood"));
        }
        self.simple().map(Statement::Simple)
    }

    fn conditional(&mut self) -> Result<Statement, Unsupported> {
        let mut branches = Vec::new();
        loop {
            let condition = self.body(&["then"])?;
            self.keyword("then")?;
            let body = self.body(&["elif", "else", "fi"])?;
            branches.push((*condition, *body));
            if !self.take_keyword("elif") {
                break;
            }
        }
        let otherwise = if self.take_keyword("else") { Some(self.body(&["fi"])?) } else { None };
        self.keyword("fi")?;
        Ok(Statement::If(branches, otherwise, self.redirects()?))
    }

    fn for_loop(&mut self) -> Result<Statement, Unsupported> {
        self.blanks();
        let variable = self
            .cursor
            .take_while(|character| character == '_' || character.is_ascii_alphanumeric())
            .to_owned();
        if !variable.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
            || !may_be_set(&variable)
        {
            return Err(Unsupported::new("has a loop that isn't understood"));
        }
        self.blanks();
        self.keyword("in")?;
        let mut values = Vec::new();
        loop {
            self.blanks();
            match self.cursor.peek() {
                Some(';') => {
                    self.cursor.advance();
                    break;
                }
                Some('\n') => break,
                Some(end) if ends_word(end) => {
                    return Err(Unsupported::new("has a loop that isn't understood"));
                }
                Some(_) => values.extend(word::read(&mut self.cursor, &[])?),
                None => return Err(Unsupported::new("has a loop that doesn't end")),
            }
        }
        self.lines()?;
        self.keyword("do")?;
        let body = self.body(&["done"])?;
        self.keyword("done")?;
        let redirects = self.redirects()?;
        Ok(Statement::For(For { variable, values, body, redirects }))
    }

    /// A sequence that holds at least one statement.
    fn body(&mut self, ends: &[&str]) -> Result<Box<Statement>, Unsupported> {
        let body = self.sequence(ends)?;
        match body {
            Statement::Sequence(statements) if statements.is_empty() => {
                Err(Unsupported::new("has an empty group"))
            }
            body => Ok(Box::new(body)),
        }
    }

    /// Takes spaces, continued lines and a comment.
    fn blanks(&mut self) {
        loop {
            let before = self.cursor.at();
            self.cursor.take_while(|character| matches!(character, ' ' | '\t'));
            if self.cursor.rest().starts_with("\\\n") {
                self.cursor.take("\\\n");
            }
            // Words are always read whole, so a `#` seen here starts one, and with it a comment.
            if self.cursor.peek() == Some('#') {
                self.cursor.take_while(|character| character != '\n');
            }
            if self.cursor.at() == before {
                return;
            }
        }
    }

    /// Takes blanks and line ends, with the here-documents that follow them.
    fn lines(&mut self) -> Result<(), Unsupported> {
        loop {
            self.blanks();
            if !self.cursor.take("\n") {
                return Ok(());
            }
            for document in std::mem::take(&mut self.documents) {
                self.skip_document(&document)?;
            }
        }
    }

    fn sees_keyword(&self, word: &str) -> bool {
        self.cursor.rest().strip_prefix(word).is_some_and(|rest| rest.chars().next().is_none_or(ends_word))
    }

    fn take_keyword(&mut self, word: &str) -> bool {
        self.sees_keyword(word) && self.cursor.take(word)
    }

    fn keyword(&mut self, word: &str) -> Result<(), Unsupported> {
        self.blanks();
        if self.take_keyword(word) {
            Ok(())
        } else {
            Err(Unsupported::new("has a part that isn't understood"))
        }
    }
}
