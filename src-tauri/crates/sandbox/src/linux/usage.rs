//! How much a process tree uses, summed over its processes: the kernel has no counter that everybody may use.

use std::collections::HashSet;
use std::path::Path;

/// The sum over a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Resident memory that isn't shared with a file, bytes.
    pub memory_bytes: u64,
    /// Processes and threads.
    pub processes: u32,
}

/// One process as `/proc` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: libc::pid_t,
    /// Its parent's id.
    pub parent: libc::pid_t,
    /// Its threads.
    pub threads: u32,
}

/// Everything in this process namespace but `except`.
pub fn of_namespace(except: libc::pid_t) -> Usage {
    sum(all_processes().into_iter().filter(|process| process.pid != except))
}

/// Everything that descends from `ancestor`.
pub fn of_descendants(ancestor: libc::pid_t) -> Usage {
    sum(descendants(ancestor).into_iter())
}

fn sum(processes: impl Iterator<Item = Process>) -> Usage {
    let page = page_bytes();
    processes.fold(Usage::default(), |sum, process| Usage {
        memory_bytes: sum.memory_bytes.saturating_add(private_pages(process.pid).saturating_mul(page)),
        processes: sum.processes.saturating_add(process.threads),
    })
}

/// Every process below `ancestor`, itself not included.
pub fn descendants(ancestor: libc::pid_t) -> Vec<Process> {
    let all = all_processes();
    let mut known = HashSet::from([ancestor]);
    let mut found = Vec::new();
    // A child may be listed before its parent: look until nothing new turns up.
    loop {
        let before = found.len();
        for process in &all {
            if known.contains(&process.parent) && known.insert(process.pid) {
                found.push(*process);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn all_processes() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid: libc::pid_t| {
            let text = std::fs::read(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
            parse_stat(pid, &text)
        })
        .collect()
}

/// Reads `/proc/PID/stat` (`proc_pid_stat(5)`): the name in parentheses may hold anything, so fields count from its end.
fn parse_stat(pid: libc::pid_t, text: &[u8]) -> Option<Process> {
    let end = text.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(text.get(end.checked_add(1)?..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let _state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // Field 20; two were taken of the fields from 3 on.
    let threads = fields.nth(15)?.parse().ok()?;
    // A zombie has no thread left, but still a number of those there are.
    Some(Process { pid, parent, threads: u32::max(threads, 1) })
}

fn private_pages(pid: libc::pid_t) -> u64 {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/statm")) else { return 0 };
    let mut fields = text.split_ascii_whitespace().skip(1).map(|field| field.parse().unwrap_or(0_u64));
    let resident = fields.next().unwrap_or(0);
    resident.saturating_sub(fields.next().unwrap_or(0))
}

fn page_bytes() -> u64 {
    // SAFETY: takes a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R50: a process can't hide from the sum behind its own name.
    #[test]
    fn a_name_with_parentheses_is_read_right() {
        let stat = b"77 (a) R 1 (x) S 42 77 77 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 100 0 0";
        assert_eq!(parse_stat(77, stat), Some(Process { pid: 77, parent: 42, threads: 3 }));
        for cut in 0..stat.len() {
            // Nothing that the kernel might cut short may stop the supervisor.
            let _read = parse_stat(77, &stat[..cut]);
        }
    }

    /// R52
    #[test]
    fn this_process_descends_from_its_parent() {
        let parent = std::os::unix::process::parent_id().cast_signed();
        let own = std::process::id().cast_signed();
        assert!(descendants(parent).iter().any(|process| process.pid == own));
        assert!(of_descendants(parent).memory_bytes > 0);
    }
}
