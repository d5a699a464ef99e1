//! PowerShell's lexical rules (about_Parsing, about_Quoting_Rules): a text as its commands, at any depth.
//!
//! The reader never gives up: what it doesn't understand still yields every command it can see, and is
//! noted in [`Script::trouble`], so that nothing is allowed on its word.

mod characters;
mod control;
#[cfg(test)]
mod tests;
mod values;
mod word;

use characters::{is_blank, is_close, is_quote};
use values::computes_plainly;
pub(super) use values::{is_plain_value, properties_of};

/// A text as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// Every command at any depth, in the order of the text.
    pub(super) commands: Vec<Command>,
    /// The first thing that is more than plain pipelines of commands with literal words, as a sentence.
    pub(super) trouble: Option<&'static str>,
}

/// One command, or the expression at the head of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// How it starts.
    pub(super) head: Head,
    /// Name and arguments after quote removal; commas separate words.
    pub(super) words: Vec<Word>,
    /// Files it is redirected to or from.
    pub(super) redirects: Vec<Word>,
    /// Whether it takes the output of the command before it in the list.
    pub(super) piped: bool,
    /// Whether it stands inside brackets, braces or a string of another command.
    pub(super) nested: bool,
    /// How many commands wait for its output as one of their values, or for its outcome: `Write-Host (dir).Count`,
    /// `if (Test-Path x) { dir }`.
    pub(super) level: usize,
    /// How many brackets at a pipeline's head stand around it: `(dir).Count`.
    pub(super) heads: usize,
    /// Whether it runs only where what stands before it did, or didn't, succeed (`&&`, `||`).
    pub(super) chained: bool,
}

/// How a command starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Head {
    /// By its name.
    #[default]
    Name,
    /// `&`, which runs what the next word names.
    Call,
    /// `.`, which runs it in this scope.
    Source,
    /// A value: a string, a number.
    Value,
}

/// One word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// Its text; parts known only at run time as written.
    pub(super) text: String,
    /// Whether all of it can be read off the text.
    pub(super) literal: bool,
    /// Whether it began with a quote: then a dash makes no parameter of it.
    pub(super) quoted: bool,
    /// Whether it holds wildcard characters that aren't escaped.
    pub(super) wildcard: bool,
    /// Whether a comma joins it to the word before.
    pub(super) listed: bool,
    /// The text of a script block.
    pub(super) block: Option<String>,
    /// Whether it is a pipeline in brackets, perhaps with properties: `(dir).Count`.
    pub(super) group: bool,
}

/// Brackets and assignments inside each other.
const MAX_DEPTH: usize = 24;
/// Commands of one text.
const MAX_COMMANDS: usize = 2_000;

/// Reads `text`.
pub(super) fn read(text: &str) -> Script {
    let mut reader = Reader {
        text: text.chars().collect(),
        at: 0,
        script: Script::default(),
        depth: 0,
        levels: 0,
        waiting: 0,
        heads: 0,
        at_head: false,
        chained: false,
    };
    while reader.at < reader.text.len() {
        reader.statements(None);
        if reader.at < reader.text.len() {
            reader.note("A closing bracket has no opening one.");
            reader.at += 1;
        }
    }
    reader.script
}

struct Reader {
    text: Vec<char>,
    at: usize,
    script: Script,
    /// Brackets and braces around this place whose commands are another command's business.
    depth: usize,
    /// All brackets, braces and assignments around this place.
    levels: usize,
    /// Commands and conditions around this place that wait for what stands here.
    waiting: usize,
    /// Brackets at the heads of pipelines around this place.
    heads: usize,
    /// Whether the next word would be the first of its command.
    at_head: bool,
    /// Whether what stands here is part of a command behind `&&` or `||`.
    chained: bool,
}

/// Keywords after which a statement follows in the same words.
const LEADING: &[&str] = &[
    "return",
    "throw",
    "exit",
    "else",
    "do",
    "try",
    "finally",
    "begin",
    "process",
    "end",
    "dynamicparam",
    "data",
    "trap",
    "catch",
    "parallel",
    "sequence",
    "inlinescript",
];
/// All words that begin a statement of their own.
const KEYWORDS: &[&str] = &[
    "if",
    "elseif",
    "else",
    "switch",
    "foreach",
    "for",
    "while",
    "until",
    "do",
    "function",
    "filter",
    "workflow",
    "class",
    "enum",
    "try",
    "catch",
    "finally",
    "trap",
    "return",
    "throw",
    "exit",
    "break",
    "continue",
    "param",
    "begin",
    "process",
    "end",
    "dynamicparam",
    "clean",
    "data",
    "using",
    "parallel",
    "sequence",
    "inlinescript",
    "configuration",
    "in",
    "var",
    "define",
    "from",
    "static",
    "hidden",
];

