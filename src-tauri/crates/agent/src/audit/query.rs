//! What the panel and the command line ask: pages of calls, one call in detail, numbers per tool.

use crate::audit::numbers::{ToolMetrics, numbers};
use crate::audit::row::records_of;
use crate::audit::search::{Indexed, WordIndex};
use crate::audit::{AuditError, AuditReader, AuditRow, Record};
use crate::fulltext;
use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Which calls and events; every part that is set must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Words in tool, subject, reason, source and codes.
    pub text: String,
    /// The session.
    pub session: Option<String>,
    /// The tool's name.
    pub tool: Option<String>,
    /// What was decided, or that somebody was asked.
    pub behavior: Option<BehaviorFilter>,
    /// Who decided.
    pub source: Option<String>,
    /// Where a person answered.
    pub surface: Option<String>,
    /// `low` … `critical`.
    pub risk: Option<String>,
    /// Not before, ms since the epoch.
    pub from_ms: Option<i64>,
    /// Not after, ms since the epoch.
    pub to_ms: Option<i64>,
}

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BehaviorFilter {
    /// Allowed.
    Allow,
    /// Denied.
    Deny,
    /// A person was asked, whatever the answer.
    Asked,
}

/// Some rows, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditPage {
    /// The rows.
    pub rows: Vec<AuditRow>,
    /// Pass as `before` for older rows; `None` at the end.
    pub before: Option<i64>,
    /// Rows that match; `None` where counting would take long.
    pub total: Option<i64>,
    /// Where words are looked for and not every record is indexed yet, how far the index has come, percent: the
    /// newest rows may be missing.
    pub indexing: Option<u8>,
}

/// One call with all its records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditDetail {
    /// Its line.
    pub row: AuditRow,
    /// Its records, in order.
    pub records: Vec<Record>,
}

/// Logs longer than this are not counted through (records).
const COUNTED: i64 = 2_000_000;
/// Matches of a text are counted up to here.
const COUNTED_MATCHES: i64 = 10_000;

