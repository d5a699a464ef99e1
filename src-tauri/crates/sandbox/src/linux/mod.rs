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
mod descriptors;
mod filter;
mod floor;
mod forward;
mod line;
mod masks;
mod mechanisms;
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

use crate::backend::{Backend, HandedOver};
use crate::confinement::Level;
use crate::outcome::Outcome;
use crate::report::SandboxReport;
use crate::report::Strength;
use crate::setup_error::SetupError;
use crate::start::{Sandbox, StartError};
use crate::unix::{check_paths, link, probe, self_test};
use crate::wire::{self, Message, Order};
use std::io::{self, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// Namespaces, Landlock and a system call filter.
pub(crate) struct Linux;

impl Backend for Linux {
    type Link = line::Line;

    fn hand_over(
        helper: &Path,
        order: Order,
        output: PipeWriter,
        errors: PipeWriter,
    ) -> Result<HandedOver<line::Line>, StartError> {
        let ports = forward::Ports::open(&order.confinement)?;
        let mut handed = line::over(link::hand_over(helper, &order, output, errors)?);
        if order.confinement.has_network() {
            take_network(&mut handed, &order, ports);
        }
        Ok(handed)
    }

    fn carry_out() -> i32 {
        run()
    }

    fn probe(targets: &str) -> Option<String> {
        probe::run(targets, mechanisms::FURTHER)
    }

    fn self_test(sandbox: &Sandbox) -> SandboxReport {
        self_test::run(sandbox, &mechanisms::PLATFORM)
    }
}

/// Takes over the network's descriptors, which come first. Anything else that comes first is the end.
fn take_network(handed: &mut HandedOver<line::Line>, order: &Order, ports: forward::Ports) {
    let Ok(Some((message, descriptors))) = descriptors::receive_with_descriptors(handed.link.stream()) else {
        return;
    };
    let mut descriptors = descriptors.into_iter();
    match (message, descriptors.next(), descriptors.next()) {
        (Message::Network, Some(proxy), Some(channel)) => {
            handed.forwarder = Some(ports.serve(&order.confinement, proxy, channel));
        }
        (message, ..) => handed.heard = Some(message),
    }
}

/// Takes the order from standard input, a socket, and carries it out.
fn run() -> i32 {
    let Ok(control) = link::take_control_socket() else { return 126 };
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

fn unconfined(order: &Order, control: &UnixStream) -> Result<Option<Outcome>, SetupError> {
    privileges::become_session_leader()?;
    supervise::adopt_orphans()?;
    let started = command::start(order, &command::Setting::Open)?;
    Ok(Some(supervise::watch(
        order,
        control,
        started,
        supervise::Tree::Descendants,
        Strength::None,
        &mut supervise::Heard::default(),
    )))
}

fn confined(order: &Order, control: &UnixStream) -> Result<Option<Outcome>, SetupError> {
    check_paths::check(order)?;
    privileges::become_session_leader()?;
    let placed = placeholders::Placed::beside(&order.confinement)?;
    let ended = namespaces::run_inside(|inside| match as_init(order, control, inside) {
        Err(error) if order.confinement.best_effort && !is_the_programs(&error) => namespaces::End::NotSetUp,
        ended => {
            let (outcome, masks) = ended.unwrap_or_else(|error| (Outcome::from(error), None));
            // The caller takes a missing message for what it is: a supervisor that died.
            let _caller_gone = tell_end(control, &Message::Ended(outcome), masks);
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

/// Tells of the end. The watch over what was hidden goes to the caller with it: to close the last descriptor of one
/// takes the kernel some ten milliseconds, and this process's end is waited for.
fn tell_end(control: &UnixStream, ended: &Message, masks: Option<masks::Masks>) -> io::Result<()> {
    let Some(watch) = masks.map(OwnedFd::from) else { return wire::send(control, ended) };
    // Where no descriptor can be sent, the end is told all the same.
    descriptors::send_with_descriptors(control, ended, &[&watch]).or_else(|_| wire::send(control, ended))
}

/// Everything that happens inside the namespaces, as process 1. Gives how the command ended and the watch over what
/// was hidden from it.
fn as_init(
    order: &Order,
    control: &UnixStream,
    inside: namespaces::Inside,
) -> Result<(Outcome, Option<masks::Masks>), SetupError> {
    let confinement = &order.confinement;
    let steps = plan::steps(confinement, home(order).as_deref(), look);
    let entered = root::enter(&steps, &order.command.limits, inside.user)?;
    let loopback = confinement.level == Level::WorkspaceWrite || confinement.has_network();
    if loopback {
        namespaces::raise_loopback()?;
    }
    let network = if confinement.has_network() { Some(network::Exit::open()?) } else { None };
    if let Some(exit) = &network {
        exit.hand_over(control)?;
    }
    privileges::drop_all()?;
    let setting = command::Setting::Confined {
        readable: &[PathBuf::from("/")],
        writable: &entered.writable,
        loopback,
        own_users: inside.user,
        alone: false,
    };
    let mut order = Order { command: order.command.clone(), confinement: confinement.clone() };
    if let Some(exit) = network.as_ref().filter(|_| !confinement.hosts.is_empty()) {
        exit.name_proxy(&mut order.command.env);
    }
    let started = command::start(&order, &setting)?;
    let mut heard =
        supervise::Heard { channel: network.map(network::Exit::into_channel), masks: entered.masks };
    let outcome =
        supervise::watch(&order, control, started, supervise::Tree::Namespace, Strength::Full, &mut heard);
    Ok((outcome, heard.masks))
}

/// Whether the sandbox stands and only the program is at fault.
fn is_the_programs(error: &SetupError) -> bool {
    match error {
        SetupError::Program(_) => true,
        SetupError::Step { .. } | SetupError::Path { .. } | SetupError::Rules(_) | SetupError::Refused(_) => {
            false
        }
    }
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
