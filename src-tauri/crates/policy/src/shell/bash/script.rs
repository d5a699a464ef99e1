//! The part of bash's grammar that can be allowed, as a tree.

use super::command::{Assignment, Redirect, Word};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A simple command.
    Simple(Simple),
    /// `! …`
    Negated(Box<Statement>),
    /// Commands joined by `|`, each in its own subshell.
    Pipeline(Vec<Statement>),
    /// Commands joined by `&&` and `||`.
    AndOr(Box<Statement>, Vec<(Connector, Statement)>),
    /// One after the other.
    Sequence(Vec<Statement>),
    /// `… &`
    Background(Box<Statement>),
    /// `( … )`
    Subshell(Box<Statement>, Vec<Redirect>),
    /// `{ …; }`
    Group(Box<Statement>, Vec<Redirect>),
    /// `if … then … elif … then … else … fi`
    If(Vec<(Statement, Statement)>, Option<Box<Statement>>, Vec<Redirect>),
    /// `for NAME in WORDS; do … done`
    For(For),
    /// `while … do … done`, `until …`
    While(Box<Statement>, Box<Statement>, Vec<Redirect>),
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// `NAME=value` in front.
    pub assignments: Vec<Assignment>,
    /// Program and arguments.
    pub words: Vec<Word>,
    /// Redirects.
    pub redirects: Vec<Redirect>,
    /// What runs inside its words (`"$(…)"`, `<(…)`), in the order of the text.
    pub inner: Vec<Statement>,
}

/// A loop over words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct For {
    /// The variable.
    pub variable: String,
    /// The words.
    pub values: Vec<Word>,
    /// What is repeated.
    pub body: Box<Statement>,
    /// Redirects of the whole loop.
    pub redirects: Vec<Redirect>,
}

/// `&&` or `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
}
