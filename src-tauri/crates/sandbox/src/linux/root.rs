//! Builds the file tree of [`plan`](super::plan) and makes it the root folder.

use super::plan::{Step, What};
use super::{SetupError, sys};
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY;
const NO_SPECIALS: u64 = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// A tree under construction: one memory file system holds its skeleton and everything private.
struct Tree {
    /// The memory file system itself; not part of what the command will see.
    scratch: OwnedFd,
    /// Its device number, which tells the skeleton from what is mounted on it.
    device: libc::dev_t,
    /// The folder that becomes the root.
    root: OwnedFd,
    /// How many private folders were made.
    made: u32,
    /// Whether overlays need their unprivileged form.
    in_user_namespace: bool,
}

/// Builds the tree and moves into it. Returns the folders that can be written.
pub fn enter(
    steps: &[Step],
    scratch_bytes: u64,
    in_user_namespace: bool,
) -> Result<Vec<PathBuf>, SetupError> {
    sys::make_all_mounts_private().map_err(SetupError::because("make mounts private"))?;
    let mut tree = Tree::new(scratch_bytes, in_user_namespace)
        .map_err(SetupError::because("mount a private file system in memory"))?;
    let mut writable = Vec::new();
    for step in steps {
        let at = c_path(&step.at)?;
        let relative = below_root(&at);
        if tree.take(step, relative).map_err(SetupError::at(&step.at))? && step.what.can_be_written() {
            writable.push(step.at.clone());
        }
    }
    for folder in super::plan::closed(steps) {
        tree.close(&folder).map_err(SetupError::at(&folder))?;
    }
    tree.mount_proc()?;
    sys::set_mount_attributes(&tree.root, READ_ONLY | NO_SPECIALS, false)
        .and_then(|()| sys::pivot_into(&tree.root))
        .map_err(SetupError::because("move into the private root folder"))?;
    Ok(writable)
}

