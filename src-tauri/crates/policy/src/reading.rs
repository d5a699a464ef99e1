//! A call with the facts applied: what it touches, what its command says, what is not known yet.

use crate::path::{self, Class, GlobFault, PathFault, Place};
use crate::shell::{self, ShellJudgement};
use crate::{
    Access, Context, Facts, FileKind, Inquiry, Needs, Os, PathFact, PreparedCall, RepositoryFact, Resolved,
    SearchRequest, Subject,
};
use std::collections::BTreeSet;

/// What the participants look at.
pub(crate) struct Reading<'call> {
    pub(crate) call: &'call PreparedCall,
    pub(crate) facts: &'call Facts,
    pub(crate) context: &'call Context,
    /// Every path the call touches, in the order of the call.
    pub(crate) touches: Vec<Touch<'call>>,
    /// Paths and patterns that are refused by their form.
    pub(crate) faults: Vec<Fault>,
    /// What the command says, for a shell call.
    pub(crate) shell: Option<ShellJudgement>,
    /// Hosts in ASCII.
    pub(crate) hosts: Vec<String>,
    /// Facts that are still missing.
    pub(crate) inquiries: BTreeSet<Inquiry>,
}

/// A path that a call touches.
pub(crate) struct Touch<'call> {
    /// The path with `..` taken by the text.
    pub(crate) lexical: String,
    pub(crate) access: Access,
    pub(crate) by: TouchedBy,
    pub(crate) found: Found<'call>,
    /// What kind of place it is; a link and its target both count where that is stricter.
    pub(crate) class: Class,
}

/// Which part of a call touches a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TouchedBy {
    /// A file tool.
    File,
    /// A search tool: the folder or file where it starts.
    Search,
    /// A shell command or redirect.
    Command,
    /// A shell call's `needs`.
    Need,
}

/// What the facts say about a path.
pub(crate) enum Found<'call> {
    /// Nobody has looked yet.
    NotYet,
    /// It can't be resolved safely.
    Unresolvable(&'call str),
    /// It was resolved.
    At(&'call Resolved),
}

/// Something refused by its form.
pub(crate) struct Fault {
    pub(crate) written: String,
    pub(crate) access: Access,
    pub(crate) kind: FaultKind,
}

/// Why a form is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Path(PathFault),
    Glob(GlobFault),
}

impl<'call> Reading<'call> {
    pub(crate) fn of(call: &'call PreparedCall, facts: &'call Facts, context: &'call Context) -> Self {
        let mut reading = Self {
            call,
            facts,
            context,
            touches: Vec::new(),
            faults: Vec::new(),
            shell: None,
            hosts: Vec::new(),
            inquiries: BTreeSet::new(),
        };
        match &call.subject {
            Subject::Files { accesses } => {
                for one in accesses {
                    reading.written(&one.path, one.access, TouchedBy::File);
                }
            }
            Subject::Search(search) => reading.search(search),
            Subject::Shell(request) => {
                let judgement = shell::judge(&request.command, facts, context);
                for touch in &judgement.touches {
                    reading.touch(touch.path.clone(), touch.access, TouchedBy::Command);
                }
                reading.hosts.extend(judgement.hosts.iter().cloned());
                reading.inquiries.extend(judgement.inquiries.iter().cloned());
                reading.shell = Some(judgement);
                reading.needs(&request.needs);
            }
            Subject::Network(request) => reading.hosts.extend(crate::host::host_of(&request.url)),
            Subject::Internal => {}
        }
        reading
    }

    fn search(&mut self, search: &SearchRequest) {
        let start = if search.path.is_empty() { "." } else { search.path.as_str() };
        self.written(start, Access::Read, TouchedBy::Search);
        let Ok(folder) = path::join(start, &self.context.workspace, self.context.os) else { return };
        for pattern in &search.globs {
            let spelled = match self.context.os {
                Os::Linux | Os::Macos => pattern.clone(),
                Os::Windows => pattern.replace('\\', "/"),
            };
            match path::alternatives(&spelled) {
                Err(fault) => self.faults.push(Fault {
                    written: pattern.clone(),
                    access: Access::Read,
                    kind: FaultKind::Glob(fault),
                }),
                Ok(alternatives) => {
                    let starts: BTreeSet<String> = alternatives
                        .iter()
                        .map(|one| path::literal_prefix(one))
                        .filter(|one| !one.is_empty())
                        .collect();
                    for prefix in starts {
                        self.joined(&prefix, &folder, Access::Read, TouchedBy::Search);
                    }
                }
            }
        }
    }

