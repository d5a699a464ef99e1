//! Builds the file tree of [`plan`](super::plan) and makes it the root folder.

use super::masks::Masks;
use super::plan::{Step, What};
use super::{SetupError, sys};
use crate::command::Limits;
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY;
const NO_SPECIALS: u64 = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// Files below this size are copied rather than mounted, bytes.
const SMALL: usize = 256 << 10;

/// A tree under construction: one memory file system holds its skeleton and everything private.
struct Tree {
    /// The memory file system itself; not part of what the command will see.
    scratch: OwnedFd,
    /// The folder that becomes the root.
    root: OwnedFd,
    /// Folders of the skeleton and private ones: only in these may places be made.
    ours: HashMap<PathBuf, OwnedFd>,
    /// Where the real tree, or a view of it, begins.
    real: HashSet<PathBuf>,
    /// How many private folders were made.
    made: u32,
    /// The watch over what is hidden.
    masks: Option<Masks>,
    /// What small files are read into.
    buffer: Vec<u8>,
    /// Whether overlays need their unprivileged form.
    in_user_namespace: bool,
}

/// The tree that this process is in.
#[derive(Debug)]
pub struct Entered {
    /// The folders that can be written.
    pub writable: Vec<PathBuf>,
    /// The watch over what is hidden; `None` where nothing is, or nothing more can be watched.
    pub masks: Option<Masks>,
}

/// Builds the tree and moves into it.
pub fn enter(steps: &[Step], limits: &Limits, in_user_namespace: bool) -> Result<Entered, SetupError> {
    sys::make_all_mounts_private().map_err(SetupError::because("make mounts private"))?;
    let mut tree = Tree::new(limits.scratch_bytes, in_user_namespace)
        .map_err(SetupError::because("mount a private file system in memory"))?;
    let mut writable = vec![PathBuf::from("/dev")];
    for step in steps {
        if tree.take(step).map_err(SetupError::at(&step.at))? && step.what.can_be_written() {
            writable.push(step.at.clone());
        }
    }
    for folder in super::plan::closed(steps) {
        tree.close(&folder).map_err(SetupError::at(&folder))?;
    }
    tree.mount_proc(limits.processes)?;
    sys::set_mount_attributes(&tree.root, READ_ONLY | NO_SPECIALS, false)
        .and_then(|()| sys::pivot_into(&tree.root))
        .map_err(SetupError::because("move into the private root folder"))?;
    Ok(Entered { writable, masks: tree.masks })
}

impl What {
    /// Devices are meant with their folder, where nothing else can be written.
    fn can_be_written(&self) -> bool {
        match self {
            Self::Real { writable } => *writable,
            Self::Private | Self::Overlay => true,
            Self::Folder
            | Self::Device
            | Self::Link(_)
            | Self::Copied
            | Self::Shown
            | Self::Protected
            | Self::Content(_)
            | Self::Empty
            | Self::Masked => false,
        }
    }
}

impl Tree {
    fn new(scratch_bytes: u64, in_user_namespace: bool) -> io::Result<Self> {
        let size = CString::new(scratch_bytes.to_string())?;
        let options = [(c"size", Some(size.as_c_str())), (c"mode", Some(c"755"))];
        let scratch = sys::new_mount(c"tmpfs", &options, NO_SPECIALS)?;
        // The old root's own entry is covered; what is below it stays reachable for this process.
        sys::attach(&scratch, sys::HERE, c"/")?;
        let inside = scratch.as_raw_fd();
        sys::make_dir(inside, c"root", 0o755)?;
        sys::make_dir(inside, c"empty", 0o555)?;
        sys::make_file(inside, c"nothing", 0o444)?;
        let root = sys::clone_tree(inside, c"root")?;
        sys::attach(&root, inside, c"root")?;
        Ok(Self {
            scratch,
            root,
            ours: HashMap::new(),
            real: HashSet::new(),
            made: 0,
            masks: None,
            buffer: vec![0; SMALL],
            in_user_namespace,
        })
    }

