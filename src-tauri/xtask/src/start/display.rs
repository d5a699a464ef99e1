//! Whether a window can open here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Why no window can open on this machine, or `None` where one can.
pub fn problem() -> Option<String> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    linux_problem(|name| std::env::var_os(name).filter(|value| !value.is_empty()), answers)
}

/// The same for given variables; `answers` tells whether something listens at a socket's path.
fn linux_problem(
    variable: impl Fn(&str) -> Option<OsString>,
    answers: impl Fn(&Path) -> bool,
) -> Option<String> {
    let mut dead = Vec::new();
    if let Some(name) = variable("WAYLAND_DISPLAY") {
        // An absolute name is used as it is (wl_display_connect(3)); so does `join`.
        let socket = PathBuf::from(variable("XDG_RUNTIME_DIR").unwrap_or_default()).join(&name);
        if answers(&socket) {
            return None;
        }
        dead.push(format!("WAYLAND_DISPLAY is `{}`", name.display()));
    }
    if let Some(name) = variable("DISPLAY") {
        match local_socket(&name.to_string_lossy()) {
            Some(socket) if !answers(&socket) => dead.push(format!("DISPLAY is `{}`", name.display())),
            // One that is reached over the network shows whether it answers when the window opens.
            Some(_) | None => return None,
        }
    }
    Some(if dead.is_empty() {
        "There is no display here (DISPLAY and WAYLAND_DISPLAY are empty), so the window can't open."
            .to_owned()
    } else {
        format!("{}, but nothing answers there, so the window can't open.", dead.join(" and "))
    })
}

/// The socket of `:N`, `:N.S`, `unix:N` (X(7), "display names"); `None` where a host is named.
fn local_socket(display: &str) -> Option<PathBuf> {
    let (host, rest) = display.rsplit_once(':')?;
    let number = rest.split('.').next().filter(|number| number.parse::<u32>().is_ok())?;
    matches!(host, "" | "unix").then(|| Path::new("/tmp/.X11-unix").join(format!("X{number}")))
}

#[cfg(target_os = "linux")]
fn answers(socket: &Path) -> bool {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::net::{SocketAddr, UnixStream};
    // X servers listen at the abstract name too, and in a container that may be all that is seen of them.
    let hidden = SocketAddr::from_abstract_name(socket.as_os_str().as_bytes())
        .and_then(|address| UnixStream::connect_addr(&address));
    UnixStream::connect(socket).is_ok() || hidden.is_ok()
}

#[cfg(not(target_os = "linux"))]
fn answers(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::linux_problem;
    use std::ffi::OsString;
    use std::path::Path;

    #[test]
    fn a_window_opens_only_where_something_answers() {
        for (variables, alive, says) in [
            (&[][..], "", Some("There is no display here")),
            (&[("DISPLAY", ":0")], "/tmp/.X11-unix/X0", None),
            (&[("DISPLAY", ":7.0")], "/tmp/.X11-unix/X7", None),
            (&[("DISPLAY", "unix:3")], "/tmp/.X11-unix/X3", None),
            (&[("DISPLAY", ":7")], "/tmp/.X11-unix/X0", Some("DISPLAY is `:7`, but nothing answers")),
            (&[("DISPLAY", "localhost:10.0")], "", None),
            (
                &[("WAYLAND_DISPLAY", "wayland-0"), ("XDG_RUNTIME_DIR", "/run/user/1")],
                "/run/user/1/wayland-0",
                None,
            ),
            (&[("WAYLAND_DISPLAY", "/run/w"), ("XDG_RUNTIME_DIR", "/run/user/1")], "/run/w", None),
            (&[("WAYLAND_DISPLAY", "gone"), ("DISPLAY", ":0")], "/tmp/.X11-unix/X0", None),
            (
                &[("WAYLAND_DISPLAY", "gone"), ("DISPLAY", ":1")],
                "/tmp/.X11-unix/X0",
                Some("WAYLAND_DISPLAY is `gone` and DISPLAY is `:1`"),
            ),
        ] {
            let variable = |name: &str| {
                variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
            };
            let seen = linux_problem(variable, |socket| socket == Path::new(alive));
            match says {
                None => assert_eq!(seen, None, "{variables:?}"),
                Some(part) => assert!(seen.is_some_and(|text| text.contains(part)), "{variables:?}"),
            }
        }
    }
}
