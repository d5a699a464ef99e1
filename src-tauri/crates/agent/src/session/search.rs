//! Words across all sessions, with the place where they stand.

use super::{SessionStore, StoreError};
use crate::fulltext;
use rusqlite::params;

/// Where words were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The session.
    pub session: String,
    /// The item.
    pub seq: i64,
    /// A few words around it.
    pub excerpt: String,
}

impl SessionStore {
    /// The newest `limit` places where `words` occur. Ranking every match of a common word would take too long.
    ///
    /// # Errors
    /// When the index can't be read.
    pub fn search(&self, words: &str, limit: usize) -> Result<Vec<Found>, StoreError> {
        let Some(query) = fulltext::query(words) else { return Ok(Vec::new()) };
        let connection = self.connection();
        let mut statement = connection
            .prepare_cached(
                "SELECT session, seq, snippet(words, 2, '', '', '…', 16) FROM words WHERE words MATCH ?1
                 ORDER BY rowid DESC LIMIT ?2",
            )
            .map_err(|error| self.fault(&error))?;
        statement
            .query_map(params![query, i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
                Ok(Found { session: row.get(0)?, seq: row.get(1)?, excerpt: row.get(2)? })
            })
            .and_then(Iterator::collect)
            .map_err(|error| self.fault(&error))
    }
}
