//! The git sub-commands that only read, with the options under which they do. Source: git 2.47's manual pages.

/// One sub-command.
pub struct GitCommand {
    /// Its name.
    pub name: &'static str,
    /// A second word that belongs to the name (`stash list`); empty where there is none.
    pub verb: &'static str,
    /// Lists of options in the language of [`super::options`].
    pub options: &'static [&'static str],
    /// What its operands are.
    pub operands: GitOperands,
}

/// What a git sub-command does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitOperands {
    /// It takes none.
    None,
    /// Revisions and paths, in any order.
    Revisions,
    /// Revisions and paths whose present content is read outside a repository too: only inside one.
    Contents,
    /// Patterns, but only where an option makes it a list; otherwise an operand creates something.
    Patterns,
    /// At most so many: one more would change something.
    AtMost(usize),
    /// A pattern, then revisions and paths that are searched.
    Search,
}

const DIFF: &str = "-puszabwWRDc -# -U:num -M?text -C?text -B?text -l:num -S:text -G:text -X?text -I:text --patch --no-patch --raw --unified:num --stat?text --numstat --shortstat --dirstat?text --cumulative --summary --compact-summary --patch-with-stat --patch-with-raw --name-only --name-status --color?text --no-color --color-words?text --word-diff?text --word-diff-regex:text --color-moved?text --no-color-moved --color-moved-ws:text --find-renames?text --find-copies?text --find-copies-harder --break-rewrites?text --no-renames --rename-empty --no-rename-empty --minimal --patience --histogram --diff-algorithm:text --anchored:text --indent-heuristic --no-indent-heuristic --check --full-index --binary --abbrev?num --no-abbrev --diff-filter:text --pickaxe-all --pickaxe-regex --relative?name --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines:text --inter-hunk-context:num --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules?text --submodule?text --src-prefix:text --dst-prefix:text --no-prefix --default-prefix --line-prefix:text --ita-invisible-in-index --find-object:text --skip-to:text --rotate-to:text --ws-error-highlight:text --diff-merges:text --no-diff-merges --dd --remerge-diff --combined-all-paths --irreversible-delete --reverse";
const LOG: &str = "-n:num -iEFPgmtrqh --oneline --all --branches?text --tags?text --remotes?text --glob:text --exclude:text --graph --no-graph --decorate?text --no-decorate --decorate-refs:text --decorate-refs-exclude:text --clear-decorations --author:text --committer:text --grep:text --grep-reflog:text --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --since:text --after:text --until:text --before:text --since-as-filter:text --max-count:num --skip:num --merges --no-merges --min-parents:num --max-parents:num --first-parent --date:text --date-order --topo-order --author-date-order --pretty?text --format:text --abbrev-commit --no-abbrev-commit --follow --full-history --dense --sparse --simplify-merges --simplify-by-decoration --ancestry-path?text --left-right --left-only --right-only --cherry --cherry-pick --cherry-mark --boundary --parents --children --cc --notes?text --no-notes --show-notes?text --source --use-mailmap --mailmap --no-mailmap --walk-reflogs --relative-date --encoding:text --full-diff --no-show-signature --no-walk?text --do-walk --root --show-pulls --show-linear-break?text --not --log-size --expand-tabs?num --no-expand-tabs --remove-empty --no-color-moved --bisect --single-worktree --ignore-missing --end-of-options";
const LINES: &str = "-L:text";
const REFS: &str = "--contains?text --no-contains?text --merged?text --no-merged?text --points-at:text --sort:text --format:text --color?text --no-color --column?text --no-column -i --ignore-case --omit-empty";

use GitOperands::{AtMost, Contents, None as Nothing, Patterns, Revisions, Search};

const fn git(name: &'static str, options: &'static [&'static str], operands: GitOperands) -> GitCommand {
    GitCommand { name, verb: "", options, operands }
}

const fn verb(
    name: &'static str,
    verb: &'static str,
    options: &'static [&'static str],
    operands: GitOperands,
) -> GitCommand {
    GitCommand { name, verb, options, operands }
}

