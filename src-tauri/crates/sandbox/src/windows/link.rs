//! The connection between caller and helper: two pipes, the helper's standard input and output. The command's own
//! streams are put into the helper by their handles' numbers, so that nothing has to be inherited.

use super::sys::check;
use crate::backend::{HandedOver, Link};
use crate::start::StartError;
use crate::wire::{self, Message, Order};
use serde::{Deserialize, Serialize};
use std::io::{self, PipeReader, PipeWriter};
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use windows_sys::Win32::Foundation::{DUPLICATE_SAME_ACCESS, DuplicateHandle, HANDLE};
use windows_sys::Win32::System::Threading::{CREATE_NO_WINDOW, GetCurrentProcess};

/// The order with what belongs to it here.
#[derive(Debug, Serialize, Deserialize)]
pub struct HandedOrder {
    /// The order itself.
    pub order: Order,
    /// The helper's handle of the command's standard output.
    pub output: usize,
    /// The helper's handle of the command's standard error.
    pub errors: usize,
}

/// The caller's end.
#[derive(Clone, Debug)]
pub struct Pipes {
    /// Closing it is asking for the end.
    orders: Arc<Mutex<Option<PipeWriter>>>,
    messages: Arc<PipeReader>,
}

impl Link for Pipes {
    fn receive(&self) -> io::Result<Option<Message>> {
        wire::receive(&*self.messages)
    }

    fn end(&self) {
        drop(self.orders.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Starts the helper and hands over the order.
pub fn hand_over(
    helper: &Path,
    order: Order,
    output: &PipeWriter,
    errors: &PipeWriter,
) -> Result<HandedOver<Pipes>, StartError> {
    let (helper, orders, messages) = spawn(helper).map_err(StartError::Helper)?;
    let link = Pipes { orders: Arc::new(Mutex::new(None)), messages: Arc::new(messages) };
    let mut handed = HandedOver { helper, link, heard: None, forwarder: None };
    let give = |handed: &HandedOver<Pipes>| {
        let output = put_into(&handed.helper, output)?;
        let errors = put_into(&handed.helper, errors)?;
        wire::send(&orders, &HandedOrder { order, output, errors })
    };
    match give(&handed) {
        Ok(()) => {
            *handed.link.orders.lock().unwrap_or_else(PoisonError::into_inner) = Some(orders);
            Ok(handed)
        }
        Err(error) => {
            drop(orders);
            let _gone = handed.helper.wait();
            Err(StartError::Helper(error))
        }
    }
}

fn spawn(helper: &Path) -> io::Result<(Child, PipeWriter, PipeReader)> {
    let (theirs_in, orders) = io::pipe()?;
    let (messages, theirs_out) = io::pipe()?;
    let mut command = std::process::Command::new(helper);
    command.arg("run").env_clear();
    // Libraries of the system look for their parts there.
    if let Some(root) = std::env::var_os("SystemRoot") {
        command.env("SystemRoot", root);
    }
    let helper = command
        .stdin(Stdio::from(OwnedHandle::from(theirs_in)))
        .stdout(Stdio::from(OwnedHandle::from(theirs_out)))
        .stderr(Stdio::null())
        // A console of its own, out of sight: for Ctrl-Break to the command alone.
        .creation_flags(CREATE_NO_WINDOW)
        .spawn()?;
    Ok((helper, orders, messages))
}

/// Makes the same handle in the helper; gives its number there.
fn put_into(helper: &Child, pipe: &PipeWriter) -> io::Result<usize> {
    let mut there: HANDLE = std::ptr::null_mut();
    // SAFETY: both processes and the pipe are open, and the place is writable. The helper owns the new handle.
    check(unsafe {
        DuplicateHandle(
            GetCurrentProcess(),
            pipe.as_raw_handle(),
            helper.as_raw_handle(),
            &raw mut there,
            0,
            0,
            DUPLICATE_SAME_ACCESS,
        )
    })?;
    Ok(there.expose_provenance())
}
