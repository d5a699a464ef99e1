//! Running one command to its end: output streamed, Stop heard, the whole tree gone before the answer.

use super::output::Output;
use assent_sandbox::{Command, Confinement, Ended, Leash, Sandbox, StartError, Streams};
use std::io::{PipeReader, Read};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Takes output as it comes.
pub type Show = Arc<dyn Fn(String) + Send + Sync>;

/// How a command went.
#[derive(Debug)]
pub struct Finished {
    /// As the supervisor saw it.
    pub ended: Ended,
    /// All it wrote.
    pub output: Output,
    /// Stop ended it.
    pub cancelled: bool,
}

/// How long output is awaited after the tree is gone: only something outside the tree can still hold the pipe.
const STRAGGLERS: Duration = Duration::from_secs(1);

/// Bytes read at a time.
const PIECE: usize = 64 * 1024;

/// Runs `command`. Dropping the future ends the tree too.
///
/// # Errors
/// When the helper could not be started; nothing ran.
pub async fn run(
    sandbox: &Sandbox,
    command: Command,
    confinement: Confinement,
    output: Output,
    show: Show,
    cancel: &CancellationToken,
) -> Result<Finished, StartError> {
    let starter = sandbox.clone();
    let started = blocking(move || starter.start(command, confinement, Streams::Merged)).await?;
    let leash = EndsWhenDropped(started.running.leash());
    let (send, mut received) = tokio::sync::oneshot::channel();
    let reading = Reading { output: Some(output), show, leash: leash.0.clone(), send: Some(send) };
    let pipe = started.output;
    tokio::task::spawn_blocking(move || reading.until_end(pipe));
    let running = started.running;
    let mut waiting = std::pin::pin!(blocking(move || running.wait(|_| {})));
    let mut cancelled = false;
    let ended = tokio::select! {
        ended = &mut waiting => ended,
        () = cancel.cancelled() => {
            cancelled = true;
            leash.0.end();
            waiting.await
        }
    };
    let output = match tokio::time::timeout(STRAGGLERS, &mut received).await {
        Ok(Ok(output)) => output,
        // The reader still waits for somebody outside the tree; what it has is in the file.
        Ok(Err(_)) | Err(_) => Output::lost(),
    };
    Ok(Finished { ended, output, cancelled })
}

struct EndsWhenDropped(Leash);

impl Drop for EndsWhenDropped {
    fn drop(&mut self) {
        self.0.end();
    }
}

struct Reading {
    output: Option<Output>,
    show: Show,
    leash: Leash,
    send: Option<tokio::sync::oneshot::Sender<Output>>,
}

impl Reading {
    fn until_end(mut self, mut pipe: PipeReader) {
        let Some(mut output) = self.output.take() else { return };
        let mut piece = vec![0; PIECE];
        loop {
            match pipe.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => {
                    let text = output.take(piece.get(..length).unwrap_or_default());
                    if !text.is_empty() {
                        (self.show)(text);
                    }
                    if output.is_flood() {
                        self.leash.end();
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        if let Some(send) = self.send.take() {
            // Nobody waits any more where the call was given up.
            let _given_up = send.send(output);
        }
    }
}

/// Work that waits for the OS, off the async threads.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
