//! Words bound to the parameters of a cmdlet, as PowerShell does, and each value held to what its parameter takes.

use super::{Doubt, Prover, parameter_name};
use crate::shell::powershell::cmdlets::{Cmdlet, Takes};
use crate::shell::powershell::plain::{is_plain_block, is_plain_property, may_name_environment};
use crate::shell::powershell::reader::{Word, is_plain_value};

impl Prover<'_> {
    /// Binds words to parameters as PowerShell does, and checks each value by what its parameter takes.
    pub(super) fn cmdlet(&mut self, cmdlet: &Cmdlet, arguments: &[Word]) -> Result<(), Doubt> {
        let mut bound: Vec<&str> = Vec::new();
        let mut free: Vec<&Word> = Vec::new();
        let mut words = arguments.iter().peekable();
        while let Some(word) = words.next() {
            let Some(parameter) = parameter_name(word) else {
                if !word.quoted && word.text.starts_with('-') && word.text.parse::<f64>().is_err() {
                    return Err(format!("{} is not on the list of parameters that only read.", word.text));
                }
                free.push(word);
                continue;
            };
            let (written, attached) =
                parameter.split_once(':').map_or((parameter, None), |(name, value)| (name, Some(value)));
            let (name, takes) = cmdlet.parameter(written).ok_or_else(|| {
                format!("The parameter -{written} is not on the list of those that only read.")
            })?;
            bound.push(name);
            match (takes, attached) {
                (Takes::Nothing, None) => {}
                (Takes::Nothing, Some(_)) => return Err(format!("The switch -{written} has a value.")),
                (_, Some("") | None) => {
                    let value =
                        words.next().ok_or_else(|| format!("The parameter -{written} has no value."))?;
                    self.value(cmdlet, takes, value)?;
                }
                (_, Some(value)) => {
                    let value = Word { text: value.to_owned(), ..word.clone() };
                    self.value(cmdlet, takes, &value)?;
                }
            }
            while let Some(more) = words.next_if(|next| next.listed) {
                self.value(cmdlet, takes, more)?;
            }
        }
        let mut open: Vec<&str> =
            cmdlet.positions.iter().copied().filter(|name| !bound.contains(name)).collect();
        open.reverse();
        let mut current: Option<&str> = None;
        for word in free {
            let position = match current {
                Some(same) if word.listed => same,
                Some(_) | None => match open.pop() {
                    Some(next) => next,
                    None if cmdlet.takes_rest => current.unwrap_or_default(),
                    None => return Err("It has more words than are known to be harmless.".to_owned()),
                },
            };
            current = Some(position);
            let takes = cmdlet
                .parameters
                .iter()
                .find(|(name, _)| *name == position)
                .map_or(Takes::Value, |(_, takes)| *takes);
            self.value(cmdlet, takes, word)?;
        }
        match cmdlet.name {
            "set-location" => self.change_folder(arguments),
            "push-location" => {
                self.left.push(self.folder.clone());
                self.change_folder(arguments)
            }
            "pop-location" => {
                self.folder = self.left.pop().ok_or("It goes back to a folder that isn't known.")?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn value(&mut self, cmdlet: &Cmdlet, takes: Takes, word: &Word) -> Result<(), Doubt> {
        if cmdlet.name == "select-object" && may_name_environment(&word.text) {
            return Err("It prints the environment, secrets included.".to_owned());
        }
        if let Some(block) = &word.block {
            let accepts = match takes {
                Takes::Block | Takes::Value => true,
                Takes::Nothing | Takes::Name | Takes::Names | Takes::Content => false,
            };
            return if accepts && is_plain_block(block) {
                Ok(())
            } else {
                Err("It runs a script block.".to_owned())
            };
        }
        if word.group && takes == Takes::Value && TAKES_RESULTS.contains(&cmdlet.name) {
            return if is_result(&word.text) {
                Ok(())
            } else {
                Err("It uses an expression in brackets.".to_owned())
            };
        }
        let constant = ["$true", "$false", "$null"].iter().any(|one| word.text.eq_ignore_ascii_case(one));
        let shown = takes == Takes::Value && !word.group && is_plain_value(word);
        if !word.literal && !constant && !shown {
            return Err("A value is known only at run time.".to_owned());
        }
        match takes {
            Takes::Nothing | Takes::Value => Ok(()),
            Takes::Name if word.text.contains(['/', '\\', ':']) || word.text.contains("..") => {
                Err(format!("{} is more than a name.", word.text))
            }
            Takes::Name => Ok(()),
            // A word instead of a block names a method or a property: only `Where-Object Name …` is harmless.
            Takes::Block if cmdlet.name == "where-object" => Ok(()),
            // `ForEach-Object Name`: a property of listed files; of anything else it may be a method.
            Takes::Block
                if word.text.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    && is_file_property(&word.text) =>
            {
                Ok(())
            }
            Takes::Block => Err("It calls a member of each object.".to_owned()),
            Takes::Names => self.path(word, false),
            Takes::Content => self.path(word, true),
        }
    }
}

/// Cmdlets whose values may come from a pipeline in brackets that is itself proven: nothing they do depends on it.
const TAKES_RESULTS: &[&str] = &["write-output", "write-host", "compare-object"];

/// A pipeline in brackets with at most properties behind it.
fn is_result(text: &str) -> bool {
    text.rsplit_once(')').is_some_and(|(_, rest)| {
        rest.is_empty() || rest.strip_prefix('.').is_some_and(|names| names.split('.').all(is_plain_property))
    })
}

/// Properties of files and folders that no type has as a method.
fn is_file_property(name: &str) -> bool {
    const PROPERTIES: &[&str] = &[
        "name",
        "fullname",
        "length",
        "extension",
        "basename",
        "directory",
        "directoryname",
        "lastwritetime",
        "creationtime",
        "mode",
        "exists",
        "attributes",
        "count",
        "line",
        "linenumber",
        "path",
        "filename",
        "parent",
    ];
    PROPERTIES.iter().any(|property| property.eq_ignore_ascii_case(name))
}
