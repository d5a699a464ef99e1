//! The one window: opened locked to our own pages, and nothing it shows can lead elsewhere.

use crate::settings::WindowSize;
use crate::words::{Words, fill};
use anyhow::Context as _;
use tauri::webview::{DownloadEvent, NewWindowResponse};
use tauri::{
    App, AppHandle, LogicalSize, Manager as _, Url, UserAttentionType, WebviewWindow, WebviewWindowBuilder,
};

/// The window's label, as the capability file and the configuration name it.
pub const MAIN: &str = "main";

/// Opens the window as the configuration describes it; it can navigate to our own pages only, opens no other
/// window and downloads nothing.
///
/// # Errors
/// When there is no display or no web view.
pub fn open(app: &App, size: Option<WindowSize>) -> anyhow::Result<WebviewWindow> {
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
    if let Some(size) = size.filter(|size| size.width >= 480.0 && size.height >= 420.0) {
        window.set_size(LogicalSize::new(size.width, size.height))?;
        if size.maximized {
            window.maximize()?;
        }
    }
    window.show()?;
    Ok(window)
}

/// The window's size now, for the next start.
pub fn size(window: &WebviewWindow) -> tauri::Result<WindowSize> {
    let scale = window.scale_factor()?;
    let size = window.inner_size()?.to_logical::<f64>(scale);
    Ok(WindowSize { width: size.width, height: size.height, maximized: window.is_maximized()? })
}

/// Brings the window to the front: the person asked for it.
pub fn bring_up(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN) {
        let done = window.show().and_then(|()| window.unminimize()).and_then(|()| window.set_focus());
        if let Err(error) = done {
            tracing::warn!(%error, "the window can't be brought up");
        }
    }
}

/// Asks for attention without taking the focus.
pub fn attention(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN)
        && let Err(error) = window.request_user_attention(Some(UserAttentionType::Critical))
    {
        tracing::warn!(%error, "attention can't be asked for");
    }
}

/// Title and badge: this many calls wait.
pub fn show_waiting(app: &AppHandle, words: &Words, waiting: usize) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    let title = match waiting {
        0 => "Assent".to_owned(),
        more => fill(&words.window_waiting, &[("count", &more.to_string())]),
    };
    let badge = i64::try_from(waiting).ok().filter(|waiting| *waiting > 0);
    if let Err(error) = window.set_title(&title).and_then(|()| window.set_badge_count(badge)) {
        tracing::debug!(%error, "no badge");
    }
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
