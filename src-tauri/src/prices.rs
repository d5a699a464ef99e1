//! The table of prices: `prices.toml` in the config folder where the person has one, else the one that ships.

use crate::conversation::spending::Prices;
use crate::settings::{remove, replace};
use assent_agent::model::prices::{Price, PriceTable, SHIPPED};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// The table in use, and its file.
pub struct PriceFile {
    path: PathBuf,
    table: Prices,
    problem: RwLock<Option<String>>,
}

impl PriceFile {
    /// Reads the file in `config`. One that can't be read is left alone, told, and the shipped table counts.
    #[must_use]
    pub fn in_folder(config: &Path) -> Self {
        let path = config.join("prices.toml");
        let (table, problem) = match std::fs::read_to_string(&path) {
            Ok(text) => match PriceTable::parse(&text) {
                Ok(table) => (table, None),
                Err(error) => (PriceTable::shipped(), Some(format!("Can't {error}."))),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (PriceTable::shipped(), None),
            Err(error) => (PriceTable::shipped(), Some(format!("Can't read {}: {error}.", path.display()))),
        };
        Self { path, table: Arc::new(RwLock::new(table)), problem: RwLock::new(problem) }
    }

    /// The table, as sessions share it.
    pub fn table(&self) -> Prices {
        Arc::clone(&self.table)
    }

    /// Where it lives.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with the file.
    pub fn problem(&self) -> Option<String> {
        self.problem.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The rows in use.
    pub fn rows(&self) -> Vec<Price> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).models.clone()
    }

    /// Removes the file; the shipped table counts.
    ///
    /// # Errors
    /// When it can't be removed.
    pub fn remove(&self) -> anyhow::Result<()> {
        remove(&self.path)?;
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = PriceTable::shipped();
        *self.problem.write().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// Writes the file and uses it.
    ///
    /// # Errors
    /// When a price is none, or the file can't be written; nothing changes then.
    pub fn save(&self, models: Vec<Price>) -> anyhow::Result<()> {
        let header: String = SHIPPED.lines().take_while(|line| line.starts_with('#')).fold(
            String::new(),
            |mut header, line| {
                header.push_str(line);
                header.push('\n');
                header
            },
        );
        let text = format!("{header}\n{}", toml::to_string(&PriceTable { models })?);
        let table = PriceTable::parse(&text)?;
        replace(&self.path, text.as_bytes())?;
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = table;
        *self.problem.write().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::PriceFile;
    use assent_agent::model::prices::Price;

    #[test]
    fn a_saved_table_is_used_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = PriceFile::in_folder(folder.path());
        assert!(!file.rows().is_empty() && !file.path().exists(), "the shipped table counts at first");
        let row = |input| Price { model: "mine*".to_owned(), input, output: 2.5 };
        file.save(vec![row(1.0)]).unwrap();
        assert_eq!(file.rows(), [row(1.0)]);
        assert_eq!(PriceFile::in_folder(folder.path()).rows(), [row(1.0)]);
        assert!(file.save(vec![row(-1.0)]).is_err());
        assert_eq!(PriceFile::in_folder(folder.path()).rows(), [row(1.0)], "a bad price changes nothing");
    }

    #[test]
    fn a_broken_file_is_told_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prices.toml");
        std::fs::write(&path, "models = 3").unwrap();
        let file = PriceFile::in_folder(folder.path());
        assert!(file.problem().is_some() && !file.rows().is_empty());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "models = 3");
    }
}
