//! PowerShell's lexical rules (about_Parsing, about_Quoting_Rules): a text as its commands, at any depth.
//!
//! The reader never gives up: what it doesn't understand still yields every command it can see, and is
//! noted in [`Script::trouble`], so that nothing is allowed on its word.

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
    /// Whether it is a pipeline in brackets at the head of a command, perhaps with properties: `(dir).Count`.
    pub(super) group: bool,
}

const MAX_DEPTH: usize = 24;
const MAX_COMMANDS: usize = 2_000;

/// Reads `text`.
pub(super) fn read(text: &str) -> Script {
    let mut reader = Reader {
        text: text.chars().collect(),
        at: 0,
        script: Script::default(),
        depth: 0,
        brackets: 0,
        at_head: false,
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
    /// All brackets and braces around this place.
    brackets: usize,
    /// Whether the next word would be the first of its command.
    at_head: bool,
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
                }
                _ => {
                    if self.script.commands.len() >= MAX_COMMANDS {
                        self.note("There are too many commands.");
                        self.at = self.text.len();
                        break;
                    }
                    let before = self.at;
                    self.command(piped);
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
        let mut command = Command { piped, nested: self.depth > 0, ..Command::default() };
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
            } else if command.words.iter().skip(1).any(|word| !(word.listed && word.literal)) {
                self.note("It computes with values.");
            }
            return;
        }
        if first.text.starts_with('[') || first.text.starts_with('@') {
            command.head = Head::Value;
            self.note("It uses a type or a collection.");
            return;
        }
        let word = first.text.to_lowercase();
        if KEYWORDS.contains(&word.as_str()) {
            self.note("It uses control flow or definitions.");
            if LEADING.contains(&word.as_str()) {
                command.words.remove(0);
                self.settle_head(command);
            }
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
                    // `$x = command`: what follows is a statement again.
                    self.at += 1;
                    self.note("It sets a variable.");
                    self.skip_blanks(false);
                    self.command(false);
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
        let target = self.word();
        if !target.text.eq_ignore_ascii_case("$null") {
            command.redirects.push(target);
        }
    }

    /// One word: bare characters, strings and expressions side by side.
    fn word(&mut self) -> Word {
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
                    self.here_string(&mut word)
                }
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
                    self.open_group(&mut word);
                    self.at_head = false;
                }
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
                // Inside a bare word only the letters that have no meaning as escapes stay letters.
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
                while let Some(next) = self.peek() {
                    let drive = next == ':'
                        && self.peek_at(1).is_some_and(|after| after.is_alphanumeric() || after == '_');
                    if !(next.is_alphanumeric() || next == '_' || drive) {
                        if matches!(next, '?' | '^' | '$') && word.text.ends_with('$') {
                            word.text.push(next);
                            self.at += 1;
                        }
                        break;
                    }
                    word.text.push(next);
                    self.at += 1;
                }
            }
            Some(_) | None => {
                word.text.push('$');
                self.at += 1;
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
        if self.brackets >= MAX_DEPTH {
            self.note("It is nested too deeply.");
            self.at = self.text.len();
            return;
        }
        let before = std::mem::replace(&mut self.depth, depth);
        self.brackets += 1;
        self.statements(Some(close));
        // A closing bracket of the other kind ends nothing: go on to our own.
        while self.peek().is_some_and(|next| next != close) {
            self.at += 1;
            self.statements(Some(close));
        }
        self.depth = before;
        self.brackets -= 1;
        if self.peek() == Some(close) {
            self.at += 1;
        } else {
            self.script.trouble.get_or_insert("A bracket isn't closed.");
        }
        word.text.extend(self.text.get(start..self.at).unwrap_or_default());
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

/// A pipeline in brackets or one of the variables that say nothing secret, with properties but no calls.
fn is_plain_value(word: &Word) -> bool {
    let properties = |text: &str| {
        text.is_empty()
            || text.strip_prefix('.').is_some_and(|names| {
                names
                    .split('.')
                    .all(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
            })
    };
    if word.group {
        return word.text.rsplit_once(')').is_some_and(|(_, rest)| properties(rest));
    }
    let text = word.text.to_lowercase();
    let known = [
        "$null",
        "$true",
        "$false",
        "$pwd",
        "$psversiontable",
        "$pshome",
        "$iswindows",
        "$islinux",
        "$ismacos",
    ];
    !word.quoted && known.iter().any(|name| text.strip_prefix(name).is_some_and(properties))
}

fn is_close(one: char) -> bool {
    matches!(one, ')' | '}')
}

/// PowerShell's own list: any Unicode space separator, tab and a few controls (language specification §2.2.3).
fn is_blank(one: char) -> bool {
    one != '\n' && one != '\r' && one.is_whitespace()
}

fn is_quote(one: char) -> bool {
    is_single_quote(one) || is_double_quote(one)
}

/// `'` and the typographic quotes that PowerShell takes for it (language specification §2.3.5.2).
fn is_single_quote(one: char) -> bool {
    matches!(one, '\'' | '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}')
}

/// `"` and the typographic quotes that PowerShell takes for it.
fn is_double_quote(one: char) -> bool {
    matches!(one, '"' | '\u{201C}' | '\u{201D}' | '\u{201E}')
}

/// En dash, em dash and horizontal bar stand for a dash.
fn is_dash(one: char) -> bool {
    matches!(one, '-' | '\u{2013}' | '\u{2014}' | '\u{2015}')
}

/// Outside strings: a dash that isn't one, or a character nobody sees.
fn is_doubtful(one: char) -> bool {
    !one.is_ascii() && (is_dash(one) || one.is_control() || crate::path::fold(&format!("a{one}")) == "a")
}

#[cfg(test)]
mod tests {
    use super::{Head, read};
    use proptest::prelude::*;

    fn outline(text: &str) -> Vec<String> {
        read(text)
            .commands
            .iter()
            .filter(|command| command.head != Head::Value)
            .map(|command| command.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
            .collect()
    }

    /// R11
    #[test]
    fn commands_at_any_depth() {
        for (text, expected) in [
            ("Get-ChildItem; ri x", vec!["Get-ChildItem", "ri x"]),
            ("gci | % { ri $_ }", vec!["gci", "% { ri $_ }", "ri $_"]),
            ("Get-Content (ni pwned)", vec!["Get-Content (ni pwned)", "ni pwned"]),
            ("\"a $(ri x) b\"", vec!["ri x"]),
            ("$x = ri y", vec!["ri y"]),
            ("if ($true) { ri z }", vec!["if ($true) { ri z }", "ri z"]),
            ("& 'ri' x", vec!["ri x"]),
            ("Re`move-It`em x", vec!["Remove-Item x"]),
            ("Write-Output 'a\u{2019}; ni pwned; \u{2018}b'", vec!["Write-Output a", "ni pwned"]),
            ("echo 'ri x; ni y'", vec!["echo ri x; ni y"]),
            ("Set-Content n.txt @'\nRemove-Item C:\\\n'@", vec!["Set-Content n.txt Remove-Item C:\\\n"]),
            ("return ri x", vec!["ri x"]),
            ("a && b || c", vec!["a", "b", "c"]),
            ("Get-Item a,b 2>&1 # ri x", vec!["Get-Item a b"]),
        ] {
            let found: Vec<String> = outline(text).iter().map(|one| one.replace('\n', "")).collect();
            let expected: Vec<String> = expected.iter().map(|one| one.replace('\n', "")).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_is_plain_and_what_is_not() {
        for plain in [
            "Get-ChildItem -Recurse",
            "gc a.txt | select -First 3",
            "git status; git log 2>&1",
            "echo 'a;b' > $null",
        ] {
            assert_eq!(read(plain).trouble, None, "{plain}");
        }
        for other in [
            "$x = 1",
            "Get-Content (ni x)",
            ". .\\x.ps1",
            "echo 'a",
            "x &",
            "if (1) {}",
            "\u{2013}a",
            "[a]::b()",
        ] {
            assert!(read(other).trouble.is_some(), "{other}");
        }
    }

    proptest! {
        #[test]
        fn ends_on_any_text(text in "[-a-z$(){}@'\"`|&;#<>, \\n%:*\u{2019}]{0,60}") {
            let _ = read(&text);
        }
    }
}
