//! What was granted beyond once: for a session in memory, as a rule in the user's file; each with its origin.

use crate::config_file::{self, replace};
use crate::kept::changed_entries;
use crate::view::{self, GrantScope, shown};
use assent_agent::clock::end_of_day;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const HEADER: &str = "\
# Where those rules of policy.toml come from that Assent wrote there when you granted them. This file allows nothing:
# the rules count as they stand in policy.toml.
#
# rule        the rule's name
# text        as it was written
# call        the call it was made from
# created_ms  when, Unix milliseconds
# expires     the last day on which it counts; absent: it stays

";

/// A grant of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionGrant {
    /// Unique in the app.
    pub id: String,
    /// The session.
    pub session: String,
    /// What it covers.
    pub grant: assent_policy::rule::Grant,
    /// The call it was made from.
    pub origin: String,
    /// Unix milliseconds.
    pub created_ms: u64,
}

impl SessionGrant {
    /// For the Permissions tab.
    pub fn view(&self) -> view::Grant {
        view::Grant {
            grant_id: self.id.clone(),
            text: shown(&format!("{}: {}", self.grant.tool, self.grant.operation)),
            scope: GrantScope::Session,
            session_id: Some(self.session.clone()),
            origin_call_id: Some(self.origin.clone()),
            created_ms: self.created_ms,
            last_used_ms: None,
            uses: 0,
            expires_ms: None,
        }
    }
}

/// Where a rule of the user's file came from, where the app wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleOrigin {
    /// The rule's name.
    pub rule: String,
    /// Its TOML.
    pub text: String,
    /// The call it was made from.
    pub call: String,
    /// Unix milliseconds.
    pub created_ms: u64,
    /// The last day on which it counts, `2026-12-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

impl RuleOrigin {
    /// For the Permissions tab.
    pub fn view(&self) -> view::Grant {
        view::Grant {
            grant_id: format!("rule:{}", self.rule),
            text: view::shown_lines(&self.text),
            scope: GrantScope::Rule,
            session_id: None,
            origin_call_id: Some(self.call.clone()),
            created_ms: self.created_ms,
            last_used_ms: None,
            uses: 0,
            expires_ms: self.expires.as_deref().and_then(end_of_day),
        }
    }
}

/// The origins on disk: `grants.toml` in the config folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Origins {
    pub grants: Vec<RuleOrigin>,
}

impl Origins {
    /// Whether the app wrote the rule called `name`.
    pub fn has(&self, name: &str) -> bool {
        self.grants.iter().any(|origin| origin.rule == name)
    }

    /// Those whose rule is among `names`, which the person's file has; one may have been taken out by hand.
    pub fn among(self, names: &[String]) -> Vec<RuleOrigin> {
        self.grants.into_iter().filter(|origin| names.contains(&origin.rule)).collect()
    }
}

/// The file of origins.
#[derive(Clone, Debug)]
pub struct OriginsFile {
    path: PathBuf,
}

impl OriginsFile {
    /// `grants.toml` in `config`.
    #[must_use]
    pub fn in_folder(config: &Path) -> Self {
        Self { path: config.join("grants.toml") }
    }

    /// What it says.
    ///
    /// # Errors
    /// When it can't be read or understood.
    pub fn read(&self) -> anyhow::Result<Origins> {
        Ok(config_file::read(&self.path)?.map(|there| there.value).unwrap_or_default())
    }

    /// Writes what was changed from `before` to `now`; what a person edited there in the meantime stays.
    ///
    /// # Errors
    /// When what is there can't be understood, or it can't be written; the old one stays.
    pub fn write(&self, before: &Origins, now: &Origins) -> anyhow::Result<()> {
        let _alone = config_file::alone(&self.path)?;
        let there = config_file::read::<Origins>(&self.path)?;
        let known = there.as_ref().map(|there| there.value.grants.clone()).unwrap_or_default();
        let key = |origin: &RuleOrigin| origin.rule.clone();
        let merge = |_: Option<RuleOrigin>, _: &RuleOrigin, now: &RuleOrigin| now.clone();
        let now = Origins { grants: changed_entries(known, &before.grants, &now.grants, key, merge) };
        match there {
            Some(there) => there.change(&self.path, &now, |origins| origins, &[("grants", "rule")]),
            None => replace(&self.path, format!("{HEADER}{}", toml::to_string(&now)?).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Origins, OriginsFile, RuleOrigin};

    fn origin(rule: &str) -> RuleOrigin {
        RuleOrigin {
            rule: rule.into(),
            text: String::new(),
            call: "c".into(),
            created_ms: 1,
            expires: Some("2026-12-31".into()),
        }
    }

    #[test]
    fn the_file_reads_back_and_explains_its_fields() {
        let folder = tempfile::tempdir().unwrap();
        let file = OriginsFile::in_folder(folder.path());
        let origins = Origins { grants: vec![origin("a")] };
        file.write(&Origins::default(), &origins).unwrap();
        assert_eq!(file.read().unwrap(), origins);
        let text = std::fs::read_to_string(&file.path).unwrap();
        let told = |line: &str| {
            line.split_once(" = ").is_none_or(|(field, _)| text.contains(&format!("\n# {field} ")))
        };
        assert!(text.lines().all(told), "{text}");
    }

    #[test]
    fn an_edit_of_the_file_stays_and_a_slip_in_it_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = OriginsFile::in_folder(folder.path());
        let [before, now] =
            [vec![origin("a")], vec![origin("a"), origin("b")]].map(|grants| Origins { grants });
        file.write(&Origins::default(), &before).unwrap();
        let edited = std::fs::read_to_string(&file.path).unwrap() + "\n# Asked by the team.\n";
        std::fs::write(&file.path, &edited).unwrap();
        file.write(&before, &now).unwrap();
        file.write(&now, &before).unwrap();
        assert_eq!(std::fs::read_to_string(&file.path).unwrap(), edited);
        std::fs::write(&file.path, "grants = 1").unwrap();
        assert!(file.write(&before, &now).is_err());
        assert_eq!(std::fs::read_to_string(&file.path).unwrap(), "grants = 1");
    }

    #[test]
    fn a_rule_that_was_taken_out_by_hand_is_no_grant() {
        let origins = Origins { grants: vec![origin("a"), origin("b")] };
        assert_eq!(origins.among(&["b".to_owned(), "c".to_owned()]), [origin("b")]);
    }
}
