//! What an interpreter is told to run: a file among its operands, files its options load, or its standard input (R33).
//!
//! An option that isn't listed may take a value, so both words behind it may be the
//! script: what is listed too much is only held to its content.

mod families;

use families::{First, Interpreter, MAIN, family_of};

/// What the arguments of an interpreter say.
#[derive(Debug, Default)]
pub struct Told {
    /// Files that it runs, or loads before.
    pub files: Vec<File>,
    /// Places of the other operands.
    pub operands: Vec<usize>,
    /// Whether it runs what it reads from its standard input.
    pub from_input: bool,
    /// Whether it is a tool with options for files that it writes.
    pub is_tool: bool,
}

/// Where a file is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum File {
    /// The argument at this place.
    Argument(usize),
    /// A part of an argument, behind its option.
    Part(String),
}

/// What `name`, a program without its folder, is told by `arguments`, each as far as it is literal; nothing where it is
/// no interpreter.
pub fn told<'a>(name: &str, arguments: impl IntoIterator<Item = &'a str>) -> Option<Told> {
    let mut reading = Reading::of(family_of(name)?);
    arguments.into_iter().enumerate().for_each(|(place, text)| reading.take(place, text));
    Some(reading.told())
}

/// What the word behind an option is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Nothing of the option's.
    Own,
    /// Text.
    Value,
    /// A file that runs.
    File,
    /// Code.
    Code,
    /// A value or an operand: the option isn't known.
    Doubtful,
}

struct Reading {
    interpreter: &'static Interpreter,
    told: Told,
    next: Next,
    only_operands: bool,
    /// Whether it is known what runs, so that operands are arguments of that.
    settled: bool,
    /// Whether the next operand is code (`sh -c -e CODE`).
    code_follows: bool,
    /// Whether `run` stood in front.
    to_run: bool,
}

impl Reading {
    fn of(interpreter: &'static Interpreter) -> Self {
        Self {
            interpreter,
            told: Told::default(),
            next: Next::Own,
            only_operands: false,
            settled: false,
            code_follows: false,
            to_run: false,
        }
    }

    fn told(mut self) -> Told {
        let (may_read_input, is_tool) = match self.interpreter.first {
            First::Script => (true, false),
            First::Text => (true, true),
            First::ScriptOrCommand | First::Goal => (false, true),
            First::Code => (false, false),
        };
        self.told.from_input |= may_read_input && !self.settled;
        self.told.is_tool = is_tool;
        self.told
    }

    fn take(&mut self, place: usize, text: &str) {
        match std::mem::replace(&mut self.next, Next::Own) {
            Next::Value | Next::Code => {}
            Next::File => self.told.files.push(File::Argument(place)),
            Next::Own => self.word(place, text, false),
            Next::Doubtful => self.word(place, text, true),
        }
    }

    fn word(&mut self, place: usize, text: &str, doubtful: bool) {
        let is_option = text.len() > 1 && text.starts_with(['-', '+']);
        let belongs_to_script =
            self.settled && self.interpreter.first == First::Script && !self.told.files.is_empty();
        if self.only_operands || belongs_to_script || !is_option {
            self.operand(place, text, doubtful);
        } else if text == "--" {
            self.only_operands = true;
        } else {
            self.next = self.option(text);
        }
    }

    fn operand(&mut self, place: usize, text: &str, doubtful: bool) {
        if std::mem::take(&mut self.code_follows) {
            return;
        }
        let is_script = !self.settled
            && match self.interpreter.first {
                First::Script => text != "-",
                First::ScriptOrCommand => self.to_run || text.contains(['.', '/']),
                First::Code | First::Text | First::Goal => false,
            };
        if is_script {
            self.told.files.push(File::Argument(place));
            self.settled = !doubtful;
            return;
        }
        match self.interpreter.first {
            First::Code if !self.settled => self.settled = true,
            First::ScriptOrCommand if !self.settled => {
                self.to_run = text == "run";
                self.settled = !self.to_run;
            }
            First::Script | First::ScriptOrCommand | First::Code | First::Text | First::Goal => {
                self.told.operands.push(place);
            }
        }
    }

    fn option(&mut self, text: &str) -> Next {
        if let Some((option, value)) = text.split_once('=') {
            if let Some(next) = self.listed(option) {
                self.note(option, next);
                if next == Next::File {
                    self.told.files.push(File::Part(value.to_owned()));
                }
            }
            return Next::Own;
        }
        if let Some(next) = self.listed(text) {
            return self.note(text, next);
        }
        if text.starts_with("--") { Next::Doubtful } else { self.bundle(text) }
    }

    /// `-xvf FILE`: letters, of which the first that takes a value has the rest of the word or the next word.
    fn bundle(&mut self, text: &str) -> Next {
        let (sign, letters) = text.split_at(1);
        for (place, letter) in letters.char_indices() {
            let option = format!("{sign}{letter}");
            let Some(listed) = self.listed(&option) else {
                if self.interpreter.bare.contains(letter) {
                    continue;
                }
                return Next::Doubtful;
            };
            let next = self.note(&option, listed);
            let rest = letters.get(place + letter.len_utf8()..).unwrap_or_default();
            match next {
                Next::Own => {}
                Next::File if !rest.is_empty() => {
                    self.told.files.push(File::Part(rest.to_owned()));
                    return Next::Own;
                }
                Next::Value | Next::Code if !rest.is_empty() => return Next::Own,
                Next::Value | Next::File | Next::Code | Next::Doubtful => return next,
            }
        }
        Next::Own
    }

