//! Programs that list or print what an archive holds, without unpacking it. Sources: tar(1) (GNU 1.35, bsdtar), unzip(1) and
//! zipinfo(1) (6.0), gzip(1) (1.12), xz(1) (5.4), bzip2(1).

use super::super::command::{SimpleCommand, Word};
use super::{Doubt, Prover};

/// Variables from which these programs take further options.
const OPTION_VARIABLES: &[&str] =
    &["TAR_OPTIONS", "UNZIP", "ZIPINFO", "GZIP", "XZ_OPT", "XZ_DEFAULTS", "BZIP", "BZIP2"];
/// `unzip` with one of these lists or tests.
const UNZIP: &[&str] =
    &["-l", "-v", "-lv", "-vl", "-lq", "-ql", "-vq", "-qv", "-t", "-tq", "-qt", "-Z", "-Z1", "-Zl", "-Zm"];
/// What `zipinfo` may be given; `-M` starts a pager.
const ZIPINFO: &[&str] = &["-1", "-2", "-s", "-m", "-l", "-v", "-h", "-t", "-z", "-T"];
/// What compressors may be given beside what keeps them from writing a file.
const COMPRESSOR: &[&str] = &["--decompress", "--uncompress", "--keep", "--verbose", "--quiet", "--no-name"];
/// Ends after which gzip looks for no other name.
const GZIP_ENDS: &[&str] = &[".gz", ".tgz", ".taz", ".z", ".Z"];

impl Prover<'_> {
    /// `tar` in its forms that list: `tar tf A`, `tar -tvzf A MEMBER…`, `tar --list --file=A`.
    pub(super) fn tar(&mut self, arguments: &[Word], command: &SimpleCommand) -> Result<(), Doubt> {
        const OTHER: &str = "It does more with an archive than list it.";
        self.no_option_variables()?;
        let texts = literals(arguments)?;
        let (mut lists, mut archive) = (false, None);
        let mut rest = texts.as_slice();
        let mut is_first = true;
        while let [text, more @ ..] = rest {
            let old_style = is_first && !text.starts_with('-');
            is_first = false;
            rest = more;
            let long = text.strip_prefix("--");
            if let Some(long) = long {
                match long.split_once('=') {
                    Some(("file", file)) => archive = Some(file),
                    None if long == "list" => lists = true,
                    None if long == "file" => {
                        archive = more.first().map(String::as_str);
                        rest = more.get(1..).unwrap_or_default();
                    }
                    None if matches!(
                        long,
                        "verbose" | "gzip" | "bzip2" | "xz" | "zstd" | "auto-compress"
                    ) => {}
                    Some(_) | None => return Err(Doubt::new(OTHER)),
                }
                continue;
            }
            let letters = match text.strip_prefix('-') {
                Some(letters) => letters,
                None if old_style => text,
                None => continue,
            };
            if letters.is_empty() || !letters.chars().all(|letter| "tvzjJaf".contains(letter)) {
                return Err(Doubt::new(OTHER));
            }
            lists |= letters.contains('t');
            // In a bundle with a dash the name may be attached.
            if letters.contains('f') {
                if letters.matches('f').count() > 1 || !old_style && !letters.ends_with('f') {
                    return Err(Doubt::new(OTHER));
                }
                archive = more.first().map(String::as_str);
                rest = more.get(1..).unwrap_or_default();
            }
        }
        match archive {
            // A colon would name another host, which tar asks through a shell of its own.
            Some(file) if lists && !file.contains(':') && !file.starts_with('-') => {
                self.file(&Word::text(file), command)
            }
            Some(_) | None => Err(Doubt::new(OTHER)),
        }
    }

    /// `unzip -l A`, `unzip -Z1 A`, `zipinfo A`.
    pub(super) fn zip_listing(
        &mut self,
        name: &str,
        arguments: &[Word],
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        const OTHER: &str = "It does more with an archive than list it.";
        self.no_option_variables()?;
        let texts = literals(arguments)?;
        let allowed = if name == "unzip" { UNZIP } else { ZIPINFO };
        let options = texts.iter().take_while(|text| text.starts_with('-')).count();
        let listed = texts.iter().take(options).all(|text| allowed.contains(&text.as_str()));
        let lists = name != "unzip" || options > 0;
        let (Some(archive), true) = (texts.get(options), listed && lists) else {
            return Err(Doubt::new(OTHER));
        };
        let members = texts.get(options + 1..).unwrap_or_default();
        // It looks for names by patterns of its own, and for `A.zip` where `A` isn't there.
        if archive.contains(['*', '?', '[']) || members.iter().any(|member| member.starts_with('-')) {
            return Err(Doubt::new(OTHER));
        }
        self.file(&Word::text(archive.as_str()), command)?;
        self.file(&Word::text(format!("{archive}.zip")), command)?;
        self.file(&Word::text(format!("{archive}.ZIP")), command)
    }

    /// A compressor that prints to its output, tests or lists.
    pub(super) fn compressor(
        &mut self,
        name: &str,
        arguments: &[Word],
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        self.no_option_variables()?;
        let texts = literals(arguments)?;
        let mut keeps_files = matches!(name, "zcat" | "gzcat" | "bzcat" | "xzcat");
        for text in texts.iter().filter(|text| text.starts_with('-')) {
            let known = match text.strip_prefix("--") {
                Some("stdout" | "to-stdout" | "list" | "test") => {
                    keeps_files = true;
                    true
                }
                Some(_) => COMPRESSOR.contains(&text.as_str()),
                None => {
                    let letters = text.trim_start_matches('-');
                    keeps_files |= letters.contains(['c', 'l', 't']);
                    letters.chars().all(|letter| "cltdkvqn".contains(letter))
                }
            };
            if !known {
                let name = text.strip_prefix('-').unwrap_or(text);
                return Err(Doubt::new(format!("The option -{name} isn't known to be harmless.")));
            }
        }
        if !keeps_files {
            return Err(Doubt::new("It would replace the file."));
        }
        let is_gzip = matches!(name, "gzip" | "gunzip" | "zcat" | "gzcat");
        texts.iter().filter(|text| !text.starts_with('-')).try_for_each(|file| {
            if is_gzip && !GZIP_ENDS.iter().any(|end| file.ends_with(end)) {
                return Err(Doubt::new(format!("It may read another file than {file}.")));
            }
            self.file(&Word::text(file.as_str()), command)
        })
    }

    fn no_option_variables(&self) -> Result<(), Doubt> {
        match self.context.environment.iter().find(|name| OPTION_VARIABLES.contains(&name.as_str())) {
            Some(name) => Err(Doubt::new(format!("It would take further options from {name}."))),
            None => Ok(()),
        }
    }
}

fn literals(words: &[Word]) -> Result<Vec<String>, Doubt> {
    let unknown = |word: &Word| Doubt::new(format!("{} is known only at run time.", word.shown()));
    words.iter().map(|word| word.literal().map(String::from).ok_or_else(|| unknown(word))).collect()
}
