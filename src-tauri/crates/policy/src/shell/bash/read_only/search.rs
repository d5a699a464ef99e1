//! `grep` and `rg`: what they search, and which sensitive files their options leave out.
//! Source: grep(1) (GNU 3.8), rg(1) 13.

use super::super::command::{SimpleCommand, Word};
use super::operands::wildcard;
use super::options::{Abbreviations, Arguments, sort};
use super::{Doubt, Prover};
use crate::TreeFact;

const GREP: &str = "-EFGPiyvwxcLloqsbHhnTUZzaIrRuV -# -e:text -f:file -m:num -A:num -B:num -C:num --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp:text --file:file --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color?text --colour?text --files-without-match --files-with-matches --max-count:num --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label:text --line-number --initial-tab --null --null-data --after-context:num --before-context:num --context:num --group-separator:text --no-group-separator --text --binary-files:text --exclude:text --exclude-dir:text --include:text --recursive --dereference-recursive --line-buffered --binary --help --version !--exclude-from !--directories !--devices";

const RIPGREP: &str = "-ilLcwvFsSxoUPnNHIhpq0u.Vab -T:text -e:text -f:file -g:text -t:text -A:num -B:num -C:num -m:num -d:num -j:num -M:num -r:text -E:text --regexp:text --file:file --glob:text --iglob:text --type:text --type-not:text --after-context:num --before-context:num --context:num --max-count:num --max-depth:num --maxdepth:num --threads:num --max-columns:num --max-filesize:text --replace:text --encoding:text --sort:text --sortr:text --color:text --colors:text --ignore-case --smart-case --case-sensitive --files-with-matches --files-without-match --count --count-matches --word-regexp --line-regexp --invert-match --fixed-strings --only-matching --multiline --multiline-dotall --pcre2 --engine:text --line-number --no-line-number --with-filename --no-filename --heading --no-heading --column --no-column --vimgrep --pretty --quiet --null --null-data --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --unrestricted --files --type-list --stats --json --trim --passthru --crlf --text --binary --follow --no-follow --mmap --no-mmap --no-config --no-messages --no-require-git --one-file-system --byte-offset --debug --glob-case-insensitive --context-separator:text --field-match-separator:text --max-columns-preview --include-zero --line-buffered --block-buffered --help --version";

/// What ripgrep's commonest types cover; a type that isn't here leaves nothing out for sure.
const TYPES: &[(&str, &[&str])] = &[
    ("rust", &["*.rs"]),
    ("js", &["*.js", "*.jsx", "*.cjs", "*.mjs", "*.vue"]),
    ("ts", &["*.ts", "*.tsx", "*.cts", "*.mts"]),
    ("py", &["*.py", "*.pyi"]),
    ("go", &["*.go"]),
    ("c", &["*.c", "*.h", "*.H", "*.cats", "*.[chH]*"]),
    ("cpp", &["*.C", "*.H", "*.cc", "*.cpp", "*.cxx", "*.hh", "*.hpp", "*.hxx", "*.inl", "*.h", "*.[ChH]*"]),
    ("java", &["*.java", "*.jsp", "*.jspx", "*.properties"]),
    ("md", &["*.md", "*.markdown", "*.mdown", "*.mdwn", "*.mkd", "*.mkdn", "*.mdx"]),
    ("markdown", &["*.md", "*.markdown", "*.mdown", "*.mdwn", "*.mkd", "*.mkdn", "*.mdx"]),
    ("css", &["*.css", "*.scss"]),
    ("html", &["*.htm", "*.html", "*.ejs"]),
    ("toml", &["*.toml", "Cargo.lock"]),
    ("ruby", &["*.rb", "*.ru", "*.gemspec", ".irbrc", "Gemfile", "Rakefile", "config.ru", "*.rbw"]),
    ("php", &["*.php", "*.php3", "*.php4", "*.php5", "*.php7", "*.php8", "*.pht", "*.phtml"]),
    ("swift", &["*.swift"]),
    ("kotlin", &["*.kt", "*.kts"]),
];

