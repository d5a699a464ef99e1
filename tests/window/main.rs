//! The real app under a real X server, driven by WebDriver, the accessibility bus and real keys.
//!
//! Needs Xvfb, openbox, dbus-daemon, at-spi2-core, xdotool, xclip, xmessage, ImageMagick and WebKitWebDriver; where one is
//! missing the tests fail and say which. The app is `ASSENT_DESKTOP_BIN`, else `target/debug/assent-desktop`; files are
//! dragged out of `target/debug/examples/drag_source`.
#![cfg(target_os = "linux")]

mod accessibility;
mod app;
mod desktop;
mod drag;
mod driver;
mod keychain;
mod keys;
mod model_server;
mod notification_server;
mod tray_host;
mod tree;

mod chinese;
mod clipboard;
mod confined;
mod corrections;
mod deletion;
mod dialog_matrix;
mod drops;
mod early;
mod first_minute;
mod hostile;
mod large;
mod layout;
mod life;
#[cfg(feature = "local-model")]
mod local_model;
mod locate;
mod long_text;
mod loosening;
mod no_display;
mod notifications;
mod opens;
mod over_http;
mod processes;
mod restart;
mod safe_mode;
mod starts;
mod transfer;
mod tray;
mod unanswered;
mod words;
