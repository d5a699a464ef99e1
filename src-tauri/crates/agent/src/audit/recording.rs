//! A file layer that writes down what is asked of it, and fails where a test wants it to.

use super::head::{Backing, HeadFile};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex};

/// What was asked of the file. Reads and writes in a row count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Lock,
    Read,
    Write,
    Sync,
    Unlock,
}

/// What was asked, in order.
#[derive(Clone, Default)]
pub(super) struct Recording {
    operations: Arc<Mutex<Vec<Operation>>>,
    fails: Option<Operation>,
}

impl Recording {
    /// One whose layer can't do this.
    pub(super) fn failing(operation: Operation) -> Self {
        Self { fails: Some(operation), ..Self::default() }
    }

    /// Puts it under a head.
    pub(super) fn under(&self, head: HeadFile) -> HeadFile {
        let recording = self.clone();
        head.over(|file| Box::new(Layer { recording, file }))
    }

    /// What was asked since the last look.
    pub(super) fn take(&self) -> Vec<Operation> {
        let mut operations = std::mem::take(&mut *self.operations.lock().unwrap());
        operations.dedup();
        operations
    }

    fn note(&self, operation: Operation) -> io::Result<()> {
        self.operations.lock().unwrap().push(operation);
        match self.fails {
            Some(fails) if fails == operation => Err(io::Error::other("a test wants it to fail")),
            Some(_) | None => Ok(()),
        }
    }
}

struct Layer {
    recording: Recording,
    file: Box<dyn Backing>,
}

impl Read for Layer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.recording.note(Operation::Read)?;
        self.file.read(buffer)
    }
}

impl Write for Layer {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.recording.note(Operation::Write)?;
        self.file.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Layer {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Backing for Layer {
    fn lock(&self) -> io::Result<()> {
        self.recording.note(Operation::Lock)?;
        self.file.lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.recording.note(Operation::Unlock)?;
        self.file.unlock()
    }

    fn sync_data(&self) -> io::Result<()> {
        self.recording.note(Operation::Sync)?;
        self.file.sync_data()
    }
}
