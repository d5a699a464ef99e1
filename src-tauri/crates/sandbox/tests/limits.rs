//! The end of process trees, and what they may use: whatever a command started is gone when it should be.

#![cfg(target_os = "linux")]

#[cfg(test)]
mod support;

use assent_sandbox::{EndReason, Level, Limits, Outcome};
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};
use support::{World, finish};

const LEVELS: [Level; 3] = [Level::ReadOnly, Level::WorkspaceWrite, Level::Unsandboxed];

/// Two hundred processes: children, orphans by double fork, sessions of their own, stopped ones; each deaf to polite
/// signals. It says when all are there.
fn tree(mark: u32) -> String {
    format!(
        "trap '' TERM INT HUP QUIT
         for i in $(seq 50); do sleep {mark} & done
         for i in $(seq 50); do (sleep {mark} & sleep {mark} &) ; done
         for i in $(seq 25); do setsid sleep {mark} & done
         for i in $(seq 25); do (setsid bash -c 'kill -STOP $$; sleep {mark}' {mark} &) ; done
         echo there
         wait"
    )
}

/// How many processes of this machine have `mark` among their arguments.
fn alive(mark: u32) -> usize {
    let mark = mark.to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())).count()
}

/// Waits until the whole tree runs: a child that was forked shows its arguments only once it has executed its program.
fn wait_until_whole(mark: u32, level: Level) {
    let since = Instant::now();
    while alive(mark) < 200 {
        assert!(since.elapsed() < Duration::from_secs(30), "{level:?}: only {} started", alive(mark));
        std::thread::yield_now();
    }
}

fn without_limits() -> Limits {
    Limits { time_ms: Some(60_000), processes: Some(4096), ..Limits::default() }
}

fn first_line(pipe: std::io::PipeReader) -> BufReader<std::io::PipeReader> {
    let mut lines = BufReader::new(pipe);
    let mut line = String::new();
    let _read = lines.read_line(&mut line);
    assert_eq!(line, "there\n");
    lines
}

/// R52: asked to end, all two hundred are gone within a second.
#[test]
fn a_cut_leash_ends_the_tree() {
    for (number, level) in (0_u32..).zip(LEVELS) {
        let (world, mark) = (World::new(), 710_100 + number);
        let started = world.start(level, &tree(mark), without_limits(), |_| {});
        let _lines = first_line(started.output);
        wait_until_whole(mark, level);
        let since = Instant::now();
        started.running.leash().end();
        let ended = started.running.wait(|_| {});
        let took = since.elapsed();
        assert_eq!((ended.outcome, alive(mark)), (Outcome::Stopped(EndReason::Asked), 0), "{level:?}");
        assert!(took < Duration::from_secs(1), "{level:?} took {took:?}");
    }
}

/// R52: the same when the one who started it lets go of it.
#[test]
fn a_dropped_command_ends() {
    for (number, level) in (0_u32..).zip(LEVELS) {
        let (world, mark) = (World::new(), 710_200 + number);
        let started = world.start(level, &tree(mark), without_limits(), |_| {});
        let _lines = first_line(started.output);
        drop(started.running);
        assert_eq!(alive(mark), 0, "{level:?}");
    }
}

/// R52: what a command left running ends with it.
#[test]
fn nothing_outlives_its_command() {
    for (number, level) in (0_u32..).zip(LEVELS) {
        let (world, mark) = (World::new(), 710_300 + number);
        let script = tree(mark).replace("wait", "exit 7");
        let run = finish(world.start(level, &script, without_limits(), |_| {}));
        assert_eq!((run.ended.outcome, alive(mark)), (Outcome::Exited(7), 0), "{level:?}");
    }
}

/// R52: the time limit counts for the whole tree.
#[test]
fn the_time_limit_ends_the_tree() {
    for (number, level) in (0_u32..).zip(LEVELS) {
        let (world, mark) = (World::new(), 710_400 + number);
        let limits = Limits { time_ms: Some(1_500), ..without_limits() };
        let since = Instant::now();
        let run = finish(world.start(level, &tree(mark), limits, |_| {}));
        assert_eq!((run.ended.outcome, alive(mark)), (Outcome::Stopped(EndReason::Time), 0), "{level:?}");
        assert!(since.elapsed() < Duration::from_millis(2_500), "{level:?} took {:?}", since.elapsed());
    }
}

