//! What an operating system gives, behind one trait: a folder for each, one of which is compiled into the program.

use crate::forward::Forwarder;
use crate::report::SandboxReport;
use crate::start::{Sandbox, StartError};
use crate::wire::{Message, Order};
use std::fmt;
use std::io::{self, PipeWriter};
use std::path::Path;
use std::process::Child;

#[cfg(target_os = "linux")]
pub(crate) use crate::linux::Linux as Native;
#[cfg(target_os = "macos")]
pub(crate) use crate::macos::MacOs as Native;
#[cfg(windows)]
pub(crate) use crate::windows::Windows as Native;

/// One operating system's confinement, on both sides: the caller's, and the helper's.
pub(crate) trait Backend {
    /// The caller's connection to the supervisor.
    type Link: Link;

    /// Caller: starts the helper, hands it its order and the two streams' ends to write.
    fn hand_over(
        helper: &Path,
        order: Order,
        output: PipeWriter,
        errors: PipeWriter,
    ) -> Result<HandedOver<Self::Link>, StartError>;

    /// Helper: takes the order, carries it out, and stays until nothing of the tree is left. Gives its exit code.
    fn carry_out() -> i32;

    /// Helper, confined: tries what the self-test wants tried, and says what came of it; `None` where the targets can't
    /// be understood.
    fn probe(targets: &str) -> Option<String>;

    /// Caller: finds out by trying what holds on this machine.
    fn self_test(sandbox: &Sandbox) -> SandboxReport;
}

/// The caller's connection to the supervisor. Clones are equal.
pub(crate) trait Link: Clone + fmt::Debug + Send + Sync {
    /// The next message; `None` once the supervisor is done. One thread at a time.
    fn receive(&self) -> io::Result<Option<Message>>;

    /// Asks the supervisor to end the tree; returns at once. Asking again, or after the end, does nothing.
    fn end(&self);
}

/// A command in the hands of the helper.
#[derive(Debug)]
pub(crate) struct HandedOver<L> {
    /// The helper.
    pub helper: Child,
    /// The connection to it.
    pub link: L,
    /// What it said while the order was handed over.
    pub heard: Option<Message>,
    /// The command's network, where it has one.
    pub forwarder: Option<Forwarder>,
}
