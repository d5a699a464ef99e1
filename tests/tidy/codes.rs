//! The error codes in the README are those of the code: the same words, in the same order, with the same advice on
//! trying again.

use crate::root;
use assent_agent::model::FailureCode;
use assent_policy::ErrorCode;
use std::fs;

/// The first and the last cell of each row whose first cell is a code, below `heading`.
fn rows(readme: &str, heading: &str) -> Vec<(String, String)> {
    let table = readme.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let cells = |line: &str| -> Option<(String, String)> {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        Some((cells.first()?.trim_matches('`').to_owned(), (*cells.last()?).to_owned()))
    };
    table.take_while(|line| line.starts_with('|')).filter_map(cells).collect()
}

#[test]
fn the_readme_lists_every_error_code() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let of_calls: Vec<String> = rows(&readme, "| of a call |").into_iter().map(|(code, _)| code).collect();
    let expected: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(of_calls, expected);
    let passes = |code: &FailureCode| if code.is_retryable() { "yes" } else { "no" };
    let expected: Vec<(String, String)> =
        FailureCode::ALL.iter().map(|code| (code.as_str().to_owned(), passes(code).to_owned())).collect();
    assert_eq!(rows(&readme, "| of the model |"), expected);
}
