//! Every command that could stand in a text the grammar can't read: only for the denying side.
//!
//! It looks where bash looks for a command name (the start, after an operator, a bracket, a keyword, in a
//! substitution) and guesses rather than gives up. Nothing is ever allowed on its word.

use super::command::{Part, Word};
use super::cursor::{Cursor, ends_word};
use super::script::Simple;
use super::word;
use std::ops::Range;

/// Commands that are looked at.
const MAX_COMMANDS: usize = 400;
/// Substitutions inside each other.
const MAX_DEPTH: usize = 12;

/// Words after which a command starts.
const LEADING: &[&str] = &[
    "!", "{", "}", "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "time", "coproc",
    "esac",
];

/// The commands of `text`, as far as they can be told.
pub fn commands(text: &str) -> Vec<Simple> {
    let mut found = Vec::new();
    look(text, 0, &mut found);
    found
}

fn look(text: &str, depth: usize, found: &mut Vec<Simple>) {
    let holes = holes(text);
    if depth < MAX_DEPTH {
        for hole in &holes {
            look(inside(text.get(hole.clone()).unwrap_or_default()), depth + 1, found);
        }
    }
    let mut cursor = Cursor::new(text);
    let mut words: Vec<Word> = Vec::new();
    let mut documents: Vec<(String, bool)> = Vec::new();
    let mut opened = 0_usize;
    // `time` takes `-p` before the command.
    let mut after_time = false;
    while found.len() < MAX_COMMANDS {
        cursor.take_while(|character| matches!(character, ' ' | '\t'));
        let Some(next) = cursor.peek() else { break };
        match next {
            '\n' => {
                cursor.advance();
                end(&mut words, found);
                documents.drain(..).for_each(|document| skip_document(&mut cursor, &document));
            }
            '#' => {
                cursor.take_while(|character| character != '\n');
            }
            '(' => {
                cursor.advance();
                // `name()` defines a function, `name=(…)` fills an array: neither starts what stands there.
                if cursor.take(")") {
                    words.clear();
                } else {
                    opened += 1;
                    end(&mut words, found);
                }
            }
            ')' => {
                cursor.advance();
                match opened.checked_sub(1) {
                    Some(less) => opened = less,
                    // The pattern of a `case` branch.
                    None => words.clear(),
                }
                end(&mut words, found);
            }
            ';' | '&' | '|' => {
                cursor.advance();
                end(&mut words, found);
            }
            '<' | '>' if word::hole_at(cursor.at(), &holes).is_none() => {
                documents.extend(redirect(&mut cursor, &holes));
            }
            _ => {
                let read = one(&mut cursor, &holes);
                let is_test = words.first().and_then(Word::literal).is_some_and(|first| first == "[[");
                for word in read {
                    let leads = word.literal().is_some_and(|text| LEADING.contains(&text.as_ref()))
                        || after_time && word.literal().is_some_and(|text| text == "-p");
                    after_time = leads && word.literal().is_some_and(|text| text == "time");
                    // A brace opens a group wherever a keyword stood before it (`coproc NAME {`).
                    if leads && !is_test && (words.is_empty() || word.literal().as_deref() == Some("{")) {
                        words.clear();
                    } else if !(words.is_empty() && is_assignment(&word)) {
                        words.push(word);
                    } else if cursor.peek() == Some('(') {
                        cursor.take_while(|character| character != ')');
                        cursor.advance();
                    }
                }
            }
        }
    }
    end(&mut words, found);
}

fn end(words: &mut Vec<Word>, found: &mut Vec<Simple>) {
    if !words.is_empty() {
        found.push(Simple { words: std::mem::take(words), ..Simple::default() });
    }
}

fn is_assignment(word: &Word) -> bool {
    word.literal_prefix().split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
            && name.chars().all(|character| character == '_' || character.is_ascii_alphanumeric())
    })
}

/// One word; what can't be read is stepped over as something unknown.
fn one(cursor: &mut Cursor<'_>, holes: &[Range<usize>]) -> Vec<Word> {
    let start = cursor.at();
    let mut trial = cursor.clone();
    match word::read(&mut trial, holes) {
        Ok(words) if trial.at() > start => {
            *cursor = trial;
            words
        }
        Ok(_) | Err(_) => {
            cursor.advance();
            cursor.take_while(|character| !ends_word(character));
            vec![Word { parts: vec![Part::Opaque], span: start..cursor.at() }]
        }
    }
}

