//! Descriptors that come with a message over a socket.

use crate::wire::{self, Message};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// How many descriptors come with one message at most.
const MOST_DESCRIPTORS: usize = 2;

/// Reads a whole buffer and the descriptors that came with its first byte (`unix(7)`, `SCM_RIGHTS`).
pub fn read_with_descriptors(from: &UnixStream, buffer: &mut [u8]) -> io::Result<Vec<OwnedFd>> {
    let mut room = [0_u64; 8];
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: all-zero is a valid value of this structure.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = room.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&room) as _;
    // SAFETY: the structure and everything it points to are valid and writable.
    let read = unsafe { libc::recvmsg(from.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) };
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
fn size(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or_default()
}

/// Writes a buffer with descriptors on its first byte.
pub fn write_with_descriptors(to: &UnixStream, buffer: &[u8], descriptors: &[&OwnedFd]) -> io::Result<()> {
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
pub fn receive_with_descriptors(from: &UnixStream) -> io::Result<Option<(Message, Vec<OwnedFd>)>> {
    let mut length = [0; 4];
    let descriptors = match read_with_descriptors(from, &mut length) {
        Ok(descriptors) => descriptors,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    };
    let message = wire::receive((&length[..]).chain(from))?;
    Ok(message.map(|message| (message, descriptors)))
}

/// Writes one message with descriptors.
pub fn send_with_descriptors(to: &UnixStream, message: &Message, descriptors: &[&OwnedFd]) -> io::Result<()> {
    let mut frame = Vec::new();
    wire::send(&mut frame, message)?;
    write_with_descriptors(to, &frame, descriptors)
}
