//! The table of prices: `prices.toml` in the config folder where the person has one, else the one that ships.

use crate::config_file::{self, remove, replace};
use crate::conversation::spending::Prices;
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
        let now = PriceTable { models };
        let text = toml::to_string(&now)?;
        let table = PriceTable::parse(&text)?;
        let _alone = config_file::alone(&self.path)?;
        match config_file::read::<PriceTable>(&self.path) {
            Ok(Some(there)) => there.change(&self.path, &now, |table| table, &[("models", "model")])?,
            // The person was told that what is there isn't understood.
            Ok(None) | Err(_) => replace(&self.path, format!("{}\n{text}", header()).as_bytes())?,
        }
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = table;
        *self.problem.write().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }
}

/// The comment that the shipped table begins with.
fn header() -> String {
    SHIPPED.split_inclusive('\n').take_while(|line| line.starts_with('#')).collect()
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

    /// What a person wrote beside the prices outlives a change of one in the window, in whatever order they are then.
    #[test]
    fn a_note_in_the_file_outlives_a_change_of_a_price() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prices.toml");
        let [a, b] = ["a", "b"]
            .map(|model| format!("[[models]]\nmodel = \"{model}\"\ninput = 1.0 # of 2026\noutput = 2.5\n"));
        std::fs::write(&path, format!("# Mine.\n\n{a}\n{b}")).unwrap();
        let file = PriceFile::in_folder(folder.path());
        let mut rows = file.rows();
        rows[1].input = 3.0;
        rows.reverse();
        rows[1].model = "c".to_owned();
        file.save(rows.clone()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let c = "[[models]]\nmodel = \"c\"\ninput = 1.0\noutput = 2.5\n";
        assert_eq!(text, format!("# Mine.\n\n{}\n{c}", b.replace("1.0", "3.0")));
        assert_eq!(PriceFile::in_folder(folder.path()).rows(), rows);
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
