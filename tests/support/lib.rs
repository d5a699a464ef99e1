//! What the tests share: a throw-away world, a scripted model, a scripted person, a log in memory.

mod audit;
mod desk;
mod gate;
mod model;
mod person;
mod probe;
mod world;

pub use audit::MemoryAudit;
pub use desk::{Desk, desk};
pub use gate::{Bench, MemoryHistory, bench, bench_with};
pub use model::{ScriptedModel, call, calls, text};
pub use person::ScriptedPerson;
pub use probe::Probe;
pub use world::{Tree, World};
