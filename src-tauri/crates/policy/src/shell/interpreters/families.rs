//! The families of interpreters, and how each reads its arguments: from the manuals of the programs.

/// The family that `name`, a program without its folder, belongs to.
pub(super) fn family_of(name: &str) -> Option<&'static Interpreter> {
    let unversioned =
        name.trim_end_matches(|character: char| character.is_ascii_digit() || ".-".contains(character));
    INTERPRETERS.iter().find(|it| it.names.contains(&name) || it.names.contains(&unversioned))
}

/// How one family reads its arguments. Options by their full text; short ones may be bundled.
pub(super) struct Interpreter {
    /// Names of programs, without versions.
    pub(super) names: &'static [&'static str],
    /// What the first operand is.
    pub(super) first: First,
    /// Letters of options without a value.
    pub(super) bare: &'static str,
    /// Options followed by a value that is no file.
    pub(super) valued: &'static [&'static str],
    /// Options followed by a file that runs.
    pub(super) loading: &'static [&'static str],
    /// Options that bring the code itself.
    pub(super) code: &'static [&'static str],
    /// Options after which no operand is a script and the input isn't read.
    pub(super) elsewhere: &'static [&'static str],
    /// Options after which no operand is a script and the input is what runs.
    pub(super) input: &'static [&'static str],
}

/// What the first operand is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// The script.
    Script,
    /// The script, or `run` in front of it, or another command of the tool.
    ScriptOrCommand,
    /// The code, unless an option loaded it.
    Code,
    /// Text for code that comes from the input, unless an option loaded it.
    Text,
    /// What to make.
    Goal,
}

/// Options whose file is the script itself, not something loaded before it.
pub(super) const MAIN: &[&str] =
    &["-jar", "-f", "--file", "-File", "-file", "-F", "--process-file", "--script"];

