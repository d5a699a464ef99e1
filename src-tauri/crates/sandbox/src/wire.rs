//! What crosses between the caller and `assent-sandbox`: length-prefixed JSON over one connection, which is also the
//! leash: the tree ends when the caller's side closes.

use crate::command::Command;
use crate::confinement::Confinement;
use crate::outcome::{Outcome, Refusal};
use crate::report::Strength;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::{self, Read, Write};

/// The one thing the caller sends.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// What to start.
    pub command: Command,
    /// What it is confined to.
    pub confinement: Confinement,
}

/// What the supervisor sends.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// The program runs, so much confined.
    Running(Strength),
    /// The network's two descriptors come with this message: the proxy's listener, and the channel for connections to
    /// the command. Always before `Running`.
    Network,
    /// Something was refused.
    Refused(Refusal),
    /// The end; nothing of the tree is left when the socket closes.
    Ended(Outcome),
}

/// No order is larger, bytes.
const LARGEST: u32 = 64 << 20;

/// Writes one value.
pub fn send<T: Serialize>(mut to: impl Write, value: &T) -> io::Result<()> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, value)?;
    let length = u32::try_from(frame.len().saturating_sub(4)).ok().filter(|length| *length <= LARGEST);
    let length =
        length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "too large to hand over"))?;
    for (place, byte) in frame.iter_mut().zip(length.to_le_bytes()) {
        *place = byte;
    }
    to.write_all(&frame)
}

/// Reads one value; `None` where the other side closed.
pub fn receive<T: DeserializeOwned>(mut from: impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length);
    if length > LARGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "too large to take over"));
    }
    let mut body = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    from.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R50: an order that is too long, cut or no JSON is an error, never a half-understood confinement.
    #[test]
    fn broken_frames_are_errors() {
        let frame = |length: u32, body: &[u8]| [&length.to_le_bytes()[..], body].concat();
        for bad in [frame(LARGEST + 1, b""), frame(9, b"\"Running"), frame(3, b"{{{"), frame(0, b"")] {
            assert!(receive::<Message>(&bad[..]).is_err(), "{bad:?}");
        }
        assert_eq!(receive::<Message>(&b""[..]).unwrap(), None);
    }
}
