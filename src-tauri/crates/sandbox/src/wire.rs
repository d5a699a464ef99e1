//! What crosses between the caller and `assent-sandbox`: length-prefixed JSON over one socket, which is also the
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
    let mut body = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

/// How many descriptors come with one message at most.
#[cfg(unix)]
const MOST_DESCRIPTORS: usize = 2;

/// Reads a whole buffer and the descriptors that came with its first byte (`unix(7)`, `SCM_RIGHTS`).
#[cfg(unix)]
pub fn read_with_descriptors(
    from: &std::os::unix::net::UnixStream,
    buffer: &mut [u8],
) -> io::Result<Vec<std::os::fd::OwnedFd>> {
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
    let mut room = [0_u64; 8];
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: all-zero is a valid value of this structure.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = room.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&room) as _;
    #[cfg(target_os = "linux")]
    let flags = libc::MSG_CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = 0;
    // SAFETY: the structure and everything it points to are valid and writable.
    let read = unsafe { libc::recvmsg(from.as_raw_fd(), &raw mut message, flags) };
    let read = usize::try_from(read).map_err(|_| io::Error::last_os_error())?;
    let mut descriptors = Vec::new();
    // SAFETY: the kernel filled the room with whole headers; each descriptor it put there is new and ours.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(&raw const message);
        while let Some(found) = header.as_ref() {
            if found.cmsg_level == libc::SOL_SOCKET && found.cmsg_type == libc::SCM_RIGHTS {
                let bytes = size(found.cmsg_len).saturating_sub(size(libc::CMSG_LEN(0)));
                let data = libc::CMSG_DATA(header).cast::<RawFd>();
                for place in 0..bytes / size_of::<RawFd>() {
                    descriptors.push(OwnedFd::from_raw_fd(data.add(place).read_unaligned()));
                }
            }
            header = libc::CMSG_NXTHDR(&raw const message, header);
        }
    }
    match buffer.get_mut(read..) {
        Some([]) => Ok(descriptors),
        Some(_) if read == 0 => Err(io::ErrorKind::UnexpectedEof.into()),
        Some(rest) => (&mut &*from).read_exact(rest).map(|()| descriptors),
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// A size of the C library's, whose type differs from system to system.
#[cfg(unix)]
fn size(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or_default()
}

/// Writes a buffer with descriptors on its first byte.
#[cfg(unix)]
pub fn write_with_descriptors(
    to: &std::os::unix::net::UnixStream,
    buffer: &[u8],
    descriptors: &[&std::os::fd::OwnedFd],
) -> io::Result<()> {
    use std::os::fd::{AsRawFd, RawFd};
    let mut room = [0_u64; 8];
    let bytes = descriptors.len().min(MOST_DESCRIPTORS).saturating_mul(size_of::<RawFd>()) as libc::c_uint;
    let mut part = libc::iovec { iov_base: buffer.as_ptr().cast_mut().cast(), iov_len: buffer.len() };
    // SAFETY: all-zero is a valid value of this structure.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    if bytes > 0 {
        message.msg_control = room.as_mut_ptr().cast();
        // SAFETY: only computes a number.
        message.msg_controllen = unsafe { libc::CMSG_SPACE(bytes) } as _;
        // SAFETY: the room is large enough for one header and the two descriptors at most that follow it.
        unsafe {
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(bytes) as _;
            let data = libc::CMSG_DATA(header).cast::<RawFd>();
            for (place, descriptor) in descriptors.iter().take(MOST_DESCRIPTORS).enumerate() {
                data.add(place).write_unaligned(descriptor.as_raw_fd());
            }
        }
    }
    // SAFETY: the structure and everything it points to are valid.
    let written = unsafe { libc::sendmsg(to.as_raw_fd(), &raw const message, 0) };
    let written = usize::try_from(written).map_err(|_| io::Error::last_os_error())?;
    (&mut &*to).write_all(buffer.get(written..).unwrap_or_default())
}

/// Reads one message with the descriptors that came with it; `None` where the other side closed.
#[cfg(unix)]
pub fn receive_with_descriptors(
    from: &std::os::unix::net::UnixStream,
) -> io::Result<Option<(Message, Vec<std::os::fd::OwnedFd>)>> {
    let mut length = [0; 4];
    let descriptors = match read_with_descriptors(from, &mut length) {
        Ok(descriptors) => descriptors,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    };
    let message = receive((&length[..]).chain(from))?;
    Ok(message.map(|message| (message, descriptors)))
}

/// Writes one message with descriptors.
#[cfg(unix)]
pub fn send_with_descriptors(
    to: &std::os::unix::net::UnixStream,
    message: &Message,
    descriptors: &[&std::os::fd::OwnedFd],
) -> io::Result<()> {
    let mut frame = Vec::new();
    send(&mut frame, message)?;
    write_with_descriptors(to, &frame, descriptors)
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
