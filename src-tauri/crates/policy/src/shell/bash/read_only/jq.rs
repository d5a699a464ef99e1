//! jq filters that look only at their input. Source: jq(1) 1.7.

use super::super::command::{SimpleCommand, Word};
use super::options::{Abbreviations, sort};
use super::{Doubt, Prover};

const OPTIONS: &str = "-rjacCMSsnReh --raw-output --join-output --ascii-output --compact-output --color-output --monochrome-output --sort-keys --slurp --null-input --raw-input --exit-status --tab --indent:num --arg::text --argjson::text --seq --stream --unbuffered --help --version";

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
        let sorted = sort(OPTIONS, Abbreviations::None, arguments)?;
        self.no_hidden_options(&sorted, command)?;
        let Some((filter, files)) = sorted.operands.split_first() else { return Ok(()) };
        let text = filter.literal().ok_or_else(|| Doubt::new("The jq filter is known only at run time."))?;
        let is_name = |character: char| character == '_' || character.is_ascii_alphanumeric();
        if text.split(|character| !is_name(character)).any(|name| REACHING.contains(&name)) {
            return Err(Doubt::new("The jq filter reaches out of its input."));
        }
        files.iter().try_for_each(|file| self.file(file, command))
    }
}
