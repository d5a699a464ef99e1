//! The words of a question in each language, from the catalogues in `ui/locales/request`.

use crate::{Risk, RiskKind};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A language that has a catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// `en`
    #[default]
    English,
    /// `zh-CN`
    Chinese,
}

macro_rules! catalogue {
    ($($key:ident,)*) => {
        /// One language's words; both catalogues hold exactly these keys.
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Words {
            $(pub(crate) $key: String,)*
            /// Reasons of our own, by their English sentence with its values in braces; any other stays in English.
            pub(crate) reasons: BTreeMap<String, String>,
            /// The same for what can't be done, in the app's own words.
            pub(crate) failures: BTreeMap<String, String>,
        }

        #[cfg(test)]
        impl Words {
            pub(crate) fn all(&self) -> Vec<(&'static str, &str)> {
                vec![$((stringify!($key), self.$key.as_str()),)*]
            }
        }
    };
}

catalogue! {
    app, title_shell, title_shell_background, title_read_file, title_write_file, title_edit_file, title_glob,
    title_grep, title_list_dir, title_fetch_url, title_other,
    label_because, label_says, label_by, label_careful, label_workspace, label_command, label_path, label_folder,
    label_pattern, label_files, label_address, label_content, label_replaces, label_with, label_every_place,
    label_from_line, label_lines, label_time_limit, label_needs, label_argument, label_touches, label_hosts,
    label_change, label_sandbox, label_check,
    because, says, by_sub_agent, by_mcp, careful_hidden, careful_unsandboxed, empty, yes, no, milliseconds,
    touch_plain, touch_noted, touch_write, touch_delete, touch_execute, touch_protected, touch_sensitive, touch_more,
    touch_one_file, touch_files, touch_files_cut,
    list, sentences, needs_hosts, needs_listen, needs_read, needs_write, needs_unsandboxed,
    sandbox_read_only, sandbox_workspace_write, sandbox_with_needs, sandbox_none, sandbox_not_in_force,
    sandbox_in_process, sandbox_network,
    risk_reads, risk_reads_what, risk_reads_secret, risk_reads_secret_what, risk_reads_outside,
    risk_reads_outside_what, risk_writes, risk_writes_what, risk_changes, risk_changes_what, risk_writes_protected, risk_writes_protected_what,
    risk_writes_outside, risk_writes_outside_what, risk_deletes, risk_deletes_what, risk_runs, risk_runs_what,
    risk_changes_git, risk_changes_git_what, risk_connects, risk_connects_what, risk_unsandboxed,
    risk_catastrophic, risk_unknown, targets_two, targets_in_folder, targets_many, targets_programs,
}

impl Words {
    /// The words of `language`.
    pub(crate) fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::Chinese => &CHINESE,
        }
    }

    /// One or two plain sentences: what it does at worst, and whether that can be undone. Not escaped.
    pub(crate) fn risk(&self, risk: &Risk) -> String {
        let (sentence, what) = match &risk.kind {
            RiskKind::Reads => (&self.risk_reads, &self.risk_reads_what),
            RiskKind::ReadsSecret => (&self.risk_reads_secret, &self.risk_reads_secret_what),
            RiskKind::ReadsOutside => (&self.risk_reads_outside, &self.risk_reads_outside_what),
            RiskKind::Writes => (&self.risk_writes, &self.risk_writes_what),
            RiskKind::Changes => (&self.risk_changes, &self.risk_changes_what),
            RiskKind::WritesProtected => (&self.risk_writes_protected, &self.risk_writes_protected_what),
            RiskKind::WritesOutside => (&self.risk_writes_outside, &self.risk_writes_outside_what),
            RiskKind::Deletes => (&self.risk_deletes, &self.risk_deletes_what),
            RiskKind::Runs => (&self.risk_runs, &self.risk_runs_what),
            RiskKind::ChangesGit => (&self.risk_changes_git, &self.risk_changes_git_what),
            RiskKind::Connects { hosts } if hosts.is_empty() => {
                (&self.risk_connects, &self.risk_connects_what)
            }
            RiskKind::Connects { hosts } => {
                return fill(&self.risk_connects, &[("what", &self.object(&hosts.join(&self.list)))]);
            }
            RiskKind::Unsandboxed => return self.risk_unsandboxed.clone(),
            RiskKind::Catastrophic => return self.risk_catastrophic.clone(),
            RiskKind::Unknown => return self.risk_unknown.clone(),
        };
        let targets = if risk.kind == RiskKind::Runs && risk.targets.len() > 2 {
            Some(fill(&self.targets_programs, &[("count", &risk.targets.len().to_string())]))
        } else {
            self.targets(&risk.targets)
        };
        let what = targets.as_deref().unwrap_or(what);
        // In parentheses there is no word before it.
        let what = if risk.kind == RiskKind::ChangesGit { what.trim() } else { what };
        fill(sentence, &[("what", what)])
    }

    /// `a.txt`, `a.txt and b.txt`, `3 files in build`; `None` where there are no targets.
    fn targets(&self, targets: &[String]) -> Option<String> {
        let folder_of = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let count = targets.len().to_string();
        match targets {
            [] => None,
            [one] => Some(self.object(one)),
            [one, other] => Some(fill(&self.targets_two, &[("one", one), ("other", other)])),
            [first, rest @ ..] => {
                let folder = folder_of(first);
                let shared = !folder.is_empty() && rest.iter().all(|path| folder_of(path) == folder);
                Some(if shared {
                    fill(&self.targets_in_folder, &[("count", &count), ("folder", &folder)])
                } else {
                    fill(&self.targets_many, &[("count", &count)])
                })
            }
        }
    }

    /// A name inside a sentence; Chinese puts a space before what is no Chinese.
    fn object(&self, name: &str) -> String {
        if self.list == "、" { format!(" {name}") } else { name.to_owned() }
    }
}