/// R52: a supervisor that is killed takes the tree with it.
#[test]
fn a_killed_supervisor_leaves_nothing() {
    for (number, level) in (0_u32..).zip([Level::ReadOnly, Level::WorkspaceWrite]) {
        let (world, mark) = (World::new(), 710_500 + number);
        let started = world.start(level, &tree(mark), without_limits(), |_| {});
        let _lines = first_line(started.output);
        let supervisor = started.running.supervisor_id().cast_signed();
        // SAFETY: plain numbers: our own child.
        unsafe { libc::kill(supervisor, libc::SIGKILL) };
        assert_eq!(started.running.wait(|_| {}).outcome, Outcome::Lost);
        let deadline = Instant::now() + Duration::from_secs(1);
        while alive(mark) > 0 {
            assert!(Instant::now() < deadline, "{level:?}: {} left", alive(mark));
            std::thread::yield_now();
        }
    }
}

/// R50: a flood of processes ends within five seconds. It grows one by one: a bomb that doubles would be the machine's
/// end wherever the limit failed.
#[test]
fn a_flood_of_processes_ends() {
    for (number, level) in (0_u32..).zip(LEVELS) {
        let (world, mark) = (World::new(), 710_600 + number);
        let limits = Limits { processes: Some(400), time_ms: Some(20_000), ..Limits::default() };
        let since = Instant::now();
        let script = format!("for i in $(seq 1000); do sleep {mark} & done; wait");
        let run = finish(world.start(level, &script, limits, |_| {}));
        assert_eq!(
            (run.ended.outcome, alive(mark)),
            (Outcome::Stopped(EndReason::Processes), 0),
            "{level:?}"
        );
        assert!(since.elapsed() < Duration::from_secs(5), "{level:?} took {:?}", since.elapsed());
    }
}

/// R50: memory is counted over the whole tree.
#[test]
fn a_memory_hog_ends() {
    for level in LEVELS {
        let world = World::new();
        let limits = Limits { memory_bytes: Some(200 << 20), ..without_limits() };
        let script = "for i in 1 2 3 4; do perl -e '$x = \"a\" x (80 << 20); sleep 60' & done; wait";
        let since = Instant::now();
        let run = finish(world.start(level, script, limits, |_| {}));
        assert_eq!(run.ended.outcome, Outcome::Stopped(EndReason::Memory), "{level:?}: {}", run.text);
        assert!(since.elapsed() < Duration::from_secs(5), "{level:?} took {:?}", since.elapsed());
    }
}

/// R50: the disk isn't filled: by one file, by many, or in the private temp folder.
#[test]
fn a_disk_filler_ends() {
    let world = World::new();
    let limits = Limits { disk_bytes: Some(100 << 20), ..without_limits() };
    let script = "for i in $(seq 1000); do head -c 20M /dev/zero > f$i; done";
    let run = finish(world.start(Level::WorkspaceWrite, script, limits, |_| {}));
    assert_eq!(run.ended.outcome, Outcome::Stopped(EndReason::Disk), "{}", run.text);

    let limits = Limits { file_bytes: Some(10 << 20), ..without_limits() };
    let run = finish(world.start(Level::WorkspaceWrite, "exec head -c 20M /dev/zero > one", limits, |_| {}));
    assert_eq!(run.ended.outcome, Outcome::Signalled(libc::SIGXFSZ));

    let limits = Limits { scratch_bytes: 10 << 20, ..without_limits() };
    let run = finish(world.start(Level::ReadOnly, "head -c 20M /dev/zero > /tmp/x; echo $?", limits, |_| {}));
    assert!(run.text.contains("No space left") && run.text.ends_with("1\n"), "{}", run.text);
}

/// R50: placeholders at protected names are gone after the run, and after a supervisor that was killed the next run
/// clears them away.
#[test]
fn nothing_is_left_in_the_workspace() {
    let world = World::new();
    let names = [".vscode", ".npmrc", ".git"];
    let protect = |confinement: &mut assent_sandbox::Confinement| {
        confinement.protected = names.iter().map(|name| confinement.workspace.join(name)).collect();
    };
    let entries = || std::fs::read_dir(world.workspace()).into_iter().flatten().count();
    let first = world.start(Level::WorkspaceWrite, "echo there; sleep 60", without_limits(), protect);
    let _lines = first_line(first.output);
    assert_eq!(entries(), 3);
    // A second command in the same workspace needs them too, and leaves them to the first.
    finish(world.start(Level::WorkspaceWrite, "true", without_limits(), protect));
    assert_eq!(entries(), 3);
    // SAFETY: plain numbers: our own child.
    unsafe { libc::kill(first.running.supervisor_id().cast_signed(), libc::SIGKILL) };
    first.running.wait(|_| {});
    finish(world.start(Level::WorkspaceWrite, "true", without_limits(), protect));
    assert_eq!(entries(), 0);
}
