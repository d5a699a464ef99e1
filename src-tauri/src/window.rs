//! The one window: opened locked to our own pages, and nothing it shows can lead elsewhere.

use anyhow::Context as _;
use tauri::webview::{DownloadEvent, NewWindowResponse};
use tauri::{App, Url, WebviewWindow, WebviewWindowBuilder};

/// The window's label, as the capability file and the configuration name it.
pub const MAIN: &str = "main";

/// Opens the window as the configuration describes it; it can navigate to our own pages only, opens no other
/// window and downloads nothing.
///
/// # Errors
/// When there is no display or no web view.
pub fn open(app: &App) -> anyhow::Result<WebviewWindow> {
    let config = app
        .config()
        .app
        .windows
        .iter()
        .find(|window| window.label == MAIN)
        .context("the configuration names no main window")?;
    let window = WebviewWindowBuilder::from_config(app.handle(), config)?
        .on_navigation(is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, event| !matches!(event, DownloadEvent::Requested { .. }))
        .build()
        .context("open the window")?;
    window.show()?;
    Ok(window)
}

/// Whether `url` is a page of the app itself (Tauri's own scheme, or its https form on Windows).
fn is_ours(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        "http" | "https" => {
            cfg!(windows) && url.host_str() == Some("tauri.localhost") && url.port().is_none()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    /// R61: model output can't take the window anywhere.
    #[test]
    fn only_our_own_pages_are_reachable() {
        for (address, ours) in [
            ("tauri://localhost/", true),
            ("tauri://localhost/index.html#chat", true),
            ("tauri://evil/", false),
            ("https://example.org/", false),
            ("http://localhost/", false),
            ("http://tauri.localhost:81/", false),
            ("javascript:alert(1)", false),
            ("data:text/html,hi", false),
            ("file:///etc/passwd", false),
            ("about:blank", false),
        ] {
            assert_eq!(is_ours(&address.parse().unwrap()), ours, "{address}");
        }
    }
}