/// Every sub-command that is known to read only.
pub const GIT: &[GitCommand] = &[
    git(
        "status",
        &[
            "-sbvz -u?text -M?text --short --branch --verbose --porcelain?text --long --ahead-behind --no-ahead-behind --untracked-files?text --ignored?text --ignore-submodules?text --column?text --no-column --renames --no-renames --find-renames?text --show-stash",
        ],
        Revisions,
    ),
    git(
        "diff",
        &[DIFF, "-h -1 -2 -3 -0 --cached --staged --merge-base --base --ours --theirs --end-of-options"],
        Contents,
    ),
    git("log", &[LINES, DIFF, LOG], Revisions),
    git("show", &[LINES, DIFF, LOG, "-s --no-patch"], Revisions),
    git("whatchanged", &[DIFF, LOG], Revisions),
    git("shortlog", &["-snec -w?text --summary --numbered --email --committer --group:text", LOG], Revisions),
    git("reflog", &[DIFF, LOG], Nothing),
    verb("reflog", "show", &[DIFF, LOG], Revisions),
    verb("reflog", "list", &[""], Nothing),
    verb("reflog", "exists", &[""], Revisions),
    git(
        "rev-list",
        &[
            "--count --objects --objects-edge --disk-usage?text --no-object-names --unpacked --header --timestamp --no-commit-header --reverse --quiet --filter:text",
            LOG,
        ],
        Revisions,
    ),
    git(
        "rev-parse",
        &[
            "-q --abbrev-ref?text --short?num --verify --quiet --show-toplevel --git-dir --absolute-git-dir --show-prefix --show-cdup --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --git-common-dir --all --branches?text --tags?text --remotes?text --glob:text --exclude:text --symbolic --symbolic-full-name --show-superproject-working-tree --show-object-format?text --disambiguate:text --revs-only --no-revs --flags --no-flags --default:text --git-path:text --path-format:text --since:text --until:text --end-of-options",
        ],
        Revisions,
    ),
    git(
        "describe",
        &[
            "--tags --all --long --always --dirty?text --broken?text --abbrev:num --exact-match --contains --match:text --exclude:text --first-parent --candidates:num --debug",
        ],
        Revisions,
    ),
    git(
        "blame",
        &[
            LINES,
            "-welstfnpchb -M?text -C?text --porcelain --line-porcelain --incremental --show-name --show-number --show-email --show-stats --root --date:text --since:text --abbrev:num --ignore-rev:text --color-lines --color-by-age --minimal --first-parent --score-debug --progress --no-progress --encoding:text",
        ],
        Revisions,
    ),
    git("annotate", &[LINES, "-welstfnpc -M?text -C?text --date:text --since:text"], Revisions),
    git(
        "ls-files",
        &[
            "-cdmosiuktvfz -x:text --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol --deduplicate --error-unmatch --full-name --abbrev?num --exclude-standard --exclude:text --recurse-submodules --with-tree:text --format:text",
        ],
        Revisions,
    ),
    git(
        "ls-tree",
        &[
            "-drtlz --name-only --name-status --object-only --full-name --full-tree --abbrev?num --long --format:text",
        ],
        Revisions,
    ),
    git(
        "cat-file",
        &[
            "-ptse --batch-check?text --batch-all-objects --unordered --buffer --follow-symlinks --allow-unknown-type --no-mailmap --use-mailmap -Z -z",
        ],
        Revisions,
    ),
    git(
        "grep",
        &[
            "-nilLcwvhHEFPGWpoqzIar -# -e:text -A:num -B:num -C:num -m:num --cached --untracked --exclude-standard --no-exclude-standard --count --name-only --files-with-matches --files-without-match --line-number --column --heading --break --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --fixed-strings --perl-regexp --only-matching --quiet --null --text --max-depth:num --max-count:num --recursive --no-recursive --recurse-submodules --after-context:num --before-context:num --context:num --show-function --function-context --and --or --not --all-match --threads:num --color?text --no-color",
        ],
        Search,
    ),
    git(
        "branch",
        &[REFS, "-arvlq --all --remotes --verbose --list --show-current --abbrev?num --no-abbrev"],
        Patterns,
    ),
    git("tag", &[REFS, "-l -n?num --list"], Patterns),
    git("remote", &["-v --verbose"], Nothing),
    verb("remote", "get-url", &["--push --all"], AtMost(1)),
    verb("stash", "list", &[DIFF, LOG], Revisions),
    verb("stash", "show", &[DIFF, "--include-untracked --only-untracked --no-include-untracked"], Revisions),
    git("config", &[""], Nothing),
    git("merge-base", &["-a --all --octopus --independent --is-ancestor --fork-point"], Revisions),
    git(
        "name-rev",
        &["--tags --refs:text --exclude:text --all --name-only --always --no-undefined"],
        Revisions,
    ),
    git("for-each-ref", &[REFS, "--count:num --include-root-refs --exclude:text --no-sort"], Revisions),
    git(
        "show-ref",
        &[
            "-dsq --head --heads --branches --tags --dereference --hash?num --verify --abbrev?num --quiet --exists",
        ],
        Revisions,
    ),
    git("symbolic-ref", &["-q --quiet --short --recurse --no-recurse"], AtMost(1)),
    git("count-objects", &["-vH --verbose --human-readable"], Nothing),
    git("cherry", &["-v --abbrev?num"], Revisions),
    git("diff-tree", &[DIFF, LOG, "-v --no-commit-id --merge-base"], Revisions),
    git("diff-index", &[DIFF, "-m --cached --merge-base"], Revisions),
    git("diff-files", &[DIFF, "-q -0 -1 -2 -3"], Revisions),
    git("range-diff", &[DIFF, "--creation-factor:num --left-only --right-only --no-dual-color"], Revisions),
    git(
        "show-branch",
        &[
            "-arlg --all --remotes --current --topo-order --date-order --sparse --more:num --list --merge-base --independent --no-name --sha1-name --topics --color?text --no-color --reflog?text",
        ],
        Revisions,
    ),
    git("check-ignore", &["-qvnz --quiet --verbose --non-matching --no-index"], Revisions),
    git("check-attr", &["-az --all --cached --source:text"], Revisions),
    git(
        "check-ref-format",
        &["--normalize --allow-onelevel --no-allow-onelevel --refspec-pattern --branch"],
        Revisions,
    ),
    git("check-mailmap", &[""], Nothing),
    git("version", &["--build-options"], Nothing),
    git("help", &["-ag --all --guides --no-verbose"], Nothing),
    verb("worktree", "list", &["-vz --verbose --porcelain --expire:text"], Nothing),
    git("notes", &[""], Nothing),
    verb("notes", "list", &[""], Revisions),
    verb("notes", "show", &[""], Revisions),
];

/// Options that make `branch` and `tag` list instead of creating what an operand names.
pub const LISTING: &[&str] =
    &["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];

/// `git config` in its forms that only read.
pub const CONFIG: &str = "-lz --get --get-all --get-regexp --get-urlmatch --list --local --worktree --null --name-only --show-origin --show-scope --type:text --bool --int --bool-or-int --path --expiry-date --includes --no-includes --default:text --all --regexp";