    /// Takes one step; `false` where it can't apply because its place doesn't exist in the real tree.
    fn take(&mut self, step: &Step) -> io::Result<bool> {
        let at = &step.at;
        match &step.what {
            What::Folder => {
                if self.is_real(at) {
                    return Ok(self.existing(at)?.is_some());
                }
                self.folder(at).map(|_| true)
            }
            What::Link(to) => self.link(at, to),
            What::Copied => self.copy(at),
            What::Shown => self.show(at),
            What::Real { writable } => {
                let source = sys::look_up(sys::HERE, &c_string(at)?)?;
                let mount = sys::clone_tree(source.as_raw_fd(), c"")?;
                self.mount(mount, at, NO_SPECIALS | if *writable { 0 } else { READ_ONLY })
            }
            What::Device => {
                let mount = sys::clone_tree(sys::HERE, &c_string(at)?)?;
                self.mount(mount, at, libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC)
            }
            What::Private => self.private(at),
            What::Overlay => match self.overlay(at) {
                Ok(mount) => self.mount(mount, at, NO_SPECIALS),
                // Kernels before 5.11, and file systems that can't be a lower layer: seen, not written.
                Err(_) => self.show(at),
            },
            What::Protected => {
                let Some(place) = self.existing(at)? else { return Ok(false) };
                let mount = sys::clone_tree(place.as_raw_fd(), c"")?;
                sys::set_mount_attributes(&mount, NO_SPECIALS | READ_ONLY, true)?;
                sys::attach(&mount, place.as_raw_fd(), c"").map(|()| true)
            }
            What::Content(content) => {
                let name = self.next_name()?;
                let inside = self.scratch.as_raw_fd();
                let file = sys::open_at(inside, &name, libc::O_CREAT | libc::O_WRONLY, 0o444)?;
                io::Write::write_all(&mut std::fs::File::from(file), content)?;
                let mount = sys::clone_tree(inside, &name)?;
                self.cover(mount, at)
            }
            What::Masked => self.mask(at),
            What::Empty => {
                let Some(place) = self.existing(at)? else { return Ok(false) };
                let source = if is_folder(&place)? { c"empty" } else { c"nothing" };
                let mount = sys::clone_tree(self.scratch.as_raw_fd(), source)?;
                self.cover(mount, at)
            }
        }
    }

    /// Lays an empty file or folder of its own over what is there, and watches it.
    fn mask(&mut self, at: &Path) -> io::Result<bool> {
        let Some(place) = self.existing(at)? else { return Ok(false) };
        let (inside, name) = (self.scratch.as_raw_fd(), self.next_name()?);
        if is_folder(&place)? {
            sys::make_dir(inside, &name, 0o555)?;
        } else {
            sys::make_file(inside, &name, 0o444)?;
        }
        if self.masks.is_none() {
            self.masks = Masks::new().ok();
        }
        // Where no more can be watched it is hidden all the same.
        let _unwatched = self.masks.as_mut().map(|masks| masks.watch(inside, &name, at));
        let mount = sys::clone_tree(inside, &name)?;
        self.cover(mount, at)
    }

    /// Attaches a mount, making its place where that lies in a folder of ours.
    fn mount(&mut self, mount: OwnedFd, at: &Path, attributes: u64) -> io::Result<bool> {
        sys::set_mount_attributes(&mount, attributes, true)?;
        if self.is_real(at) {
            let Some(place) = self.existing(at)? else { return Ok(false) };
            sys::attach(&mount, place.as_raw_fd(), c"")?;
        } else {
            let name = c_name(at)?;
            let folder = is_folder(&mount)?;
            let within = self.folder(at.parent().unwrap_or(at))?;
            let made = if folder {
                sys::make_dir(within, &name, 0o755)
            } else {
                sys::make_file(within, &name, 0o444)
            };
            unless_there(made)?;
            sys::attach(&mount, within, &name)?;
        }
        self.real.insert(at.to_owned());
        Ok(true)
    }