/// Steps over a redirect; a here-document's end mark with whether its lines lose their tabs.
fn redirect(cursor: &mut Cursor<'_>, holes: &[Range<usize>]) -> Option<(String, bool)> {
    let is_document = cursor.rest().starts_with("<<") && !cursor.rest().starts_with("<<<");
    cursor.take_while(|character| matches!(character, '<' | '>' | '&' | '|'));
    let strips = is_document && cursor.take("-");
    cursor.take_while(|character| matches!(character, ' ' | '\t'));
    if cursor.peek().is_none_or(ends_word) {
        return None;
    }
    let mark = one(cursor, holes).first()?.literal()?.into_owned();
    is_document.then_some((mark, strips))
}

fn skip_document(cursor: &mut Cursor<'_>, (mark, strips): &(String, bool)) {
    while !cursor.rest().is_empty() {
        let line = cursor.take_while(|character| character != '\n');
        cursor.take("\n");
        if *mark == if *strips { line.trim_start_matches('\t') } else { line } {
            return;
        }
    }
}

/// The outermost substitutions: `$(…)`, `` `…` ``, `<(…)`, `>(…)`, `${…}`.
fn holes(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(text);
    let mut in_double = false;
    while let Some(next) = cursor.peek() {
        let start = cursor.at();
        let rest = cursor.rest();
        match next {
            '\\' => {
                cursor.advance();
                cursor.advance();
            }
            '\'' if !in_double => {
                cursor.advance();
                if cursor.until("'").is_none() {
                    return found;
                }
            }
            '"' => {
                in_double = !in_double;
                cursor.advance();
            }
            '`' => {
                cursor.advance();
                skip_to(&mut cursor, '`', None);
                found.push(start..cursor.at());
            }
            '$' if rest.starts_with("$(") || rest.starts_with("${") => {
                cursor.advance();
                let opening = cursor.advance().unwrap_or('(');
                skip_to(&mut cursor, if opening == '(' { ')' } else { '}' }, Some(opening));
                found.push(start..cursor.at());
            }
            '<' | '>' if !in_double && rest.get(1..).is_some_and(|rest| rest.starts_with('(')) => {
                cursor.advance();
                cursor.advance();
                skip_to(&mut cursor, ')', Some('('));
                found.push(start..cursor.at());
            }
            _ => {
                cursor.advance();
            }
        }
    }
    found
}

/// Goes past the `close` that belongs to an opening bracket already taken; quotes hide brackets.
fn skip_to(cursor: &mut Cursor<'_>, close: char, open: Option<char>) {
    let mut depth = 0_usize;
    while let Some(next) = cursor.advance() {
        match next {
            '\\' => {
                cursor.advance();
            }
            '\'' => {
                cursor.until("'");
            }
            _ if next == close => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return,
            },
            _ if Some(next) == open => depth += 1,
            _ => {}
        }
    }
}

/// What a substitution runs: a command's text, or the word of `${name:-word}`.
fn inside(hole: &str) -> &str {
    let body = hole.trim_start_matches(['$', '<', '>']);
    let body = body.strip_prefix(['(', '{', '`']).unwrap_or(body);
    body.strip_suffix([')', '}', '`']).unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use super::commands;
    use proptest::prelude::*;

    fn programs(text: &str) -> Vec<String> {
        commands(text).iter().filter_map(|simple| Some(simple.words.first()?.shown())).collect()
    }

    #[test]
    fn finds_what_the_grammar_trips_over() {
        for text in [
            "[ -w / ] || sudo ls",
            "coproc { sudo ls; }",
            "coproc X { sudo ls; }",
            "time { sudo ls; }",
            "! { sudo ls; }",
            "echo \"${x:=`sudo ls`}\"",
            "echo \"a $(echo \"$(sudo ls)\")\"",
            "diff <(sudo ls) x",
            "A=b sudo ls",
            "case x in x) sudo ls;; esac",
            "cat <<E\nx\nE\nsudo ls",
        ] {
            assert!(programs(text).iter().any(|program| program == "sudo"), "{text}: {:?}", programs(text));
        }
    }

    #[test]
    fn text_is_not_taken_for_commands() {
        for text in [
            "echo 'sudo ls'",
            "echo \"; sudo ls\"",
            "echo x # ; sudo ls",
            "cat <<'E'\nsudo ls\nE\n",
            "cat <<-E\n\tsudo ls\n\tE\n",
            "git commit -m 'a; sudo b'",
            "sudo() { ls; }",
            "a=(sudo ls)",
            "case x in a) ls;; sudo) id;; esac",
            "[[ x == sudo ]] && ls",
            "for sudo in a; do ls; done",
        ] {
            assert!(!programs(text).iter().any(|program| program == "sudo"), "{text}: {:?}", programs(text));
        }
    }

    proptest! {
        #[test]
        fn ends_on_any_text(text in "[-a-z$`'\"(){}<>;&|#\\\\ \\n]{0,80}") {
            let _ = commands(&text);
        }
    }
}
