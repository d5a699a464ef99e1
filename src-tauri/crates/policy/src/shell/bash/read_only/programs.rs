//! Programs that only read, with the options under which they do. Source: their manual pages
//! (GNU coreutils 9, grep 3, diffutils 3, util-linux 2.40, file 5, xxd, the BSD ones where they differ).

use super::options::Abbreviations;

/// One program.
pub struct Program {
    /// The names it goes by.
    pub names: &'static [&'static str],
    /// The options that may be given, in the language of [`super::options`].
    pub options: &'static str,
    /// What its operands are.
    pub operands: Operands,
    /// Whether long options may be shortened.
    pub abbreviations: Abbreviations,
    /// bash runs it itself, whatever `PATH` says.
    pub builtin: bool,
}

/// What a program does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// It takes none.
    None,
    /// Text that names nothing.
    Text,
    /// Text, where a pattern that names files is fine too.
    TextOrNames,
    /// Files whose content is read; folders aren't entered.
    Files,
    /// At most one such file (a second one would be written).
    OneFile,
    /// Files and folders whose content is read, all the way down.
    Trees,
    /// Paths that are looked at.
    Names,
    /// First a text, then files.
    TextThenFiles,
    /// `+FORMAT` only.
    DateFormat,
    /// So many operands of its own, then the program that it starts.
    Wrapper(usize),
    /// `NAME=value` words, then the program that it starts.
    Environment,
}

const fn program(names: &'static [&'static str], options: &'static str, operands: Operands) -> Program {
    Program { names, options, operands, abbreviations: Abbreviations::Gnu, builtin: false }
}

const fn builtin(names: &'static [&'static str], options: &'static str, operands: Operands) -> Program {
    Program { names, options, operands, abbreviations: Abbreviations::None, builtin: true }
}

use Operands::{
    DateFormat, Environment, Files, Names, None as Nothing, OneFile, Text, TextOrNames, TextThenFiles, Trees,
    Wrapper,
};

