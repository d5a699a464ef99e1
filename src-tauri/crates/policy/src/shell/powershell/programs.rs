//! Windows' own programs that only read, with their switches. Source: each one's `/?`.

use super::proof::{Doubt, Prover};
use super::reader::Word;
use crate::Access;
use crate::shell::ShellTouch;

impl Prover<'_> {
    /// Proves one of Windows' own programs by its switches.
    pub(super) fn windows_program(&mut self, name: &str, arguments: &[Word]) -> Result<(), Doubt> {
        match name {
            "findstr" => self.findstr(arguments),
            "where" => Self::where_program(arguments),
            "tree" => self.tree_program(arguments),
            _ => {
                let shows = |word: &Word| {
                    ["/user", "/groups", "/priv", "/all"]
                        .iter()
                        .any(|one| word.text.eq_ignore_ascii_case(one))
                };
                if arguments.is_empty() || name == "whoami" && arguments.iter().all(shows) {
                    Ok(())
                } else {
                    Err(format!("A switch of {name} isn't known to be harmless."))
                }
            }
        }
    }

    /// `where.exe NAME…`: looks names up in PATH; `/r` would search folders.
    fn where_program(arguments: &[Word]) -> Result<(), Doubt> {
        let plain = |word: &Word| {
            word.literal
                && !word.wildcard
                && word.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        let switch = |word: &Word| ["/q", "/f", "/t"].iter().any(|one| word.text.eq_ignore_ascii_case(one));
        if !arguments.is_empty() && arguments.iter().all(|word| plain(word) || switch(word)) {
            Ok(())
        } else {
            Err("It may search other folders.".to_owned())
        }
    }

    /// `tree [FOLDER] [/f] [/a]` (its `/?`).
    fn tree_program(&mut self, arguments: &[Word]) -> Result<(), Doubt> {
        arguments.iter().try_for_each(|word| {
            if ["/f", "/a"].iter().any(|one| word.text.eq_ignore_ascii_case(one)) {
                return Ok(());
            }
            if !word.literal || word.text.starts_with('/') {
                return Err("A switch of tree isn't known to be harmless.".to_owned());
            }
            self.path(word, false)
        })
    }

    /// `findstr` (its `/?`): switches of one letter, also behind a dash, `/c:TEXT`; the first word is the text, the rest are files.
    fn findstr(&mut self, arguments: &[Word]) -> Result<(), Doubt> {
        let mut recursive = false;
        let mut text_given = false;
        let mut files = Vec::new();
        for word in arguments {
            if !word.literal || word.listed {
                return Err("A value is known only at run time.".to_owned());
            }
            match word.text.strip_prefix(['/', '-']).map(str::to_lowercase) {
                Some(switch) if switch.starts_with("c:") => text_given = true,
                Some(switch)
                    if matches!(
                        switch.as_str(),
                        "b" | "e" | "l" | "r" | "i" | "x" | "v" | "n" | "m" | "o" | "p"
                    ) => {}
                Some(switch) if switch == "s" => recursive = true,
                Some(switch) => {
                    return Err(format!("The switch /{switch} is not on the list of those that only read."));
                }
                None if text_given => files.push(word),
                None => text_given = true,
            }
        }
        for file in files {
            // The file system matches wildcards in its own way.
            if recursive || file.text.contains(['*', '?', '<', '>', '"']) {
                let written = file.text.replace('\\', "/");
                let (folder, name) =
                    written.rsplit_once('/').map_or((".", written.as_str()), |(folder, name)| (folder, name));
                let key = self.key_of(folder)?;
                self.touches.push(ShellTouch { path: key.clone(), access: Access::Read });
                self.inside(&key, false)?;
                self.tree(&key, Some(name))?;
            } else {
                self.path(file, true)?;
            }
        }
        Ok(())
    }
}
