//! Paths as text: how they are spelled, what they alias, where they lie. Nothing here looks at a disk;
//! what is really there comes in as [`crate::PathFact`].
//!
//! Paths inside the policy use `/` on every system (`C:/Users/x` on Windows).

mod fold;
mod form;
mod glob;
mod names;
mod place;
mod protected;
mod sensitive;

pub use fold::{contains, fold, same};
pub use form::{PathFault, check_argument, is_absolute, join, lexical, parent, relative_to};
pub use glob::{GlobFault, alternatives, fault, literal_prefix};
pub(crate) use place::is_short_name;
pub use place::{Class, Place, classify, is_sensitive_at};
pub(crate) use protected::entries as protected_entries;
pub use protected::is_protected;
pub(crate) use sensitive::entries as sensitive_entries;
pub(crate) use sensitive::is_git_configuration;
pub use sensitive::is_sensitive;
