//! Who closes the watch over hidden files: never the helper, whose end is waited for.

#![cfg(target_os = "linux")]

#[cfg(test)]
mod frames;

use assent_sandbox::Outcome;
use serde_json::json;
use std::os::fd::{AsRawFd, OwnedFd};

/// R50: the watch comes to the caller with the end, after the refusal that it saw. The helper is gone while the watch is
/// still open: so the helper did not wait until the kernel had closed it.
#[test]
fn the_watch_outlives_the_helper() {
    let (frames, output) = frames::of_reading(true);
    assert_eq!(output, "");
    let refused = frames.iter().position(|frame| frame.value["refused"]["what"].as_str().is_some()).unwrap();
    let ended = frames.last().unwrap();
    assert!(refused < frames.len() - 1);
    assert_eq!(ended.value, json!({ "ended": Outcome::Exited(0) }));
    let kind = |watch: &OwnedFd| std::fs::read_link(format!("/proc/self/fd/{}", watch.as_raw_fd())).unwrap();
    let kinds: Vec<_> = ended.descriptors.iter().map(kind).collect();
    assert_eq!(kinds, [std::path::Path::new("anon_inode:inotify")]);
}

/// R50: where nothing is hidden there is no watch.
#[test]
fn nothing_hidden_needs_no_watch() {
    let (frames, output) = frames::of_reading(false);
    assert_eq!(output, "KEY=1");
    assert!(frames.iter().all(|frame| frame.descriptors.is_empty()));
}