    /// Takes in what a listed option says, and gives what the word behind it is.
    fn note(&mut self, option: &str, next: Next) -> Next {
        let is_main = self.interpreter.first != First::Script || MAIN.contains(&option);
        self.settled |= match next {
            Next::Code => true,
            Next::File => is_main,
            Next::Own => true,
            Next::Value | Next::Doubtful => false,
        };
        self.told.from_input |= self.interpreter.input.contains(&option);
        // A shell's code is its first operand, whatever options come between.
        if next == Next::Code && self.interpreter.names.contains(&"sh") {
            self.code_follows = true;
            return Next::Own;
        }
        next
    }

    fn listed(&self, option: &str) -> Option<Next> {
        let Interpreter { valued, loading, code, elsewhere, input, .. } = self.interpreter;
        let lists = [
            (code, Next::Code),
            (loading, Next::File),
            (valued, Next::Value),
            (elsewhere, Next::Own),
            (input, Next::Own),
        ];
        lists.into_iter().find(|(list, _)| list.contains(&option)).map(|(_, next)| next)
    }
}

#[cfg(test)]
mod tests {
    use super::{File, told};
    use crate::context::sample;
    use crate::shell::judge;
    use crate::{Access, Context, Facts, Os, ShellKind};

    /// Arguments, the files that run, and whether the input does.
    const TABLE: &[(&str, &str, bool)] = &[
        ("bash deploy", "deploy", false),
        ("bash -x deploy.sh log.txt", "deploy.sh", false),
        ("bash -eo pipefail deploy", "deploy", false),
        ("bash -o errexit -- deploy -c", "deploy", false),
        ("bash --rcfile setup deploy", "setup deploy", false),
        ("bash --rcfile=setup -i", "setup", true),
        ("bash -c -x code ./name", "", false),
        ("bash -xc code", "", false),
        ("bash", "", true),
        ("bash -s stable", "", true),
        ("bash --posix deploy log", "deploy log", false),
        ("sh -", "", true),
        ("source deploy", "deploy", false),
        ("python3.11 -W ignore x.py data", "x.py", false),
        ("python3 -Wignore -u x", "x", false),
        ("python3 -uW ignore x", "x", false),
        ("python3 -m pkg.tool x.py", "", false),
        ("python3 -c code x.py", "", false),
        ("python3 -", "", true),
        ("node -r ./hook.js --require=./two.js main", "./hook.js ./two.js main", false),
        ("node --conditions dev main", "main", false),
        ("node -e code main", "", false),
        ("tsx src/main.ts", "src/main.ts", false),
        ("go run ./cmd/tool", "./cmd/tool", false),
        ("go test ./cmd/tool", "", false),
        ("bun server.ts", "server.ts", false),
        ("deno run -A main.ts", "main.ts", false),
        ("perl -Ilib -w script", "script", false),
        ("perl -ne code data", "", false),
        ("ruby -I lib -r ./a b", "./a b", false),
        ("php -d x=y -f script", "script", false),
        ("java -Dx=y -cp lib -jar app.jar", "app.jar", false),
        ("java Main.java", "Main.java", false),
        ("pwsh -File run.ps1", "run.ps1", false),
        ("awk -f prog data", "prog", false),
        ("awk code data", "", false),
        ("make -f other.mk all", "other.mk", false),
        ("make all", "", false),
        ("psql -h host -f change.sql", "change.sql", false),
        ("sqlite3 db", "", true),
    ];

    #[test]
    fn the_script_is_found_behind_every_kind_of_option() {
        for (text, files, from_input) in TABLE {
            let words: Vec<&str> = text.split(' ').collect();
            let (name, arguments) = words.split_first().unwrap();
            let told = told(name, arguments.iter().copied()).unwrap();
            let named = |file: &File| match file {
                File::Argument(place) => arguments[*place].to_owned(),
                File::Part(part) => part.clone(),
            };
            let found: Vec<String> = told.files.iter().map(named).collect();
            assert_eq!((found.join(" ").as_str(), told.from_input), (*files, *from_input), "{text}");
        }
        assert!(told("cat", ["deploy"]).is_none());
    }

    /// Every shell marks what would run: a shell, a text, and the last part of the script's path.
    #[test]
    fn every_shell_binds_the_script() {
        let table = [
            (ShellKind::Bash, Os::Linux, "python3 -W ignore deploy", "deploy"),
            (ShellKind::Bash, Os::Linux, "cat deploy | sh", "deploy"),
            (ShellKind::Bash, Os::Linux, "sh < deploy", "deploy"),
            (ShellKind::PowerShell, Os::Windows, "python -W ignore .\\tools\\x.py data.csv", "x.py"),
            (ShellKind::PowerShell, Os::Windows, ".\\deploy.ps1 -Now", "deploy.ps1"),
            (ShellKind::PowerShell, Os::Windows, "pwsh -File deploy.ps1", "deploy.ps1"),
            (ShellKind::Cmd, Os::Windows, "python -u x.py > out.txt", "x.py"),
        ];
        for (shell, os, text, script) in table {
            let context = Context { shell, os, ..sample() };
            let touches = judge(text, &Facts::default(), &context).touches;
            let run: Vec<&str> = touches
                .iter()
                .filter(|touch| touch.access == Access::Execute)
                .filter_map(|touch| touch.path.rsplit('/').next())
                .collect();
            assert_eq!(run, [script], "{text}: {touches:?}");
        }
    }
}
