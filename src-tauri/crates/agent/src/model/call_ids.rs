//! Ids of calls: what the wire gave where it can be used, else one of our own making.

use super::ProposedCall;
use std::collections::HashSet;

/// Longest id that is taken from the wire, bytes.
const MAX_ID: usize = 256;

/// Length of a minted id. Nine alphanumerics is the only form Mistral accepts; every other server takes it too.
pub const MINTED_LENGTH: usize = 9;

/// The ids of one conversation.
#[derive(Clone, Debug)]
pub struct CallIds {
    used: HashSet<String>,
    state: u64,
}

impl CallIds {
    /// `used` are the ids that the conversation already holds; minted ids follow from `seed`.
    #[must_use]
    pub fn new(used: HashSet<String>, seed: u64) -> Self {
        Self { used, state: seed }
    }

    /// Those of a conversation that holds `used`, at a random seed.
    #[must_use]
    pub fn after(used: HashSet<String>) -> Self {
        Self::new(used, super::client::random())
    }

    /// Gives calls whose ids the conversation already holds ids of their own.
    pub fn keep_apart(&mut self, calls: &mut [ProposedCall]) {
        for call in calls {
            let (id, is_same) = self.claim(Some(&call.id));
            call.id_given &= is_same;
            call.id = id;
        }
    }

    /// The id a call gets, and whether it is the one from the wire. An id that is missing, empty, overlong or
    /// already used would make the next request ambiguous, so it is replaced.
    pub fn claim(&mut self, given: Option<&str>) -> (String, bool) {
        if let Some(id) = given
            && !id.trim().is_empty()
            && id.len() <= MAX_ID
            && self.used.insert(id.to_owned())
        {
            return (id.to_owned(), true);
        }
        (self.mint(), false)
    }

    /// A new id that the conversation doesn't hold yet.
    pub fn mint(&mut self) -> String {
        loop {
            let id = alphanumeric(self.next());
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }

    /// SplitMix64: ids need to be distinct, not secret.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// `number` as nine alphanumerics.
#[must_use]
pub fn alphanumeric(mut number: u64) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut id = String::with_capacity(MINTED_LENGTH);
    for _ in 0..MINTED_LENGTH {
        let digit = usize::try_from(number % 62).unwrap_or_default();
        id.push(DIGITS.get(digit).copied().map_or('0', char::from));
        number /= 62;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::CallIds;

    /// R2
    #[test]
    fn every_call_gets_an_id_of_its_own() {
        let mut ids = CallIds::new(["old".to_owned()].into(), 1);
        assert_eq!(ids.claim(Some("call_1")), ("call_1".to_owned(), true));
        for bad in [None, Some(""), Some(" "), Some("old"), Some("call_1"), Some("x".repeat(300).as_str())] {
            let (id, given) = ids.claim(bad);
            assert!(!given, "{bad:?}");
            assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
        }
        let minted: std::collections::HashSet<_> = (0..10_000).map(|_| ids.mint()).collect();
        assert_eq!(minted.len(), 10_000);
    }
}
