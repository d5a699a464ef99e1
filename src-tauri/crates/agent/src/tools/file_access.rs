//! What the file tools share: off the async threads, and errors in words for the model.

use super::ToolFailure;
use crate::workspace::{AccessError, ApprovedPath, ReplaceError, Workspace, Written};
use assent_policy::path::is_sensitive;
use assent_policy::{Access, ErrorCode, FileAccess, Subject};

/// Names worth suggesting, at most.
const SUGGESTED: usize = 3;
/// Least likeness, 0 to 1, of a name that is worth suggesting.
const ALIKE: f32 = 0.75;

/// What to say about `path`, which can't be opened; where it isn't there, with what has a similar name.
pub(super) fn unreachable(workspace: &Workspace, path: &ApprovedPath, error: &AccessError) -> ToolFailure {
    let failure = ToolFailure::access(&path.written, error);
    let Some(wanted) = path.real.file_name().and_then(|name| name.to_str()) else { return failure };
    if !matches!(error, AccessError::NotFound) {
        return failure;
    }
    let mut alike: Vec<(f32, String)> = workspace
        .names_near(path)
        .into_iter()
        .map(|name| (similar::TextDiff::from_chars(name.to_lowercase(), wanted.to_lowercase()).ratio(), name))
        .filter(|(likeness, name)| *likeness >= ALIKE && !is_sensitive(name))
        .collect();
    alike.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    let names: Vec<String> = alike.into_iter().take(SUGGESTED).map(|(_, name)| name).collect();
    if names.is_empty() {
        return failure;
    }
    ToolFailure::new(failure.code, format!("{}. In the same folder: {}", failure.reason, names.join(", ")))
}

/// The subject of a tool that touches one file.
pub(super) fn one_file(path: &str, access: Access) -> Subject {
    Subject::Files { accesses: vec![FileAccess { path: path.to_owned(), access }] }
}

/// What is to be said about a change beyond that it was made.
pub(super) fn caveat(written: &Written) -> String {
    written.unconfirmed.as_ref().map_or_else(String::new, |why| {
        format!(
            "\nIt is written, but the disk did not confirm it ({why}): after a power cut the file may be as it was before."
        )
    })
}

/// Runs `work` where it may block.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(ToolFailure::new(ErrorCode::ToolExecutionError, "the tool stopped unexpectedly")),
    }
}

impl ToolFailure {
    /// A failure with words for the model.
    #[must_use]
    pub fn new(code: ErrorCode, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into() }
    }

    /// The answer to a call that was stopped.
    pub(super) fn cancelled() -> Self {
        Self::new(ErrorCode::Cancelled, "the run was stopped")
    }

    /// `path` can't be opened.
    pub(super) fn access(path: &str, error: &AccessError) -> Self {
        let hint = match error {
            AccessError::IsFolder => "; list_dir shows what is in it",
            AccessError::Swapped => "; look at it again before the next try",
            AccessError::NotFound
            | AccessError::Undecided
            | AccessError::Unusable(_)
            | AccessError::Outside
            | AccessError::NotAFolder
            | AccessError::Special
            | AccessError::Io(_) => "",
        };
        Self::new(error.code(), format!("{path}: {error}{hint}"))
    }

    /// The undo folder can't be used, so nothing is changed.
    pub(super) fn undo(error: &std::io::Error) -> Self {
        Self::new(
            ErrorCode::ToolExecutionError,
            format!("the copy for undo can't be kept ({error}); nothing was written"),
        )
    }

    /// `path` can't be changed.
    pub(super) fn replace(path: &str, error: &ReplaceError) -> Self {
        match error {
            ReplaceError::Access(error) => Self::access(path, error),
            ReplaceError::Conflict => Self::new(
                error.code(),
                format!("{path}: {error}; nothing was written. Read it again and repeat the change"),
            ),
            ReplaceError::Aside { .. } => Self::new(error.code(), format!("{path}: {error}. Tell the user")),
            ReplaceError::ReadOnly | ReplaceError::OtherOwner | ReplaceError::Io(_) => {
                Self::new(error.code(), format!("{path}: {error}; nothing was written"))
            }
        }
    }
}
