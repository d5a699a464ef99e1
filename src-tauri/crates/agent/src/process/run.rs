//! Running one command to its end: output streamed, Stop heard, the whole tree gone before the answer.

use super::output::Output;
use assent_sandbox::{Command, Confinement, Ended, Leash, Sandbox, StartError, Streams};
use std::io::{PipeReader, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};
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
    let reading =
        Reading { output: Some(output), show: Progress::new(show), leash: leash.0.clone(), send: Some(send) };
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
    show: Progress,
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
                    self.show.take(text);
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

/// What is shown while a command runs: all of it at first, of a flood now and then its latest, so that nobody who shows
/// it falls behind.
struct Progress {
    show: Show,
    shown: usize,
    next: Instant,
}

impl Progress {
    /// Shown whole, bytes.
    const WHOLE: usize = 1 << 20;
    /// Shown at a time beyond that, bytes.
    const PART: usize = 4 << 10;
    /// How long it is until the next.
    const PAUSE: Duration = Duration::from_millis(100);

    fn new(show: Show) -> Self {
        Self { show, shown: 0, next: Instant::now() }
    }

    fn take(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        self.shown = self.shown.saturating_add(text.len());
        if self.shown <= Self::WHOLE {
            return (self.show)(text);
        }
        if Instant::now() >= self.next {
            self.next = Instant::now() + Self::PAUSE;
            let from = text.len().saturating_sub(Self::PART);
            let latest = text.char_indices().map(|(at, _)| at).find(|at| *at >= from);
            (self.show)(format!("\n…\n{}", latest.and_then(|at| text.get(at..)).unwrap_or_default()));
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