    /// An empty folder that can be written, and in which places can be made.
    fn private(&mut self, at: &Path) -> io::Result<bool> {
        let name = self.private_folder(0o1777)?;
        let mount = sys::clone_tree(self.scratch.as_raw_fd(), &name)?;
        sys::set_mount_attributes(&mount, NO_SPECIALS, true)?;
        if self.is_real(at) {
            let Some(place) = self.existing(at)? else { return Ok(false) };
            sys::attach(&mount, place.as_raw_fd(), c"")?;
        } else {
            let place = self.folder(at)?;
            sys::attach(&mount, place, c"")?;
        }
        self.ours.insert(at.to_owned(), mount);
        Ok(true)
    }

    /// Attaches a read-only mount over something that exists.
    fn cover(&self, mount: OwnedFd, at: &Path) -> io::Result<bool> {
        let Some(place) = self.existing(at)? else { return Ok(false) };
        sys::set_mount_attributes(&mount, READ_ONLY | NO_SPECIALS, true)?;
        sys::attach(&mount, place.as_raw_fd(), c"")?;
        Ok(true)
    }

    /// Makes a folder of the skeleton read-only, but nothing that is mounted in it.
    fn close(&self, at: &Path) -> io::Result<()> {
        let Some(place) = self.existing(at)? else { return Ok(()) };
        let mount = sys::clone_tree(place.as_raw_fd(), c"")?;
        sys::set_mount_attributes(&mount, NO_SPECIALS | READ_ONLY, false)?;
        sys::attach(&mount, place.as_raw_fd(), c"")
    }