impl Reader {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, expected)| self.peek_at(ahead) == Some(expected))
    }

    fn note(&mut self, trouble: &'static str) {
        self.script.trouble.get_or_insert(trouble);
    }

    /// Statements up to `close`, which is left for the caller.
    fn statements(&mut self, close: Option<char>) {
        let mut piped = false;
        let mut after_operator = false;
        let outer = self.chained;
        // Whether the next command, and whether the one before it, stands behind `&&` or `||`.
        let (mut chained, mut before_chained) = (false, false);
        loop {
            self.skip_blanks(true);
            let Some(next) = self.peek() else { break };
            if is_close(next) {
                if close != Some(next) {
                    self.note("A bracket is closed that wasn't opened.");
                }
                break;
            }
            match next {
                ';' | '\n' | '\r' => {
                    self.at += 1;
                    piped = false;
                }
                '|' => {
                    self.at += 1;
                    piped = self.peek() != Some('|');
                    chained = !piped || before_chained;
                    if !piped {
                        self.at += 1;
                    }
                    if !after_operator && self.script.commands.is_empty() {
                        self.note("A pipeline starts with nothing.");
                    }
                }
                '&' if self.peek_at(1) == Some('&') => {
                    self.at += 2;
                    piped = false;
                    chained = true;
                }
                _ => {
                    if self.script.commands.len() >= MAX_COMMANDS {
                        self.note("There are too many commands.");
                        self.at = self.text.len();
                        break;
                    }
                    let before = self.at;
                    self.chained = outer || chained;
                    self.command(piped);
                    self.chained = outer;
                    before_chained = std::mem::take(&mut chained);
                    after_operator = true;
                    if self.at == before {
                        // Something no command can start with: step over it.
                        self.note("A character stands where a command should.");
                        self.at += 1;
                    }
                    piped = false;
                }
            }
        }
    }

    fn command(&mut self, piped: bool) {
        let mut command = Command {
            piped,
            nested: self.depth > 0,
            level: self.waiting,
            heads: self.heads,
            chained: self.chained,
            ..Command::default()
        };
        if self.depth == 0 && self.conditional() {
            return;
        }
        self.negations();
        match self.peek() {
            Some('&') => {
                self.at += 1;
                command.head = Head::Call;
                self.skip_blanks(false);
            }
            Some('.')
                if self.peek_at(1).is_some_and(|next| is_blank(next) || next == '$' || is_quote(next)) =>
            {
                self.at += 1;
                command.head = Head::Source;
                self.note("A script is run in the shell's own scope.");
                self.skip_blanks(false);
            }
            _ => {}
        }
        let place = self.script.commands.len();
        self.script.commands.push(Command::default());
        self.words(&mut command);
        if command.head == Head::Name {
            self.settle_head(&mut command);
        }
        if let Some(slot) = self.script.commands.get_mut(place) {
            *slot = command;
        }
    }

    /// Decides whether the first word is a name, a value or a keyword.
    fn settle_head(&mut self, command: &mut Command) {
        let is_leading = |word: &&Word| word.literal && !word.quoted && is_one_of(LEADING, &word.text);
        let leading = command.words.iter().take_while(is_leading).count();
        if leading > 0 {
            self.note("It uses control flow or definitions.");
            command.words.drain(..leading);
        }
        let Some(first) = command.words.first() else {
            command.head = Head::Value;
            return;
        };
        let number =
            first.text.starts_with(|one: char| one.is_ascii_digit()) && first.text.parse::<f64>().is_ok();
        if first.quoted || number || !first.literal || first.block.is_some() {
            command.head = Head::Value;
            if !first.literal && !is_plain_value(first) {
                self.note("It uses a variable or an expression.");
            } else if command.words.iter().skip(1).any(|word| !(word.listed && word.literal))
                && !computes_plainly(command.words.get(1..).unwrap_or_default())
            {
                self.note("It computes with values.");
            }
        } else if first.text.starts_with(['[', '@']) {
            command.head = Head::Value;
            self.note("It uses a type or a collection.");
        } else if is_one_of(KEYWORDS, &first.text) {
            self.note("It uses control flow or definitions.");
        }
    }

    /// Words up to the end of the command.
    fn words(&mut self, command: &mut Command) {
        let mut listed = false;
        loop {
            self.skip_blanks(false);
            let Some(next) = self.peek() else { return };
            match next {
                ';' | '\n' | '\r' | '|' => return,
                _ if is_close(next) => return,
                '&' => {
                    if self.peek_at(1) != Some('&') {
                        // `command &` runs it beside what follows.
                        self.note("A command runs in the background.");
                        self.at += 1;
                    }
                    return;
                }
                ',' => {
                    self.at += 1;
                    listed = true;
                }
                '>' | '<' => self.redirect(command),
                '*' | '1'..='6' if self.peek_at(1) == Some('>') => {
                    self.at += 1;
                    self.redirect(command);
                }
                '-' if self.starts_with("--%") => {
                    self.note("It stops PowerShell's own parsing.");
                    let rest: String = self.rest_of_line();
                    command.words.push(Word { text: rest, ..Word::default() });
                    return;
                }
                '=' if command.words.len() == 1 && command.words.iter().all(|word| !word.literal) => {
                    self.assigned();
                    return;
                }
                _ => {
                    let before = self.at;
                    self.at_head = command.words.is_empty() && command.head == Head::Name;
                    let word = Word { listed: std::mem::take(&mut listed), ..self.word() };
                    if self.at == before {
                        self.note("A character stands where a word should.");
                        self.at += 1;
                    } else {
                        command.words.push(word);
                    }
                }
            }
        }
    }

    /// `$x = command`: what follows is a statement again.
    fn assigned(&mut self) {
        self.at += 1;
        self.note("It sets a variable.");
        if self.levels >= MAX_DEPTH {
            self.at = self.text.len();
            return;
        }
        self.skip_blanks(false);
        self.levels += 1;
        self.command(false);
        self.levels -= 1;
    }

    fn redirect(&mut self, command: &mut Command) {
        let reads = self.peek() == Some('<');
        self.at += 1;
        if self.peek() == Some('>') {
            self.at += 1;
        }
        if self.peek() == Some('&') {
            // `2>&1` merges streams.
            self.at += 1;
            if self.peek().is_some_and(|next| next.is_ascii_digit()) {
                self.at += 1;
            } else {
                self.note("A redirect isn't understood.");
            }
            return;
        }
        if reads {
            self.note("A redirect isn't understood.");
        }
        self.skip_blanks(false);
        self.at_head = false;
        let target = self.word();
        if !target.text.eq_ignore_ascii_case("$null") {
            command.redirects.push(target);
        }
    }

    fn skip_blanks(&mut self, lines: bool) {
        while let Some(next) = self.peek() {
            match next {
                '#' => {
                    while self.peek().is_some_and(|next| !matches!(next, '\n' | '\r')) {
                        self.at += 1;
                    }
                }
                '<' if self.peek_at(1) == Some('#') => {
                    self.note("It holds a block comment.");
                    self.at += 2;
                    while self.at < self.text.len() && !self.starts_with("#>") {
                        self.at += 1;
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                '`' if matches!(self.peek_at(1), Some('\n' | '\r')) => {
                    self.at += 2;
                    if self.peek() == Some('\n') {
                        self.at += 1;
                    }
                }
                '\n' | '\r' if lines => self.at += 1,
                _ if is_blank(next) => {
                    if !next.is_ascii() {
                        self.note("It holds a blank that isn't an ASCII one.");
                    }
                    self.at += 1;
                }
                _ => return,
            }
        }
    }

    fn rest_of_line(&mut self) -> String {
        let mut rest = String::new();
        while let Some(next) = self.peek().filter(|next| !matches!(next, '\n' | '\r')) {
            rest.push(next);
            self.at += 1;
        }
        rest
    }
}

fn is_one_of(table: &[&str], word: &str) -> bool {
    table.iter().any(|one| one.eq_ignore_ascii_case(word))
}
