//! The one window: opened locked to our own pages, and nothing it shows can lead elsewhere.

use crate::settings::WindowSize;
use crate::words::{Words, fill};
use anyhow::Context as _;
use tauri::webview::{DownloadEvent, NewWindowResponse};
use tauri::{App, AppHandle, Manager as _, Url, UserAttentionType, WebviewWindow, WebviewWindowBuilder};

/// The window's label, as the capability file and the configuration name it.
pub const MAIN: &str = "main";

/// The least size, logical pixels; the configuration says the same.
const SMALLEST: (f64, f64) = (480.0, 420.0);
/// The size of a first start; the configuration says the same.
const USUAL: (f64, f64) = (1180.0, 760.0);

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
    let (size, maximized) = match size {
        Some(kept) => (fitting(kept, work_area(app)), kept.maximized),
        None => ((config.width, config.height), false),
    };
    let window = WebviewWindowBuilder::from_config(app.handle(), config)?
        .inner_size(size.0, size.1)
        .prevent_overflow()
        .maximized(maximized)
        .on_navigation(is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, event| !matches!(event, DownloadEvent::Requested { .. }))
        .build()
        .context("open the window")?;
    window.show()?;
    Ok(window)
}

/// What the screen leaves for windows, in logical pixels; none where it doesn't say.
fn work_area(app: &App) -> Option<(f64, f64)> {
    let monitor = app.primary_monitor().ok()??;
    let area = monitor.work_area().size.to_logical::<f64>(monitor.scale_factor());
    Some((area.width, area.height))
}

/// The size that was kept, no smaller than the window can be and no larger than the screen: it may be of one that is
/// gone.
fn fitting(kept: WindowSize, area: Option<(f64, f64)>) -> (f64, f64) {
    let (width, height) = area.unwrap_or((f64::INFINITY, f64::INFINITY));
    (kept.width.min(width).max(SMALLEST.0), kept.height.min(height).max(SMALLEST.1))
}

/// The window's size now, for the next start; `before` is what was kept last.
pub fn size(window: &WebviewWindow, before: Option<WindowSize>) -> tauri::Result<WindowSize> {
    let scale = window.scale_factor()?;
    let size = window.inner_size()?.to_logical::<f64>(scale);
    let now = WindowSize { width: size.width, height: size.height, maximized: window.is_maximized()? };
    Ok(kept(now, before))
}

/// What is kept of the size `now`: a maximised window goes back to what it was before.
fn kept(now: WindowSize, before: Option<WindowSize>) -> WindowSize {
    match before {
        Some(before) if now.maximized => WindowSize { maximized: true, ..before },
        None if now.maximized => WindowSize { width: USUAL.0, height: USUAL.1, maximized: true },
        Some(_) | None => now,
    }
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
    if let Err(error) = window.set_title(&title).and_then(|()| set_badge(&window, waiting)) {
        tracing::debug!(%error, "no badge");
    }
}

/// The number on the app's icon.
#[cfg(not(windows))]
fn set_badge(window: &WebviewWindow, waiting: usize) -> tauri::Result<()> {
    window.set_badge_count(i64::try_from(waiting).ok().filter(|waiting| *waiting > 0))
}

/// A dot on the app's icon: the taskbar has no numbers.
#[cfg(windows)]
fn set_badge(window: &WebviewWindow, waiting: usize) -> tauri::Result<()> {
    let dot = || tauri::image::Image::new_owned(dot(), DOT, DOT);
    window.set_overlay_icon((waiting > 0).then(dot))
}

/// Width and height of the dot, pixels.
#[cfg(any(test, windows))]
const DOT: u32 = 16;

/// The pixels of a red dot, each red, green, blue, opacity.
#[cfg(any(test, windows))]
fn dot() -> Vec<u8> {
    // Twice the distance from the middle, which lies between pixels.
    let from_middle = |place: u32| i64::from(2 * place + 1) - i64::from(DOT);
    let is_inside =
        |x: u32, y: u32| from_middle(x).pow(2) + from_middle(y).pow(2) <= i64::from(DOT - 2).pow(2);
    (0..DOT)
        .flat_map(|y| (0..DOT).map(move |x| (x, y)))
        .flat_map(|(x, y)| [0xd1, 0x34, 0x38, if is_inside(x, y) { 0xff } else { 0 }])
        .collect()
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
    use super::{DOT, SMALLEST, USUAL, dot, fitting, is_ours, kept};
    use crate::settings::WindowSize;

    const fn size(width: f64, height: f64, maximized: bool) -> WindowSize {
        WindowSize { width, height, maximized }
    }

    #[test]
    fn the_dot_is_round() {
        let pixels = dot();
        assert_eq!(pixels.len(), (4 * DOT * DOT) as usize);
        let opacity = |x: u32, y: u32| pixels[(4 * (y * DOT + x) + 3) as usize];
        assert_eq!([(0, 0), (DOT - 1, 0), (DOT - 1, DOT - 1)].map(|(x, y)| opacity(x, y)), [0; 3]);
        assert_eq!([(8, 8), (1, 8), (8, 14)].map(|(x, y)| opacity(x, y)), [0xff; 3]);
    }

    /// A window from a larger screen that is gone comes back whole.
    #[test]
    fn a_kept_size_is_held_to_the_screen() {
        let screen = Some((1280.0, 720.0));
        assert_eq!(fitting(size(3000.0, 2000.0, false), screen), (1280.0, 720.0));
        assert_eq!(fitting(size(900.0, 600.0, false), screen), (900.0, 600.0));
        assert_eq!(fitting(size(-5.0, 0.0, false), screen), SMALLEST);
        assert_eq!(fitting(size(900.0, 600.0, false), None), (900.0, 600.0));
    }

    #[test]
    fn a_maximised_window_keeps_the_size_it_goes_back_to() {
        let before = size(900.0, 600.0, false);
        let full = size(1920.0, 1050.0, true);
        assert_eq!(kept(full, Some(before)), size(900.0, 600.0, true));
        assert_eq!(kept(full, None), size(USUAL.0, USUAL.1, true));
        assert_eq!(kept(before, Some(full)), before);
    }

    #[test]
    fn the_configuration_names_the_same_sizes() {
        let text = include_str!("../tauri.conf.json");
        let configuration: serde_json::Value = serde_json::from_str(text).unwrap();
        let window = &configuration["app"]["windows"][0];
        let number = |name: &str| window[name].as_f64().unwrap();
        assert_eq!((number("minWidth"), number("minHeight")), SMALLEST);
        assert_eq!((number("width"), number("height")), USUAL);
    }

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
