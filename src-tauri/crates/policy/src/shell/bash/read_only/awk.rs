//! awk programs that only print: nothing that opens a file or a pipe, runs something or reads the environment.
//! Source: POSIX.1-2024 awk, gawk(1).

use super::super::command::{SimpleCommand, Word};
use super::options::{Abbreviations, sort};
use super::{Doubt, Prover};

const OPTIONS: &str = "-F:text -v:text --field-separator:text --assign:text --version --help";

/// Names that reach out of the program, or change which files it reads.
const REACHING: &[&str] = &[
    "system",
    "getline",
    "close",
    "fflush",
    "ENVIRON",
    "ARGV",
    "ARGC",
    "PROCINFO",
    "FUNCTAB",
    "SYMTAB",
    "include",
    "load",
    "namespace",
    "BINMODE",
];

impl Prover<'_> {
    pub(super) fn awk(&mut self, arguments: &[Word], command: &SimpleCommand) -> Result<(), Doubt> {
        let sorted = sort(OPTIONS, Abbreviations::None, arguments)?;
        self.no_hidden_options(&sorted, command)?;
        let Some((program, operands)) = sorted.operands.split_first() else { return Ok(()) };
        let text =
            program.literal().ok_or_else(|| Doubt::new("The awk program is known only at run time."))?;
        if !only_prints(&text) {
            return Err(Doubt::new("The awk program isn't known to be harmless."));
        }
        operands.iter().try_for_each(|word| match word.literal_prefix().split_once('=') {
            Some((name, _)) if name.chars().all(|letter| letter == '_' || letter.is_ascii_alphanumeric()) => {
                self.text(word)
            }
            Some(_) | None => self.file(word, command),
        })
    }
}

/// Whether the program holds no redirect, no pipe, no indirect call and none of the reaching names. Before the first
/// brace stands a pattern, where `>` can only compare; after it `>` is refused even where it compares: telling the two
/// apart takes the whole grammar.
fn only_prints(program: &str) -> bool {
    let is_name = |character: char| character == '_' || character.is_ascii_alphanumeric();
    let actions = program.find('{').and_then(|start| program.get(start..)).unwrap_or_default();
    !program.replace("||", "  ").contains(['|', '@', '`'])
        && !actions.contains('>')
        && only_everyday_escapes(program)
        && !program.split(|character| !is_name(character)).any(|name| REACHING.contains(&name))
}

/// Whether each backslash is one of the everyday escapes.
fn only_everyday_escapes(program: &str) -> bool {
    let mut characters = program.chars();
    while let Some(character) = characters.next() {
        if character == '\\'
            && !characters.next().is_some_and(|escaped| "ntr\"/\\.*+?()[]{}$^-".contains(escaped))
        {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::only_prints;

    #[test]
    fn programs() {
        for program in [
            "{print $1}",
            "NR==1 || NR==3",
            "/foo/ {n++} END {print n}",
            "{printf \"%s\\n\", $2}",
            "BEGIN{FS=\":\"}{print $1}",
            "length > 80",
            "NR>=10 && NR<=20",
            "$3 > 100 {print $1, $3}",
        ] {
            assert!(only_prints(program), "{program}");
        }
        for program in [
            "{print | \"sh\"}",
            "BEGIN{system(\"id\")}",
            "{print > \"f\"}",
            "NR > 1 {print > \"f\"}",
            "{ if (/}/) print > \"f\" }",
            "{print >> \"f\"}",
            "BEGIN{\"id\" | getline}",
            "BEGIN{@f()}",
            "BEGIN{print ENVIRON[\"X\"]}",
            "BEGIN{ARGV[1]=\"/etc/passwd\"}",
            "BEGIN{while((getline l < \"/etc/passwd\")) print l}",
            "@include \"x\"",
            "BEGIN { sys\\\ntem(\"id\") }",
            "{print |& \"sh\"}",
        ] {
            assert!(!only_prints(program), "{program}");
        }
    }
}
