//! What our readers say a script runs, against what bash runs: generated scripts that need no question are handed to the real
//! shell, whose `PATH` holds nothing but recorders, and to the sandbox, where a change would show.

#![cfg(unix)]

#[cfg(test)]
mod confined;
#[cfg(test)]
#[path = "../../../../../tests/support/effort.rs"]
mod effort;
#[cfg(test)]
mod hostile_repository;
#[cfg(test)]
mod recorder;
#[cfg(test)]
mod scripts;

#[cfg(test)]
mod tests {
    use crate::recorder::{Recorder, WORKSPACE_FILES};
    use crate::scripts;
    use assent_agent::facts;
    use assent_policy::shell::{self, Word};
    use assent_policy::{Behavior, Rules};
    use proptest::strategy::{Strategy as _, ValueTree as _};

    /// Scripts that are usually generated; of how many one at least has to be allowed for the test to mean something.
    const SCRIPTS: u32 = 1_000;
    const ONE_IN: u32 = 10;

    /// R17: no program starts that the judgement didn't see, with exactly these arguments, in one of these folders.
    #[test]
    fn bash_runs_what_was_judged() {
        let recorder = Recorder::new();
        let mut runner = scripts::runner();
        let count = crate::effort::cases(SCRIPTS).cases;
        let strategy = scripts::script();
        let (mut allowed, mut started) = (0, 0);
        for _ in 0..count {
            let script = strategy.new_tree(&mut runner).unwrap().current();
            let call = recorder.call(&script);
            let (evaluation, facts) = facts::judge(&call, recorder.context(), &Rules::default(), &[]);
            if evaluation.behavior != Behavior::Allow {
                continue;
            }
            allowed += 1;
            let judged = shell::judge(&script, &facts, recorder.context());
            for ran in recorder.run(&script) {
                started += 1;
                let seen = judged.commands.iter().any(|command| {
                    command.words.len() == ran.argv.len()
                        && command.words.iter().zip(&ran.argv).all(|(word, argument)| match word {
                            Word::Literal(text) => text == argument,
                            Word::Unknown(_) => true,
                        })
                        && command.folder.as_deref().is_none_or(|folder| folder == ran.folder)
                        || has_pattern(&command.words, &ran.argv)
                });
                assert!(seen, "{script:?}\nran {ran:?}\njudged {:?}", judged.commands);
            }
        }
        let least = count / ONE_IN;
        assert!(allowed >= least, "only {allowed} of {count} scripts were allowed");
        assert!(started >= least, "only {started} programs were recorded");
        for file in WORKSPACE_FILES {
            assert!(recorder.workspace().join(file).is_file(), "{file} is gone");
        }
    }

    /// A pattern may become any number of words; all others have to be there in order.
    fn has_pattern(words: &[Word], argv: &[String]) -> bool {
        let mut left = argv.iter();
        words.iter().any(|word| matches!(word, Word::Unknown(_)))
            && words.iter().all(|word| match word {
                Word::Literal(text) => left.any(|argument| argument == text),
                Word::Unknown(_) => true,
            })
    }
}
