//! `sed` scripts that only print: no `e`, `r`, `R`, `w`, `W`, no `e` or `w` behind `s`, no editing in place.
//! Source: sed(1), POSIX.1-2024, GNU sed 4.9 "sed scripts".

use super::super::command::{SimpleCommand, Word};
use super::options::{Abbreviations, sort};
use super::{Doubt, Prover};

const OPTIONS: &str = "-nErszu -e:text --quiet --silent --expression:text --regexp-extended --separate --unbuffered --null-data --line-length:num --posix --sandbox --debug --help --version !--file !--in-place !--follow-symlinks !--binary";

impl Prover<'_> {
    pub(super) fn sed(&mut self, arguments: &[Word], command: &SimpleCommand) -> Result<(), Doubt> {
        let sorted = sort(OPTIONS, Abbreviations::Gnu, arguments)?;
        self.no_hidden_options(&sorted, command)?;
        let mut scripts: Vec<String> = sorted.values(&["-e", "--expression"]).collect();
        let mut files = sorted.operands.as_slice();
        if scripts.is_empty() {
            let Some((script, rest)) = files.split_first() else { return Ok(()) };
            scripts.push(
                script
                    .literal()
                    .ok_or_else(|| Doubt::new("The sed script is known only at run time."))?
                    .into_owned(),
            );
            files = rest;
        }
        if !scripts.iter().all(|script| only_prints(script)) {
            return Err(Doubt::new("The sed script isn't known to be harmless."));
        }
        files.iter().try_for_each(|file| self.file(file, command))
    }
}

/// Whether every command of `script` only prints or changes what is printed.
fn only_prints(script: &str) -> bool {
    let mut reader = Reader { rest: script };
    loop {
        reader.skip(|character| character.is_ascii_whitespace() || character == ';');
        if reader.rest.is_empty() {
            return true;
        }
        if reader.command().is_none() {
            return false;
        }
    }
}

struct Reader<'s> {
    rest: &'s str,
}

