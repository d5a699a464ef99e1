//! What bash runs itself.

use super::programs::PROGRAMS;

/// Whether bash runs `program` itself, whatever `PATH` says.
pub fn is_builtin(program: &str) -> bool {
    const OTHERS: &[&str] = &[
        "test",
        "[",
        "[[",
        ".",
        "source",
        "eval",
        "exec",
        "export",
        "unset",
        "alias",
        "unalias",
        "trap",
        "read",
        "readonly",
        "declare",
        "typeset",
        "local",
        "let",
        "shift",
        "return",
        "wait",
        "jobs",
        "fg",
        "bg",
        "kill",
        "ulimit",
        "getopts",
        "hash",
        "history",
        "shopt",
        "enable",
        "pushd",
        "popd",
        "dirs",
        "mapfile",
        "readarray",
        "coproc",
        "caller",
        "help",
    ];
    OTHERS.contains(&program)
        || PROGRAMS.iter().any(|listed| listed.builtin && listed.names.contains(&program))
}
