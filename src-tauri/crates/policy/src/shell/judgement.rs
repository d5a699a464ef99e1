//! The judgement of one shell text, as data that the participants and the rules read.

use crate::{Access, Inquiry};
use std::collections::BTreeSet;

/// Everything that could be told from a shell text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellJudgement {
    /// Every simple command at any depth, one entry per wrapper layer: `timeout 5 rm x` gives both
    /// `timeout 5 rm x` and `rm x`; a literal script of `sh -c`, `eval` or `find -exec` gives its own.
    pub commands: Vec<SimpleCommand>,
    /// Why nobody is asked at all (the hard denials), each a sentence; empty for almost every text.
    pub hard_denials: Vec<String>,
    /// Whether the whole text is proven read-only.
    pub proof: Proof,
    /// Why rules for every command would still not cover the text: a redirect that writes, a variable
    /// that changes which program runs, a construct that isn't understood, an error node.
    pub beyond_rules: Option<String>,
    /// What the text deletes, overwrites or discards, as a sentence: asked for even in `sandboxed`.
    pub destroys: Option<String>,
    /// What the text changes in a repository, as a sentence: asked for even in `sandboxed`.
    pub changes_git: Option<String>,
    /// Whether part of the text could not be parsed: asked for in every mode.
    pub unreadable: Option<String>,
    /// Literal paths the commands and redirects touch.
    pub touches: Vec<ShellTouch>,
    /// Folders from which git finds a repository and prints any of what it tracks: keys into [`crate::Facts::tracked`].
    pub tracked: BTreeSet<String>,
    /// Host names that appear as operands of network programs, in ASCII.
    pub hosts: Vec<String>,
    /// Facts that the judgement still needs.
    pub inquiries: BTreeSet<Inquiry>,
}

/// Whether a text is proven to read only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Every command, flag and operand is understood and only reads, inside the workspace.
    ReadOnly,
    /// It isn't, with the first reason found, as a sentence.
    Unproven(String),
}

/// One argv.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleCommand {
    /// argv after quote removal, without assignments and redirects.
    pub words: Vec<Word>,
    /// The folder it runs in, absolute; absent where the text changes it in a way that can't be told.
    pub folder: Option<String>,
    /// Whether this is a wrapper that only runs the command listed next (`timeout`, `nice`, `command`):
    /// an allow rule for that command is enough.
    pub transparent: bool,
    /// Whether this command by itself is proven read-only.
    pub read_only: bool,
    /// Whether the shell runs it itself (a builtin, a cmdlet): no file stands behind the name.
    pub built_in: bool,
}

/// One word of an argv.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// It can be read off the text.
    Literal(String),
    /// An expansion or a glob decides, with the text as written.
    Unknown(String),
}

/// A path a command or redirect touches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShellTouch {
    /// Absolute, as [`crate::path::join`] gives it: the key into [`crate::Facts::paths`].
    pub path: String,
    /// What is done to it.
    pub access: Access,
}

impl Word {
    /// The word, where it can be read off the text.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Unknown(_) => None,
        }
    }
}

impl ShellJudgement {
    /// A judgement with nothing found and nothing proven, for `why`.
    #[must_use]
    pub fn unproven(why: impl Into<String>) -> Self {
        Self {
            commands: Vec::new(),
            hard_denials: Vec::new(),
            proof: Proof::Unproven(why.into()),
            beyond_rules: None,
            destroys: None,
            changes_git: None,
            unreadable: None,
            touches: Vec::new(),
            tracked: BTreeSet::new(),
            hosts: Vec::new(),
            inquiries: BTreeSet::new(),
        }
    }

    /// A text that could not be read: asked for in every mode, whatever a rule allows.
    #[must_use]
    pub fn unreadable(why: impl Into<String>) -> Self {
        let why = why.into();
        Self { unreadable: Some(why.clone()), beyond_rules: Some(why.clone()), ..Self::unproven(why) }
    }
}