const PLAIN: Interpreter = Interpreter {
    names: &[],
    first: First::Script,
    bare: "",
    valued: &[],
    loading: &[],
    code: &[],
    elsewhere: &[],
    input: &[],
};

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "yash", "fish"],
        bare: "abefhiklmnpruvxBCDEHPT",
        valued: &["-o", "+o", "-O", "+O", "--init-command"],
        loading: &["--rcfile", "--init-file"],
        code: &["-c", "--command"],
        elsewhere: &["--version", "--help"],
        input: &["-s"],
        ..PLAIN
    },
    Interpreter { names: &["source", "."], ..PLAIN },
    Interpreter {
        names: &["python", "pythonw", "pypy", "ipython", "micropython", "jython"],
        bare: "bBdEhiIOPqsSuvVxR",
        valued: &["-W", "-X", "-Q", "--check-hash-based-pycs"],
        code: &["-c"],
        elsewhere: &["-m", "-V", "--version", "-h", "--help"],
        ..PLAIN
    },
    Interpreter {
        names: &["node", "nodejs", "ts-node", "tsx"],
        bare: "chiv",
        valued: &["-C", "--conditions", "--input-type", "--title", "--test-name-pattern", "--test-reporter"],
        loading: &["-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file"],
        code: &["-e", "--eval", "-p", "--print", "-pe"],
        elsewhere: &["--run", "-v", "--version", "--help"],
        ..PLAIN
    },
    Interpreter {
        names: &["deno", "bun", "uv", "go", "dart", "swift", "crystal", "nim", "dotnet", "v", "zig"],
        first: First::ScriptOrCommand,
        bare: "Aqvx",
        valued: &["-C", "--directory", "--with", "--python", "-p", "-tags"],
        loading: &["-r", "--preload", "--import-map", "--env-file"],
        code: &["-e", "--eval", "--print"],
        elsewhere: &["-m", "--module"],
        ..PLAIN
    },
    Interpreter {
        names: &["ruby", "jruby", "truffleruby"],
        bare: "acdhlnpsSUvwWy",
        valued: &["-I", "-C", "-E", "-F", "-K", "--encoding"],
        loading: &["-r", "--require"],
        code: &["-e"],
        elsewhere: &["--version", "--help"],
        ..PLAIN
    },
    Interpreter {
        names: &["perl", "raku"],
        bare: "acfhlnpsStTuUvVwWX0",
        valued: &["-I", "-M", "-m", "-F"],
        code: &["-e", "-E"],
        ..PLAIN
    },
    Interpreter {
        names: &["php", "php-cgi"],
        bare: "aCHilmnqsvw",
        valued: &["-c", "-d", "-z", "-t"],
        loading: &["-f", "--file", "-F", "--process-file"],
        code: &["-r", "--run", "-B", "--process-begin", "-R", "--process-code", "-E", "--process-end"],
        elsewhere: &["-S", "--server", "--version", "--help", "-i", "-m", "-v"],
        ..PLAIN
    },
    Interpreter {
        names: &["lua", "luajit", "texlua"],
        bare: "iEvW",
        valued: &["-l"],
        code: &["-e"],
        ..PLAIN
    },
    Interpreter {
        names: &["Rscript", "R", "littler"],
        valued: &["-d"],
        code: &["-e"],
        loading: &["-f", "--file"],
        ..PLAIN
    },
    Interpreter { names: &["osascript"], bare: "i", valued: &["-l", "-s"], code: &["-e"], ..PLAIN },
    Interpreter {
        names: &["expect"],
        bare: "inNv",
        valued: &["-d", "-D"],
        loading: &["-f", "-b"],
        code: &["-c"],
        ..PLAIN
    },
    Interpreter {
        names: &["java"],
        valued: &[
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--add-modules",
            "--source",
            "--add-opens",
        ],
        loading: &["-jar"],
        elsewhere: &["-m", "--module", "-version", "--version"],
        ..PLAIN
    },
    Interpreter {
        names: &["pwsh", "powershell"],
        valued: &["-ExecutionPolicy", "-ep", "-WorkingDirectory", "-wd", "-OutputFormat", "-InputFormat"],
        loading: &["-File", "-file", "-f"],
        code: &["-Command", "-command", "-c", "-EncodedCommand", "-enc", "-e", "-ec"],
        ..PLAIN
    },
    Interpreter {
        names: &[
            "tclsh",
            "wish",
            "julia",
            "elixir",
            "groovy",
            "scala",
            "kotlin",
            "racket",
            "guile",
            "gosh",
            "sbcl",
            "clisp",
            "ocaml",
            "runghc",
            "runhaskell",
            "jshell",
            "escript",
            "octave",
            "ansible-playbook",
            "pipenv",
            "poetry",
            "hatch",
        ],
        valued: &["-L", "-I", "-cp"],
        loading: &["-l", "--load", "--script", "-i"],
        code: &["-e", "--eval", "-E"],
        elsewhere: &["-m", "--version", "--help"],
        ..PLAIN
    },
    Interpreter {
        names: &["awk", "gawk", "mawk", "nawk", "goawk"],
        first: First::Code,
        valued: &["-v", "--assign", "-F", "--field-separator"],
        loading: &["-f", "--file", "-i", "--include", "-E", "--exec", "-l", "--load"],
        code: &["-e", "--source"],
        ..PLAIN
    },
    Interpreter {
        names: &["make", "gmake", "just", "ninja", "task"],
        first: First::Goal,
        bare: "bBdehiknpqrRsStvw",
        valued: &["-j", "--jobs", "-l", "-C", "--directory", "-I", "-o", "-W", "-k", "-t"],
        loading: &["-f", "--file", "--makefile", "--justfile", "--taskfile"],
        ..PLAIN
    },
    Interpreter {
        names: &["psql", "mysql", "mariadb", "sqlite", "sqlcmd"],
        first: First::Text,
        valued: &[
            "-h",
            "--host",
            "-p",
            "--port",
            "-U",
            "--username",
            "-u",
            "--user",
            "-d",
            "--dbname",
            "-D",
            "-S",
            "-W",
            "-v",
            "-cmd",
            "-separator",
        ],
        loading: &["-f", "--file", "-i", "-init"],
        code: &["-c", "--command", "-e", "--execute", "-q", "-Q"],
        ..PLAIN
    },
];
