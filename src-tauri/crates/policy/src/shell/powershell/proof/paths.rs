//! Paths of the file system that a command names: inside the workspace, and without secrets where their content is read.

use super::{Doubt, Prover, parameter_name};
use crate::path::{self, Place, classify};
use crate::shell::ShellTouch;
use crate::shell::powershell::plain::{file_system_may_match, wildcard_matches};
use crate::shell::powershell::reader::Word;
use crate::{Access, Context, FileKind, Inquiry, PathFact};

impl Prover<'_> {
    /// A path of the file system inside the workspace; its content only where that isn't sensitive.
    pub(in crate::shell::powershell) fn path(&mut self, word: &Word, content: bool) -> Result<(), Doubt> {
        // Quotes don't keep a cmdlet from reading a wildcard as one.
        if word.text.contains(['*', '?', '[']) {
            return self.pattern(&word.text, content);
        }
        let key = self.key_of(&word.text)?;
        self.touches.push(ShellTouch { path: key.clone(), access: Access::Read });
        self.inside(&key, content)
    }

    pub(in crate::shell::powershell) fn key_of(&self, written: &str) -> Result<String, Doubt> {
        file_path(written, &self.folder, self.context)
            .ok_or_else(|| format!("{written} is no path of the file system inside the workspace."))
    }

    pub(in crate::shell::powershell) fn inside(&mut self, key: &str, content: bool) -> Result<(), Doubt> {
        let spelled = classify(&path::lexical(key), self.context);
        match self.facts.paths.get(key) {
            None => {
                self.inquiries.insert(Inquiry::Path(key.to_owned()));
                Ok(())
            }
            Some(PathFact::Unresolvable { why }) => Err(format!("{key} can't be resolved: {why}.")),
            Some(PathFact::Resolved(resolved)) => {
                let real = classify(&resolved.real, self.context);
                match real.place {
                    Place::Workspace | Place::ReadFolder => {}
                    Place::Own | Place::System | Place::Outside => {
                        return Err(format!("{} lies outside the workspace.", resolved.real));
                    }
                }
                if resolved.file == FileKind::Special {
                    return Err(format!("{} is no ordinary file.", resolved.real));
                }
                let short = resolved.file == FileKind::Missing
                    && path::is_short_name(&resolved.real, self.context.os);
                if content && (spelled.sensitive || real.sensitive || short) {
                    return Err(format!("{} may hold secrets.", resolved.real));
                }
                Ok(())
            }
        }
    }

    /// A wildcard: it starts inside, and where content is read it meets nothing sensitive.
    fn pattern(&mut self, written: &str, content: bool) -> Result<(), Doubt> {
        let written = written.replace('\\', "/");
        if leaves_file_system(&written) {
            return Err(format!("{written} is no path of the file system inside the workspace."));
        }
        if written.split('/').any(|part| part == "..") {
            return Err("A pattern climbs out of its folder.".to_owned());
        }
        let (folder, name) =
            written.rsplit_once('/').map_or((".", written.as_str()), |(folder, name)| (folder, name));
        if folder.contains(['*', '?', '[']) {
            return Err("A pattern spans folders.".to_owned());
        }
        let key = self.key_of(if folder.is_empty() { "/" } else { folder })?;
        self.touches.push(ShellTouch { path: key.clone(), access: Access::Read });
        self.inside(&key, false)?;
        if !content {
            return Ok(());
        }
        let Some(tree) = self.facts.trees.get(&key) else {
            self.inquiries.insert(Inquiry::Tree(key));
            return Ok(());
        };
        let meets = |file: &String| {
            !file.contains('/') && wildcard_matches(&name.to_lowercase(), &file.to_lowercase())
        };
        if tree.incomplete || tree.sensitive.iter().any(meets) || tree.outside_links.iter().any(meets) {
            return Err("A pattern may match a file that holds secrets.".to_owned());
        }
        Ok(())
    }

    /// Nothing in `folder` that `filter` lets through is sensitive or leads outside.
    pub(in crate::shell::powershell) fn tree(
        &mut self,
        folder: &str,
        filter: Option<&str>,
    ) -> Result<(), Doubt> {
        let Some(tree) = self.facts.trees.get(folder) else {
            self.inquiries.insert(Inquiry::Tree(folder.to_owned()));
            return Ok(());
        };
        let meets = |file: &String| {
            let name = file.rsplit('/').next().unwrap_or(file).to_lowercase();
            filter.is_none_or(|filter| file_system_may_match(&filter.to_lowercase(), &name))
        };
        if tree.incomplete || tree.sensitive.iter().any(meets) || tree.outside_links.iter().any(meets) {
            return Err("A file among those it reads may hold secrets.".to_owned());
        }
        Ok(())
    }

    pub(super) fn change_folder(&mut self, arguments: &[Word]) -> Result<(), Doubt> {
        let mut paths = arguments.iter().filter(|word| parameter_name(word).is_none());
        let (Some(only), None) = (paths.next(), paths.next()) else {
            return Err("It changes the folder in a way that can't be told.".to_owned());
        };
        // Quotes don't keep a wildcard from being one, and `-` and `+` go to where it was before or after.
        if only.text.contains(['*', '?', '[']) || matches!(only.text.as_str(), "-" | "+") {
            return Err("It changes the folder in a way that can't be told.".to_owned());
        }
        let key = self.key_of(&only.text)?;
        self.folder = match self.facts.paths.get(&key) {
            Some(PathFact::Resolved(resolved)) if resolved.file == FileKind::Directory => {
                resolved.real.clone()
            }
            // Where it fails, what follows runs where it was before.
            Some(PathFact::Resolved(_) | PathFact::Unresolvable { .. }) => {
                return Err("It changes to a folder that isn't there.".to_owned());
            }
            None => key,
        };
        Ok(())
    }
}

/// A path of the file system as a key of the facts; nothing for drives of other providers, the home folder
/// and shares. `\` and `/` both separate, on every system.
pub(in crate::shell::powershell) fn file_path(
    written: &str,
    folder: &str,
    context: &Context,
) -> Option<String> {
    let written = written.replace('\\', "/");
    if leaves_file_system(&written) { None } else { path::join(&written, folder, context.os).ok() }
}

/// Whether `written`, with `/` between its parts, names a drive of another provider, a provider itself, the home
/// folder, or a place relative to a drive's current one.
fn leaves_file_system(written: &str) -> bool {
    let drive = written.split('/').next().unwrap_or_default();
    let provider = drive.find(':').is_some_and(|place| place != 1 || drive.len() > 2);
    written.starts_with('~') || written.contains("::") || provider
}
