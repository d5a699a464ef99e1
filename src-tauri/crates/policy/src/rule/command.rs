//! Command patterns: `git push *`.

use crate::shell::{SimpleCommand, Word};

/// Words that a simple command has to start with; a final `*` stands for any further words, none included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPattern {
    words: Vec<String>,
    open: bool,
}

/// How well a pattern fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// It doesn't.
    No,
    /// A word that is known only at run time decides.
    Perhaps,
    /// It does.
    Yes,
}

/// Why a text is no command pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandPatternError {
    /// Nothing to match.
    #[error("a command pattern has at least one word")]
    Empty,
    /// A star elsewhere than at the end.
    #[error("* stands only at the end of a command pattern, for any further words")]
    InnerStar,
    /// A quote that doesn't end.
    #[error("a quote in the command pattern is not closed")]
    OpenQuote,
}

impl CommandPattern {
    /// Reads a pattern: words apart by blanks, `'…'` and `"…"` keep blanks in a word.
    ///
    /// # Errors
    /// When it is empty, a quote stays open, or a star stands anywhere but at the end.
    pub fn parse(text: &str) -> Result<Self, CommandPatternError> {
        let mut words = split_words(text)?;
        let open = words.last().is_some_and(|(word, quoted)| word == "*" && !quoted);
        if open {
            words.pop();
        }
        if words.is_empty() && !open {
            return Err(CommandPatternError::Empty);
        }
        if words.iter().any(|(word, quoted)| !quoted && word.contains('*')) {
            return Err(CommandPatternError::InnerStar);
        }
        Ok(Self { words: words.into_iter().map(|(word, _)| word).collect(), open })
    }

    /// The words before the final star.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether it ends in `*`.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The first word, where there is one: the program.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.words.first().map(String::as_str)
    }

    /// For ask and deny: base names, options in any order, global options skipped. What can only be told
    /// at run time gives [`Match::Perhaps`].
    #[must_use]
    pub fn tightens(&self, command: &SimpleCommand) -> Match {
        let Some((program, rest)) = command.words.split_first() else { return Match::No };
        let Some((wanted, tail)) = self.words.split_first() else { return Match::Yes };
        let Some(program) = program.literal() else { return Match::No };
        if program_name(program) != program_name(wanted) {
            return Match::No;
        }
        let (options, positions): (Vec<&String>, Vec<&String>) =
            tail.iter().partition(|word| word.starts_with('-') && word.len() > 1);
        let has_options = options.iter().map(|option| has_option(rest, option)).min().unwrap_or(Match::Yes);
        let in_place = if self.open {
            matches_positions(&positions, rest)
        } else if options.is_empty() {
            matches_exactly(&positions, skip_global_options(&program_name(program), rest))
        } else {
            matches_exactly(&tail.iter().collect::<Vec<_>>(), rest)
        };
        has_options.min(in_place)
    }

    /// For allow: word for word, every one of them literal, nothing skipped. The program is compared by
    /// the caller, who knows which file it is.
    #[must_use]
    pub fn loosens(&self, command: &SimpleCommand) -> bool {
        let Some((_, rest)) = command.words.split_first() else { return false };
        let Some((_, tail)) = self.words.split_first() else { return self.open };
        let mut words = rest.iter();
        let starts = tail.iter().all(|wanted| words.next().and_then(Word::literal) == Some(wanted));
        starts && (self.open || words.next().is_none())
    }
}

/// The name a program is known by: last part, no Windows extension; case doesn't matter to any deny.
pub(crate) fn program_name(program: &str) -> String {
    let base = program.rsplit(['/', '\\']).next().unwrap_or(program).to_lowercase();
    match base.rsplit_once('.') {
        Some((stem, "exe" | "com" | "cmd" | "bat")) if !stem.is_empty() => stem.to_owned(),
        Some(_) | None => base,
    }
}

/// Whether the options of a command hold `wanted`: `-rf` also as `-r -f` or `-fr`, `--opt` also as `--opt=value`.
fn has_option(words: &[Word], wanted: &str) -> Match {
    let mut result = Match::No;
    let mut letters: Vec<char> = Vec::new();
    for word in words {
        match word {
            Word::Unknown(_) => result = result.max(Match::Perhaps),
            Word::Literal(text) => {
                if text == wanted
                    || text
                        .strip_prefix(wanted)
                        .is_some_and(|rest| wanted.starts_with("--") && rest.starts_with('='))
                {
                    return Match::Yes;
                }
                if let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.starts_with('-')) {
                    letters.extend(cluster.chars());
                }
            }
        }
    }
    match wanted.strip_prefix('-').filter(|cluster| !cluster.starts_with('-')) {
        Some(cluster) if cluster.chars().all(|letter| letters.contains(&letter)) => Match::Yes,
        Some(_) | None => result,
    }
}

