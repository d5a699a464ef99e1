//! A process and everything it started.

use anyhow::Context as _;
use std::process::Child;

/// A started program; it and its children end when it is dropped.
pub struct Tree(pub Child);

impl Tree {
    /// Proportional set size of all its processes, MiB (`smaps_rollup`, proc(5)).
    pub fn pss_mib(&self) -> anyhow::Result<f64> {
        let mut kib = 0_u32;
        for pid in self.pids() {
            // One that ended in between holds nothing.
            let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) else { continue };
            let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).context("no Pss")?;
            kib += line.trim().trim_end_matches(" kB").trim().parse::<u32>().context("read Pss")?;
        }
        Ok(f64::from(kib) / 1024.0)
    }

    fn pids(&self) -> Vec<u32> {
        let mut all = vec![self.0.id()];
        let mut next = 0;
        while let Some(pid) = all.get(next).copied() {
            next += 1;
            for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
                let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
                all.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
            }
        }
        all
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let children = self.pids();
        for pid in children.iter().rev() {
            drop(std::process::Command::new("kill").args(["-9", &pid.to_string()]).status());
        }
        drop(self.0.wait());
    }
}
