//! jq filters that look only at their input. Source: jq(1) 1.7.

use super::super::command::{SimpleCommand, Word};
use super::options::{Abbreviations, sort};
use super::{Doubt, Prover};

const OPTIONS: &str = "-rjacCMSsnReh --raw-output --join-output --ascii-output --compact-output --color-output --monochrome-output --sort-keys --slurp --null-input --raw-input --exit-status --tab --indent:num --seq --stream --unbuffered --help --version";

/// Names that reach out of the input: the environment, modules, the program's own arguments.
const REACHING: &[&str] = &[
    "env",
    "ENV",
    "import",
    "include",
    "modulemeta",
    "get_search_list",
    "input_filename",
    "__prog_args",
    "__loc__",
];

impl Prover<'_> {
    pub(super) fn jq(&mut self, arguments: &[Word], command: &SimpleCommand) -> Result<(), Doubt> {
        let arguments = self.without_bindings(arguments)?;
        let sorted = sort(OPTIONS, Abbreviations::None, &arguments)?;
        self.no_hidden_options(&sorted, command)?;
        let Some((filter, files)) = sorted.operands.split_first() else { return Ok(()) };
        let text = filter.literal().ok_or_else(|| Doubt::new("The jq filter is known only at run time."))?;
        let is_name = |character: char| character == '_' || character.is_ascii_alphanumeric();
        if text.split(|character| !is_name(character)).any(|name| REACHING.contains(&name)) {
            return Err(Doubt::new("The jq filter reaches out of its input."));
        }
        files.iter().try_for_each(|file| self.file(file, command))
    }

    /// `--arg NAME VALUE` and `--argjson NAME VALUE` name variables of the filter; both words are text.
    fn without_bindings(&self, arguments: &[Word]) -> Result<Vec<Word>, Doubt> {
        let mut left = Vec::with_capacity(arguments.len());
        let mut rest = arguments;
        while let [word, more @ ..] = rest {
            rest = more;
            if super::is(word, "--") {
                left.push(word.clone());
                left.extend_from_slice(rest);
                break;
            }
            if super::is(word, "--arg") || super::is(word, "--argjson") {
                let (Some(binding), Some(after)) = (rest.get(..2), rest.get(2..)) else {
                    return Err(Doubt::new("A variable of the jq filter has no value."));
                };
                self.all_literal(binding)?;
                rest = after;
            } else {
                left.push(word.clone());
            }
        }
        Ok(left)
    }
}
