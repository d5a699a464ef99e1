//! How far a call came, as the records tell: what a restart goes by (R35, R53).

use crate::audit::{Entry, Phase};
use rusqlite::{Connection, OptionalExtension as _, params};

/// A call that is on record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The run that proposed it.
    pub run: String,
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// How far it came.
    pub step: Step,
}

/// How far a call came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Proposed and not decided: nothing happened.
    Undecided,
    /// Decided against: nothing happened.
    Refused,
    /// Execution began and has no outcome: it may have had an effect.
    Began,
    /// It has an outcome.
    Ended {
        /// `succeeded` or an error code.
        outcome: String,
    },
}

impl Standing {
    /// The standing of the newest call named `call` of `session` in a log that is kept as a list; `None` where
    /// nothing of it is on record.
    #[must_use]
    pub fn of(entries: &[Entry], session: &str, call: &str) -> Option<Self> {
        let mine = |entry: &&Entry| entry.session == session && entry.call == call;
        let first = entries.iter().rposition(|entry| mine(&entry) && entry.phase == Phase::Intent)?;
        let intent = entries.get(first)?;
        let later = entries.iter().skip(first).filter(mine);
        let step = later.fold(Step::Undecided, |step, entry| {
            step.after(entry.phase.as_str(), &entry.behavior, &entry.outcome)
        });
        Some(Self { run: intent.run.clone(), tool: intent.tool.clone(), step })
    }
}

impl Step {
    /// The step once a record of `phase` was added.
    fn after(self, phase: &str, behavior: &str, outcome: &str) -> Self {
        match phase {
            "decision" if behavior == "deny" => Self::Refused,
            "start" => Self::Began,
            "outcome" => Self::Ended { outcome: outcome.to_owned() },
            _ => self,
        }
    }
}

/// The standing of the newest call named `call` of `session` in the log behind `connection`.
pub(super) fn standing(
    connection: &Connection,
    session: &str,
    call: &str,
) -> rusqlite::Result<Option<Standing>> {
    let intent: Option<(i64, String, String)> = connection
        .prepare_cached(
            "SELECT seq, run, tool FROM records WHERE phase = 'intent' AND call = ?1 AND session = ?2 \
             ORDER BY seq DESC LIMIT 1",
        )?
        .query_row(params![call, session], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((seq, run, tool)) = intent else { return Ok(None) };
    let mut step = Step::Undecided;
    for phase in ["decision", "start", "outcome"] {
        let sql = format!("SELECT behavior, outcome FROM records WHERE phase = '{phase}' AND call_seq = ?1");
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![seq])?;
        while let Some(row) = rows.next()? {
            let (behavior, outcome): (String, String) = (row.get(0)?, row.get(1)?);
            step = step.after(phase, &behavior, &outcome);
        }
    }
    Ok(Some(Standing { run, tool, step }))
}
