//! Finds the first record that isn't what was written, and says what was done to the log.

use crate::audit::chain::{ChainKey, Content, Mac};
use crate::audit::head::Head;
use crate::audit::reader::stored_head;
use crate::audit::record::{COLUMNS, Link};
use crate::audit::{AuditError, AuditPlaces, AuditReader, KeyStore};
use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Instant;

/// What was done to a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Breach {
    /// A record's content or MAC was changed.
    Edit,
    /// A record was taken out of the middle.
    Deletion,
    /// A record that the app didn't write was put in.
    Insertion,
    /// The newest records were cut off.
    Truncation,
    /// The file, or its end, was replaced by an older or another copy.
    Rollback,
}

impl Breach {
    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Deletion => "deletion",
            Self::Insertion => "insertion",
            Self::Truncation => "truncation",
            Self::Rollback => "rollback",
        }
    }
}

/// What the head file could say about the end of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HeadState {
    /// It vouches for the end.
    Present,
    /// There is none for this folder: the chain hangs together, but nothing vouches for its end.
    Missing,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Whether everything is as it was written.
    pub ok: bool,
    /// What was done to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Breach>,
    /// The first broken record: for what is missing, the sequence it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// Records in the log.
    pub records: i64,
    /// How long the check took, ms.
    pub duration_ms: u64,
    /// Whether the end is vouched for.
    pub head: HeadState,
}

/// A check that came to no result.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The log, its key or its head can't be read.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The person stopped it.
    #[error("finish the check: stopped")]
    Stopped,
}

/// Records between two reports of progress.
const STEP: i64 = 16_384;
/// How many records past a broken one are looked at to tell what happened.
const WINDOW: i64 = 512;

/// Checks the whole log at `places`. `progress` gets (checked, total) and may stop it.
///
/// # Errors
/// When the key or the files are out of reach, or it was stopped.
pub fn verify(
    places: &AuditPlaces,
    keys: &dyn KeyStore,
    progress: &(dyn Fn(i64, i64) -> ControlFlow<()> + Sync),
) -> Result<Verification, VerifyError> {
    let started = Instant::now();
    // The head first: whatever is appended meanwhile can only be past it.
    let head = if places.data.exists() { stored_head(places)? } else { None };
    let result = |breach: Option<(Breach, i64)>, records: i64| Verification {
        ok: breach.is_none(),
        kind: breach.map(|(kind, _)| kind),
        seq: breach.map(|(_, seq)| seq),
        records,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        head: if head.is_some() || records <= 1 { HeadState::Present } else { HeadState::Missing },
    };
    let known = head.map_or(0, |head| head.seq);
    let reader = match AuditReader::open(places) {
        Ok(Some(reader)) => reader,
        Ok(None) => return Ok(result((known > 0).then_some((Breach::Truncation, 1)), 0)),
        Err(AuditError::Damaged(_)) => return Ok(result(Some((Breach::Edit, 1)), 0)),
        Err(error) => return Err(error.into()),
    };
    let span = match span(&reader) {
        Ok(span) => span,
        // No table, or no database at all: nothing of the log is left in the file.
        Err(error) if is_damage(&error) || is_no_table(&error) => {
            let kind = if is_damage(&error) { Breach::Edit } else { Breach::Truncation };
            return Ok(result(Some((kind, 1)), 0));
        }
        Err(error) => return Err(reader.error(&error).into()),
    };
    if span.count == 0 {
        let lost = known > 0 || span.counter > 0;
        return Ok(result(lost.then_some((Breach::Truncation, 1)), 0));
    }
    let (place, name) = reader
        .key_location()?
        .ok_or_else(|| AuditError::Key("the log doesn't say any more where it is".to_owned()))?;
    let key = ChainKey::new(&keys.load(&name, place)?);
    let broken = scan(places, &key, span, progress)?;
    let breach = match broken {
        Some(seq) => Some(classify(&reader, &key, seq, known).map_err(|error| reader.error(&error))?),
        None => end_of(&reader, span, head).map_err(|error| reader.error(&error))?,
    };
    Ok(result(breach, span.count))
}

/// The extent of the table.
#[derive(Clone, Copy)]
struct Span {
    first: i64,
    last: i64,
    count: i64,
    /// The highest sequence SQLite ever gave out here.
    counter: i64,
}

fn span(reader: &AuditReader) -> rusqlite::Result<Span> {
    let (first, last) = reader.connection.query_row(
        "SELECT (SELECT seq FROM records ORDER BY seq LIMIT 1), (SELECT seq FROM records ORDER BY seq DESC LIMIT 1)",
        [],
        |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)),
    )?;
    let count: i64 = reader.connection.query_row("SELECT COUNT(*) FROM records", [], |row| row.get(0))?;
    let counter: Option<i64> = reader
        .connection
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'records'", [], |row| row.get(0))
        .optional()?;
    Ok(Span { first: first.unwrap_or(0), last: last.unwrap_or(0), count, counter: counter.unwrap_or(0) })
}

