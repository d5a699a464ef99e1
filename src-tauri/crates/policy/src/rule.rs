//! Rules as people write them (TOML), and as they are matched.

/// Every rule of every layer that counts, ready to match.
#[derive(Clone, Debug, Default)]
pub struct Rules {}
