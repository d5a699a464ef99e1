//! What a shell text says, whatever the shell: words, simple commands, redirects.

use std::borrow::Cow;
use std::ops::Range;

/// A shell text as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Every simple command at any depth, as written and with its wrappers taken off layer by layer.
    pub commands: Vec<SimpleCommand>,
    /// Why the text can't be read at all.
    pub unreadable: Option<Unsupported>,
    /// Whether every construct is one that is understood; where not, no rule can cover the text.
    pub understood: Result<(), Unsupported>,
    /// Whether two independent readers agree on the text and every folder and loop in it can be followed; only then can
    /// it be proven read-only.
    pub proof: Result<(), Unsupported>,
    /// Something in the text starts itself again without end.
    pub fork_bomb: bool,
}

/// Why a text isn't understood, as the end of a sentence ("the command …").
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the command {why}")]
pub struct Unsupported {
    /// `uses a variable`, `is too long`, …
    pub why: Cow<'static, str>,
}

impl Unsupported {
    /// A reason known at compile time.
    #[must_use]
    pub const fn new(why: &'static str) -> Self {
        Self { why: Cow::Borrowed(why) }
    }
}

/// One command with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The program and its arguments after quote removal; empty where there are only assignments or redirects.
    pub words: Vec<Word>,
    /// `NAME=value` in front of the program.
    pub assignments: Vec<Assignment>,
    /// Its redirects, those of enclosing groups and loops left out (see [`SimpleCommand::words`] being empty).
    pub redirects: Vec<Redirect>,
    /// Every folder in which it may run, absolute; empty where that can't be told.
    pub folders: Vec<String>,
    /// Where it was found.
    pub origin: CommandOrigin,
    /// Further arguments arrive when it runs (`xargs`, `find -exec`).
    pub open_ended: bool,
    /// Place in [`Analysis::commands`] of the stage of a pipeline whose lines it gets, where that is one command.
    pub fed_by: Option<usize>,
    /// Runs beside what follows it (`&`).
    pub background: bool,
}

/// Where a simple command was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CommandOrigin {
    /// It stands in the text itself, at any depth of lists, groups and substitutions.
    #[default]
    Written,
    /// It is what another command starts.
    Unwrapped {
        /// Place of the outer command in [`Analysis::commands`].
        outer: usize,
        /// Whether the outer one only starts it (`timeout 5 …`), so that a rule for the inner one covers both.
        transparent: bool,
    },
}

impl SimpleCommand {
    /// The program as written after quote removal, where it is literal.
    #[must_use]
    pub fn program(&self) -> Option<Cow<'_, str>> {
        self.words.first().and_then(Word::literal)
    }

    /// The program's last path component, where it is literal.
    #[must_use]
    pub fn base_name(&self) -> Option<String> {
        self.program().map(|program| base_name(&program).to_owned())
    }
}

/// The last component of a program's path.
#[must_use]
pub fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// `NAME=value` in front of a program, or alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// The value.
    pub value: Word,
}

/// One word of a command after quote removal and brace expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Its parts in order.
    pub parts: Vec<Part>,
    /// Where it stands in the text, in bytes.
    pub span: Range<usize>,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Characters that mean themselves.
    Text(String),
    /// Unquoted pattern characters (`*`, `?`, `[…]`).
    Glob(String),
    /// The home folder: an unquoted leading `~`, or `$HOME`.
    Home,
    /// A whole number that is known only at run time (`$?`, `$((1 + 2))`).
    Number,
    /// A plain variable.
    Variable {
        /// Its name.
        name: String,
        /// Whether it stands in double quotes, so that its value stays one word.
        quoted: bool,
    },
    /// What commands in double quotes print (`"$(…)"`): text of its own, and those commands stand beside this one.
    Output,
    /// `<(…)`: a file that holds what commands print, which stand beside this one.
    Pipe,
    /// What is known only at run time.
    Opaque,
}

impl Part {
    /// Its characters, where they mean themselves.
    fn literal(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Glob(_)
            | Self::Home
            | Self::Number
            | Self::Variable { .. }
            | Self::Output
            | Self::Pipe
            | Self::Opaque => None,
        }
    }
}

impl Word {
    /// A word that is just `text`.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Text(text.into())], span: 0..0 }
    }

    /// The text, where it is all literal: what the program will get, to the byte.
    #[must_use]
    pub fn literal(&self) -> Option<Cow<'_, str>> {
        match self.parts.as_slice() {
            [] => Some(Cow::Borrowed("")),
            [Part::Text(text)] => Some(Cow::Borrowed(text)),
            parts => parts.iter().map(Part::literal).collect::<Option<String>>().map(Cow::Owned),
        }
    }

    /// The literal text it starts with.
    #[must_use]
    pub fn literal_prefix(&self) -> &str {
        self.parts.first().and_then(Part::literal).unwrap_or_default()
    }

    /// Whether it holds unquoted pattern characters.
    #[must_use]
    pub fn has_glob(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Glob(_)))
    }

    /// The word for people and rules, with what is known only at run time spelled as in a shell.
    #[must_use]
    pub fn shown(&self) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text(text) | Part::Glob(text) => text.clone(),
                Part::Home => "~".to_owned(),
                Part::Number => "$((…))".to_owned(),
                Part::Variable { name, .. } => format!("${name}"),
                Part::Pipe => "<(…)".to_owned(),
                Part::Output | Part::Opaque => "$(…)".to_owned(),
            })
            .collect()
    }
}

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// What is done.
    pub kind: RedirectKind,
    /// The file, where there is one.
    pub target: Option<Word>,
}

/// The kinds of redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`, `>&file`
    Truncate,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `2>&1`, `<&3`, `2>&-`
    Descriptor,
    /// `<<` with nothing in it that expands, or `<<<`
    Text,
    /// Anything else, or a document that expands something.
    Unknown,
}