impl Prover<'_> {
    pub(super) fn grep(
        &mut self,
        _name: &str,
        arguments: &[Word],
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        let sorted = sort(GREP, Abbreviations::Gnu, arguments)?;
        self.no_hidden_options(&sorted, command)?;
        self.option_values(&sorted, command)?;
        let files = self.after_pattern(&sorted, &["-e", "--regexp", "-f", "--file"])?;
        let follows = sorted.has_any(&["-R", "--dereference-recursive"]);
        if !follows && !sorted.has_any(&["-r", "--recursive"]) {
            return files.iter().try_for_each(|file| self.file(file, command));
        }
        let filter = GrepFilter::of(&sorted);
        let excluded = |path: &str, _: &TreeFact| filter.leaves_out(path);
        if files.is_empty() {
            return self.tree(&Word::text("."), command, follows, &excluded);
        }
        files.iter().try_for_each(|file| self.tree(file, command, follows, &excluded))
    }

    pub(super) fn ripgrep(&mut self, arguments: &[Word], command: &SimpleCommand) -> Result<(), Doubt> {
        if self.context.environment.iter().any(|name| name == "RIPGREP_CONFIG_PATH") {
            return Err(Doubt::new("rg would read further options from a file."));
        }
        let sorted = sort(RIPGREP, Abbreviations::None, arguments)?;
        self.no_hidden_options(&sorted, command)?;
        self.option_values(&sorted, command)?;
        let only_names = sorted.has_any(&["--files", "--type-list"]);
        let files: Vec<&Word> = if only_names {
            sorted.operands.clone()
        } else {
            self.after_pattern(&sorted, &["-e", "--regexp", "-f", "--file"])?.to_vec()
        };
        if only_names {
            return files.iter().try_for_each(|file| self.name(file, command));
        }
        let filter = RipgrepFilter::of(&sorted);
        let follows = sorted.has_any(&["-L", "--follow"]);
        let excluded = |path: &str, fact: &TreeFact| filter.leaves_out(path, fact);
        if files.is_empty() {
            return self.tree(&Word::text("."), command, follows, &excluded);
        }
        files.iter().try_for_each(|file| self.tree(file, command, follows, &excluded))
    }

    /// The operands behind the pattern, which is an operand only where no option gives one.
    fn after_pattern<'a, 'c>(
        &self,
        sorted: &'a Arguments<'c>,
        given_by: &[&str],
    ) -> Result<&'a [&'c Word], Doubt> {
        if sorted.has_any(given_by) {
            return Ok(&sorted.operands);
        }
        match sorted.operands.split_first() {
            Some((pattern, files)) => self.text(pattern).map(|()| files),
            None => Ok(&[]),
        }
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// grep's `--include`, `--exclude` and `--exclude-dir`.
struct GrepFilter {
    /// Each with whether it includes, in order.
    files: Vec<(bool, String)>,
    folders: Vec<String>,
}

impl GrepFilter {
    fn of(sorted: &Arguments<'_>) -> Self {
        let mut files = Vec::new();
        for given in &sorted.options {
            let include = given.name == "--include";
            if (include || given.name == "--exclude")
                && let Some(value) = given.value.as_ref().and_then(|value| value.text.literal())
            {
                files.push((include, value));
            }
        }
        Self { files, folders: sorted.values(&["--exclude-dir"]).collect() }
    }

    /// The last that matches decides; where none does, a file is searched unless the first one includes.
    fn leaves_out(&self, path: &str) -> bool {
        let name = last(path);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder.split('/').any(|part| self.folders.iter().any(|pattern| matches_surely(pattern, part))) {
            return true;
        }
        let may_match = |pattern: &str| wildcard(&widened(pattern), name);
        let includes_it = self.files.iter().any(|(include, pattern)| *include && may_match(pattern));
        let excludes_it =
            self.files.iter().any(|(include, pattern)| !include && matches_surely(pattern, name));
        let first_includes = self.files.first().is_some_and(|(include, _)| *include);
        !includes_it && (excludes_it || first_includes)
    }
}

/// Whether a simple pattern certainly matches; classes and escapes are left undecided.
fn matches_surely(pattern: &str, name: &str) -> bool {
    !pattern.contains(['[', '\\', '/', '{']) && wildcard(pattern, name)
}

/// A pattern that matches at least what `pattern` does.
fn widened(pattern: &str) -> String {
    if pattern.contains(['[', '\\', '{', '/']) { "*".to_owned() } else { pattern.to_owned() }
}

/// rg's hidden files, `-g` and `-t`.
struct RipgrepFilter {
    hidden: bool,
    globs: Vec<String>,
    types: Vec<String>,
}

impl RipgrepFilter {
    fn of(sorted: &Arguments<'_>) -> Self {
        Self {
            hidden: sorted.has_any(&["-u", "-.", "--hidden", "--unrestricted"]),
            globs: sorted.values(&["-g", "--glob", "--iglob"]).collect(),
            types: sorted.values(&["-t", "--type"]).collect(),
        }
    }

    fn leaves_out(&self, path: &str, fact: &TreeFact) -> bool {
        let name = last(path);
        let is_hidden = path.split('/').any(|part| part.starts_with('.'));
        let reincluded = fact.reincluded.iter().any(|known| known == path);
        let whitelist: Vec<&String> = self.globs.iter().filter(|glob| !glob.starts_with('!')).collect();
        let whitelisted = whitelist
            .iter()
            .any(|glob| wildcard(&widened(glob).to_lowercase(), &name.to_lowercase()) || glob.contains('/'));
        if whitelisted {
            return false;
        }
        if is_hidden && !self.hidden && !reincluded {
            return true;
        }
        if !whitelist.is_empty() {
            return true;
        }
        let excluded = self.globs.iter().filter_map(|glob| glob.strip_prefix('!')).any(|glob| {
            let glob = glob.trim_start_matches("**/").trim_end_matches("/**").trim_end_matches('/');
            path.split('/').any(|part| matches_surely(glob, part))
        });
        let other_type = !self.types.is_empty()
            && self.types.iter().all(|wanted| {
                TYPES
                    .iter()
                    .find(|(name, _)| name == wanted)
                    .is_some_and(|(_, globs)| !globs.iter().any(|glob| wildcard(&widened(glob), name)))
            });
        excluded || other_type
    }
}

#[cfg(test)]
mod tests {
    use super::{GREP, GrepFilter, RIPGREP, RipgrepFilter, sort};
    use crate::TreeFact;
    use crate::shell::bash::command::Word;
    use crate::shell::bash::read_only::options::Abbreviations;

    fn words(text: &str) -> Vec<Word> {
        text.split(' ').map(Word::text).collect()
    }

    #[test]
    fn what_grep_leaves_out() {
        for (options, path, left_out) in [
            ("-r x", ".env", false),
            ("-r --include=*.js x", ".env", true),
            ("-r --include=*.js --include=.e* x", ".env", false),
            ("-r --include=* x", ".env", false),
            ("-r --exclude=.env x", ".env", true),
            ("-r --exclude=.env --include=*.js x", "key.pem", false),
            ("-r --include=*.js --exclude=y x", "key.pem", true),
            ("-r --include=*.[jp]* x", "key.pem", false),
            ("-r --exclude-dir=node_modules x", "node_modules/a/.env", true),
            ("-r --exclude-dir=node_modules x", "b/.env", false),
        ] {
            let words = words(options);
            let sorted = sort(GREP, Abbreviations::Gnu, &words).expect("listed options");
            assert_eq!(GrepFilter::of(&sorted).leaves_out(path), left_out, "{options} {path}");
        }
    }

    #[test]
    fn what_ripgrep_leaves_out() {
        for (options, path, left_out) in [
            ("x", ".env", true),
            ("x", "key.pem", false),
            ("-uuu x", ".env", false),
            ("-. x", "a/.env", false),
            ("--hidden x", ".env", false),
            ("-g *.rs x", "key.pem", true),
            ("-g .env x", ".env", false),
            ("-g !key.pem x", "key.pem", true),
            ("-g !secrets x", "secrets/key.pem", true),
            ("-trust x", "key.pem", true),
            ("-tjson x", "credentials.json", false),
            ("--hidden -trust x", ".env", true),
        ] {
            let words = words(options);
            let sorted = sort(RIPGREP, Abbreviations::None, &words).expect("listed options");
            assert_eq!(
                RipgrepFilter::of(&sorted).leaves_out(path, &TreeFact::default()),
                left_out,
                "{options} {path}"
            );
        }
        let fact = TreeFact { reincluded: vec![".env".to_owned()], ..TreeFact::default() };
        let words = words("x");
        let sorted = sort(RIPGREP, Abbreviations::None, &words).expect("listed options");
        assert!(!RipgrepFilter::of(&sorted).leaves_out(".env", &fact));
    }
}
