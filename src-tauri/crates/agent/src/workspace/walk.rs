//! A walk over a folder by its handles: several threads, no link followed, ignored files left out.

use super::ignored::Ignored;
use super::open::enter;
use super::{AccessError, ApprovedPath, Workspace};
use cap_std::fs::Dir;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// Entries a walk looks at before it gives up.
const ENTRY_LIMIT: u64 = 2_000_000;
/// Files of one folder that one thread takes at a time.
const CHUNK: usize = 64;
/// Most threads of a walk.
const THREADS: usize = 8;

/// A walk that is ready to go.
pub struct Walk {
    start: Arc<Dir>,
    /// Real absolute path of the start.
    real: PathBuf,
    rules: Option<Arc<Ignored>>,
}

/// A file or a link that the walk met.
pub struct Met<'a> {
    /// The folder it lies in.
    pub folder: &'a Dir,
    /// Its name there.
    pub name: &'a Path,
    /// Its real absolute path.
    pub real: &'a Path,
    /// Whether it is a link, which is never followed.
    pub is_link: bool,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Folders that could not be read.
    pub unreadable: u64,
    /// Whether it gave up before it saw everything.
    pub incomplete: bool,
}

impl Workspace {
    /// A walk below `path`, or below the folder `further` in it.
    ///
    /// # Errors
    /// When it isn't the folder that was judged, or can't be opened.
    pub fn walk(&self, path: &ApprovedPath, further: &Path) -> Result<Walk, AccessError> {
        let start = super::open::descend(self.open_folder(path)?, further)?;
        let real = path.real.join(further);
        let rules = path.inside.as_ref().and_then(|inside| Ignored::above(self, &inside.join(further)));
        Ok(Walk { start: Arc::new(start), real, rules })
    }
}

impl Walk {
    /// Calls `visit`, on several threads and in no order, for every file and link below the start that no
    /// `.gitignore` or `.ignore` leaves out. `.git` folders are left out always.
    ///
    /// # Errors
    /// When the start itself can't be read.
    pub fn run(self, cancel: &CancellationToken, visit: &(dyn Fn(&Met<'_>) + Sync)) -> io::Result<Walked> {
        let crew = Crew {
            state: Mutex::new(State { jobs: Vec::new(), working: 0 }),
            wake: Condvar::new(),
            seen: AtomicU64::new(0),
            unreadable: AtomicU64::new(0),
            cancel,
            visit,
        };
        crew.list(&Folder { handle: self.start, real: self.real, rules: self.rules })?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| crew.work());
            }
            crew.work();
        });
        Ok(Walked { unreadable: crew.unreadable.load(Ordering::Relaxed), incomplete: crew.gave_up() })
    }
}

struct Folder {
    handle: Arc<Dir>,
    real: PathBuf,
    rules: Option<Arc<Ignored>>,
}

enum Job {
    /// A folder in a folder: to be opened and listed.
    Folder(Arc<Folder>, OsString),
    /// Files and links of a folder: to be visited.
    Files(Arc<Folder>, Vec<(OsString, bool)>),
}

struct State {
    /// The last is taken first, so that few folders are open at a time.
    jobs: Vec<Job>,
    working: usize,
}

struct Crew<'a> {
    state: Mutex<State>,
    wake: Condvar,
    seen: AtomicU64,
    unreadable: AtomicU64,
    cancel: &'a CancellationToken,
    visit: &'a (dyn Fn(&Met<'_>) + Sync),
}

impl Crew<'_> {
    fn work(&self) {
        while let Some(job) = self.take() {
            match job {
                Job::Folder(parent, name) => {
                    let listed = enter(&parent.handle, &name)
                        .map_err(|_| io::ErrorKind::Other.into())
                        .and_then(|handle| {
                            let real = parent.real.join(&name);
                            self.list(&Folder { handle: Arc::new(handle), real, rules: parent.rules.clone() })
                        });
                    if listed.is_err() {
                        self.unreadable.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Job::Files(folder, files) => self.visit_all(&folder, &files),
            }
            self.done();
        }
    }

    fn take(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if self.cancel.is_cancelled() || self.gave_up() {
                state.jobs.clear();
            }
            if let Some(job) = state.jobs.pop() {
                state.working += 1;
                return Some(job);
            }
            if state.working == 0 {
                self.wake.notify_all();
                return None;
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn done(&self) {
        let mut state = self.lock();
        state.working -= 1;
        if state.working == 0 && state.jobs.is_empty() {
            self.wake.notify_all();
        }
    }

    fn list(&self, folder: &Folder) -> io::Result<()> {
        let mut folders = Vec::new();
        let mut files = Vec::new();
        for entry in folder.handle.entries()? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let name = entry.file_name();
            if kind.is_dir() {
                if name != ".git" {
                    folders.push(name);
                }
            } else if kind.is_file() || kind.is_symlink() {
                files.push((name, kind.is_symlink()));
            }
        }
        self.seen.fetch_add((folders.len() + files.len()) as u64, Ordering::Relaxed);
        let rules = Ignored::here(folder.rules.as_ref(), &folder.handle, &folder.real, &files);
        if let Some(rules) = &rules {
            folders.retain(|name| !rules.leaves_out(&folder.real.join(name), true));
            files.retain(|(name, _)| !rules.leaves_out(&folder.real.join(name), false));
        }
        let folder =
            Arc::new(Folder { handle: Arc::clone(&folder.handle), real: folder.real.clone(), rules });
        let mut state = self.lock();
        state.jobs.extend(folders.into_iter().map(|name| Job::Folder(Arc::clone(&folder), name)));
        while !files.is_empty() {
            let rest = files.split_off(files.len().min(CHUNK));
            state.jobs.push(Job::Files(Arc::clone(&folder), files));
            files = rest;
        }
        self.wake.notify_all();
        Ok(())
    }

    fn visit_all(&self, folder: &Folder, files: &[(OsString, bool)]) {
        for (name, is_link) in files {
            if self.cancel.is_cancelled() {
                return;
            }
            let real = folder.real.join(name);
            (self.visit)(&Met {
                folder: &folder.handle,
                name: Path::new(name),
                real: &real,
                is_link: *is_link,
            });
        }
    }

    fn gave_up(&self) -> bool {
        self.seen.load(Ordering::Relaxed) > ENTRY_LIMIT
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Met<'_> {
    /// Opens it for reading, if it is a regular file.
    ///
    /// # Errors
    /// When it isn't, or can't be read.
    pub fn open(&self) -> Result<cap_std::fs::File, AccessError> {
        super::open::open_listed(self.folder, self.name.as_os_str())
    }
}