    /// Brings in, read-only, what a path leads to; a path that leads nowhere brings nothing.
    fn show(&mut self, at: &Path) -> io::Result<bool> {
        match sys::clone_tree_behind(&c_string(at)?) {
            Ok(mount) => self.mount(mount, at, NO_SPECIALS | READ_ONLY),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Copies a small file; one that leads nowhere brings nothing, a large one is shown.
    fn copy(&mut self, at: &Path) -> io::Result<bool> {
        let Ok(mut file) = std::fs::File::open(at) else { return Ok(false) };
        let within = self.folder(at.parent().unwrap_or(at))?;
        let Some(content) = read_small(&mut file, &mut self.buffer)? else { return self.show(at) };
        let copy = sys::open_at(within, &c_name(at)?, libc::O_CREAT | libc::O_WRONLY, 0o444)?;
        io::Write::write_all(&mut std::fs::File::from(copy), content)?;
        Ok(true)
    }

    fn link(&mut self, at: &Path, to: &Path) -> io::Result<bool> {
        if self.is_real(at) {
            return Ok(false);
        }
        let within = self.folder(at.parent().unwrap_or(at))?;
        sys::make_symlink(&c_string(to)?, within, &c_name(at)?)?;
        Ok(true)
    }

    /// Whether a path lies where the real tree is shown: nothing is made there.
    fn is_real(&self, at: &Path) -> bool {
        let nearest =
            at.ancestors().find(|known| self.ours.contains_key(*known) || self.real.contains(*known));
        nearest.is_some_and(|known| !self.ours.contains_key(known))
    }

    /// What is there now, reached through no link.
    fn existing(&self, at: &Path) -> io::Result<Option<OwnedFd>> {
        match sys::look_up(self.root.as_raw_fd(), &below_root(at)?) {
            Ok(place) => Ok(Some(place)),
            Err(error)
                if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ELOOP | libc::ENOTDIR)) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// A folder of ours, made with those it lies in.
    fn folder(&mut self, at: &Path) -> io::Result<RawFd> {
        if let Some(known) = self.ours.get(at) {
            return Ok(known.as_raw_fd());
        }
        let Some(parent) = at.parent() else { return Ok(self.root.as_raw_fd()) };
        let within = self.folder(parent)?;
        let name = c_name(at)?;
        unless_there(sys::make_dir(within, &name, 0o755))?;
        let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW;
        let folder = sys::open_at(within, &name, flags, 0)?;
        let raw = folder.as_raw_fd();
        self.ours.insert(at.to_owned(), folder);
        Ok(raw)
    }

    fn next_name(&mut self) -> io::Result<CString> {
        self.made = self.made.saturating_add(1);
        Ok(CString::new(format!("p{}", self.made))?)
    }

    fn private_folder(&mut self, mode: libc::mode_t) -> io::Result<CString> {
        let name = self.next_name()?;
        let inside = self.scratch.as_raw_fd();
        sys::make_dir(inside, &name, 0o700)?;
        // The creation mask doesn't apply to this one.
        set_mode(inside, &name, mode)?;
        Ok(name)
    }

    fn overlay(&mut self, lower: &Path) -> io::Result<OwnedFd> {
        let lower = sys::open_at(sys::HERE, &c_string(lower)?, libc::O_PATH | libc::O_DIRECTORY, 0)?;
        let (upper, work) = (self.private_folder(0o755)?, self.private_folder(0o700)?);
        // Descriptor paths need no escaping, and reach what lies under the covered root.
        let scratch = self.scratch.as_raw_fd();
        let inside = |name: &CStr| {
            CString::new([format!("/proc/self/fd/{scratch}/").as_bytes(), name.to_bytes()].concat())
        };
        let (upper, work) = (inside(&upper)?, inside(&work)?);
        let lower = CString::new(format!("/proc/self/fd/{}", lower.as_raw_fd()))?;
        let mut options: Vec<(&CStr, Option<&CStr>)> = vec![
            (c"lowerdir", Some(lower.as_c_str())),
            (c"upperdir", Some(upper.as_c_str())),
            (c"workdir", Some(work.as_c_str())),
        ];
        if self.in_user_namespace {
            options.push((c"userxattr", None));
        }
        sys::new_mount(c"overlay", &options, NO_SPECIALS)
    }

    /// A view of this process namespace alone. It can't be written: for the super-user's own id, the settings in it
    /// need no capability.
    fn mount_proc(&self, processes: Option<u32>) -> Result<(), SetupError> {
        let mount = || {
            let proc = sys::new_mount(c"proc", &[], NO_SPECIALS | libc::MOUNT_ATTR_NOEXEC)?;
            if let Some(limit) = processes {
                // Kernels before 6.14 count them for the whole machine, and refuse: there the supervisor counts.
                let _counted_by_the_supervisor = bound_processes(&proc, limit);
            }
            sys::set_mount_attributes(&proc, READ_ONLY, false)?;
            sys::attach(&proc, self.root.as_raw_fd(), c"proc")
        };
        mount().map_err(SetupError::because("mount /proc (a container that masks parts of /proc forbids it)"))
    }
}

/// Bounds the process numbers of this namespace.
fn bound_processes(proc: &OwnedFd, limit: u32) -> io::Result<()> {
    /// Numbers up to `RESERVED_PIDS` are given out once only.
    const RESERVED: u32 = 301;
    let file = sys::open_at(proc.as_raw_fd(), c"sys/kernel/pid_max", libc::O_WRONLY, 0)?;
    let most = limit.saturating_add(RESERVED).to_string();
    io::Write::write_all(&mut std::fs::File::from(file), most.as_bytes())
}

/// The whole content of a file that fits the buffer.
fn read_small<'a>(file: &mut std::fs::File, buffer: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
    let mut length = 0;
    while let Some(room) = buffer.get_mut(length..).filter(|room| !room.is_empty()) {
        match io::Read::read(file, room)? {
            0 => return Ok(buffer.get(..length)),
            read => length = length.saturating_add(read),
        }
    }
    Ok(None)
}

fn set_mode(at: RawFd, path: &CStr, mode: libc::mode_t) -> io::Result<()> {
    // SAFETY: a valid C string.
    sys::check(libc::c_long::from(unsafe { libc::fchmodat(at, path.as_ptr(), mode, 0) })).map(drop)
}

fn is_folder(file: &OwnedFd) -> io::Result<bool> {
    Ok(sys::status_at(file.as_raw_fd(), c"")?.st_mode & libc::S_IFMT == libc::S_IFDIR)
}

fn unless_there(made: io::Result<()>) -> io::Result<()> {
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

fn c_string(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// The last part of a path.
fn c_name(path: &Path) -> io::Result<CString> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(CString::new(name.as_bytes())?)
}

/// A path without its leading slash, so that it is looked up below the new root.
fn below_root(path: &Path) -> io::Result<CString> {
    c_string(path.strip_prefix("/").unwrap_or(path))
}