#[expect(clippy::expect_used, reason = "the catalogues are compiled in; a test reads both")]
fn load(text: &str) -> Words {
    serde_json::from_str(text).expect("a complete catalogue")
}

static ENGLISH: LazyLock<Words> =
    LazyLock::new(|| load(include_str!("../../../../../ui/locales/request/en.json")));
static CHINESE: LazyLock<Words> =
    LazyLock::new(|| load(include_str!("../../../../../ui/locales/request/zh-CN.json")));

/// `template` with each `{name}` replaced; values are put in as they are and never expanded again.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        rest = match after.split_once('}') {
            Some((name, tail)) if values.iter().any(|(key, _)| *key == name) => {
                out.extend(values.iter().filter(|(key, _)| *key == name).map(|(_, value)| *value));
                tail
            }
            Some(_) | None => {
                out.push('{');
                after
            }
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{Language, RiskKind, Words, fill};
    use crate::risk::{Risk, RiskLevel};

    #[test]
    fn both_languages_hold_the_same_places() {
        let places = |text: &str| {
            let mut names: Vec<String> =
                text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect();
            names.sort();
            names
        };
        let (english, chinese) = (Words::of(Language::English), Words::of(Language::Chinese));
        for ((key, left), (_, right)) in english.all().into_iter().zip(chinese.all()) {
            assert_eq!(places(left), places(right), "{key}");
            assert!(key == "sentences" || (!left.trim().is_empty() && !right.trim().is_empty()), "{key}");
            assert!(!left.contains('!') && !right.contains('！') && !right.contains('您'), "{key}");
        }
        assert!(english.reasons.is_empty());
    }

    /// What is run is a program to a person, however many and wherever they lie.
    #[test]
    fn many_programs_are_no_files() {
        let targets = ["/usr/bin/seq", "/usr/bin/sleep", "/usr/bin/touch"].map(str::to_owned).to_vec();
        let said = |kind, language| {
            Words::of(language).risk(&Risk { level: RiskLevel::Medium, kind, targets: targets.clone() })
        };
        assert_eq!(
            said(RiskKind::Runs, Language::English),
            "Runs 3 programs. Assent can't undo what that changes."
        );
        assert_eq!(
            said(RiskKind::Runs, Language::Chinese),
            "运行 3 个程序。由此产生的改动 Assent 无法撤销。"
        );
        assert_eq!(
            said(RiskKind::Deletes, Language::English),
            "Deletes 3 files in /usr/bin. Assent can't undo this."
        );
    }

    /// A label occurs at most once in a question, so no two may read the same.
    #[test]
    fn labels_differ() {
        for language in [Language::English, Language::Chinese] {
            let mut labels: Vec<_> = Words::of(language)
                .all()
                .into_iter()
                .filter(|(key, _)| key.starts_with("label_"))
                .map(|(_, text)| text)
                .collect();
            let count = labels.len();
            labels.sort_unstable();
            labels.dedup();
            assert_eq!(labels.len(), count);
        }
    }

    #[test]
    fn values_are_never_expanded_again() {
        assert_eq!(fill("{a} {b} \\u{…} {", &[("a", "{b}"), ("b", "2")]), "{b} 2 \\u{…} {");
    }
}
