//! The file that runs: the system's own, whatever the folder or `PATH` says.

use super::{Doubt, Prover};
use crate::shell::bash::command::SimpleCommand;
use crate::{FileKind, Inquiry, PathFact, ProgramLookup, ProgramPlace};

impl Prover<'_> {
    /// The program has to be the system's own.
    pub(super) fn program(&mut self, written: &str, command: &SimpleCommand) -> Result<(), Doubt> {
        let key = if written.contains('/') {
            let folder = command.folders.first().map_or(self.context.workspace.as_str(), String::as_str);
            if command.folders.len() > 1 && !written.starts_with('/') {
                return Err(Doubt::new("The folder it runs in is known only at run time."));
            }
            crate::path::join(written, folder, self.context.os)
                .map_err(|fault| Doubt::new(fault.to_string()))?
        } else {
            if self.context.programs == ProgramLookup::Assumed {
                return Ok(());
            }
            self.search_path()?;
            written.to_owned()
        };
        match self.facts.programs.get(&key) {
            None => {
                self.inquiries.insert(Inquiry::Program(key));
                Ok(())
            }
            Some(fact) => match fact.place {
                ProgramPlace::System => Ok(()),
                ProgramPlace::User => Err(Doubt::new(format!("{written} isn't in a system folder."))),
                ProgramPlace::Untrusted => Err(Doubt::new(format!(
                    "{written} is a file that others, or the workspace, could change."
                ))),
                ProgramPlace::Missing => Err(Doubt::new(format!("{written} wasn't found."))),
            },
        }
    }

    /// Nothing in the workspace says which compiler rustup starts, which may be a file of the workspace's own
    /// (The rustup book, Overrides).
    pub(super) fn no_own_toolchain(&mut self, command: &SimpleCommand) -> Result<(), Doubt> {
        for folder in &command.folders {
            let mut at = crate::path::lexical(folder);
            loop {
                for name in ["rust-toolchain.toml", "rust-toolchain"] {
                    let key = self.join(&at, name)?;
                    match self.facts.paths.get(&key) {
                        None => {
                            self.inquiries.insert(Inquiry::Path(key));
                        }
                        Some(PathFact::Resolved(found)) if found.file == FileKind::Missing => {}
                        Some(PathFact::Resolved(_) | PathFact::Unresolvable { .. }) => {
                            return Err(Doubt::new(format!("{key} may choose the program that runs.")));
                        }
                    }
                }
                let inside = crate::path::relative_to(&at, &self.context.workspace, self.context.os);
                match at.rsplit_once('/') {
                    Some((parent, _)) if inside.is_some_and(|inside| !inside.is_empty()) => {
                        at = parent.to_owned();
                    }
                    Some(_) | None => break,
                }
            }
        }
        Ok(())
    }

    /// An entry of `PATH` that the workspace controls could hold any name.
    fn search_path(&self) -> Result<(), Doubt> {
        let context = self.context;
        let unsafe_entry = context.search_path.iter().any(|entry| {
            !crate::path::is_absolute(entry, context.os)
                || std::iter::once(&context.workspace)
                    .chain(&context.workspace_aliases)
                    .any(|root| crate::path::contains(root, &crate::path::lexical(entry), context.os))
        });
        if unsafe_entry || context.search_path.is_empty() {
            return Err(Doubt::new("PATH leads into the workspace or to a relative folder."));
        }
        Ok(())
    }
}
