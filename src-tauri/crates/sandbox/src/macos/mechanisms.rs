//! What the self-test reports of macOS.

use super::{mach, seatbelt};
use crate::report::Mechanism;
use crate::unix::self_test::{Further, Platform};

/// What the self-test reports of this platform.
pub const PLATFORM: Platform = Platform { backend: "Seatbelt", mechanisms, hints, further: FURTHER };

/// What the self-test tries here beyond files, the network and other processes.
pub const FURTHER: &[Further] = &[
    Further { tried: "reach the clipboard", possible: || mach::can_look_up(c"com.apple.pasteboard.1") },
    Further { tried: "reach the keychain", possible: || mach::can_look_up(c"com.apple.SecurityServer") },
    Further {
        tried: "reach the window server",
        possible: || mach::can_look_up(c"com.apple.windowserver.active"),
    },
];

fn mechanisms() -> Vec<Mechanism> {
    let confined = seatbelt::is_confined();
    vec![Mechanism {
        name: "Seatbelt",
        present: !confined,
        detail: if confined {
            "this app itself runs in a sandbox, and a second one can't be applied".to_owned()
        } else {
            "by sandbox_init_with_parameters".to_owned()
        },
    }]
}

/// What usually stands in the way.
fn hints() -> Vec<String> {
    if seatbelt::is_confined() {
        vec!["Start Assent outside of another program's sandbox.".to_owned()]
    } else {
        Vec::new()
    }
}
