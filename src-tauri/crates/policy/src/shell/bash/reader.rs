//! Reads the closed grammar: what is not written here can't be allowed.
//!
//! It is independent of `tree-sitter-bash` on purpose: a text is understood only where both see the same commands.
//! Source: POSIX.1-2024 XCU 2.10 and bash(1), SHELL GRAMMAR.

use super::command::{Assignment, Part, Redirect, RedirectKind, Unsupported, Word};
use super::cursor::{Cursor, ends_word};
use super::script::{Connector, For, Simple, Statement};
use super::variables::may_be_set;
use super::word;

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

/// Gives each here-document its text; operators and texts stand in the same order.
fn fill_documents(statement: &mut Statement, texts: &mut impl Iterator<Item = String>) {
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

struct Reader<'t> {
    cursor: Cursor<'t>,
    /// Here-documents whose text starts after the next line end.
    documents: Vec<Document>,
    /// The texts of those that were read.
    texts: Vec<String>,
    depth: usize,
}

struct Document {
    delimiter: String,
    strip_tabs: bool,
    quoted: bool,
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

    fn simple(&mut self) -> Result<Simple, Unsupported> {
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

    fn redirects(&mut self) -> Result<Vec<Redirect>, Unsupported> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, Unsupported> {
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

    fn skip_document(&mut self, document: &Document) -> Result<(), Unsupported> {
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

/// `1`, `-`, `3-`: what may follow `>&` and `<&`.
fn is_descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    (text == "-" || !digits.is_empty()) && digits.chars().all(|digit| digit.is_ascii_digit())
}