/// Whether `wanted` stand in order at the start, with options (and perhaps one value each) between them.
fn matches_positions(wanted: &[&String], words: &[Word]) -> Match {
    // `reached[n]`: the first `n` wanted words may have been met so far.
    let mut reached = vec![Match::No; wanted.len() + 1];
    set(&mut reached, 0, Match::Yes);
    let mut after_option = false;
    for word in words {
        if reached.last().is_some_and(|last| *last == Match::Yes) {
            return Match::Yes;
        }
        let mut next = vec![Match::No; wanted.len() + 1];
        match word {
            Word::Literal(text) if text.starts_with('-') && text.len() > 1 => {
                next.clone_from(&reached);
                // An option's value in the same word leaves none for the next.
                after_option = !text.contains('=');
            }
            Word::Literal(text) => {
                for (place, expected) in wanted.iter().enumerate() {
                    if text == *expected {
                        raise(&mut next, place + 1, get(&reached, place));
                    }
                }
                if after_option {
                    for (place, how) in reached.iter().enumerate() {
                        raise(&mut next, place, *how);
                    }
                }
                after_option = false;
            }
            Word::Unknown(_) => {
                // It may become any number of words.
                if let Some(first) = reached.iter().position(|how| *how > Match::No) {
                    for place in first..=wanted.len() {
                        raise(&mut next, place, Match::Perhaps);
                    }
                }
                after_option = true;
            }
        }
        if let Some(met) = reached.last().copied() {
            raise(&mut next, wanted.len(), met);
        }
        reached = next;
    }
    reached.last().copied().unwrap_or(Match::No)
}

fn get(reached: &[Match], place: usize) -> Match {
    reached.get(place).copied().unwrap_or(Match::No)
}

fn set(reached: &mut [Match], place: usize, how: Match) {
    if let Some(slot) = reached.get_mut(place) {
        *slot = how;
    }
}

fn raise(reached: &mut [Match], place: usize, how: Match) {
    let best = get(reached, place).max(how);
    set(reached, place, best);
}

/// Whether the words are `wanted` and no more.
fn matches_exactly(wanted: &[&String], words: &[Word]) -> Match {
    if words.iter().any(|word| word.literal().is_none()) {
        let before = words.iter().map_while(Word::literal);
        return if before.zip(wanted).all(|(word, wanted)| word == wanted.as_str()) {
            Match::Perhaps
        } else {
            Match::No
        };
    }
    let equal = words.len() == wanted.len()
        && words.iter().zip(wanted).all(|(word, wanted)| word.literal() == Some(wanted.as_str()));
    if equal { Match::Yes } else { Match::No }
}

/// `words` without the options that may stand between a program and its sub-command.
fn skip_global_options<'words>(program: &str, words: &'words [Word]) -> &'words [Word] {
    let mut rest = words;
    loop {
        let [first, after @ ..] = rest else { return rest };
        let Some(option) = first.literal().filter(|text| text.starts_with('-') && text.len() > 1) else {
            return rest;
        };
        let takes_value = !option.contains('=') && takes_value(program, option);
        rest = if takes_value { after.get(1..).unwrap_or_default() } else { after };
    }
}

/// Global options with a value as their next word, of programs that have sub-commands (their manuals).
fn takes_value(program: &str, option: &str) -> bool {
    let known: &[&str] = match program {
        "git" => &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--super-prefix",
            "--config-env",
            "--exec-path",
            "--attr-source",
        ],
        "docker" | "podman" => &["-H", "--host", "-c", "--context", "--config", "-l", "--log-level"],
        "kubectl" => {
            &["-n", "--namespace", "--context", "--cluster", "--user", "--kubeconfig", "-s", "--server"]
        }
        "npm" | "pnpm" | "yarn" => {
            &["--prefix", "-C", "--dir", "--cwd", "--registry", "-w", "--workspace", "--filter"]
        }
        "cargo" => &["--config", "-Z", "-C", "--color"],
        "gh" => &["-R", "--repo"],
        "aws" => &["--profile", "--region", "--output", "--endpoint-url"],
        "systemctl" => &["-H", "--host", "-M", "--machine", "-t", "--type"],
        _ => &[],
    };
    known.contains(&option)
}

