//! Files dragged out of another program's window, with the pointer, and dropped on the app's.

use crate::app::target_folder;
use crate::desktop::Desktop;
use crate::driver::until;
use anyhow::{Context as _, ensure};
use std::io::{BufRead as _, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

/// The other program, with its pointer button held down over the app.
pub struct Drag<'a> {
    desktop: &'a Desktop,
    source: Child,
    says: Lines<BufReader<ChildStdout>>,
}

impl<'a> Drag<'a> {
    /// Takes `paths` up and carries them over the lower right corner of the app's window.
    pub async fn of(desktop: &'a Desktop, paths: &[impl AsRef<Path>]) -> anyhow::Result<Self> {
        let program = target_folder().join("debug/examples/drag_source");
        let mut source = desktop
            .command(&program)
            .args(paths.iter().map(AsRef::as_ref))
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| {
                format!("start {} (cargo build --workspace --example drag_source)", program.display())
            })?;
        let says = BufReader::new(source.stdout.take().context("no standard output")?).lines();
        let drag = Self { desktop, source, says };
        let from = place(desktop, "Drag source").await?;
        let (x, y) = (from.0 + from.2 / 2, from.1 + from.3 / 2);
        drag.pointer(&[&["mousemove", &x.to_string(), &y.to_string()], &["mousedown", "1"]])?;
        let over = place(desktop, "Assent").await?;
        let (right, low) = (over.0 + over.2 - 60, over.1 + over.3 - 60);
        for step in 1..=8 {
            let (x, y) = (x + (right - x) * step / 8, y + (low - y) * step / 8);
            drag.pointer(&[&["mousemove", &x.to_string(), &y.to_string()]])?;
        }
        Ok(drag)
    }

    /// Lets go once the app says that it takes them.
    pub fn drop_when_taken(mut self) -> anyhow::Result<()> {
        self.wait_for("over")?;
        self.pointer(&[&["mouseup", "1"]])?;
        self.wait_for("end")
    }

    fn wait_for(&mut self, word: &str) -> anyhow::Result<()> {
        for line in self.says.by_ref() {
            if line? == word {
                return Ok(());
            }
        }
        anyhow::bail!("the other program ended before it said {word:?}")
    }

    fn pointer(&self, steps: &[&[&str]]) -> anyhow::Result<()> {
        let status = self.desktop.command("xdotool").args(steps.concat()).status()?;
        ensure!(status.success(), "xdotool {steps:?} ended with {status}");
        Ok(())
    }
}

impl Drop for Drag<'_> {
    fn drop(&mut self) {
        if self.source.kill().is_ok() {
            drop(self.source.wait());
        }
    }
}

/// Left, top, width and height of the largest window whose title contains `title`, waited for.
async fn place(desktop: &Desktop, title: &str) -> anyhow::Result<(i32, i32, i32, i32)> {
    until(&format!("a window {title:?}"), || async {
        let search = ["search", "--onlyvisible", "--name", title, "getwindowgeometry", "--shell", "%@"];
        let output = desktop.command("xdotool").args(search).output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let field = |window: &str, name: &str| {
            window.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')?.parse::<i32>().ok())
        };
        let places = text.split("WINDOW=").filter_map(|window| {
            Some((
                field(window, "X")?,
                field(window, "Y")?,
                field(window, "WIDTH")?,
                field(window, "HEIGHT")?,
            ))
        });
        Ok(places.max_by_key(|(.., width, height)| width * height))
    })
    .await
}