impl What {
    fn can_be_written(&self) -> bool {
        match self {
            Self::Real { writable } => *writable,
            Self::Device | Self::Private | Self::Overlay => true,
            Self::Folder | Self::Link(_) | Self::Shown | Self::Protected | Self::Content(_) | Self::Empty => {
                false
            }
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
        drop(sys::open_at(inside, c"nothing", libc::O_CREAT | libc::O_WRONLY, 0o444)?);
        let root = sys::clone_tree(inside, c"root")?;
        sys::attach(&root, inside, c"root")?;
        let device = sys::status_at(inside, c"")?.st_dev;
        Ok(Self { scratch, device, root, made: 0, in_user_namespace })
    }

    /// Takes one step; `false` where it can't apply because its place doesn't exist in the real tree.
    fn take(&mut self, step: &Step, at: &CStr) -> io::Result<bool> {
        match &step.what {
            What::Folder => self.place(at, true).map(|place| place.is_some()),
            What::Link(to) => self.link(at, to),
            What::Shown => self.show(&step.at, at),
            What::Real { writable } => {
                let source = sys::look_up(sys::HERE, &c_string(&step.at)?)?;
                let mount = sys::clone_tree(source.as_raw_fd(), c"")?;
                let read_only = if *writable { 0 } else { READ_ONLY };
                self.mount(mount, at, NO_SPECIALS | read_only)
            }
            What::Device => {
                let mount = sys::clone_tree(sys::HERE, &c_string(&step.at)?)?;
                self.mount(mount, at, libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC)
            }
            What::Private => {
                let mount = self.private_folder(0o1777)?;
                let mount = sys::clone_tree(self.scratch.as_raw_fd(), &mount)?;
                self.mount(mount, at, NO_SPECIALS)
            }
            What::Overlay => match self.overlay(&step.at) {
                Ok(mount) => self.mount(mount, at, NO_SPECIALS),
                // Kernels before 5.11, and file systems that can't be a lower layer: seen, not written.
                Err(_) => self.show(&step.at, at),
            },
            What::Protected => {
                let Some(place) = self.existing(at)? else { return Ok(false) };
                let mount = sys::clone_tree(place.as_raw_fd(), c"")?;
                self.mount(mount, at, NO_SPECIALS | READ_ONLY)
            }
            What::Content(content) => {
                let name = self.next_name()?;
                let inside = self.scratch.as_raw_fd();
                let file = sys::open_at(inside, &name, libc::O_CREAT | libc::O_WRONLY, 0o444)?;
                io::Write::write_all(&mut std::fs::File::from(file), content)?;
                let mount = sys::clone_tree(inside, &name)?;
                self.cover(mount, at)
            }
            What::Empty => {
                let Some(place) = self.existing(at)? else { return Ok(false) };
                let status = sys::status_at(place.as_raw_fd(), c"")?;
                let folder = status.st_mode & libc::S_IFMT == libc::S_IFDIR;
                let source = if folder { c"empty" } else { c"nothing" };
                let mount = sys::clone_tree(self.scratch.as_raw_fd(), source)?;
                self.cover(mount, at)
            }
        }
    }

    /// Makes a folder of the skeleton read-only, but nothing that is mounted in it.
    fn close(&self, path: &Path) -> io::Result<()> {
        let at = c_string(path)?;
        let Some(place) = self.existing(below_root(&at))? else { return Ok(()) };
        let mount = sys::clone_tree(place.as_raw_fd(), c"")?;
        sys::set_mount_attributes(&mount, NO_SPECIALS | READ_ONLY, false)?;
        sys::attach(&mount, place.as_raw_fd(), c"")
    }

    /// Brings in, read-only, what a path leads to; a link that leads nowhere brings nothing.
    fn show(&self, path: &Path, at: &CStr) -> io::Result<bool> {
        match sys::open_at(sys::HERE, &c_string(path)?, libc::O_PATH, 0) {
            Ok(source) => self.mount(sys::clone_tree(source.as_raw_fd(), c"")?, at, NO_SPECIALS | READ_ONLY),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Attaches a mount, making its place where that lies in the skeleton.
    fn mount(&self, mount: OwnedFd, at: &CStr, attributes: u64) -> io::Result<bool> {
        let folder = sys::status_at(mount.as_raw_fd(), c"")?.st_mode & libc::S_IFMT == libc::S_IFDIR;
        let Some(place) = self.place(at, folder)? else { return Ok(false) };
        sys::set_mount_attributes(&mount, attributes, true)?;
        sys::attach(&mount, place.as_raw_fd(), c"")?;
        Ok(true)
    }

    /// Attaches a read-only mount over something that exists.
    fn cover(&self, mount: OwnedFd, at: &CStr) -> io::Result<bool> {
        let Some(place) = self.existing(at)? else { return Ok(false) };
        sys::set_mount_attributes(&mount, READ_ONLY | NO_SPECIALS, true)?;
        sys::attach(&mount, place.as_raw_fd(), c"")?;
        Ok(true)
    }

    fn link(&self, at: &CStr, to: &Path) -> io::Result<bool> {
        let Some(parent) = parent_of(at)? else { return Ok(false) };
        if self.place(&parent, true)?.is_none() {
            return Ok(false);
        }
        sys::make_symlink(&c_string(to)?, self.root.as_raw_fd(), at)?;
        Ok(true)
    }

    fn existing(&self, at: &CStr) -> io::Result<Option<OwnedFd>> {
        match sys::look_up(self.root.as_raw_fd(), at) {
            Ok(place) => Ok(Some(place)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The place itself, made with its folders where they lie in the skeleton; `None` where making it would
    /// touch the real tree.
    fn place(&self, at: &CStr, folder: bool) -> io::Result<Option<OwnedFd>> {
        if let Some(place) = self.existing(at)? {
            return Ok(Some(place));
        }
        let Some(parent) = parent_of(at)? else { return Ok(None) };
        let Some(within) = self.place(&parent, true)? else { return Ok(None) };
        if sys::status_at(within.as_raw_fd(), c"")?.st_dev != self.device {
            return Ok(None);
        }
        let root = self.root.as_raw_fd();
        if folder {
            sys::make_dir(root, at, 0o755)?;
        } else {
            drop(sys::open_at(root, at, libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY, 0o444)?);
        }
        self.existing(at)
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
    fn mount_proc(&self) -> Result<(), SetupError> {
        let mount = || {
            let proc = sys::new_mount(c"proc", &[], NO_SPECIALS | libc::MOUNT_ATTR_NOEXEC)?;
            sys::set_mount_attributes(&proc, READ_ONLY, false)?;
            sys::attach(&proc, self.root.as_raw_fd(), c"proc")
        };
        mount().map_err(SetupError::because("mount /proc (a container that masks parts of /proc forbids it)"))
    }
}

fn set_mode(at: RawFd, path: &CStr, mode: libc::mode_t) -> io::Result<()> {
    // SAFETY: a valid C string.
    sys::check(libc::c_long::from(unsafe { libc::fchmodat(at, path.as_ptr(), mode, 0) })).map(drop)
}

fn c_string(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

fn c_path(path: &Path) -> Result<CString, SetupError> {
    c_string(path).map_err(SetupError::at(path))
}

/// A path without its leading slashes, so that it is looked up below the new root; the root itself is `.`.
fn below_root(path: &CStr) -> &CStr {
    let skip = path.to_bytes().iter().take_while(|byte| **byte == b'/').count();
    match path.to_bytes_with_nul().get(skip..).and_then(|rest| CStr::from_bytes_with_nul(rest).ok()) {
        Some(rest) if !rest.is_empty() => rest,
        Some(_) | None => c".",
    }
}

fn parent_of(path: &CStr) -> io::Result<Option<CString>> {
    let bytes = path.to_bytes();
    if bytes == b"." {
        return Ok(None);
    }
    let parent = bytes.iter().rposition(|byte| *byte == b'/').and_then(|end| bytes.get(..end));
    Ok(Some(CString::new(parent.unwrap_or(b"."))?))
}
