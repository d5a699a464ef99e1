//! What the model reads about a command that ended: one text for each way (R63).

use super::Swept;
use crate::process::quarantine::Moved;
use crate::tools::{ToolFailure, ToolOutput};
use assent_policy::ErrorCode;
use assent_sandbox::{EndReason, Ended, Level, Outcome, Refusal, RefusalKind, Strength};

/// Everything that is known about a command that ended.
#[derive(Clone, Debug)]
pub struct Story {
    /// As the supervisor saw it.
    pub ended: Ended,
    /// What it was confined to.
    pub level: Level,
    /// Stop ended it.
    pub cancelled: bool,
    /// It wrote more than is kept, and was ended for it.
    pub flood: bool,
    /// Its time limit, ms.
    pub timeout_ms: u64,
    /// Its output, head and tail.
    pub text: String,
    /// Protected files that appeared, and were moved away.
    pub moved: Swept,
    /// Those that commands in the background had left, and were moved away before it ran.
    pub moved_before: Vec<Moved>,
}

/// The answer to the call.
///
/// # Errors
/// For everything but a command that ended with code 0 and left nothing behind that isn't allowed.
pub fn answer(story: &Story) -> Result<ToolOutput, ToolFailure> {
    let fail = |code, why: String| {
        let mut reason = why;
        for note in notes(story) {
            reason.push('\n');
            reason.push_str(&note);
        }
        if !story.text.is_empty() {
            reason.push_str("\nOutput:\n");
            reason.push_str(&story.text);
        }
        Err(ToolFailure { code, reason })
    };
    if story.cancelled {
        return match story.level {
            Level::ReadOnly => fail(
                ErrorCode::Cancelled,
                "The run was stopped while the command ran. It could not change anything.".to_owned(),
            ),
            Level::WorkspaceWrite | Level::Unsandboxed => fail(
                ErrorCode::OutcomeUnknown,
                format!(
                    "The run was stopped while the command ran, after {}. {UNKNOWN}",
                    seconds(story.ended.duration_ms)
                ),
            ),
        };
    }
    if story.flood {
        return fail(
            ErrorCode::ShellFailed,
            "It wrote more output than can be kept and was ended, with every process it started.".to_owned(),
        );
    }
    match &story.ended.outcome {
        Outcome::Exited(0) if has_left_something(story) => fail(
            ErrorCode::SandboxDenied,
            "The command ended with exit code 0, but made protected files.".to_owned(),
        ),
        Outcome::Exited(0) => {
            let mut content = story.text.clone();
            for note in notes(story) {
                content.push_str(if content.is_empty() || content.ends_with('\n') { "" } else { "\n" });
                content.push_str(&note);
            }
            Ok(ToolOutput {
                content: if content.is_empty() { "(no output)".to_owned() } else { content },
                changes: Vec::new(),
            })
        }
        Outcome::Exited(code) => fail(code_of_failure(story), format!("Exit code {code}.")),
        Outcome::Signalled(signal) => {
            fail(code_of_failure(story), format!("Ended by signal {signal}{}.", signal_name(*signal)))
        }
        Outcome::Stopped(EndReason::Time) => fail(
            ErrorCode::ShellTimeout,
            format!(
                "The command ran longer than {} and was ended, with every process it started. {}",
                seconds(story.timeout_ms),
                match story.level {
                    Level::ReadOnly => "It could not change anything.",
                    Level::WorkspaceWrite | Level::Unsandboxed => UNKNOWN,
                }
            ),
        ),
        Outcome::Stopped(EndReason::Memory) => fail(ErrorCode::ShellFailed, limit("used more memory")),
        Outcome::Stopped(EndReason::Processes) => {
            fail(ErrorCode::ShellFailed, limit("started more processes"))
        }
        Outcome::Stopped(EndReason::Disk) => fail(ErrorCode::ShellFailed, limit("filled more of the disk")),
        Outcome::Stopped(EndReason::Asked) | Outcome::Lost => fail(
            ErrorCode::OutcomeUnknown,
            format!(
                "The command was ended from outside, after {}. {UNKNOWN}",
                seconds(story.ended.duration_ms)
            ),
        ),
        Outcome::NotStarted(why) => {
            fail(ErrorCode::ShellStartFailed, format!("The shell could not be started: {why}. Nothing ran."))
        }
        Outcome::SetupFailed(why) => fail(
            ErrorCode::SandboxFailed,
            format!("The sandbox could not be set up: failed to {why}. Nothing ran."),
        ),
    }
}

/// What a command that changed something may have left.
const UNKNOWN: &str =
    "What it had done by then stays done. Look at the state of things before you repeat it.";