impl AuditReader {
    /// The newest `limit` rows before `before` that pass `filter`.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn page(
        &self,
        filter: &AuditFilter,
        before: Option<i64>,
        limit: usize,
    ) -> Result<AuditPage, AuditError> {
        self.page_inner(filter, before, limit, None).map_err(|error| self.error(&error))
    }

    /// The same, where bringing the index of words up to date may take `patience` at most.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn page_within(
        &self,
        filter: &AuditFilter,
        before: Option<i64>,
        limit: usize,
        patience: Duration,
    ) -> Result<AuditPage, AuditError> {
        let until = Instant::now() + patience;
        self.page_inner(filter, before, limit, Some(until)).map_err(|error| self.error(&error))
    }

    /// Goes on indexing the words of the log for `patience` at most; says how far that came.
    ///
    /// # Errors
    /// When the log can't be read or the index can't be written.
    pub fn index_words(&self, patience: Duration) -> Result<Indexed, AuditError> {
        let work = || WordIndex::open(self)?.catch_up(self, Some(Instant::now() + patience));
        work().map_err(|error| self.error(&error))
    }

    fn page_inner(
        &self,
        filter: &AuditFilter,
        before: Option<i64>,
        limit: usize,
        until: Option<Instant>,
    ) -> rusqlite::Result<AuditPage> {
        let Some(selection) = self.select(filter, until)? else {
            return Ok(AuditPage { rows: Vec::new(), before: None, total: Some(0), indexing: None });
        };
        let mut values = selection.values.clone();
        let mut sql = format!("SELECT call_seq {}", selection.sql);
        if let Some(before) = before {
            sql.push_str(" AND call_seq < ?");
            values.push(Sql::Integer(before));
        }
        let wanted = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        sql.push_str(" ORDER BY ");
        sql.push_str(selection.order);
        sql.push_str(" DESC LIMIT ?");
        values.push(Sql::Integer(wanted));
        let mut seqs: Vec<i64> = self
            .connection
            .prepare_cached(&sql)?
            .query_map(params_from_iter(values), |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let more = seqs.len() > limit;
        seqs.truncate(limit);
        let rows = seqs
            .iter()
            .map(|seq| records_of(&self.connection, *seq).map(|records| AuditRow::fold(&records)))
            .collect::<rusqlite::Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect();
        let total = self.count(&selection)?;
        let before = if more { seqs.last().copied() } else { None };
        Ok(AuditPage { rows, before, total, indexing: selection.indexing })
    }

    /// Sequences of all calls and events that pass `filter`, oldest first.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn matching(&self, filter: &AuditFilter) -> Result<Vec<i64>, AuditError> {
        let all = || -> rusqlite::Result<Vec<i64>> {
            let Some(selection) = self.select(filter, None)? else { return Ok(Vec::new()) };
            let sql = format!("SELECT call_seq {} ORDER BY {}", selection.sql, selection.order);
            self.connection
                .prepare_cached(&sql)?
                .query_map(params_from_iter(selection.values), |row| row.get(0))?
                .collect()
        };
        all().map_err(|error| self.error(&error))
    }

    /// The call or event whose first record is `seq`, or to which the record `seq` belongs.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn detail(&self, seq: i64) -> Result<Option<AuditDetail>, AuditError> {
        use rusqlite::OptionalExtension as _;
        let load = || -> rusqlite::Result<Option<AuditDetail>> {
            let first: Option<i64> = self
                .connection
                .query_row("SELECT call_seq FROM records WHERE seq = ?1", [seq], |row| row.get(0))
                .optional()?;
            let Some(first) = first else { return Ok(None) };
            let records = records_of(&self.connection, first)?;
            Ok(AuditRow::fold(&records).map(|row| AuditDetail { row, records }))
        };
        load().map_err(|error| self.error(&error))
    }

    /// Sequence of the intent of the newest call named `call`.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn call(&self, call: &str) -> Result<Option<i64>, AuditError> {
        use rusqlite::OptionalExtension as _;
        self.connection
            .query_row(
                "SELECT seq FROM records WHERE phase = 'intent' AND call = ?1 ORDER BY seq DESC LIMIT 1",
                [call],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| self.error(&error))
    }

    /// How often `source` decided a call, and when it last did, ms since the epoch: the last use of a rule.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn uses(&self, source: &str) -> Result<(i64, Option<i64>), AuditError> {
        self.connection
            .query_row(
                "SELECT COUNT(*), MAX(time_ms) FROM records INDEXED BY records_decision \
                 WHERE phase = 'decision' AND source = ?1",
                [source],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .map_err(|error| self.error(&error))
    }

    /// Rows that gained a record after `seq`, oldest first, and the newest sequence there is.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn since(&self, seq: i64) -> Result<(Vec<AuditRow>, i64), AuditError> {
        let load = || -> rusqlite::Result<(Vec<AuditRow>, i64)> {
            let changed: Vec<(i64, i64)> = self
                .connection
                .prepare_cached("SELECT seq, call_seq FROM records WHERE seq > ?1 ORDER BY seq LIMIT 1000")?
                .query_map([seq], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let newest = changed.last().map_or(seq, |(seq, _)| *seq);
            let mut calls: Vec<i64> = changed.into_iter().map(|(_, call)| call).collect();
            calls.sort_unstable();
            calls.dedup();
            let mut rows = Vec::with_capacity(calls.len());
            for call in calls {
                rows.extend(AuditRow::fold(&records_of(&self.connection, call)?));
            }
            Ok((rows, newest))
        };
        load().map_err(|error| self.error(&error))
    }

    /// Numbers per tool of the calls that pass `filter`, by name.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn metrics(&self, filter: &AuditFilter) -> Result<Vec<ToolMetrics>, AuditError> {
        let count = || -> rusqlite::Result<Vec<ToolMetrics>> {
            if *filter == AuditFilter::default() {
                return numbers(&self.connection, "", &[]);
            }
            let Some(selection) = self.select(filter, None)? else { return Ok(Vec::new()) };
            let calls = format!(" AND call_seq IN (SELECT call_seq {})", selection.sql);
            numbers(&self.connection, &calls, &selection.values)
        };
        count().map_err(|error| self.error(&error))
    }

    /// Turns a filter into SQL; `None` where it can't match anything.
    fn select(&self, filter: &AuditFilter, until: Option<Instant>) -> rusqlite::Result<Option<Selection>> {
        let mut conditions = Vec::new();
        let mut values = Vec::new();
        let mut decided = false;
        let mut must = |column: &str, value: Sql| {
            conditions.push(format!("{column} ?"));
            values.push(value);
        };
        for (column, value) in [("tool =", &filter.tool), ("session =", &filter.session)] {
            if let Some(value) = value {
                must(column, Sql::Text(value.clone()));
            }
        }
        for (column, value) in [("time_ms >=", filter.from_ms), ("time_ms <=", filter.to_ms)] {
            if let Some(value) = value {
                must(column, Sql::Integer(value));
            }
        }
        for (column, value) in
            [("source =", &filter.source), ("surface =", &filter.surface), ("risk =", &filter.risk)]
        {
            if let Some(value) = value {
                decided = true;
                must(column, Sql::Text(value.clone()));
            }
        }
        if let Some(behavior) = filter.behavior {
            decided = true;
            match behavior {
                BehaviorFilter::Allow => must("behavior =", Sql::Text("allow".to_owned())),
                BehaviorFilter::Deny => must("behavior =", Sql::Text("deny".to_owned())),
                BehaviorFilter::Asked => must("asked =", Sql::Integer(1)),
            }
        }
        let (index, phases) = if decided {
            ("records_decision", "phase = 'decision'")
        } else {
            ("records_head", "phase IN ('intent', 'event')")
        };
        let rest = conditions.iter().map(|condition| format!(" AND {condition}")).collect::<String>();
        if filter.text.trim().is_empty() {
            let sql = format!("FROM records INDEXED BY {index} WHERE {phases}{rest}");
            let (order, counted) = ("call_seq", Counted::All);
            return Ok(Some(Selection { sql, order, values, counted, indexing: None }));
        }
        let Some(query) = fulltext::query(&filter.text) else { return Ok(None) };
        let indexed = self.attach_words(until)?;
        values.insert(0, Sql::Text(query));
        // The words lead, newest first; each match is looked up by its call.
        let sql = if rest.is_empty() && !decided {
            "FROM (SELECT rowid AS call_seq FROM words.words WHERE words MATCH ?) WHERE 1".to_owned()
        } else {
            format!(
                "FROM (SELECT rowid AS found FROM words.words WHERE words MATCH ?) \
                 CROSS JOIN records INDEXED BY {index} ON call_seq = found WHERE {phases}{rest}"
            )
        };
        let order = if rest.is_empty() && !decided { "call_seq" } else { "found" };
        let indexing = (!indexed.is_whole())
            .then(|| u8::try_from(indexed.records.saturating_mul(100) / indexed.of.max(1)).unwrap_or(100));
        Ok(Some(Selection { sql, order, values, counted: Counted::UpTo(COUNTED_MATCHES), indexing }))
    }

    fn count(&self, selection: &Selection) -> rusqlite::Result<Option<i64>> {
        let newest: i64 =
            self.connection.query_row("SELECT COALESCE(MAX(seq), 0) FROM records", [], |row| row.get(0))?;
        let (sql, most) = match selection.counted {
            Counted::All if newest > COUNTED => return Ok(None),
            Counted::All => (format!("SELECT COUNT(*) {}", selection.sql), i64::MAX),
            Counted::UpTo(most) => {
                (format!("SELECT COUNT(*) FROM (SELECT 1 {} LIMIT {})", selection.sql, most + 1), most)
            }
        };
        let count: i64 = self
            .connection
            .prepare_cached(&sql)?
            .query_row(params_from_iter(selection.values.clone()), |row| row.get(0))?;
        Ok((count <= most).then_some(count))
    }

    /// Brings the word index up to date and makes it readable from this connection.
    fn attach_words(&self, until: Option<Instant>) -> rusqlite::Result<Indexed> {
        let mut index = WordIndex::open(self)?;
        let indexed = index.catch_up(self, until)?;
        let attached: i64 = self.connection.query_row(
            "SELECT COUNT(*) FROM pragma_database_list WHERE name = 'words'",
            [],
            |row| row.get(0),
        )?;
        if attached == 0 {
            let path = index.path.to_string_lossy().into_owned();
            self.connection.execute("ATTACH DATABASE ?1 AS words", [path])?;
        }
        Ok(indexed)
    }
}

/// A filter as SQL from `FROM` on.
struct Selection {
    sql: String,
    order: &'static str,
    values: Vec<Sql>,
    counted: Counted,
    indexing: Option<u8>,
}

#[derive(Clone, Copy)]
enum Counted {
    All,
    UpTo(i64),
}

#[cfg(test)]
mod tests;
