//! This system's side of the trait.

use super::{mechanisms, profile, start, supervise};
use crate::backend::{Backend, HandedOver};
use crate::confinement::{Confinement, Level};
use crate::forward::Forwarder;
use crate::outcome::Outcome;
use crate::report::{SandboxReport, Strength};
use crate::setup_error::SetupError;
use crate::start::{Sandbox, StartError};
use crate::unix::link::{self, Socket};
use crate::unix::private_folder::PrivateFolder;
use crate::unix::{check_paths, probe, self_test};
use crate::wire::{self, Message, Order};
use serde::{Deserialize, Serialize};
use std::io::PipeWriter;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Seatbelt.
pub(crate) struct MacOs;

/// The order with what belongs to it here.
#[derive(Debug, Serialize, Deserialize)]
struct HandedOrder {
    order: Order,
    /// The port of the caller's proxy, where the command may reach hosts.
    proxy: Option<u16>,
}

impl Backend for MacOs {
    type Link = Socket;

    fn hand_over(
        helper: &Path,
        mut order: Order,
        output: PipeWriter,
        errors: PipeWriter,
    ) -> Result<HandedOver<Socket>, StartError> {
        are_free(&order.confinement)?;
        let (forwarder, proxy) = if order.confinement.hosts.is_empty() {
            (None, None)
        } else {
            let (forwarder, port) = Forwarder::on_loopback(&order.confinement).map_err(StartError::Helper)?;
            crate::forward::name_proxy(&mut order.command.env, port);
            (Some(forwarder), Some(port))
        };
        let handed = link::hand_over(helper, &HandedOrder { order, proxy }, output, errors)?;
        Ok(HandedOver { forwarder, ..handed })
    }

    fn carry_out() -> i32 {
        /// The exit code where the helper could not do its work.
        const FAILED: i32 = 126;
        let Ok(control) = link::take_control_socket() else { return FAILED };
        let order = match wire::receive::<HandedOrder>(&control) {
            Ok(Some(order)) => order,
            // The caller is gone, or is not ours.
            Ok(None) | Err(_) => return FAILED,
        };
        let outcome = carry_out(order, &control).unwrap_or_else(Outcome::from);
        if wire::send(&control, &Message::Ended(outcome)).is_ok() { 0 } else { FAILED }
    }

    fn probe(targets: &str) -> Option<String> {
        probe::run(targets, mechanisms::FURTHER)
    }

    fn self_test(sandbox: &Sandbox) -> SandboxReport {
        self_test::run(sandbox, &mechanisms::PLATFORM)
    }
}

/// The command listens on this machine's own loopback: a port in use is an error before anything runs.
fn are_free(confinement: &Confinement) -> Result<(), StartError> {
    confinement.listen.iter().try_for_each(|port| match TcpListener::bind((Ipv4Addr::LOCALHOST, *port)) {
        Ok(_) => Ok(()),
        Err(error) => Err(StartError::Port { port: *port, error }),
    })
}

fn carry_out(handed: HandedOrder, control: &UnixStream) -> Result<Outcome, SetupError> {
    let HandedOrder { mut order, proxy } = handed;
    if order.confinement.level == Level::Unsandboxed {
        let started = start::start(&order, None)?;
        return supervise::watch(&order, control, started, Strength::None);
    }
    check_paths::check(&order)?;
    let temp = PrivateFolder::new().map_err(SetupError::because("make a private temp folder"))?;
    let folder = temp.path.canonicalize().map_err(SetupError::at(&temp.path))?;
    order.command.env.retain(|(name, _)| name != "TMPDIR");
    order.command.env.push(("TMPDIR".into(), folder.clone().into()));
    let text = profile::profile(&order.confinement, &folder, proxy);
    let (started, strength) = match start::start(&order, Some(&text)) {
        Ok(started) => (started, Strength::Full),
        Err(SetupError::Rules(_)) if order.confinement.best_effort => {
            (start::start(&order, None)?, Strength::None)
        }
        Err(error) => return Err(error),
    };
    supervise::watch(&order, control, started, strength)
}
