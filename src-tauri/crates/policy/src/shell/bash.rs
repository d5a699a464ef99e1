//! bash and POSIX sh.

use super::ShellJudgement;
use crate::{Context, Facts};

pub(super) fn judge(_text: &str, _facts: &Facts, _context: &Context) -> ShellJudgement {
    ShellJudgement::unreadable("Shell commands are not read yet.")
}
