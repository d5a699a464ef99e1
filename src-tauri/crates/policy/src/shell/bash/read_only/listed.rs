//! Programs that only read when they are given nothing but what is listed for them.

use super::options::{self, Arguments, Value, ValueKind, ValueText};
use super::programs::{Operands, PROGRAMS, Program};
use super::{Doubt, Prover, is, stores_count};
use crate::Os;
use crate::shell::bash::command::{Part, SimpleCommand, Word};

impl Prover<'_> {
    pub(super) fn listed(
        &mut self,
        program: &Program,
        arguments: &[Word],
        command: &SimpleCommand,
        starts: bool,
    ) -> Result<(), Doubt> {
        match program.operands {
            Operands::Wrapper(before) => return self.wrapper(program, before, arguments, starts),
            Operands::Environment => return self.environment(arguments, starts),
            Operands::TextOrNames if program.builtin => return self.printed(program, arguments, command),
            Operands::None
            | Operands::Text
            | Operands::TextOrNames
            | Operands::Files
            | Operands::OneFile
            | Operands::Trees
            | Operands::Names
            | Operands::TextThenFiles
            | Operands::DateFormat => {}
        }
        let sorted = options::sort(program.options, program.abbreviations, arguments)?;
        self.no_hidden_options(&sorted, command)?;
        if program.names.contains(&"cd") {
            return self.folder(&sorted, command);
        }
        if program.names.contains(&"set") {
            if sorted.options.is_empty() {
                return Err(Doubt::new("It prints every variable."));
            }
            let harmless = |value: String| matches!(value.as_str(), "pipefail" | "errexit" | "nounset");
            if !sorted.values(&["-o"]).all(harmless) {
                return Err(Doubt::new("It changes the shell itself."));
            }
        }
        self.option_values(&sorted, command)?;
        let operands = sorted.operands.as_slice();
        match program.operands {
            Operands::None if operands.is_empty() => Ok(()),
            Operands::None => Err(Doubt::new("It has more operands than are known to be harmless.")),
            Operands::Text => operands.iter().try_for_each(|word| self.text(word)),
            Operands::TextOrNames => operands.iter().try_for_each(|word| self.text_or_name(word, command)),
            Operands::OneFile if operands.len() > 1 => {
                Err(Doubt::new("Its second operand would be written."))
            }
            Operands::Files | Operands::OneFile => self.each_file(&sorted, command),
            Operands::Trees => self.each_tree(&sorted, command),
            Operands::Names => self.each_name(&sorted, command),
            Operands::TextThenFiles => {
                let Some((first, files)) = operands.split_first() else { return Ok(()) };
                self.text(first)?;
                files.iter().try_for_each(|word| self.file(word, command))
            }
            Operands::DateFormat => operands.iter().try_for_each(|word| match word.literal() {
                Some(text) if text.starts_with('+') => Ok(()),
                Some(_) | None => Err(Doubt::new("It may set the clock.")),
            }),
            Operands::Wrapper(_) | Operands::Environment => Ok(()),
        }
    }

    /// `echo` and its like: everything is text, options too.
    fn printed(
        &mut self,
        program: &Program,
        arguments: &[Word],
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        let sets_variable =
            |word: &Word| word.literal().is_none_or(|text| text.starts_with("-v") || stores_count(&text));
        let before_format = usize::from(arguments.first().is_some_and(|word| is(word, "--")));
        if program.names.contains(&"printf") && arguments.iter().take(before_format + 1).any(sets_variable) {
            return Err(Doubt::new("It may set a variable."));
        }
        arguments.iter().try_for_each(|word| self.text_or_name(word, command))
    }

    fn wrapper(
        &mut self,
        program: &Program,
        before: usize,
        arguments: &[Word],
        starts: bool,
    ) -> Result<(), Doubt> {
        let own = arguments
            .iter()
            .position(|word| !word.literal_prefix().starts_with('-'))
            .unwrap_or(arguments.len());
        // An option's value may stand alone: hold one word more against the list until it fits.
        let fits = (own..=(own + 4).min(arguments.len())).find_map(|end| {
            let sorted = options::sort(
                program.options,
                program.abbreviations,
                arguments.get(..end).unwrap_or_default(),
            )
            .ok()?;
            (sorted.operands.len() == before).then_some(end)
        });
        match fits {
            Some(_) if starts => Ok(()),
            Some(_) | None => Err(Doubt::new("What it starts isn't known.")),
        }
    }

    pub(super) fn option_values(
        &mut self,
        sorted: &Arguments<'_>,
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        sorted
            .options
            .iter()
            .filter_map(|given| given.value.as_ref())
            .try_for_each(|value| self.value(value, command))
    }

    pub(super) fn value(&mut self, value: &Value<'_>, command: &SimpleCommand) -> Result<(), Doubt> {
        let owned;
        let word = match &value.text {
            ValueText::Word(word) => *word,
            ValueText::Attached(text) => {
                owned = Word::text(text.as_str());
                &owned
            }
        };
        match value.kind {
            // Some options that take a value on Linux take none on macOS, where the next word is an operand.
            ValueKind::Text | ValueKind::Number if self.context.os == Os::Macos => match &value.text {
                ValueText::Word(word) if word.literal().is_some_and(|text| text.len() > 1) => {
                    self.file(word, command)
                }
                ValueText::Word(_) | ValueText::Attached(_) => Ok(()),
            },
            ValueKind::Text | ValueKind::Number => Ok(()),
            ValueKind::File => self.file(word, command),
            ValueKind::Name => self.name(word, command),
        }
    }

    pub(super) fn all_literal(&self, words: &[Word]) -> Result<(), Doubt> {
        words.iter().try_for_each(|word| self.text(word))
    }

    /// A word that names nothing but has to be known.
    pub(super) fn text(&self, word: &Word) -> Result<(), Doubt> {
        match word.literal() {
            Some(_) => Ok(()),
            None => Err(Doubt::new(format!("{} is known only at run time.", word.shown()))),
        }
    }

    /// Text, a number that is computed, or a pattern that names files.
    pub(super) fn text_or_name(&mut self, word: &Word, command: &SimpleCommand) -> Result<(), Doubt> {
        let known = word
            .parts
            .iter()
            .all(|part| matches!(part, Part::Text(_) | Part::Number | Part::Output | Part::Home));
        if known { Ok(()) } else { self.name(word, command) }
    }
}

/// Whether the program is one that reads when it is given listed options.
pub fn is_listed(name: &str) -> bool {
    const OTHERS: &[&str] = &["find", "sed", "awk", "jq", "grep", "egrep", "fgrep", "rg", "fd", "fdfind"];
    OTHERS.contains(&name) || PROGRAMS.iter().any(|program| program.names.contains(&name))
}
