//! Real keys and the window manager's view, through xdotool.

use crate::desktop::Desktop;
use crate::driver::until;
use anyhow::bail;

/// Presses `keys` (xdotool's names, `Return`, `Escape`, `alt+F4`) in whatever window has the focus.
pub fn press(desktop: &Desktop, keys: &[&str]) -> anyhow::Result<()> {
    let status = desktop.command("xdotool").args(["key", "--delay", "30"]).args(keys).status()?;
    if !status.success() {
        bail!("xdotool key {keys:?} ended with {status}");
    }
    Ok(())
}

/// Waits until a window whose title contains `title` is on screen and has the focus; its X id.
pub async fn focused(desktop: &Desktop, title: &str) -> anyhow::Result<String> {
    until(&format!("the focus on a window {title:?}"), || async {
        let output = desktop.command("xdotool").args(["getwindowfocus", "getwindowname"]).output()?;
        let name = String::from_utf8_lossy(&output.stdout);
        if !name.contains(title) {
            return Ok(None);
        }
        let id = desktop.command("xdotool").arg("getwindowfocus").output()?;
        Ok(Some(String::from_utf8_lossy(&id.stdout).trim().to_owned()))
    })
    .await
}

/// Width and height of the window `id`, pixels.
pub fn size(desktop: &Desktop, id: &str) -> anyhow::Result<(u32, u32)> {
    let output = desktop.command("xdotool").args(["getwindowgeometry", "--shell", id]).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let field = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')?.parse().ok()).unwrap_or(0)
    };
    Ok((field("WIDTH"), field("HEIGHT")))
}

/// Longer than the app takes an answer for one that was on its way already.
pub async fn reading_time() {
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
}

/// Types `text` into whatever has the focus.
pub fn type_text(desktop: &Desktop, text: &str) -> anyhow::Result<()> {
    let status = desktop.command("xdotool").args(["type", "--delay", "15", text]).status()?;
    if !status.success() {
        bail!("xdotool type ended with {status}");
    }
    Ok(())
}
