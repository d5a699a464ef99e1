//! Floods of processes in the confined profiles: the kernel's own bound comes first, whatever the supervisor is about.

#![cfg(target_os = "linux")]

#[cfg(test)]
mod support;

use assent_sandbox::{EndReason, Level, Limits, Outcome};
use support::{World, finish};

/// Processes that a command may have here.
const MOST: u32 = 100;

/// The kernel hands out its first three hundred numbers once more than the rest.
const BOUND: u32 = MOST + 301;

fn limits() -> Limits {
    Limits { processes: Some(MOST), time_ms: Some(60_000), ..Limits::default() }
}

/// How many children a command gets that starts them one by one, a thousand at most, and waits for none. It counts aloud.
fn children(level: Level) -> u32 {
    let world = World::new();
    let script = "exec perl -e '$| = 1; print \"bound \", `cat /proc/sys/kernel/pid_max`;
        for my $n (1 .. 1000) { my $pid = fork; last unless defined $pid; if (!$pid) { sleep 60; exit } print \"$n\\n\" }'";
    let run = finish(world.start(level, script, limits(), |_| {}));
    assert!(run.text.starts_with(&format!("bound {BOUND}\n")), "{level:?}: {}", run.text);
    run.text.lines().filter_map(|line| line.parse().ok()).max().unwrap_or_default()
}

/// R50: a flood that doubles is ended. It is let loose only after a flood of a thousand, one by one, was seen to be bounded
/// by the kernel in this very profile.
#[test]
fn a_flood_that_doubles_ends() {
    for level in [Level::ReadOnly, Level::WorkspaceWrite] {
        let most = children(level);
        assert!((1..=BOUND).contains(&most), "{level:?}: {most} children at once");
        let world = World::new();
        let run = finish(world.start(level, "exec perl -e 'fork while 1'", limits(), |_| {}));
        assert_eq!(run.ended.outcome, Outcome::Stopped(EndReason::Processes), "{level:?}: {}", run.text);
    }
}