/// What happened beside the command's own end.
pub fn notes(story: &Story) -> Vec<String> {
    let mut notes = Vec::new();
    let refused: Vec<String> = told(story).map(ToString::to_string).collect();
    if !refused.is_empty() {
        let level = story.level.as_str();
        notes.push(format!(
            "[The sandbox ({level}) refused: {}. If the task needs that, propose the command again and name it in `needs`; the user is asked.]",
            refused.join("; ")
        ));
    }
    let masked: Vec<&str> = story
        .ended
        .refusals
        .iter()
        .filter(|refusal| refusal.kind == RefusalKind::Read)
        .map(|refusal| refusal.what.as_str())
        .collect();
    if !masked.is_empty() {
        notes.push(format!(
            "[What the command opened here is sensitive and reads as empty in the sandbox: {}. If the task needs its content, propose the command again and name it in `needs.read`; the user is asked.]",
            masked.join(", ")
        ));
    }
    let places = |moved: &[Moved]| {
        moved.iter().map(|moved| moved.from.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    if !story.moved_before.is_empty() {
        notes.push(format!(
            "[Before it ran, protected files that a command in the background had made were moved out of the workspace: {}.]",
            places(&story.moved_before)
        ));
    }
    match &story.moved {
        Ok(moved) if moved.is_empty() => {}
        Ok(moved) => {
            notes.push(format!(
                "[Protected files appeared and were moved out of the workspace: {}. Use write_file for them; the user is asked.]",
                places(moved)
            ));
        }
        Err(why) => notes.push(format!(
            "[Whether protected files appeared can't be told, or one could not be moved away: failed to {why}.]"
        )),
    }
    if story.ended.strength == Some(Strength::Floor) {
        notes.push(
            "[It ran with a limited sandbox: nothing inside the workspace was protected or hidden.]"
                .to_owned(),
        );
    }
    notes
}

/// Refusals that may have made a command fail. Programs look for local services as a habit, and do without; a hidden file
/// that was read as empty was read.
fn told(story: &Story) -> impl Iterator<Item = &Refusal> {
    story.ended.refusals.iter().filter(|refusal| match refusal.kind {
        RefusalKind::Socket => !matches!(refusal.what.as_str(), "unix" | "netlink"),
        RefusalKind::Read => false,
        RefusalKind::Write | RefusalKind::Connect | RefusalKind::Call => true,
    })
}

fn has_left_something(story: &Story) -> bool {
    story.moved.as_ref().map_or(true, |moved| !moved.is_empty())
}

fn code_of_failure(story: &Story) -> ErrorCode {
    if told(story).next().is_some() || has_left_something(story) {
        ErrorCode::SandboxDenied
    } else {
        ErrorCode::ShellFailed
    }
}

fn limit(what: &str) -> String {
    format!("The command {what} than it may and was ended, with every process it started. {UNKNOWN}")
}

fn seconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) {
        format!("{} s", ms / 1000)
    } else {
        format!("{}.{:03} s", ms / 1000, ms % 1000)
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        25 => " (SIGXFSZ: a file grew too large)",
        31 => " (SIGSYS)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(outcome: Outcome) -> Story {
        Story {
            ended: Ended { outcome, refusals: Vec::new(), strength: Some(Strength::Full), duration_ms: 1500 },
            level: Level::WorkspaceWrite,
            cancelled: false,
            flood: false,
            timeout_ms: 120_000,
            text: "some output\n".to_owned(),
            moved: Ok(Vec::new()),
            moved_before: Vec::new(),
        }
    }

    fn refused(kind: RefusalKind, what: &str) -> Refusal {
        Refusal { kind, what: what.to_owned() }
    }

    /// R52, R53, R63: every end has its own text and code.
    #[test]
    fn texts() {
        let write = || refused(RefusalKind::Write, "/etc/hosts");
        let with = |outcome, refusals: Vec<Refusal>| {
            let mut story = story(outcome);
            story.ended.refusals = refusals;
            story
        };
        let moved = || Ok(vec![Moved { from: "sub/.husky".into(), to: "/q/0-.husky".into() }]);
        let stories = [
            story(Outcome::Exited(0)),
            Story { text: String::new(), ..story(Outcome::Exited(0)) },
            with(Outcome::Exited(0), vec![write()]),
            with(Outcome::Exited(0), vec![refused(RefusalKind::Read, "/w/.env")]),
            with(Outcome::Exited(1), vec![refused(RefusalKind::Read, "/w/.env"), write()]),
            with(Outcome::Exited(1), vec![refused(RefusalKind::Read, "/w/.env")]),
            story(Outcome::Exited(2)),
            with(Outcome::Exited(1), vec![write(), refused(RefusalKind::Connect, "1.1.1.1:443")]),
            with(Outcome::Exited(1), vec![refused(RefusalKind::Socket, "unix")]),
            story(Outcome::Signalled(11)),
            story(Outcome::Stopped(EndReason::Time)),
            Story { level: Level::ReadOnly, ..story(Outcome::Stopped(EndReason::Time)) },
            story(Outcome::Stopped(EndReason::Memory)),
            story(Outcome::Stopped(EndReason::Processes)),
            story(Outcome::Stopped(EndReason::Disk)),
            Story { flood: true, ..story(Outcome::Stopped(EndReason::Asked)) },
            Story { cancelled: true, ..story(Outcome::Stopped(EndReason::Asked)) },
            Story { cancelled: true, level: Level::ReadOnly, ..story(Outcome::Stopped(EndReason::Asked)) },
            story(Outcome::Lost),
            Story {
                text: String::new(),
                ..story(Outcome::NotStarted("bash: No such file or directory (os error 2)".to_owned()))
            },
            Story {
                text: String::new(),
                ..story(Outcome::SetupFailed(
                    "make namespaces: Operation not permitted (os error 1)".to_owned(),
                ))
            },
            Story { moved: moved(), ..story(Outcome::Exited(0)) },
            Story { moved: moved(), ..story(Outcome::Exited(1)) },
            Story {
                moved: Err(
                    "look for protected files: the workspace holds more than 2000000 files and folders"
                        .to_owned(),
                ),
                ..story(Outcome::Exited(0))
            },
        ];
        let texts = stories.map(|story| match answer(&story) {
            Ok(output) => output.content,
            Err(failure) => failure.to_string(),
        });
        insta::assert_snapshot!(texts.join("\n----\n"));
    }
}