/// Checks all records, on several threads where there are many; the first sequence at which one is missing or broken.
fn scan(
    places: &AuditPlaces,
    key: &ChainKey,
    span: Span,
    progress: &(dyn Fn(i64, i64) -> ControlFlow<()> + Sync),
) -> Result<Option<i64>, VerifyError> {
    if span.first < 1 {
        return Ok(Some(span.first));
    }
    let checked = AtomicI64::new(0);
    let stop = AtomicBool::new(false);
    let report = |step: i64| {
        let done = checked.fetch_add(step, Ordering::Relaxed) + step;
        if progress(done, span.count).is_break() {
            stop.store(true, Ordering::Relaxed);
        }
        stop.load(Ordering::Relaxed)
    };
    let threads = if span.last < 4 * STEP {
        1
    } else {
        std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(8)
    };
    let share = span.last / i64::try_from(threads).unwrap_or(1) + 1;
    let parts: Vec<Result<Option<i64>, VerifyError>> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..i64::try_from(threads).unwrap_or(1))
            .map(|part| {
                let (from, to) = (part * share + 1, ((part + 1) * share).min(span.last));
                let report = &report;
                scope.spawn(move || check_range(places, key, from, to, report))
            })
            .collect();
        running
            .into_iter()
            .map(|thread| {
                thread.join().unwrap_or_else(|_| {
                    Err(AuditError::Store("a thread of the check failed".to_owned()).into())
                })
            })
            .collect()
    });
    let mut first = None;
    for part in parts {
        // Parts are in order: the first break of the first broken part is the first of all.
        first = first.or(part?);
    }
    if stop.load(Ordering::Relaxed) { Err(VerifyError::Stopped) } else { Ok(first) }
}

/// Checks the records `from..=to`, all of which should exist; the first sequence that doesn't hold.
fn check_range(
    places: &AuditPlaces,
    key: &ChainKey,
    from: i64,
    to: i64,
    report: &(dyn Fn(i64) -> bool + Sync),
) -> Result<Option<i64>, VerifyError> {
    let Some(reader) = AuditReader::open(places)? else { return Ok(Some(from)) };
    let sql = |error: rusqlite::Error| VerifyError::Audit(reader.error(&error));
    let mut expected = from;
    let mut previous = mac_before(&reader, from).map_err(sql)?;
    let mut content = Content::default();
    let mut statement = reader
        .connection
        .prepare(&format!("SELECT {COLUMNS} FROM records WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq"))
        .map_err(sql)?;
    let mut rows = statement.query(params![from, to]).map_err(sql)?;
    let mut unreported = 0;
    loop {
        let link = match rows.next() {
            Ok(Some(row)) => Link::from_row(row, key, &mut content, None).map_err(sql)?,
            Ok(None) => break,
            Err(error) if is_damage(&error) => return Ok(Some(expected)),
            Err(error) => return Err(sql(error)),
        };
        if !link.intact || link.seq != expected || previous.is_some_and(|previous| previous != link.previous)
        {
            return Ok(Some(expected));
        }
        previous = Some(link.mac);
        expected += 1;
        unreported += 1;
        if unreported == STEP {
            unreported = 0;
            if report(STEP) {
                return Ok(None);
            }
        }
    }
    report(unreported);
    Ok((expected <= to).then_some(expected))
}

/// The stored MAC before `seq`; `None` where that record is missing (its own range says so).
fn mac_before(reader: &AuditReader, seq: i64) -> rusqlite::Result<Option<Mac>> {
    if seq <= 1 {
        return Ok(Some(Mac::ZERO));
    }
    let bytes: Option<Vec<u8>> = reader
        .connection
        .query_row("SELECT mac FROM records WHERE seq = ?1", params![seq - 1], |row| row.get(0))
        .optional()?;
    Ok(bytes.and_then(|bytes| Mac::from_bytes(&bytes)))
}

/// What happened at `seq`, the first sequence that doesn't hold. `known` is how far the head vouches.
fn classify(reader: &AuditReader, key: &ChainKey, seq: i64, known: i64) -> rusqlite::Result<(Breach, i64)> {
    if seq < 1 {
        return Ok((Breach::Insertion, seq));
    }
    let before = mac_before(reader, seq)?;
    let mut content = Content::default();
    let mut statement = reader
        .connection
        .prepare(&format!("SELECT {COLUMNS} FROM records WHERE seq >= ?1 ORDER BY seq LIMIT ?2"))?;
    let mut rows = statement.query(params![seq, WINDOW])?;
    let mut first: Option<Link> = None;
    let mut moved_up = false;
    while let Some(row) = match rows.next() {
        Ok(row) => row,
        Err(error) if is_damage(&error) => None,
        Err(error) => return Err(error),
    } {
        // The record that was written as `seq`, wherever it is: what stands before it was put in.
        let original = Link::from_row(row, key, &mut content, Some(seq))?;
        if original.intact && Some(original.previous) == before {
            return Ok((if first.is_some() { Breach::Insertion } else { Breach::Edit }, seq));
        }
        if first.is_none() {
            let link = Link::from_row(row, key, &mut content, None)?;
            for distance in 1..=WINDOW {
                moved_up |= Link::from_row(row, key, &mut content, Some(seq + distance))?.intact;
            }
            first = Some(link);
        }
    }
    let Some(first) = first else { return Ok((Breach::Edit, seq)) };
    let kind = if first.seq > seq || moved_up {
        Breach::Deletion
    } else if first.intact {
        // A true record of another history of this log.
        Breach::Rollback
    } else if known > 0 && seq > known {
        Breach::Insertion
    } else {
        Breach::Edit
    };
    Ok((kind, seq))
}

/// Whether the log, whole as far as it goes, goes as far as it should.
fn end_of(reader: &AuditReader, span: Span, head: Option<Head>) -> rusqlite::Result<Option<(Breach, i64)>> {
    if span.counter > span.last {
        return Ok(Some((Breach::Truncation, span.last + 1)));
    }
    let Some(head) = head else { return Ok(None) };
    if head.seq > span.last {
        return Ok(Some((Breach::Rollback, span.last + 1)));
    }
    let at_head = mac_before(reader, head.seq + 1)?;
    Ok((at_head != Some(head.mac)).then_some((Breach::Rollback, head.seq)))
}

/// Whether SQLite met a damaged page.
fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
    )
}

/// Whether the table itself is gone.
fn is_no_table(error: &rusqlite::Error) -> bool {
    error.to_string().contains("no such table")
}

#[cfg(test)]
mod tests;
