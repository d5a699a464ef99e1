//! Commands as processes: what they are given ([`environment`], [`toolchains`]), what they are confined to
//! ([`survey`], [`approved`], [`profile`], [`git_config`]), how they run ([`invocation`], [`run`], [`output`], [`background`],
//! `unconfined`) and what is looked
//! after when they are done ([`quarantine`], [`watch`]). The confinement itself is `assent-sandbox`'s.

pub mod approved;
pub mod background;
pub mod environment;
pub mod git_config;
pub mod git_identity;
pub mod invocation;
pub mod output;
pub mod profile;
pub mod quarantine;
pub mod run;
pub mod survey;
pub mod toolchains;
pub(crate) mod unconfined;
pub mod watch;
