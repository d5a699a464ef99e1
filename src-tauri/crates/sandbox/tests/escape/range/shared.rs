//! What processes share by name or key, without a file of their own folder.

use super::SHARED;
use std::ffi::CString;
use std::path::{Path, PathBuf};

pub struct Shared {
    /// Of a file of shared memory, and of a message queue.
    pub name: String,
    /// Of a shared memory.
    pub key: i32,
    segment: i32,
    queue: libc::mqd_t,
}

impl Shared {
    pub fn new(name: &str) -> Self {
        let name = format!("/{name}");
        let queue_name = CString::new(name.as_str()).unwrap();
        // SAFETY: all-zero is a valid value of this structure.
        let mut size: libc::mq_attr = unsafe { std::mem::zeroed() };
        (size.mq_maxmsg, size.mq_msgsize) = (1, 8);
        let flags = libc::O_CREAT | libc::O_EXCL | libc::O_RDWR | libc::O_NONBLOCK;
        // SAFETY: a valid C string and structure.
        let queue =
            unsafe { libc::mq_open(queue_name.as_ptr(), flags, 0o600 as libc::mode_t, &raw const size) };
        assert!(queue >= 0, "{}", std::io::Error::last_os_error());
        // Keys are few: another test may have taken one.
        let first = std::process::id().cast_signed();
        let made = (first..).step_by(7).take(1_000).find_map(|key| {
            // SAFETY: plain numbers.
            let segment = unsafe { libc::shmget(key, 1, libc::IPC_CREAT | libc::IPC_EXCL | 0o600) };
            (segment >= 0).then_some((key, segment))
        });
        let (key, segment) = made.unwrap();
        let shared = Self { name, key, segment, queue };
        // SAFETY: the segment is ours and holds a byte.
        unsafe { shared.memory().write_volatile(SHARED) };
        std::fs::write(shared.file(), "old").unwrap();
        shared
    }

    pub fn was_reached(&self) -> bool {
        // SAFETY: all-zero is a valid value of this structure.
        let mut state: libc::mq_attr = unsafe { std::mem::zeroed() };
        // SAFETY: the structure is writable, and the segment is ours and holds a byte.
        let (asked, byte) =
            unsafe { (libc::mq_getattr(self.queue, &raw mut state), self.memory().read_volatile()) };
        assert_eq!(asked, 0);
        state.mq_curmsgs != 0 || byte != SHARED || std::fs::read(self.file()).unwrap() != b"old"
    }

    fn file(&self) -> PathBuf {
        Path::new("/dev/shm").join(self.name.trim_start_matches('/'))
    }

    fn memory(&self) -> *mut u8 {
        // SAFETY: the kernel chooses the place.
        let memory = unsafe { libc::shmat(self.segment, std::ptr::null(), 0) };
        assert!(memory as isize != -1, "{}", std::io::Error::last_os_error());
        memory.cast()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let name = CString::new(self.name.as_str()).unwrap();
        // SAFETY: a valid C string; the segment and the queue are ours.
        unsafe {
            libc::mq_close(self.queue);
            libc::mq_unlink(name.as_ptr());
            libc::shmctl(self.segment, libc::IPC_RMID, std::ptr::null_mut());
        }
        let _gone = std::fs::remove_file(self.file());
    }
}
