//! The Linux backend, inside the helper: who starts whom.
//!
//! ```text
//! caller ──socket──► supervisor ──► init of the namespaces ──► command
//!                    (this process)  (process 1 in there)
//! ```
//! The supervisor stays in the caller's namespaces, for what must be put in order after the end. The init holds the
//! leash, watches limits and refusals, and takes its whole process namespace with it when it ends: nothing in it can
//! outlive it, whatever it forked. Without confinement the supervisor watches by itself.

mod bpf;
mod command;
mod errors;
mod filter;
mod floor;
mod namespaces;
mod network;
mod notify;
mod placeholders;
mod plan;
mod privileges;
mod root;
mod rules;
mod supervise;
mod sys;
mod usage;

use crate::confinement::Level;
use crate::outcome::Outcome;
use crate::report::Strength;
use crate::wire::{self, Message, Order};
pub(crate) use errors::SetupError;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// The newest Landlock ABI of this kernel; 0 where there is none (`landlock_create_ruleset(2)`).
pub fn landlock_abi() -> i64 {
    const VERSION: libc::c_uint = 1;
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with this flag the call takes no structure and makes nothing.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, VERSION) }.max(0)
}

/// Takes the order from standard input, a socket, and carries it out.
pub fn run() -> i32 {
    let Ok(control) = take_control_socket() else { return 126 };
    let order = match wire::receive::<Order>(&control) {
        Ok(Some(order)) => order,
        // The caller is gone, or is not ours.
        Ok(None) | Err(_) => return 126,
    };
    let outcome = match order.confinement.level {
        Level::Unsandboxed => unconfined(&order, &control),
        Level::ReadOnly | Level::WorkspaceWrite => confined(&order, &control),
    };
    let sent = match outcome {
        // The init has already told how it ended.
        Ok(None) => Ok(()),
        Ok(Some(outcome)) => wire::send(&control, &Message::Ended(outcome)),
        Err(error) => wire::send(&control, &Message::Ended(Outcome::from(error))),
    };
    if sent.is_ok() { 0 } else { 126 }
}

/// Moves the socket off standard input, which becomes the null device.
fn take_control_socket() -> io::Result<UnixStream> {
    // SAFETY: a plain duplication of a descriptor that the caller gave this program.
    let raw = sys::check(libc::c_long::from(unsafe { libc::fcntl(0, libc::F_DUPFD_CLOEXEC, 3) }))?;
    let raw = libc::c_int::try_from(raw).map_err(io::Error::other)?;
    // SAFETY: the kernel just made this descriptor for us.
    let control = UnixStream::from(unsafe { OwnedFd::from_raw_fd(raw) });
    let null = sys::open_at(sys::HERE, c"/dev/null", libc::O_RDONLY, 0)?;
    // SAFETY: both descriptors are ours.
    sys::check(libc::c_long::from(unsafe { libc::dup2(std::os::fd::AsRawFd::as_raw_fd(&null), 0) }))?;
    Ok(control)
}

fn unconfined(order: &Order, control: &UnixStream) -> Result<Option<Outcome>, SetupError> {
    privileges::become_session_leader()?;
    supervise::adopt_orphans()?;
    let started = command::start(order, &command::Setting::Open)?;
    Ok(Some(supervise::watch(order, control, started, supervise::Tree::Descendants, Strength::None, None)))
}

fn confined(order: &Order, control: &UnixStream) -> Result<Option<Outcome>, SetupError> {
    check_paths(order)?;
    privileges::become_session_leader()?;
    let placed = placeholders::Placed::beside(&order.confinement)?;
    let ended = namespaces::run_inside(|inside| match as_init(order, control, inside) {
        Err(error) if order.confinement.best_effort && !error.is_the_programs() => namespaces::End::NotSetUp,
        ended => {
            let outcome = ended.unwrap_or_else(Outcome::from);
            // The caller takes a missing message for what it is: a supervisor that died.
            let _caller_gone = wire::send(control, &Message::Ended(outcome));
            namespaces::End::Told
        }
    });
    let ended = match ended {
        Ok(namespaces::End::Told) => Ok(None),
        Ok(namespaces::End::NotSetUp) => floor::run(order, control).map(Some),
        Err(_) if order.confinement.best_effort => floor::run(order, control).map(Some),
        Err(error) => Err(error),
    };
    if let Some(placed) = placed {
        placed.remove();
    }
    ended
}

/// Everything that happens inside the namespaces, as process 1.
fn as_init(order: &Order, control: &UnixStream, inside: namespaces::Inside) -> Result<Outcome, SetupError> {
    let confinement = &order.confinement;
    let steps = plan::steps(confinement, home(order).as_deref(), look);
    let writable = root::enter(&steps, order.command.limits.scratch_bytes, inside.user)?;
    let loopback = confinement.level == Level::WorkspaceWrite || confinement.has_network();
    if loopback {
        namespaces::raise_loopback()?;
    }
    let network = if confinement.has_network() { Some(network::Exit::open()?) } else { None };
    if let Some(exit) = &network {
        exit.hand_over(control)?;
    }
    namespaces::bound_processes(order.command.limits.processes);
    privileges::drop_all()?;
    let setting = command::Setting::Confined {
        readable: &[PathBuf::from("/")],
        writable: &writable,
        loopback,
        own_users: inside.user,
    };
    let mut order = Order { command: order.command.clone(), confinement: confinement.clone() };
    if let Some(exit) = network.as_ref().filter(|_| !confinement.hosts.is_empty()) {
        exit.name_proxy(&mut order.command.env);
    }
    let started = command::start(&order, &setting)?;
    let channel = network.map(network::Exit::into_channel);
    Ok(supervise::watch(&order, control, started, supervise::Tree::Namespace, Strength::Full, channel))
}

fn home(order: &Order) -> Option<PathBuf> {
    order.command.env.iter().find(|(name, _)| name == "HOME").map(|(_, value)| PathBuf::from(value))
}

fn look(path: &Path) -> plan::Found {
    match path.symlink_metadata() {
        Err(_) => plan::Found::Nothing,
        Ok(data) if placeholders::is_marked(&data) => plan::Found::Placeholder,
        Ok(data) if data.is_dir() => plan::Found::Folder,
        Ok(data) if data.is_symlink() => path.read_link().map_or(plan::Found::Nothing, plan::Found::Link),
        Ok(_) => plan::Found::File,
    }
}

/// Nothing is mounted for a path that means something else than it says.
fn check_paths(order: &Order) -> Result<(), SetupError> {
    let Order { confinement, command } = order;
    if confinement.workspace.parent().is_none() {
        return Err(SetupError::Refused("the workspace is the root folder".to_owned()));
    }
    let lists = [
        &confinement.protected,
        &confinement.hidden,
        &confinement.read,
        &confinement.toolchains,
        &confinement.write,
        &confinement.overlays,
    ];
    let replaced = confinement.replaced.iter().map(|replaced| &replaced.path);
    let single = [&confinement.workspace, &command.cwd];
    for path in lists.into_iter().flatten().chain(replaced).chain(single) {
        let plain = path
            .components()
            .all(|part| matches!(part, std::path::Component::RootDir | std::path::Component::Normal(_)));
        if !path.is_absolute() || !plain {
            return Err(SetupError::Refused(format!("{} is no absolute, resolved path", path.display())));
        }
    }
    Ok(())
}
