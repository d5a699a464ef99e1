//! Programs that start others, by the shape of their arguments. Source: each program's manual page.

/// What a wrapper's arguments look like.
pub struct Wrapper {
    /// The names it goes by.
    pub names: &'static [&'static str],
    /// Single-letter options with a value.
    pub valued: &'static str,
    /// Long options with a value in the next word.
    pub valued_long: &'static [&'static str],
    /// Operands before the program.
    pub operands: usize,
    /// `NAME=value` may stand before the program.
    pub assignments: bool,
    /// It only starts the program: what holds for the program holds for both.
    pub transparent: bool,
}

const fn wrapper(
    names: &'static [&'static str],
    valued: &'static str,
    operands: usize,
    transparent: bool,
) -> Wrapper {
    Wrapper { names, valued, valued_long: &[], operands, assignments: false, transparent }
}

pub const WRAPPERS: &[Wrapper] = &[
    wrapper(&["nohup", "builtin", "noglob", "nocorrect"], "", 0, true),
    wrapper(&["command"], "", 0, true),
    wrapper(&["setsid"], "", 0, true),
    wrapper(&["exec"], "a", 0, false),
    wrapper(&["coproc"], "", 0, false),
    Wrapper { valued_long: &["--format", "--output"], ..wrapper(&["time", "gtime"], "fo", 0, true) },
    Wrapper { valued_long: &["--adjustment"], ..wrapper(&["nice", "gnice"], "n", 0, true) },
    Wrapper {
        valued_long: &["--kill-after", "--signal"],
        ..wrapper(&["timeout", "gtimeout"], "ks", 1, true)
    },
    Wrapper {
        valued_long: &["--input", "--output", "--error"],
        ..wrapper(&["stdbuf", "gstdbuf"], "ioe", 0, true)
    },
    Wrapper { valued_long: &["--class", "--classdata"], ..wrapper(&["ionice"], "cnpPu", 0, true) },
    wrapper(&["chrt"], "TPD", 1, true),
    wrapper(&["taskset"], "", 1, true),
    Wrapper {
        valued_long: &["--unset", "--chdir"],
        assignments: true,
        ..wrapper(&["env", "genv"], "uCS", 0, false)
    },
    Wrapper {
        valued_long: &[
            "--arg-file",
            "--delimiter",
            "--max-args",
            "--max-procs",
            "--max-chars",
            "--max-lines",
            "--process-slot-var",
        ],
        ..wrapper(&["xargs", "gxargs"], "adEILnPsRSJ", 0, false)
    },
    Wrapper { valued_long: &["--interval"], ..wrapper(&["watch"], "nq", 0, false) },
    Wrapper {
        valued_long: &["--timeout", "--wait", "--conflict-exit-code"],
        ..wrapper(&["flock"], "wE", 1, false)
    },
    wrapper(&["busybox", "toybox"], "", 0, false),
    wrapper(&["npx", "bunx", "pnpx"], "p", 0, false),
    wrapper(&["strace", "ltrace"], "eopPsuaESXbIO", 0, false),
    wrapper(
        &["valgrind", "proxychains", "proxychains4", "rlwrap", "unbuffer", "fakeroot", "catchsegv"],
        "",
        0,
        false,
    ),
    wrapper(&["caffeinate"], "tw", 0, false),
    wrapper(&["arch", "setarch", "linux32", "linux64"], "", 0, false),
    wrapper(&["chroot"], "", 1, false),
    wrapper(&["unshare", "nsenter"], "StRw", 0, false),
    wrapper(&["setpriv", "prlimit"], "", 0, false),
    Wrapper {
        valued_long: &["--interleave", "--preferred", "--membind", "--cpunodebind", "--physcpubind"],
        ..wrapper(&["numactl"], "ipmNC", 0, false)
    },
    wrapper(
        &["chronic", "ifne", "eatmydata", "run-one", "run-this-one", "torsocks", "torify", "uvx", "dotenv"],
        "",
        0,
        false,
    ),
    wrapper(&["proot"], "rbwqk", 0, false),
    wrapper(&["firejail"], "", 0, false),
    wrapper(&["faketime"], "", 1, false),
    wrapper(&["systemd-run", "systemd-inhibit"], "puEHM", 0, false),
    wrapper(&["dbus-run-session", "dbus-launch", "xvfb-run", "ssh-agent"], "nsefp", 0, false),
    wrapper(&["parallel"], "jnNIPLd", 0, false),
    wrapper(&["hyperfine", "entr"], "wmMrpcSs", 0, false),
];

/// Programs whose sub-command starts the rest, with how many operands stand before it.
pub const RUNNERS: &[(&str, &str, usize)] = &[
    ("uv", "run", 0),
    ("poetry", "run", 0),
    ("pipenv", "run", 0),
    ("pipx", "run", 0),
    ("pdm", "run", 0),
    ("hatch", "run", 0),
    ("rye", "run", 0),
    ("tox", "exec", 0),
    ("conda", "run", 0),
    ("mamba", "run", 0),
    ("micromamba", "run", 0),
    ("bundle", "exec", 0),
    ("pyenv", "exec", 0),
    ("rbenv", "exec", 0),
    ("nodenv", "exec", 0),
    ("asdf", "exec", 0),
    ("volta", "run", 0),
    ("mise", "exec", 0),
    ("mise", "x", 0),
    ("direnv", "exec", 1),
    ("devbox", "run", 0),
    ("npm", "exec", 0),
    ("pnpm", "exec", 0),
    ("pnpm", "dlx", 0),
    ("yarn", "exec", 0),
    ("yarn", "dlx", 0),
    ("op", "run", 0),
    ("doppler", "run", 0),
    ("infisical", "run", 0),
    ("dotenvx", "run", 0),
    ("aws-vault", "exec", 1),
    ("chamber", "exec", 1),
];

/// Options whose value is a command's text: the programs, a letter, a long name.
pub const SCRIPTS: &[(&[&str], Option<char>, &str)] = &[
    (&["script"], Some('c'), "--command"),
    (&["npm", "npx"], Some('c'), "--call"),
    (&["nix-shell"], None, "--run"),
    (&["nix-shell"], None, "--command"),
    (&["tar", "gtar", "bsdtar"], Some('I'), "--use-compress-program"),
    (&["tar", "gtar"], None, "--to-command"),
    (&["tar", "gtar"], None, "--checkpoint-action=exec"),
    (&["tar", "gtar"], None, "--rsh-command"),
    (&["rsync"], Some('e'), "--rsh"),
    (&["split", "gsplit"], None, "--filter"),
    (&["sort", "gsort"], None, "--compress-program"),
    (&["man"], Some('P'), "--pager"),
];

/// Variables whose value a program runs.
pub const RUN_BY_NAME: &[&str] = &[
    "PAGER",
    "GIT_PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "PROMPT_COMMAND",
    "RSYNC_RSH",
    "BROWSER",
];

/// Shells that take a script as an argument or as their input.
pub const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "yash"];
