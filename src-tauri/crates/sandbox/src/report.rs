//! What the sandbox holds on this machine, as the self-test saw it.

use crate::confinement::Level;
use serde::{Deserialize, Serialize};

/// The result of a self-test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SandboxReport {
    /// The mechanism's name: `linux namespaces`, `seatbelt`, `job object`, …
    pub backend: &'static str,
    /// How much of the promise is held.
    pub strength: Strength,
    /// Each mechanism, and whether it is there.
    pub mechanisms: Vec<Mechanism>,
    /// Everything that was tried from inside, and what was seen from outside.
    pub attempts: Vec<Attempt>,
    /// What is not held, in sentences for people; empty where all is.
    pub missing: Vec<String>,
}

impl SandboxReport {
    /// Whether both profiles are in force.
    #[must_use]
    pub fn in_force(&self) -> bool {
        self.strength == Strength::Full
    }

    /// One line for a title bar or a log.
    #[must_use]
    pub fn summary(&self) -> String {
        match self.strength {
            Strength::Full => format!("sandbox in force ({})", self.backend),
            Strength::Floor => format!("sandbox limited ({}): {}", self.backend, self.missing.join(" ")),
            Strength::None => format!("no sandbox: {}", self.missing.join(" ")),
        }
    }
}

/// How much of the promise is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// All of it.
    Full,
    /// Writing outside, secrets outside and the network are held, but nothing inside the workspace can be
    /// protected or hidden: no profile is in force for a workspace with protected or sensitive paths.
    Floor,
    /// No profile is in force.
    None,
}

/// One mechanism of the OS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mechanism {
    /// Its name.
    pub name: &'static str,
    /// Whether it is there.
    pub present: bool,
    /// Its version, or why it isn't there.
    pub detail: String,
}

/// One attempt of the self-test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// In which profile.
    pub level: Level,
    /// What was tried, from inside.
    pub tried: &'static str,
    /// What was seen, from outside.
    pub seen: String,
    /// Whether the sandbox held.
    pub held: bool,
}