/// Words with a note of which were quoted.
fn split_words(text: &str) -> Result<Vec<(String, bool)>, CommandPatternError> {
    let mut words = Vec::new();
    let mut word: Option<(String, bool)> = None;
    let mut quote: Option<char> = None;
    for character in text.chars() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default().1 = true;
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (_, other) => word.get_or_insert_default().0.push(other),
        }
    }
    if quote.is_some() {
        return Err(CommandPatternError::OpenQuote);
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::{CommandPattern, CommandPatternError, Match};
    use crate::shell::{SimpleCommand, Word};
    use proptest::prelude::*;

    fn command(text: &str) -> SimpleCommand {
        let words = text
            .split(' ')
            .map(|word| {
                if word.contains(['$', '*']) {
                    Word::Unknown(word.to_owned())
                } else {
                    Word::Literal(word.to_owned())
                }
            })
            .collect();
        SimpleCommand { words, folder: None, transparent: false, read_only: false, built_in: false }
    }

    /// R12
    #[test]
    fn deny_and_ask_see_through_options() {
        for (pattern, text, expected) in [
            ("git push *", "git push", Match::Yes),
            ("git push *", "git push origin main", Match::Yes),
            ("git push *", "git -C . push", Match::Yes),
            ("git push *", "git --no-pager push", Match::Yes),
            ("git push *", "git -c a=b --git-dir x push -f", Match::Yes),
            ("git push *", "/usr/bin/git push", Match::Yes),
            ("git push *", "GIT.EXE push", Match::Yes),
            ("git push *", "git pull", Match::No),
            ("git push *", "git commit -m push", Match::No),
            ("git push *", "git $X", Match::Perhaps),
            ("git push *", "git commit $X", Match::No),
            ("git push origin *", "git push -f origin", Match::Yes),
            ("git push origin *", "git push -o ci.skip origin", Match::Yes),
            ("rm -rf *", "rm -f -r x", Match::Yes),
            ("rm -rf *", "rm -fr x", Match::Yes),
            ("rm -rf *", "rm -r x", Match::No),
            ("git push --force *", "git push origin main --force", Match::Yes),
            ("git push --force-with-lease *", "git push --force-with-lease=x", Match::Yes),
            ("git push", "git push", Match::Yes),
            ("git push", "git -C . push", Match::Yes),
            ("git push", "git push origin", Match::No),
            ("rm *", "rm", Match::Yes),
            ("*", "anything at all", Match::Yes),
            ("npm run test *", "npm run test-and-deploy", Match::No),
        ] {
            let pattern = CommandPattern::parse(pattern).unwrap();
            assert_eq!(pattern.tightens(&command(text)), expected, "{pattern:?} {text}");
        }
    }

    /// R12
    #[test]
    fn allow_takes_words_as_they_stand() {
        for (pattern, text, expected) in [
            ("git add *", "git add a.txt", true),
            ("git add *", "git add", true),
            ("git add *", "git -C / add a.txt", false),
            ("git add *", "git $X a.txt", false),
            ("git add *", "git add $X", true),
            ("git add", "git add x", false),
            ("*", "ls -la", true),
            ("npm run test *", "npm run test-and-deploy", false),
        ] {
            let pattern = CommandPattern::parse(pattern).unwrap();
            assert_eq!(pattern.loosens(&command(text)), expected, "{pattern:?} {text}");
        }
    }

    #[test]
    fn what_is_no_pattern() {
        assert_eq!(CommandPattern::parse("  "), Err(CommandPatternError::Empty));
        assert_eq!(CommandPattern::parse("git * push"), Err(CommandPatternError::InnerStar));
        assert_eq!(CommandPattern::parse("git push*"), Err(CommandPatternError::InnerStar));
        assert_eq!(CommandPattern::parse("echo 'a"), Err(CommandPatternError::OpenQuote));
        assert_eq!(CommandPattern::parse("echo 'a *'").unwrap().words(), ["echo", "a *"]);
    }

    proptest! {
        #[test]
        fn never_panics(pattern in "\\PC{0,30}", text in "[-a-z$*/ ]{0,30}") {
            if let Ok(pattern) = CommandPattern::parse(&pattern) {
                let _ = pattern.tightens(&command(&text));
            }
        }

        /// What an allow rule covers, the same words as a deny rule catch.
        #[test]
        fn deny_is_never_narrower_than_allow(pattern in "[a-b]( [-a-b]{1,2}){0,3}( \\*)?", text in "[a-b]( [-a-b]{1,2}){0,4}") {
            let pattern = CommandPattern::parse(&pattern).unwrap();
            let command = command(&text);
            let same_program = command.words.first().and_then(Word::literal) == pattern.program();
            if same_program && pattern.loosens(&command) {
                prop_assert_eq!(pattern.tightens(&command), Match::Yes);
            }
        }
    }
}
