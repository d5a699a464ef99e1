//! What tokens cost: a table that the person edits, since prices change and local models are free.
//!
//! ```toml
//! [[models]]
//! model = "some-model*"   # a name; a final * stands for any ending, the longest match wins
//! input = 1.25            # dollars per million tokens
//! output = 10.0
//! ```

use super::Usage;
use serde::{Deserialize, Serialize};

/// The table that ships, as the file of its own that a person edits.
pub const SHIPPED: &str = include_str!("prices.toml");

/// Prices by model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PriceTable {
    /// The rows.
    pub models: Vec<Price>,
}

/// What one model costs, in dollars per million tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Its name, or the beginning of it with a final `*`.
    pub model: String,
    /// Tokens read.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
}

/// A table can't be read.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    /// Not such a table.
    #[error("read the prices: {0}")]
    Toml(#[from] toml::de::Error),
    /// A price that is none.
    #[error("read the prices: {0} has a price that is negative or no number")]
    Price(String),
}

impl PriceTable {
    /// Reads a table.
    ///
    /// # Errors
    /// When it isn't one, with line and column, or a price is negative.
    pub fn parse(text: &str) -> Result<Self, PriceError> {
        let table: Self = toml::from_str(text)?;
        let is_price = |price: f64| price.is_finite() && price >= 0.0;
        match table.models.iter().find(|row| !is_price(row.input) || !is_price(row.output)) {
            Some(row) => Err(PriceError::Price(row.model.clone())),
            None => Ok(table),
        }
    }

    /// The table that ships with the app.
    #[must_use]
    pub fn shipped() -> Self {
        Self::parse(SHIPPED).unwrap_or_default()
    }

    /// What `usage` of a model costs, dollars; `None` where its price isn't known.
    #[must_use]
    pub fn cost(&self, model: &str, usage: Usage) -> Option<f64> {
        let matching = self.models.iter().filter(|row| row.matches(model));
        let row = matching.max_by_key(|row| (!row.model.ends_with('*'), row.model.len()))?;
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
        let of = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        Some(of(usage.input, row.input) + of(usage.output, row.output))
    }
}

impl Price {
    fn matches(&self, model: &str) -> bool {
        match self.model.strip_suffix('*') {
            Some(beginning) => model.starts_with(beginning),
            None => model == self.model,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PriceTable;
    use crate::model::Usage;

    #[test]
    fn the_longest_match_counts() {
        let table = PriceTable::parse(
            "[[models]]\nmodel = \"a*\"\ninput = 1\noutput = 2\n\
             [[models]]\nmodel = \"a-big*\"\ninput = 10\noutput = 20.5\n\
             [[models]]\nmodel = \"a-big-free\"\ninput = 0\noutput = 0\n",
        )
        .unwrap();
        let usage = Usage { input: 1_000_000, output: 2_000_000 };
        assert_eq!(table.cost("a-small", usage), Some(5.0));
        assert_eq!(table.cost("a-big-2", usage), Some(51.0));
        assert_eq!(table.cost("a-big-free", usage), Some(0.0));
        assert_eq!(table.cost("b", usage), None);
    }

    #[test]
    fn the_shipped_table_is_sound() {
        let table = PriceTable::parse(super::SHIPPED).unwrap();
        assert_eq!(table, PriceTable::shipped());
        let million = Usage { input: 1_000_000, output: 0 };
        assert_eq!(table.cost("gpt-5-mini-2025-08-07", million), Some(0.25));
        assert_eq!(table.cost("claude-sonnet-4-5", million), Some(3.0));
        assert_eq!(table.cost("gpt-5-pro", million), None, "a name that only begins alike is another model");
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for text in [
            "models = 3",
            "[[models]]\nmodel = \"a\"\ninput = -1\noutput = 1",
            "[[models]]\nmodel = \"a\"\ninput = nan\noutput = 1",
            "x = 1",
        ] {
            assert!(PriceTable::parse(text).is_err(), "{text}");
        }
    }
}
