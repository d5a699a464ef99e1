//! The real app under a real X server, driven by WebDriver, the accessibility bus and real keys.
//!
//! Needs Xvfb, openbox, dbus-daemon, at-spi2-core, xdotool, ImageMagick and WebKitWebDriver; where one is
//! missing the tests fail and say which. The app is `ASSENT_DESKTOP_BIN`, else `target/debug/assent-desktop`.
#![cfg(target_os = "linux")]

mod accessibility;
mod app;
mod desktop;
mod driver;
mod keys;
mod tree;

mod dialog_matrix;
mod first_minute;
mod life;
mod opens;
mod over_http;
