//! A judgement in words.

use super::answer;
use super::proposal::Proposal;
use super::stage::Stage;
use assent_agent::facts::judge;
use assent_policy::escape::escape;
use assent_policy::rule::candidate;
use assent_policy::{Access, Behavior, Origin, Touched};
use std::fmt::Write as _;

/// Everything there is to say about the call.
pub(super) fn text(stage: &Stage, proposal: &Proposal) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = write_text(&mut out, stage, proposal);
    out
}

fn write_text(out: &mut String, stage: &Stage, proposal: &Proposal) -> std::fmt::Result {
    let call = match proposal.prepare(&Origin::Task) {
        Ok(call) => call,
        Err(failure) => {
            return writeln!(out, "deny: it is no call ({}): {}", failure.code, escape(&failure.reason));
        }
    };
    let context = &stage.context;
    let (evaluation, facts) = judge(&call, context, &stage.rules, &[]);
    writeln!(out, "{} ({}): {}", evaluation.behavior, evaluation.source, escape(evaluation.reason.as_str()))?;
    writeln!(out, "\nRisk: {}. {}", evaluation.risk.level.as_str(), escape(&evaluation.risk.sentence()))?;
    writeln!(out, "Runs: {}, mode {}", evaluation.profile.as_str(), context.mode.as_str())?;
    if !evaluation.touches.is_empty() {
        writeln!(out, "\nTouches:")?;
        for touched in &evaluation.touches {
            writeln!(out, "  {} {}{}", verb(touched.access), escape(&touched.path), mark(touched))?;
        }
    }
    if !evaluation.hosts.is_empty() {
        writeln!(out, "Hosts: {}", escape(&evaluation.hosts.join(", ")))?;
    }
    writeln!(out, "\nVerdicts, strictest first:")?;
    for verdict in &evaluation.verdicts {
        writeln!(out, "  {} ({}): {}", verdict.behavior, verdict.source, escape(verdict.reason.as_str()))?;
    }
    if evaluation.behavior == Behavior::Ask {
        writeln!(out, "\nThe question:")?;
        for line in answer::display(&call, &evaluation, context) {
            writeln!(out, "  {line}")?;
        }
        match candidate(&call, &facts, context, &stage.rules) {
            Some(offer) => writeln!(out, "\nA rule that would allow it:\n\n{}", escape_lines(&offer.toml))?,
            None => writeln!(out, "\nNo rule narrow enough would allow it.")?,
        }
    }
    writeln!(out, "\nPolicy files:")?;
    for line in &stage.layers {
        writeln!(out, "  {}", escape(line))?;
    }
    Ok(())
}

fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "reads",
        Access::Write => "changes",
        Access::Delete => "deletes",
        Access::Execute => "runs",
    }
}

fn mark(touched: &Touched) -> &'static str {
    match (touched.protected, touched.sensitive) {
        (true, true) => " (protected, sensitive)",
        (true, false) => " (protected)",
        (false, true) => " (sensitive)",
        (false, false) => "",
    }
}

fn escape_lines(text: &str) -> String {
    text.lines().map(|line| format!("  {}\n", escape(line))).collect()
}
