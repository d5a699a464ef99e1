//! What was granted beyond once: listed with origin and last use, given, taken back.

use super::{Reply, Shell};
use crate::conversation::Conversation;
use crate::grants::{RuleOrigin, SessionGrant};
use crate::stage::layers_everywhere;
use crate::view::{self, BackendError};
use assent_agent::audit::{AuditPlaces, AuditReader};
use assent_agent::layers::Layers;
use assent_agent::session::{SessionLock, SessionLockError};
use assent_policy::Source;
use std::sync::{Mutex, PoisonError};

/// What is said where there is nothing to take back.
pub const NO_GRANT: &str = "There is no such grant.";

impl Shell {
    /// Every grant: of sessions, and the rules that the app wrote; each with how often it decided, and when it last
    /// did. Reads the log: not for the async threads.
    pub fn grants(&self) -> Vec<view::Grant> {
        let places = AuditPlaces { data: self.places.data.clone(), state: self.places.state.clone() };
        let reader = AuditReader::open(&places).unwrap_or_else(|error| {
            tracing::warn!(%error, "the uses of grants can't be read");
            None
        });
        let uses = |source: &Source| {
            let (count, last) = reader.as_ref()?.uses(source.as_str()).ok()?;
            Some((u64::try_from(count).ok()?, last.and_then(|ms| u64::try_from(ms).ok())))
        };
        let session = self.session_grants.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let session = session.iter().map(|grant| (grant.view(), grant.grant.source()));
        let origins = self.origins.get();
        let there = layers_everywhere(self).ok().and_then(|layers| layers.user_allow_rules().ok());
        // Where the file can't be read, nobody knows.
        let origins = match there {
            Some(names) => origins.among(&names),
            None => origins.grants,
        };
        let rules = origins.iter().map(|origin| (origin.view(), Source::rule(&origin.rule)));
        session
            .chain(rules)
            .map(|(grant, source)| {
                let (uses, last_used_ms) = uses(&source).unwrap_or_default();
                view::Grant { uses, last_used_ms, ..grant }
            })
            .collect()
    }

    /// Notes where a rule that the app wrote came from.
    pub fn add_rule_origin(&self, origin: RuleOrigin) {
        self.origins.update(|origins| {
            origins.grants.retain(|known| known.rule != origin.rule);
            origins.grants.push(origin);
        });
    }

    /// Adds a grant for the rest of a session; the person was asked. One that isn't taken up gets it when it is: what
    /// waits in it goes on waiting.
    ///
    /// # Errors
    /// When another process has the session: there it would not count.
    pub fn add_session_grant(&self, grant: SessionGrant) -> Reply<()> {
        let session = grant.session.clone();
        if self.running_conversation(&session).is_none()
            && SessionLock::is_taken(&self.engine()?.scratch(&session))
        {
            let why = format!("Can't {}.", SessionLockError::Taken);
            return Err(BackendError::new("read_only", why));
        }
        self.session_grants.lock().unwrap_or_else(PoisonError::into_inner).push(grant);
        if let Some(conversation) = self.running_conversation(&session) {
            self.give_grants(&conversation);
        }
        Ok(())
    }

    /// Gives a conversation what was granted for its session.
    pub(super) fn give_grants(&self, conversation: &Conversation) {
        give(&self.session_grants, &conversation.id, &conversation.layers);
    }

    /// Takes a grant of a session back, at once.
    pub fn revoke_session_grant(&self, id: &str) -> Reply<()> {
        let missing = || BackendError::new("not_found", NO_GRANT);
        let grant = take_grant(&self.session_grants, id).ok_or_else(missing)?;
        if let Some(conversation) = self.running_conversation(&grant.session) {
            conversation.layers.revoke(&grant.grant);
        }
        Ok(())
    }

    /// A session ended: so did what was granted for it.
    pub fn end_session_grants(&self, session: &str) {
        let mut grants = self.session_grants.lock().unwrap_or_else(PoisonError::into_inner);
        grants.retain(|grant| grant.session != session);
    }
}

/// Gives `layers` what was granted for `session`. Under the lock of the grants: one that is taken back meanwhile is
/// not given after that.
fn give(grants: &Mutex<Vec<SessionGrant>>, session: &str, layers: &Layers) {
    let grants = grants.lock().unwrap_or_else(PoisonError::into_inner);
    for grant in grants.iter().filter(|grant| grant.session == session) {
        layers.grant(grant.grant.clone());
    }
}

/// Takes the grant `id` out. Its lock is free again by then: whoever takes it back needs that of the conversations.
fn take_grant(grants: &Mutex<Vec<SessionGrant>>, id: &str) -> Option<SessionGrant> {
    let mut grants = grants.lock().unwrap_or_else(PoisonError::into_inner);
    let place = grants.iter().position(|grant| grant.id == id)?;
    Some(grants.remove(place))
}

#[cfg(test)]
mod tests {
    use super::{give, take_grant};
    use crate::grants::SessionGrant;
    use assent_agent::layers::{LayerFiles, Layers};
    use assent_agent::machine::Machine;
    use assent_agent::places::Places;
    use assent_policy::rule::Grant;
    use std::path::Path;
    use std::sync::Mutex;

    /// R32: a session gets what was granted for it, whenever it is taken up, and nothing of another's.
    #[test]
    fn a_session_gets_its_own_grants() {
        let folder = tempfile::tempdir().unwrap();
        let within = |name: &str| folder.path().join(name);
        let places = Places { config: within("config"), data: within("data"), state: within("state") };
        let granted = |session: &str| SessionGrant {
            id: format!("grant of {session}"),
            session: session.to_owned(),
            grant: Grant { tool: "shell".to_owned(), operation: format!("echo {session}") },
            origin: "call".to_owned(),
            created_ms: 1,
        };
        let grants = Mutex::new(vec![granted("mine"), granted("another")]);
        let taken_up = |workspace: &Path| {
            let layers = Layers::new(LayerFiles::usual(&places, workspace), &Machine::detect());
            give(&grants, "mine", &layers);
            layers.current().rules.grants().to_vec()
        };
        assert_eq!(taken_up(folder.path()), [granted("mine").grant]);
        take_grant(&grants, "grant of mine").unwrap();
        assert_eq!(taken_up(folder.path()), []);
    }
}
