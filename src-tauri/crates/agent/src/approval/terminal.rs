//! The terminal as a surface: the request's lines, then a question that only `y` or `yes` answers with allow.
//!
//! Only the terminal itself can answer. What was typed before the question is thrown away.

use super::broker::{Broker, DecideError};
use super::{Answer, Approval, Choice, Presenter, Surface};
use assent_policy::request::{Language, sheet};
use std::collections::HashSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A terminal that a person sits at.
pub trait Tty: Send {
    /// Columns of a line.
    fn columns(&self) -> usize;

    /// Throws away what was typed so far.
    ///
    /// # Errors
    /// When that isn't possible; then nothing may be asked.
    fn discard_input(&mut self) -> std::io::Result<()>;

    /// Shows `text`.
    ///
    /// # Errors
    /// When it can't be shown.
    fn show(&mut self, text: &str) -> std::io::Result<()>;

    /// The next line without its end; `None` at the end of the input, or as soon as `stop` says so.
    ///
    /// # Errors
    /// When the terminal can't be read.
    fn read_line(&mut self, stop: &dyn Fn() -> bool) -> std::io::Result<Option<String>>;
}

/// Asks on a terminal, one call at a time, in a thread of its own.
pub struct TerminalSurface {
    queue: Mutex<Sender<Approval>>,
    settled: Arc<Mutex<HashSet<String>>>,
}

impl TerminalSurface {
    /// Starts to ask for `broker` on `tty`.
    #[must_use]
    pub fn new(broker: &Arc<Broker>, tty: Box<dyn Tty>) -> Self {
        let (queue, calls) = channel();
        let settled = Arc::new(Mutex::new(HashSet::new()));
        let desk = Desk { broker: Arc::downgrade(broker), tty, settled: Arc::clone(&settled) };
        std::thread::spawn(move || desk.work(&calls));
        Self { queue: Mutex::new(queue), settled }
    }

    /// The terminal on standard input, with questions on standard error; `None` where standard input is none.
    #[must_use]
    pub fn on_standard_input(broker: &Arc<Broker>) -> Option<Self> {
        use std::io::IsTerminal as _;
        std::io::stdin().is_terminal().then(|| Self::new(broker, Box::new(StandardTerminal)))
    }
}

impl Presenter for TerminalSurface {
    fn waiting(&self, approval: &Approval) {
        // With the asking thread gone there is no terminal any more; the call then waits for its expiry.
        let _ = self.queue.lock().unwrap_or_else(PoisonError::into_inner).send(approval.clone());
    }

    fn settled(&self, id: &str, _answer: &Answer) {
        self.settled.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned());
    }
}

struct Desk {
    broker: Weak<Broker>,
    tty: Box<dyn Tty>,
    settled: Arc<Mutex<HashSet<String>>>,
}

impl Desk {
    fn work(mut self, calls: &Receiver<Approval>) {
        while let Ok(approval) = calls.recv() {
            if self.has_ended(&approval) {
                continue;
            }
            let choice = self.ask(&approval);
            let Some(broker) = self.broker.upgrade() else { return };
            let outcome = match choice {
                Ok(Some(choice)) => {
                    broker.decide(&approval.id, &approval.nonce, &approval.digest, choice, Surface::Terminal)
                }
                Ok(None) => Ok(()),
                Err(error) => broker
                    .unavailable(&approval, &format!("The terminal failed: {error}."))
                    .map(|_| ())
                    .map_err(DecideError::from),
            };
            if let Err(error) = outcome {
                // The person has to know that what they typed did not count.
                let _ = self.tty.show(&format!("That answer did not count: failed to {error}.\n"));
            }
        }
    }

    /// `None` where the call ended while it was asked.
    fn ask(&mut self, approval: &Approval) -> std::io::Result<Option<Choice>> {
        self.tty.discard_input()?;
        let text = approval.request.text(Language::English);
        let rows = sheet(&text.lines, self.tty.columns().clamp(40, 120));
        self.tty.show(&format!("\n{}\n\n{}\n\nAllow once? [y/N] ", text.title, rows.join("\n")))?;
        let (settled, id) = (Arc::clone(&self.settled), approval.id.clone());
        let ended = move || settled.lock().unwrap_or_else(PoisonError::into_inner).contains(&id);
        let line = self.tty.read_line(&ended)?;
        if self.has_ended(approval) {
            self.tty.show("\nNo answer is needed any more.\n")?;
            return Ok(None);
        }
        Ok(Some(choice(line.as_deref())))
    }

    fn has_ended(&self, approval: &Approval) -> bool {
        self.settled.lock().unwrap_or_else(PoisonError::into_inner).contains(&approval.id)
    }
}

/// `y` and `yes` allow; anything else denies, the end of the input too.
fn choice(line: Option<&str>) -> Choice {
    match line {
        Some("y" | "yes") => Choice::Allow,
        Some(_) | None => Choice::Deny { words: None },
    }
}

struct StandardTerminal;

#[cfg(unix)]
impl Tty for StandardTerminal {
    fn columns(&self) -> usize {
        rustix::termios::tcgetwinsize(std::io::stdin()).map_or(80, |size| match size.ws_col {
            0 => 80,
            columns => usize::from(columns),
        })
    }

    fn discard_input(&mut self) -> std::io::Result<()> {
        Ok(rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush)?)
    }

    fn show(&mut self, text: &str) -> std::io::Result<()> {
        use std::io::Write as _;
        let mut err = std::io::stderr().lock();
        err.write_all(text.as_bytes())?;
        err.flush()
    }

    fn read_line(&mut self, stop: &dyn Fn() -> bool) -> std::io::Result<Option<String>> {
        use rustix::event::{PollFd, PollFlags, poll};
        use rustix::time::Timespec;
        let stdin = std::io::stdin();
        let mut line = Vec::new();
        // Past std's buffer, so that nothing read here is left for anyone else, and nothing typed earlier counts.
        loop {
            let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
            let patience = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
            match poll(&mut ready, Some(&patience)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {
                    if stop() {
                        return Ok(None);
                    }
                    continue;
                }
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            let mut byte = [0_u8; 1];
            match rustix::io::read(&stdin, &mut byte) {
                Ok(0) => return Ok(None),
                Ok(_) if byte == *b"\n" => break,
                Ok(_) => line.extend_from_slice(&byte),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if line.len() > 4096 {
                break;
            }
        }
        Ok(Some(String::from_utf8_lossy(&line).into_owned()))
    }
}

/// A console can't be emptied from here without unsafe calls, and an early key must never count: nothing is asked.
#[cfg(not(unix))]
impl Tty for StandardTerminal {
    fn columns(&self) -> usize {
        80
    }

    fn discard_input(&mut self) -> std::io::Result<()> {
        Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
    }

    fn show(&mut self, text: &str) -> std::io::Result<()> {
        use std::io::Write as _;
        let mut err = std::io::stderr().lock();
        err.write_all(text.as_bytes())?;
        err.flush()
    }

    fn read_line(&mut self, _stop: &dyn Fn() -> bool) -> std::io::Result<Option<String>> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
