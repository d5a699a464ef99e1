//! Starting the bare window and the app in turn.

use crate::desktop::Desktop;
use crate::processes::Tree;
use crate::screen::{Screen, readable_since};
use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The first argument of the process that measures: it needs the display in its own environment.
pub const MEASURE: &str = "--measure";

/// How often each is started, and one more time first, so that both come from a warm disk.
const ROUNDS: usize = 7;

/// What was seen of one program: medians.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// From its start to when it can be read.
    pub painted_ms: f64,
    /// Memory of all its processes, some seconds later.
    pub pss_mib: f64,
}

/// Both, in the same run.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Comparison {
    pub bare: Figures,
    pub app: Figures,
}

/// Measures both on `desktop`.
pub fn compare(desktop: &Desktop, bare: &Path, app: &Path) -> anyhow::Result<Comparison> {
    let done = desktop
        .command(std::env::current_exe()?)
        .arg(MEASURE)
        .args([bare, app])
        .stderr(Stdio::inherit())
        .output()
        .context("start the measuring process")?;
    if !done.status.success() {
        bail!("the measuring process ended with {}", done.status);
    }
    serde_json::from_slice(&done.stdout).context("read what was measured")
}

/// The measuring process: starts the two programs in turn and prints what it saw.
#[expect(clippy::print_stdout, reason = "what `compare` reads")]
pub fn measure(programs: &[String]) -> anyhow::Result<()> {
    let [bare, app] = programs else { bail!("name the bare window and the app") };
    let screen = Screen::open()?;
    let (mut of_bare, mut of_app) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        for (program, seen) in [(bare, &mut of_bare), (app, &mut of_app)] {
            let figures = once(&screen, program).with_context(|| format!("measure {program}"))?;
            if round > 0 {
                seen.push(figures);
            }
        }
    }
    let result = Comparison { bare: medians(&of_bare), app: medians(&of_app) };
    println!("{}", serde_json::to_string(&result)?);
    Ok(())
}

fn once(screen: &Screen, program: &str) -> anyhow::Result<Figures> {
    let begun = Instant::now();
    let child = Command::new(program)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("start it")?;
    let tree = Tree(child);
    let frames = screen.watch(begun, Duration::from_secs(3), Duration::from_secs(30))?;
    let painted = readable_since(&frames).context("nothing was painted")?;
    std::thread::sleep(Duration::from_secs(2));
    let pss_mib = tree.pss_mib()?;
    drop(tree);
    // The next one starts on an empty screen.
    screen.watch(Instant::now(), Duration::from_millis(300), Duration::from_secs(2))?;
    Ok(Figures { painted_ms: painted.as_secs_f64() * 1e3, pss_mib })
}

fn medians(all: &[Figures]) -> Figures {
    let median = |of: fn(&Figures) -> f64| {
        let mut values: Vec<f64> = all.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    Figures { painted_ms: median(|one| one.painted_ms), pss_mib: median(|one| one.pss_mib) }
}