/// Every program without a reader of its own.
pub const PROGRAMS: &[Program] = &[
    // Builtins of bash.
    builtin(&["true", "false", ":"], "", TextOrNames),
    builtin(&["pwd"], "-LP", Nothing),
    builtin(&["cd"], "-LPe", Names),
    builtin(&["echo"], "", TextOrNames),
    builtin(&["printf"], "", TextOrNames),
    builtin(&["type"], "-aftpP", Text),
    builtin(&["exit", "break", "continue"], "", Text),
    builtin(&["set"], "-eu -o:text", Nothing),
    builtin(&["umask"], "-S", Nothing),
    builtin(&["ulimit"], "-aSHcdefilmnpqrstuvx", Nothing),
    builtin(&["hash"], "-lt", Text),
    // Listing and looking.
    program(
        &["ls", "dir", "vdir"],
        "-aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ1 -I:text -T:num -w:num --all --almost-all --author --escape --block-size:text --ignore-backups --color?text --directory --dired --classify?text --file-type --format:text --full-time --group-directories-first --no-group --human-readable --si --hide:text --hyperlink?text --indicator-style:text --inode --ignore:text --kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style:text --reverse --recursive --size --sort:text --time:text --time-style:text --tabsize:num --width:num --context --zero --help --version !--dereference !--dereference-command-line",
        Names,
    ),
    program(
        &["stat"],
        "-Lft -c:text --format:text --printf:text --terse --file-system --dereference --cached:text --help --version",
        Names,
    ),
    program(
        &["du"],
        "-abchHkmsSx0 -d:num -B:text -t:text --all --apparent-size --block-size:text --bytes --total --human-readable --summarize --separate-dirs --max-depth:num --one-file-system --si --inodes --null --threshold:text --time?text --time-style:text --exclude:text --count-links --help --version !--files0-from !--exclude-from !--dereference !--dereference-args",
        Names,
    ),
    program(
        &["df"],
        "-aBhHiklPT -t:text -x:text --all --human-readable --si --inodes --local --portability --output?text --total --type:text --exclude-type:text --print-type --block-size:text --help --version !--sync !--no-sync",
        Names,
    ),
    program(
        &["file"],
        "-bhiIknNprv0 -e:text -F:text -P:text --brief --mime --mime-type --mime-encoding --no-dereference --keep-going --no-pad --raw --print0 --extension --apple --exclude:text --separator:text --no-buffer --preserve-date --help --version !--compile !--magic-file !--files-from !--uncompress !--uncompress-noreport !--special-files !--dereference",
        Files,
    ),
    program(
        &["tree"],
        "-adfihsCnpugDFNqrtcUvxJX -L:num -P:text -I:text --dirsfirst --filesfirst --gitignore --noreport --prune --du --si --inodes --device --sort?text --matchdirs --ignore-case --charset:text --filelimit:num --timefmt:text --version --help",
        Names,
    ),
    program(
        &["realpath"],
        "-eEmLPqsz --canonicalize-existing --canonicalize-missing --canonicalize --logical --physical --quiet --relative-to:name --relative-base:name --strip --no-symlinks --zero --help --version",
        Names,
    ),
    program(
        &["readlink"],
        "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero --help --version",
        Names,
    ),
    program(&["basename"], "-az -s:text --multiple --suffix:text --zero --help --version", TextOrNames),
    program(&["dirname"], "-z --zero --help --version", TextOrNames),
    program(&["pathchk"], "-pP --portability --help --version", Text),
    program(&["namei"], "-lmovxn --long --modes --owners --vertical --nosymlinks --mountpoints", Names),
    program(&["lsattr"], "-RVadlpv", Names),
    // Reading files.
    program(
        &["cat", "gcat"],
        "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --help --version",
        Files,
    ),
    // With no terminal they print and end. `+COMMAND` and the options that write or start something aren't allowed.
    Program {
        abbreviations: Abbreviations::None,
        ..program(
            &["less"],
            "-eEFiIMmNnRrSsXgGwWJ~ -x:num --quit-at-eof --quit-if-one-screen --ignore-case --IGNORE-CASE --LINE-NUMBERS --RAW-CONTROL-CHARS --chop-long-lines --squeeze-blank-lines --no-init --version",
            Files,
        )
    },
    Program {
        abbreviations: Abbreviations::None,
        ..program(&["more"], "-dflcpsu -n:num --squeeze --plain --print-over --lines:num --version", Files)
    },
    program(
        &["head", "ghead"],
        "-# -n:num -c:num -qvz --bytes:num --lines:num --quiet --silent --verbose --zero-terminated --help --version",
        Files,
    ),
    program(
        &["tail", "gtail"],
        "-# -n:num -c:num -qvzr --bytes:num --lines:num --quiet --silent --verbose --zero-terminated --help --version !--follow !--retry !--pid !--sleep-interval !--max-unchanged-stats",
        Files,
    ),
    program(
        &["wc", "gwc"],
        "-clLmw --bytes --chars --lines --max-line-length --words --total:text --help --version !--files0-from !--debug",
        Files,
    ),
    program(
        &["nl"],
        "-b:text -d:text -f:text -h:text -i:num -l:num -n:text -p -s:text -v:num -w:num --body-numbering:text --section-delimiter:text --footer-numbering:text --header-numbering:text --line-increment:num --join-blank-lines:num --number-format:text --no-renumber --number-separator:text --starting-line-number:num --number-width:num --help --version",
        Files,
    ),
    program(&["tac"], "-br -s:text --before --regex --separator:text --help --version", Files),
    program(&["rev"], "-0 --zero --help --version", Files),
    program(
        &["cut", "gcut"],
        "-b:text -c:text -d:text -f:text -nsz --bytes:text --characters:text --delimiter:text --fields:text --complement --only-delimited --output-delimiter:text --zero-terminated --help --version",
        Files,
    ),
    program(&["paste"], "-sz -d:text --delimiters:text --serial --zero-terminated --help --version", Files),
    program(
        &["join"],
        "-a:num -e:text -i -j:num -o:text -t:text -v:num -1:num -2:num -z --ignore-case --check-order --nocheck-order --header --zero-terminated --help --version",
        Files,
    ),
    program(
        &["comm"],
        "-123iz --check-order --nocheck-order --output-delimiter:text --total --zero-terminated --help --version",
        Files,
    ),
    program(
        &["sort", "gsort"],
        "-bdfgiMhnRrVcCmsuz -k:text -t:text --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort:text --version-sort --check?text --merge --stable --unique --zero-terminated --key:text --field-separator:text --parallel:num --help --version !--output !--temporary-directory !--compress-program !--files0-from !--random-source !--buffer-size !--batch-size !--debug",
        Files,
    ),
    program(
        &["uniq", "guniq"],
        "-cdDiuz -# -f:num -s:num -w:num --count --repeated --all-repeated?text --skip-fields:num --group?text --ignore-case --skip-chars:num --unique --zero-terminated --check-chars:num --help --version",
        OneFile,
    ),
    program(
        &["tr", "gtr"],
        "-cCdst --complement --delete --squeeze-repeats --truncate-set1 --help --version",
        Text,
    ),
    program(&["fold"], "-bcs -w:num -# --bytes --characters --spaces --width:num --help --version", Files),
    program(
        &["fmt"],
        "-cstu -# -w:num -g:num -p:text --crown-margin --prefix:text --split-only --tagged-paragraph --uniform-spacing --width:num --goal:num --help --version",
        Files,
    ),
    program(
        &["expand", "unexpand"],
        "-ai -t:text -# --all --first-only --initial --tabs:text --help --version",
        Files,
    ),
    program(
        &["shuf"],
        "-ez -i:text -n:num --echo --input-range:text --head-count:num --zero-terminated --repeat -r --help --version !--output !--random-source",
        Files,
    ),
    program(&["tsort"], "--help --version", Files),
    program(
        &["numfmt"],
        "-d:text -z --delimiter:text --field:text --format:text --from:text --to:text --from-unit:text --to-unit:text --grouping --header?num --invalid:text --padding:num --round:text --suffix:text --unit-separator:text --zero-terminated --debug --help --version",
        Text,
    ),
    program(
        &["column"],
        "-txeJLn -c:num -s:text -o:text -N:text -R:text -E:text -H:text -O:text -W:text -T:text -l:num --table --separator:text --output-separator:text --table-columns:text --table-right:text --json --fillrows --output-width:num --keep-empty-lines --table-noheadings --help --version",
        Files,
    ),
    program(
        &["strings"],
        "-afow -n:num -t:text -e:text -s:text -U:text -d -# --all --print-file-name --bytes:num --radix:text --encoding:text --output-separator:text --help --version",
        Files,
    ),
    program(
        &["od"],
        "-abcdfiloxsBDHOXh -A:text -j:text -N:text -S?num -t:text -v -w?num --address-radix:text --skip-bytes:text --read-bytes:text --strings?num --format:text --output-duplicates --width?num --endian:text --traditional --help --version",
        Files,
    ),
    program(
        &["hexdump", "hd"],
        "-bcCdovxX -e:text -n:num -s:text -L?text --canonical --length:num --skip:num --no-squeezing --help --version",
        Files,
    ),
    program(&["xxd"], "-abeiupEd -c:num -g:num -l:num -s:num -n:text -o:num -R:text -h -v", OneFile),
    program(
        &["base64", "base32"],
        "-diD -w:num --decode --ignore-garbage --wrap:num --help --version",
        Files,
    ),
    program(
        &["sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "md5sum", "b2sum"],
        "-btz -l:num --binary --text --tag --zero --length:num --help --version !--check !--status !--strict !--warn !--quiet !--ignore-missing",
        Files,
    ),
    program(&["shasum"], "-bpt0 -a:text --algorithm:text --binary --text --tag --help --version", Files),
    program(
        &["cksum", "sum"],
        "-rs -a:text -l:num --algorithm:text --length:num --raw --tag --untagged --base64 --zero --help --version !--check",
        Files,
    ),
    program(
        &["cmp"],
        "-bls -i:text -n:text --print-bytes --ignore-initial:text --verbose --bytes:text --quiet --silent --help --version -v",
        Files,
    ),
    program(
        &["diff", "gdiff"],
        "-abBcdeEHinNpqrstTuwyZ0123456789 -# -C:num -U:num -F:text -I:text -W:num -x:text -S:text -L:text --normal --brief --report-identical-files --context?num --unified?num --ed --rcs --side-by-side --width:num --left-column --suppress-common-lines --show-c-function --show-function-line:text --label:text --expand-tabs --initial-tab --tabsize:num --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --exclude:text --starting-file:text --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines:text --text --strip-trailing-cr --ifdef:text --minimal --horizon-lines:num --speed-large-files --color?text --palette:text --help --version -v !--exclude-from !--from-file !--to-file !--paginate",
        Trees,
    ),
    program(
        &["diff3"],
        "-eExX3ATiam -L:text --show-overlap --easy-only --merge --text --label:text --help --version -v !--diff-program",
        Files,
    ),
    program(&["look"], "-adf -t:text", TextThenFiles),
    // About the system and the person.
    program(
        &["uname"],
        "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system --help --version",
        Nothing,
    ),
    program(&["arch", "whoami", "logname", "tty", "users"], "-s --help --version", Nothing),
    program(
        &["id"],
        "-agGnruzZ --context --group --groups --name --real --user --zero --help --version",
        Text,
    ),
    program(&["groups"], "--help --version", Text),
    program(
        &["hostname"],
        "-sfdiAIy --short --fqdn --long --domain --ip-address --all-ip-addresses --help --version",
        Nothing,
    ),
    program(&["nproc"], "--all --ignore:num --help --version", Nothing),
    program(&["uptime"], "-psV --pretty --since --version --help", Nothing),
    program(
        &["free"],
        "-bkmghtlwvhV --bytes --kilo --mega --giga --kibi --mebi --gibi --human --si --total --lohi --wide --help --version",
        Nothing,
    ),
    program(&["lscpu"], "-abcpeJxyBCr --all --json --parse?text --extended?text --help --version", Nothing),
    program(&["sw_vers"], "-productName -productVersion -buildVersion", Nothing),
    program(&["getconf"], "-a", Text),
    program(
        &["locale"],
        "-acmk --all-locales --charmaps --category-name --keyword-name --help --version",
        Text,
    ),
    program(
        &["date", "gdate"],
        "-uR -d:text -r:name -I?text --date:text --iso-8601?text --rfc-email --rfc-3339:text --reference:name --utc --universal --debug --help --version !--set !--file",
        DateFormat,
    ),
    program(&["cal", "ncal"], "-13jmsywn -A:num -B:num -m:text --help --version", Text),
    program(
        &["seq", "gseq"],
        "-w -f:text -s:text --format:text --separator:text --equal-width --help --version",
        Text,
    ),
    program(&["sleep"], "--help --version", Text),
    Program { abbreviations: Abbreviations::None, ..program(&["expr"], "--help --version", Text) },
    Program {
        abbreviations: Abbreviations::None,
        ..program(&["bc"], "-lqsw --mathlib --quiet --standard --warn --help --version", Files)
    },
    program(&["factor"], "-h --exponents --help --version", Text),
    program(&["yes"], "--help --version", Nothing),
    program(&["which"], "-as --all --version --help", Text),
    program(&["whereis"], "-bmsul", Text),
    program(&["whatis", "apropos"], "-dvlwear --help --version", Text),
    program(&["tput"], "-T:text", Text),
    // Programs that start another one and change nothing about it.
    program(
        &["timeout", "gtimeout"],
        "-pvf -k:num -s:text --foreground --preserve-status --verbose --kill-after:num --signal:text",
        Wrapper(1),
    ),
    program(&["nice", "gnice"], "-n:num -# --adjustment:num", Wrapper(0)),
    program(
        &["stdbuf", "gstdbuf"],
        "-i:text -o:text -e:text --input:text --output:text --error:text",
        Wrapper(0),
    ),
    program(&["env", "genv"], "", Environment),
    builtin(&["time"], "-p", Wrapper(0)),
    builtin(&["command"], "-p", Wrapper(0)),
    builtin(&["builtin"], "", Wrapper(0)),
];

/// Programs that rustup may stand in for: it starts the one that a file of the project chooses.
pub const RUSTUP: &[&str] = &["rustc", "cargo", "rustup", "rustfmt"];

/// Programs that print their version and do nothing else when given just this.
pub const VERSIONS: &[(&str, &[&str])] = &[
    ("node", &["--version", "-v"]),
    ("npm", &["--version", "-v"]),
    ("python", &["--version", "-V", "-VV"]),
    ("python3", &["--version", "-V", "-VV"]),
    ("pip", &["--version", "-V"]),
    ("pip3", &["--version", "-V"]),
    ("ruby", &["--version", "-v"]),
    ("perl", &["--version", "-v"]),
    ("php", &["--version", "-v"]),
    ("lua", &["-v"]),
    ("java", &["--version", "-version"]),
    ("javac", &["--version", "-version"]),
    ("rustc", &["--version", "-V", "-vV"]),
    ("cargo", &["--version", "-V"]),
    ("rustup", &["--version", "-V"]),
    ("rustfmt", &["--version", "-V"]),
    ("go", &["version"]),
    ("gcc", &["--version", "-v", "-dumpversion", "-dumpmachine"]),
    ("g++", &["--version", "-v", "-dumpversion", "-dumpmachine"]),
    ("cc", &["--version", "-v"]),
    ("c++", &["--version", "-v"]),
    ("clang", &["--version"]),
    ("clang++", &["--version"]),
    ("ld", &["--version", "-v"]),
    ("make", &["--version", "-v"]),
    ("cmake", &["--version"]),
    ("ninja", &["--version"]),
    ("meson", &["--version"]),
    ("bash", &["--version"]),
    ("zsh", &["--version"]),
    ("fish", &["--version"]),
    ("tmux", &["-V"]),
    ("emacs", &["--version"]),
    ("systemctl", &["--version"]),
    ("nginx", &["-v"]),
    ("redis-cli", &["--version"]),
    ("ffmpeg", &["-version"]),
    ("ffprobe", &["-version"]),
    ("protoc", &["--version"]),
    ("shellcheck", &["--version"]),
    ("unzip", &["-v"]),
    ("xz", &["--version", "-V"]),
    ("bzip2", &["--version"]),
    ("tree", &["--version"]),
    ("strace", &["--version", "-V"]),
    ("gdb", &["--version"]),
    ("valgrind", &["--version"]),
    ("erlc", &["-version"]),
    ("ocaml", &["-version", "--version"]),
    ("ghc", &["--version", "-V"]),
    ("nasm", &["-v", "--version"]),
    ("pkg-config", &["--version"]),
    ("autoconf", &["--version"]),
    ("patch", &["--version"]),
    ("rsync", &["--version"]),
    ("docker", &["--version", "-v"]),
    ("curl", &["--version", "-V"]),
    ("wget", &["--version", "-V"]),
    ("jq", &["--version"]),
    ("rg", &["--version", "-V"]),
    ("fd", &["--version", "-V"]),
    ("awk", &["--version"]),
    ("gawk", &["--version"]),
    ("sed", &["--version"]),
    ("grep", &["--version", "-V"]),
    ("find", &["--version"]),
    ("tar", &["--version"]),
    ("gzip", &["--version"]),
    ("zip", &["-v", "--version"]),
    ("openssl", &["version"]),
    ("mysql", &["--version", "-V"]),
    ("ssh", &["-V"]),
    ("sqlite3", &["--version", "-version"]),
    ("psql", &["--version", "-V"]),
    ("gh", &["--version"]),
    ("vim", &["--version"]),
    ("nvim", &["--version", "-v"]),
    ("code", &["--version", "-v"]),
];