impl Reader<'_> {
    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(wanted);
    }

    fn take(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let character = characters.next()?;
        self.rest = characters.as_str();
        Some(character)
    }

    fn command(&mut self) -> Option<()> {
        self.addresses()?;
        let name = self.take()?;
        match name {
            '{' => Some(()),
            '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                self.end()
            }
            'l' | 'L' | 'q' | 'Q' => {
                self.skip(|character| character == ' ' || character.is_ascii_digit());
                self.end()
            }
            '#' => {
                self.skip(|character| character != '\n');
                Some(())
            }
            ':' | 'b' | 't' | 'T' => {
                self.skip(|character| character == ' ');
                self.skip(|character| {
                    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.')
                });
                self.end()
            }
            // Text up to the end of the line; a continued line is left to a person.
            'a' | 'i' | 'c' => {
                let line = self.rest.split('\n').next().unwrap_or_default();
                if line.ends_with('\\') || line.trim().is_empty() {
                    return None;
                }
                self.skip(|character| character != '\n');
                Some(())
            }
            's' => {
                let delimiter = self.delimiter()?;
                self.section(delimiter, true)?;
                self.section(delimiter, false)?;
                self.skip(|flag| flag.is_ascii_digit() || matches!(flag, 'g' | 'p' | 'i' | 'I' | 'm' | 'M'));
                self.end()
            }
            'y' => {
                let delimiter = self.delimiter()?;
                self.section(delimiter, false)?;
                self.section(delimiter, false)?;
                self.end()
            }
            _ => None,
        }
    }

    /// What may stand behind a command: a separator, a closing brace or the end.
    fn end(&mut self) -> Option<()> {
        self.skip(|character| matches!(character, ' ' | '\t'));
        match self.rest.chars().next() {
            None | Some(';' | '\n' | '}' | '#') => Some(()),
            // After an opening brace, the next command.
            Some(_) => None,
        }
    }

    fn addresses(&mut self) -> Option<()> {
        if self.address()? {
            self.skip(|character| character == ' ');
            if self.rest.starts_with(',') {
                self.take();
                self.skip(|character| character == ' ');
                if self.rest.starts_with(['+', '~']) {
                    self.take();
                }
                if !self.address()? {
                    return None;
                }
            }
        }
        self.skip(|character| matches!(character, ' ' | '!'));
        Some(())
    }

    /// Takes an address; whether there was one.
    fn address(&mut self) -> Option<bool> {
        match self.rest.chars().next() {
            Some(digit) if digit.is_ascii_digit() => {
                self.skip(|character| character.is_ascii_digit() || character == '~');
                Some(true)
            }
            Some('$') => {
                self.take();
                Some(true)
            }
            Some('/') => {
                self.take();
                self.section('/', true)?;
                self.skip(|flag| matches!(flag, 'I' | 'M'));
                Some(true)
            }
            Some('\\') => {
                self.take();
                let delimiter = self.delimiter()?;
                self.section(delimiter, true)?;
                self.skip(|flag| matches!(flag, 'I' | 'M'));
                Some(true)
            }
            Some(_) | None => Some(false),
        }
    }

    fn delimiter(&mut self) -> Option<char> {
        self.take()
            .filter(|delimiter| delimiter.is_ascii_punctuation() && !matches!(delimiter, '\\' | '[' | ']'))
    }

    /// Takes text up to the delimiter. GNU and BSD disagree on a delimiter inside brackets: refused.
    fn section(&mut self, delimiter: char, is_pattern: bool) -> Option<()> {
        let mut in_brackets = false;
        loop {
            match self.take()? {
                '\n' if is_pattern => return None,
                '\\' => {
                    self.take()?;
                    if in_brackets {
                        return None;
                    }
                }
                '[' if is_pattern && !in_brackets => {
                    in_brackets = true;
                    if self.rest.starts_with('^') {
                        self.take();
                    }
                    if self.rest.starts_with(']') {
                        self.take();
                    }
                }
                // A class inside brackets: `[[:alpha:]]`.
                '[' if in_brackets && self.rest.starts_with([':', '.', '=']) => {
                    let kind = self.take()?;
                    let end = format!("{kind}]");
                    let (name, rest) = self.rest.split_once(&end)?;
                    if name.contains(delimiter) {
                        return None;
                    }
                    self.rest = rest;
                }
                ']' if in_brackets => in_brackets = false,
                character if character == delimiter && in_brackets => return None,
                character if character == delimiter => return Some(()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::only_prints;

    #[test]
    fn scripts_that_only_print() {
        for script in [
            "1,5p",
            "$p",
            "/foo/,/bar/p",
            "s/a/b/g",
            "s|/usr|/opt|",
            "s/[0-9]*//",
            "s/[[:space:]]*$//",
            "/^#/d;/^$/d",
            "5q",
            "1~2p",
            "/x/{n;p}",
            "y/abc/xyz/",
            "s/a\\/b/c/",
            ":a;N;$!ba;s/\\n/ /g",
            "/a/!d",
            "10,+5p",
            "s/a/b/;s/c/d/2p",
            "=",
            "1i header",
            "\\,x,p",
            "s/\\(a\\)/\\1/",
            "$!N; /a/P; D",
        ] {
            assert!(only_prints(script), "{script}");
        }
    }

    #[test]
    fn scripts_that_write_run_or_read() {
        for script in [
            "w out",
            "1,5p;w out",
            "s/x/y/w out",
            "s/x/y/e",
            "s/x/y/ge",
            "1e touch x",
            "e",
            "r /etc/passwd",
            "$r x",
            "R x",
            "W x",
            "/x/w out",
            "s/x/y/pw out",
            "{w out\n}",
            "s/[/]w x/y/",
            "/a/{p;w x\n}",
            "a\\\nw x",
            "s/a/b/ w x",
            "v",
            "s,a,b,w x",
            "1!w x",
            "p;p;e id",
            "s/a\n/b/",
            "}w x",
        ] {
            assert!(!only_prints(script), "{script}");
        }
    }
}
