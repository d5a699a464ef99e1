//! The hard boundary of the file tools (R14, R15): nothing widens it, no rule, hook, mode or approval.
//! A shell command has a person behind it, so what it touches outside asks.

use super::Opinion;
use crate::path::{PathFault, Place};
use crate::reading::{Fault, FaultKind, Found, Reading, Touch, TouchedBy};
use crate::{Access, Behavior, ErrorCode, FileKind, Resolved, Source};

/// The words the model gets for a file tool's write outside (R63).
const WRITE_OUTSIDE: &str = "Writing outside the workspace is forbidden";

pub(super) fn judge(reading: &Reading<'_>) -> Vec<Opinion> {
    let faults = reading.faults.iter().map(by_form);
    let touches = reading.touches.iter().flat_map(|touch| match touch.by {
        TouchedBy::File | TouchedBy::Search => by_file_tool(touch),
        TouchedBy::Command | TouchedBy::Need => by_command(touch),
    });
    faults.chain(touches).collect()
}

fn by_form(fault: &Fault) -> Opinion {
    let outside = match fault.kind {
        FaultKind::Path(PathFault::NetworkShare | PathFault::Verbatim) | FaultKind::Glob(_) => true,
        FaultKind::Path(
            PathFault::Empty
            | PathFault::Control
            | PathFault::Tilde
            | PathFault::Address
            | PathFault::DriveRelative
            | PathFault::Stream
            | PathFault::TrailingDotOrSpace
            | PathFault::Device
            | PathFault::WindowsCharacter
            | PathFault::TooLong,
        ) => false,
    };
    match (outside, fault.access) {
        (true, Access::Write | Access::Delete | Access::Execute) => {
            deny(ErrorCode::PermissionDenied, WRITE_OUTSIDE.to_owned())
        }
        (true, Access::Read) => {
            deny(ErrorCode::PathEscape, format!("{} is refused: {}.", fault.written, why(fault)))
        }
        (false, Access::Read | Access::Write | Access::Delete | Access::Execute) => {
            deny(ErrorCode::InvalidPath, format!("{} can't be used: {}.", fault.written, why(fault)))
        }
    }
}

fn why(fault: &Fault) -> String {
    match fault.kind {
        FaultKind::Path(fault) => fault.to_string(),
        FaultKind::Glob(fault) => fault.to_string(),
    }
}

fn by_file_tool(touch: &Touch<'_>) -> Vec<Opinion> {
    let resolved = match touch.found {
        Found::NotYet => {
            return vec![deny(ErrorCode::InvalidPath, format!("Where {} lies is not known.", touch.lexical))];
        }
        Found::Unresolvable(why) => {
            return vec![deny(
                ErrorCode::InvalidPath,
                format!("{} can't be resolved: {why}.", touch.lexical),
            )];
        }
        Found::At(resolved) => resolved,
    };
    match (touch.class.place, touch.access) {
        (Place::Workspace, _) => inside(touch, resolved),
        (Place::ReadFolder, Access::Read) if resolved.file != FileKind::Special => vec![Opinion::new(
            Source::WORKSPACE_BOUNDARY,
            Behavior::Allow,
            "It lies in a folder that was opened for reading.",
        )],
        (Place::ReadFolder | Place::System | Place::Outside | Place::Own, Access::Read) => vec![deny(
            ErrorCode::PathEscape,
            format!("{} lies outside the workspace; only what is inside can be read.", resolved.real),
        )],
        (
            Place::ReadFolder | Place::System | Place::Outside | Place::Own,
            Access::Write | Access::Delete | Access::Execute,
        ) => vec![deny(ErrorCode::PermissionDenied, WRITE_OUTSIDE.to_owned())],
    }
}

fn inside(touch: &Touch<'_>, resolved: &Resolved) -> Vec<Opinion> {
    if resolved.file == FileKind::Special {
        let reason = format!("{} is a device, a pipe or a socket, not a file.", resolved.real);
        return vec![deny(ErrorCode::InvalidPath, reason)];
    }
    if touch.access == Access::Write && resolved.file == FileKind::Directory {
        return vec![deny(ErrorCode::InvalidPath, format!("{} is a folder, not a file.", resolved.real))];
    }
    if touch.changes() && resolved.links > 1 {
        let reason = format!(
            "The file has {} names (hard links); another may lie outside the workspace.",
            resolved.links
        );
        return vec![Opinion::new(Source::WORKSPACE_BOUNDARY, Behavior::Ask, reason)];
    }
    Vec::new()
}

fn by_command(touch: &Touch<'_>) -> Vec<Opinion> {
    let outside = match (touch.class.place, touch.changes()) {
        (Place::Workspace, _) | (Place::ReadFolder | Place::System, false) => false,
        (Place::ReadFolder | Place::System, true) | (Place::Outside | Place::Own, _) => true,
    };
    let reason = match touch.found {
        Found::NotYet => format!("Where {} lies is not known.", touch.lexical),
        Found::Unresolvable(why) => format!("{} can't be resolved: {why}.", touch.lexical),
        Found::At(_) if outside && touch.changes() => {
            format!("It changes {}, outside the workspace.", touch.shown())
        }
        Found::At(_) if outside => format!("It reads {}, outside the workspace.", touch.shown()),
        Found::At(_) => return Vec::new(),
    };
    vec![Opinion::new(Source::WORKSPACE_BOUNDARY, Behavior::Ask, reason)]
}

fn deny(code: ErrorCode, reason: String) -> Opinion {
    Opinion::deny(Source::WORKSPACE_BOUNDARY, code, reason)
}
