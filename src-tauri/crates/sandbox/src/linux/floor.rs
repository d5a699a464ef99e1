//! What is left where no namespace can be made: Landlock, the system call filter and limits.
//!
//! Writing outside, reading outside, the network and other processes are held; a path inside the workspace can be
//! neither protected nor hidden, for Landlock only adds rights. So no profile is in force, and a command runs like
//! this only where a person allowed it knowing so.

use super::{SetupError, command, plan, privileges, supervise};
use crate::confinement::Level;
use crate::outcome::Outcome;
use crate::report::Strength;
use crate::unix::private_folder::PrivateFolder;
use crate::wire::Order;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// Runs the command on the floor, from its start to the end of its tree.
pub fn run(order: &Order, control: &UnixStream) -> Result<Outcome, SetupError> {
    if order.confinement.has_network() {
        return Err(SetupError::Refused(
            "give the command its own network: that needs a network namespace (without the sandbox it can be run)".to_owned(),
        ));
    }
    let temp = PrivateFolder::new().map_err(SetupError::because("make a private temp folder"))?;
    let mut order =
        crate::wire::Order { command: order.command.clone(), confinement: order.confinement.clone() };
    order.command.env.retain(|(name, _)| name != "TMPDIR");
    order.command.env.push(("TMPDIR".into(), temp.path.clone().into()));
    supervise::adopt_orphans()?;
    privileges::drop_all()?;
    let (readable, writable) = rights(&order, &temp.path);
    let setting = command::Setting::Confined {
        readable: &readable,
        writable: &writable,
        loopback: false,
        own_users: false,
        alone: true,
    };
    let started = command::start(&order, &setting)?;
    Ok(supervise::watch(
        &order,
        control,
        started,
        supervise::Tree::Descendants,
        Strength::Floor,
        &mut supervise::Heard::default(),
    ))
}

fn rights(order: &Order, temp: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let confinement = &order.confinement;
    let exists = |path: &&PathBuf| path.exists();
    let mut readable: Vec<PathBuf> = plan::system_paths().filter(|path| path.exists()).collect();
    // Of other processes it shows no memory and no environment: they are outside the Landlock domain.
    readable.push(PathBuf::from("/proc"));
    readable.extend(confinement.read.iter().chain([&confinement.workspace]).filter(exists).cloned());
    let mut writable: Vec<PathBuf> = plan::DEVICES.iter().map(|name| Path::new("/dev").join(name)).collect();
    writable.push(temp.to_owned());
    writable.extend(confinement.write.iter().filter(exists).cloned());
    if confinement.level == Level::WorkspaceWrite {
        writable.push(confinement.workspace.clone());
        readable.extend(confinement.toolchains.iter().chain(&confinement.overlays).filter(exists).cloned());
    }
    (readable, writable)
}
