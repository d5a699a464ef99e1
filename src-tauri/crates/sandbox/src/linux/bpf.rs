//! Classic BPF for seccomp filters, assembled by hand: `seccompiler` has no action for
//! user notification, by which refusals become known.

use super::sys;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// One instruction.
type Instruction = libc::sock_filter;

/// What a filter answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The call goes on.
    Allow,
    /// It fails with this error number.
    Fail(libc::c_int),
    /// The supervisor is asked.
    Ask,
}

impl Answer {
    fn code(self) -> u32 {
        match self {
            Self::Allow => libc::SECCOMP_RET_ALLOW,
            Self::Fail(errno) => libc::SECCOMP_RET_ERRNO | (errno.cast_unsigned() & libc::SECCOMP_RET_DATA),
            Self::Ask => libc::SECCOMP_RET_USER_NOTIF,
        }
    }
}

/// A test of one argument's low 32 bits, which is all the kernel looks at for the arguments tested here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Any of these bits is set.
    AnyBit(u32),
    /// It is this value.
    Is(u32),
    /// It is another value.
    IsNot(u32),
    /// It is this value under a mask.
    Masked(u32, u32),
}

/// A program under construction.
#[derive(Debug, Default)]
pub struct Program {
    code: Vec<Instruction>,
}

/// Offsets into `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xC000_00B7;

/// The marker of calls in the x32 ABI.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

const fn statement(code: u32, k: u32) -> Instruction {
    Instruction { code: code as u16, jt: 0, jf: 0, k }
}

const fn jump(condition: u32, k: u32, jt: u8, jf: u8) -> Instruction {
    Instruction { code: (libc::BPF_JMP | condition | libc::BPF_K) as u16, jt, jf, k }
}

const fn load(offset: u32) -> Instruction {
    statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset)
}

const fn give(answer: u32) -> Instruction {
    statement(libc::BPF_RET | libc::BPF_K, answer)
}

impl Program {
    /// A program that refuses every call of a foreign ABI.
    #[must_use]
    pub fn new() -> Self {
        let refuse = Answer::Fail(libc::ENOSYS).code();
        let mut code =
            vec![load(ARCHITECTURE), jump(libc::BPF_JEQ, NATIVE, 1, 0), give(refuse), load(NUMBER)];
        #[cfg(target_arch = "x86_64")]
        code.extend([jump(libc::BPF_JGE, X32, 0, 1), give(refuse)]);
        Self { code }
    }

    /// Answers one call whatever its arguments.
    pub fn on(&mut self, call: libc::c_long, answer: Answer) {
        self.code.extend([jump(libc::BPF_JEQ, call_number(call), 0, 1), give(answer.code())]);
    }

    /// Answers one call where an argument (0 to 5) passes a test; else goes on.
    pub fn on_argument(&mut self, call: libc::c_long, argument: u32, test: Test, answer: Answer) {
        let offset = ARGUMENTS.saturating_add(argument.saturating_mul(8));
        let check: &[Instruction] = &match test {
            Test::AnyBit(bits) => [jump(libc::BPF_JSET, bits, 0, 1), give(answer.code())].to_vec(),
            Test::Is(value) => [jump(libc::BPF_JEQ, value, 0, 1), give(answer.code())].to_vec(),
            Test::IsNot(value) => [jump(libc::BPF_JEQ, value, 1, 0), give(answer.code())].to_vec(),
            Test::Masked(mask, value) => [
                statement(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, mask),
                jump(libc::BPF_JEQ, value, 0, 1),
                give(answer.code()),
            ]
            .to_vec(),
        };
        // Over the load, the check, and the reload of the call's number.
        let over = u8::try_from(check.len().saturating_add(2)).unwrap_or(u8::MAX);
        self.code.push(jump(libc::BPF_JEQ, call_number(call), 0, over));
        self.code.push(load(offset));
        self.code.extend(check);
        self.code.push(load(NUMBER));
    }

    /// Applies the program to this process for good; all else is allowed. With `listen` the answer is the
    /// descriptor on which questions arrive.
    pub fn apply(mut self, listen: bool) -> io::Result<Option<OwnedFd>> {
        self.code.push(give(Answer::Allow.code()));
        let length = libc::c_ushort::try_from(self.code.len()).map_err(io::Error::other)?;
        let program = libc::sock_fprog { len: length, filter: self.code.as_mut_ptr() };
        let flags = if listen {
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
        } else {
            0
        };
        // SAFETY: the program lives through the call; the kernel copies it.
        let returned = sys::check(unsafe {
            libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program)
        })?;
        if !listen {
            return Ok(None);
        }
        let raw = libc::c_int::try_from(returned).map_err(io::Error::other)?;
        // SAFETY: the kernel just made this descriptor for us.
        Ok(Some(unsafe { OwnedFd::from_raw_fd(raw) }))
    }
}

fn call_number(call: libc::c_long) -> u32 {
    // Call numbers are small; one that isn't matches nothing.
    u32::try_from(call).unwrap_or(u32::MAX)
}