    fn needs(&mut self, needs: &Needs) {
        for path in &needs.read {
            self.written(path, Access::Read, TouchedBy::Need);
        }
        for path in &needs.write {
            self.written(path, Access::Write, TouchedBy::Need);
        }
        self.hosts.extend(needs.hosts.iter().map(|host| {
            let (name, port) =
                host.split_once(':').map_or((host.as_str(), None), |(name, port)| (name, Some(port)));
            let name = crate::host::to_ascii(name).unwrap_or_else(|| name.to_owned());
            port.map_or(name.clone(), |port| format!("{name}:{port}"))
        }));
    }

    /// A path as the model wrote it in an argument.
    fn written(&mut self, written: &str, access: Access, by: TouchedBy) {
        if let Err(fault) = path::check_argument(written) {
            self.faults.push(Fault { written: written.to_owned(), access, kind: FaultKind::Path(fault) });
            return;
        }
        let workspace = self.context.workspace.clone();
        self.joined(written, &workspace, access, by);
    }

    fn joined(&mut self, written: &str, folder: &str, access: Access, by: TouchedBy) {
        match path::join(written, folder, self.context.os) {
            Ok(key) => self.touch(key, access, by),
            Err(fault) => {
                self.faults.push(Fault { written: written.to_owned(), access, kind: FaultKind::Path(fault) });
            }
        }
    }

    fn touch(&mut self, key: String, access: Access, by: TouchedBy) {
        let lexical = path::lexical(&key);
        let spelled = path::classify(&lexical, self.context);
        let (found, class) = match self.facts.paths.get(&key) {
            None => {
                self.inquiries.insert(Inquiry::Path(key.clone()));
                (Found::NotYet, Class { place: Place::Outside, ..spelled })
            }
            Some(PathFact::Unresolvable { why }) => {
                (Found::Unresolvable(why), Class { place: Place::Outside, ..spelled })
            }
            Some(PathFact::Resolved(resolved)) => {
                let real = path::classify(&resolved.real, self.context);
                let place = if spelled.place == Place::Own { Place::Own } else { real.place };
                // A short name that leads nowhere yet may come to be a secret's.
                let short = resolved.file == FileKind::Missing
                    && path::is_short_name(&resolved.real, self.context.os);
                let git = resolved.in_git_folder
                    || [resolved.real.as_str(), lexical.as_str()]
                        .into_iter()
                        .any(|path| self.is_in_known_git_folder(path));
                let class = Class {
                    place,
                    protected: real.protected || spelled.protected || git,
                    sensitive: real.sensitive
                        || spelled.sensitive
                        || short
                        || git && path::is_git_configuration(&resolved.real),
                };
                (Found::At(resolved), class)
            }
        };
        self.touches.push(Touch { lexical, access, by, found, class });
    }

    /// A repository's own folder, as far as it was looked up.
    fn is_in_known_git_folder(&self, real: &str) -> bool {
        self.facts.repositories.values().any(|repository| match repository {
            RepositoryFact::None => false,
            RepositoryFact::Plain { gitdir, .. } | RepositoryFact::Dangerous { gitdir, .. } => {
                path::contains(gitdir, real, self.context.os)
            }
        })
    }
}

impl Touch<'_> {
    /// The real path where it is known, else the lexical one.
    pub(crate) fn shown(&self) -> &str {
        match self.found {
            Found::At(resolved) => &resolved.real,
            Found::NotYet | Found::Unresolvable(_) => &self.lexical,
        }
    }

    /// Whether it changes something.
    pub(crate) fn changes(&self) -> bool {
        match self.access {
            Access::Write | Access::Delete => true,
            Access::Read | Access::Execute => false,
        }
    }

    /// What is there, where it is known.
    pub(crate) fn file(&self) -> Option<FileKind> {
        match self.found {
            Found::At(resolved) => Some(resolved.file),
            Found::NotYet | Found::Unresolvable(_) => None,
        }
    }

    /// The path as the workspace sees it, else the absolute one: what people read.
    pub(crate) fn named(&self, context: &Context) -> String {
        let shown = self.shown();
        match path::relative_to(shown, &context.workspace, context.os) {
            Some("") => ".".to_owned(),
            Some(inside) => inside.to_owned(),
            None => shown.to_owned(),
        }
    }
}
