//! `test`, `[` and the plain forms of `[[`: bash(1), CONDITIONAL EXPRESSIONS, without the operators that evaluate a name.

use super::super::command::{Part, SimpleCommand, Word};
use super::{Doubt, Prover};

const FILE_TESTS: &[&str] = &[
    "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-L", "-p", "-r", "-s", "-S", "-u", "-w", "-x",
    "-O", "-G", "-N",
];
const TEXT_TESTS: &[&str] = &["-n", "-z"];
const FILE_COMPARISONS: &[&str] = &["-nt", "-ot", "-ef"];
const TEXT_COMPARISONS: &[&str] = &["=", "==", "!="];
const NUMBER_COMPARISONS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Prover<'_> {
    pub(super) fn test(
        &mut self,
        name: &str,
        arguments: &[Word],
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        let unknown = || Doubt::new("The condition isn't understood.");
        let words = match (name, arguments.split_last()) {
            ("[", Some((last, words))) if super::is(last, "]") => words,
            ("[[", Some((last, words))) if super::is(last, "]]") => words,
            ("[" | "[[", _) => return Err(unknown()),
            _ => arguments,
        };
        let mut rest = words;
        loop {
            while let [word, more @ ..] = rest
                && (super::is(word, "!") || super::is(word, "("))
                && !more.is_empty()
            {
                rest = more;
            }
            rest = self.condition(name, rest, command)?;
            while let [word, more @ ..] = rest
                && super::is(word, ")")
            {
                rest = more;
            }
            match rest {
                [] => return Ok(()),
                [word, more @ ..]
                    if ["-a", "-o", "&&", "||"].iter().any(|joins| super::is(word, joins))
                        && !more.is_empty() =>
                {
                    rest = more;
                }
                _ => return Err(unknown()),
            }
        }
    }

    fn condition<'w>(
        &mut self,
        name: &str,
        words: &'w [Word],
        command: &SimpleCommand,
    ) -> Result<&'w [Word], Doubt> {
        let unknown = || Doubt::new("The condition isn't understood.");
        if let [left, operator, right, rest @ ..] = words
            && let Some(operator) = operator.literal()
        {
            let operator = operator.as_ref();
            if TEXT_COMPARISONS.contains(&operator) {
                self.operand(left)?;
                // Behind `==` in brackets of two a pattern is matched with the text, never with files.
                if name != "[["
                    || !right.parts.iter().all(|part| matches!(part, Part::Text(_) | Part::Glob(_)))
                {
                    self.operand(right)?;
                }
                return Ok(rest);
            }
            if NUMBER_COMPARISONS.contains(&operator) {
                number(name, left)?;
                number(name, right)?;
                return Ok(rest);
            }
            if FILE_COMPARISONS.contains(&operator) {
                self.name(left, command)?;
                self.name(right, command)?;
                return Ok(rest);
            }
        }
        if let [operator, operand, rest @ ..] = words
            && let Some(operator) = operator.literal()
        {
            let operator = operator.as_ref();
            if TEXT_TESTS.contains(&operator) {
                self.operand(operand)?;
                return Ok(rest);
            }
            if FILE_TESTS.contains(&operator) {
                if operand.has_glob() {
                    return Err(unknown());
                }
                self.name(operand, command)?;
                return Ok(rest);
            }
            if operator == "-t" {
                number(name, operand)?;
                return Ok(rest);
            }
        }
        match words {
            [only, rest @ ..] if only.literal().is_some_and(|text| !text.starts_with('-')) => Ok(rest),
            _ => Err(unknown()),
        }
    }

    /// One word that is compared as text.
    fn operand(&self, word: &Word) -> Result<(), Doubt> {
        if word.parts.iter().all(|part| matches!(part, Part::Text(_) | Part::Number | Part::Output)) {
            Ok(())
        } else {
            Err(Doubt::new(format!("{} is known only at run time.", word.shown())))
        }
    }
}

/// A plain number: in brackets of two anything else is evaluated, elsewhere it is only refused (bash(1), CONDITIONAL
/// EXPRESSIONS).
fn number(name: &str, word: &Word) -> Result<(), Doubt> {
    let plain = word.parts.iter().all(|part| match part {
        Part::Text(text) => text.trim_start_matches('-').chars().all(|digit| digit.is_ascii_digit()),
        Part::Number => true,
        Part::Output => name != "[[",
        Part::Glob(_) | Part::Home | Part::Variable { .. } | Part::Pipe | Part::Opaque => false,
    });
    if plain { Ok(()) } else { Err(Doubt::new(format!("{} isn't a number.", word.shown()))) }
}
