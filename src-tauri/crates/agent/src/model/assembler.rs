//! Which call does a fragment belong to? Servers number calls from 0, from 1, all 0, or not at all; they repeat,
//! leave out or renew ids; they repeat names or cut them in pieces. An index is a label here, never a position.

use super::arguments::{MAX_ARGUMENTS, read_arguments, unreadable};
use super::call_ids::CallIds;
use super::{Arguments, ProposedCall};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Most calls in one reply.
pub const MAX_CALLS: usize = 128;

/// Longest name, bytes; a longer one is cut and then simply unknown.
const MAX_NAME: usize = 256;

/// A piece of a call, as it came. Empty strings count as absent.
#[derive(Clone, Debug, Default)]
pub struct Fragment<'a> {
    /// The label.
    pub index: Option<i64>,
    /// The id.
    pub id: Option<&'a str>,
    /// The name, whole or a piece.
    pub name: Option<&'a str>,
    /// Text to append to the arguments.
    pub arguments: &'a str,
    /// Keys that we don't know.
    pub extra: Map<String, Value>,
}

/// The reply holds more than [`MAX_CALLS`] calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("assemble the calls: more than {MAX_CALLS} in one reply")]
pub struct TooManyCalls;

/// Collects the calls of one reply.
#[derive(Debug)]
pub struct Assembler {
    calls: Vec<PartialCall>,
    /// The call being streamed: the last one that got a fragment.
    current: usize,
    tools: HashSet<String>,
}

#[derive(Debug, Default)]
struct PartialCall {
    index: Option<i64>,
    id: Option<String>,
    name: String,
    arguments: String,
    too_long: bool,
    announced: bool,
    extra: Map<String, Value>,
}

/// What came of all fragments.
#[derive(Debug, Default)]
pub struct Assembled {
    /// The calls, in the order in which they began.
    pub calls: Vec<ProposedCall>,
    /// Calls with arguments whose name never came.
    pub nameless: u32,
}

impl Assembler {
    /// `tools` are the names on offer: they tell a piece of a name from a repetition.
    #[must_use]
    pub fn new(tools: HashSet<String>) -> Self {
        Self { calls: Vec::new(), current: 0, tools }
    }

    /// How many calls have begun.
    #[must_use]
    pub fn count(&self) -> usize {
        self.calls.len()
    }

    /// Adds a fragment. Gives the call's name once, as soon as it is known.
    ///
    /// # Errors
    /// At the first call too many.
    pub fn add(&mut self, fragment: Fragment<'_>) -> Result<Option<String>, TooManyCalls> {
        let id = fragment.id.filter(|id| !id.is_empty());
        let name = fragment.name.filter(|name| !name.is_empty());
        let place = match self.find(fragment.index, id, name) {
            Some(place) => place,
            None if self.calls.len() >= MAX_CALLS => return Err(TooManyCalls),
            None => {
                self.calls.push(PartialCall { index: fragment.index, ..PartialCall::default() });
                self.calls.len() - 1
            }
        };
        self.current = place;
        let tools = &self.tools;
        let Some(call) = self.calls.get_mut(place) else { return Ok(None) };
        if call.id.is_none() {
            call.id = id.map(str::to_owned);
        }
        if let Some(piece) = name {
            call.add_name(piece, tools);
        }
        call.add_arguments(fragment.arguments);
        call.extra.extend(fragment.extra);
        let known = tools.contains(&call.name) || !(call.name.is_empty() || call.arguments.is_empty());
        if known && !call.announced {
            call.announced = true;
            return Ok(Some(call.name.clone()));
        }
        Ok(None)
    }

    /// The calls, their arguments read once and their ids settled.
    #[must_use]
    pub fn finish(self, ids: &mut CallIds) -> Assembled {
        let mut assembled = Assembled::default();
        for call in self.calls {
            if call.name.trim().is_empty() {
                assembled.nameless += u32::from(!call.arguments.trim().is_empty());
                continue;
            }
            let (id, id_given) = ids.claim(call.id.as_deref());
            assembled.calls.push(ProposedCall {
                id,
                id_given,
                arguments: call.read_arguments(),
                name: call.name.trim().to_owned(),
                extra: (!call.extra.is_empty()).then_some(Value::Object(call.extra)),
            });
        }
        assembled
    }

    /// The call that a fragment continues; `None` where it begins a new one.
    fn find(&self, index: Option<i64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let current = self.calls.get(self.current).map(|_| self.current);
        if let Some(id) = id
            && let Some(place) = self.latest(|call| call.id.as_deref() == Some(id))
            && (index.is_none()
                || name.is_none()
                || index == self.calls.get(place).and_then(|call| call.index))
        {
            return Some(place);
        }
        let same_index = index.and_then(|index| self.latest(|call| call.index == Some(index)));
        if let Some(place) = same_index {
            let call = self.calls.get(place)?;
            let other_id = id.is_some() && call.id.is_some() && call.id.as_deref() != id;
            let other_tool = name.is_some_and(|name| name != call.name && self.tools.contains(name))
                && self.tools.contains(&call.name);
            // Ollama labels every call 0: a new id with a name, or another tool's name, begins another call.
            let begins_another = other_tool || (other_id && name.is_some());
            return (!begins_another).then_some(place);
        }
        match (index, id, name) {
            (None, _, None) | (Some(_), None, None) => current,
            // The name may come after the arguments.
            (None, None, Some(_)) => {
                current.filter(|place| self.calls.get(*place).is_some_and(|call| call.name.is_empty()))
            }
            (None, Some(_), Some(_)) | (Some(_), _, _) => None,
        }
    }

    fn latest(&self, matches: impl Fn(&PartialCall) -> bool) -> Option<usize> {
        self.calls.iter().rposition(matches)
    }
}

impl PartialCall {
    fn add_name(&mut self, piece: &str, tools: &HashSet<String>) {
        let is_known = tools.contains(&self.name);
        let appended = format!("{}{piece}", self.name);
        // A piece that begins with what came before is the name so far, unless some tool really stutters like that.
        let is_longer = piece.starts_with(&self.name)
            && (!is_known || tools.contains(piece))
            && !tools.iter().any(|tool| tool.starts_with(&appended));
        if is_longer {
            piece.clone_into(&mut self.name);
        } else if !is_known {
            self.name = appended;
        }
        let mut end = self.name.len().min(MAX_NAME);
        while !self.name.is_char_boundary(end) {
            end -= 1;
        }
        self.name.truncate(end);
    }

    fn add_arguments(&mut self, text: &str) {
        if self.arguments.len() + text.len() > MAX_ARGUMENTS {
            self.too_long = true;
        } else if !self.too_long {
            self.arguments.push_str(text);
        }
    }

    fn read_arguments(&self) -> Arguments {
        if self.too_long {
            return unreadable(
                &self.arguments,
                format!("the arguments are longer than {MAX_ARGUMENTS} bytes"),
            );
        }
        read_arguments(&self.arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::{Assembled, Assembler, Fragment, MAX_ARGUMENTS, MAX_CALLS};
    use crate::model::Arguments;
    use crate::model::call_ids::CallIds;

    type Row = (Option<i64>, Option<&'static str>, Option<&'static str>, &'static str);

    fn assemble(rows: &[Row]) -> Assembled {
        let tools = ["read_file", "write_file", "glob"].map(str::to_owned).into();
        let mut assembler = Assembler::new(tools);
        for (index, id, name, arguments) in rows {
            let fragment = Fragment { index: *index, id: *id, name: *name, arguments, ..Fragment::default() };
            assembler.add(fragment).unwrap();
        }
        assembler.finish(&mut CallIds::new([].into(), 7))
    }

    fn shape(assembled: &Assembled) -> Vec<String> {
        let describe = |call: &crate::model::ProposedCall| {
            let id = if call.id_given { call.id.as_str() } else { "minted" };
            let arguments = match &call.arguments {
                Arguments::Object(object) => serde_json::Value::Object(object.clone()).to_string(),
                Arguments::Unreadable { .. } => "unreadable".to_owned(),
            };
            format!("{id} {} {arguments}", call.name)
        };
        assembled.calls.iter().map(describe).collect()
    }

    const A: &str = r#"{"path":"a"}"#;
    const B: &str = r#"{"path":"b"}"#;
    const CALL_A: &str = r#"1 read_file {"path":"a"}"#;
    const CALL_B: &str = r#"2 read_file {"path":"b"}"#;

    /// R2
    #[test]
    fn each_fragment_finds_its_call() {
        let name = Some("read_file");
        let cases: &[(&str, &[Row], &[&str])] = &[
            ("by the book", &[(Some(0), Some("1"), name, ""), (Some(0), None, None, A)], &[CALL_A]),
            (
                "interleaved",
                &[
                    (Some(0), Some("1"), name, r#"{"path":"#),
                    (Some(1), Some("2"), name, r#"{"path":"#),
                    (Some(0), None, None, r#""a"}"#),
                    (Some(1), None, None, r#""b"}"#),
                ],
                &[CALL_A, CALL_B],
            ),
            (
                "no index, fragments",
                &[(None, Some("1"), name, r#"{"path":"#), (None, None, None, r#""a"}"#)],
                &[CALL_A],
            ),
            (
                "no index, two calls",
                &[(None, Some("1"), name, A), (None, Some("2"), name, B)],
                &[CALL_A, CALL_B],
            ),
            (
                "no index, no id, two calls",
                &[(None, None, name, A), (None, None, name, B)],
                &[r#"minted read_file {"path":"a"}"#, r#"minted read_file {"path":"b"}"#],
            ),
            (
                "no index, id repeated",
                &[(None, Some("1"), name, r#"{"path":"#), (None, Some("1"), None, r#""a"}"#)],
                &[CALL_A],
            ),
            ("sparse", &[(Some(7), Some("1"), name, A), (Some(3), Some("2"), name, B)], &[CALL_A, CALL_B]),
            ("all zero", &[(Some(0), Some("1"), name, A), (Some(0), Some("2"), name, B)], &[CALL_A, CALL_B]),
            (
                "all zero, no ids",
                &[(Some(0), None, name, A), (Some(0), None, Some("glob"), "{}")],
                &[r#"minted read_file {"path":"a"}"#, "minted glob {}"],
            ),
            (
                "head at 0, tail at 1",
                &[(Some(0), Some("1"), name, A), (Some(0), Some("2"), name, ""), (Some(1), None, None, B)],
                &[CALL_A, CALL_B],
            ),
            (
                "empty id and name go on",
                &[(Some(0), Some("1"), name, r#"{"path":"#), (Some(0), Some(""), Some(""), r#""a"}"#)],
                &[CALL_A],
            ),
            (
                "a fresh id each time",
                &[(Some(0), Some("1"), name, r#"{"path":"#), (Some(0), Some("9"), Some(""), r#""a"}"#)],
                &[CALL_A],
            ),
            (
                "a fresh id each time, no index",
                &[(None, Some("1"), name, r#"{"path":"#), (None, Some("9"), None, r#""a"}"#)],
                &[CALL_A],
            ),
            (
                "one id for two",
                &[(Some(0), Some("1"), name, A), (Some(1), Some("1"), name, B)],
                &[CALL_A, r#"minted read_file {"path":"b"}"#],
            ),
            (
                "name repeated",
                &[(Some(0), Some("1"), name, r#"{"path":"#), (Some(0), None, name, r#""a"}"#)],
                &[CALL_A],
            ),
            (
                "name repeated with id",
                &[(Some(0), Some("1"), name, r#"{"path":"#), (Some(0), Some("1"), name, r#""a"}"#)],
                &[CALL_A],
            ),
            (
                "name in pieces",
                &[(Some(0), Some("1"), Some("read_"), ""), (Some(0), None, Some("file"), A)],
                &[CALL_A],
            ),
            ("name growing", &[(Some(0), Some("1"), Some("read_"), ""), (Some(0), None, name, A)], &[CALL_A]),
            (
                "name growing twice",
                &[
                    (Some(0), Some("1"), Some("re"), ""),
                    (Some(0), None, Some("read"), ""),
                    (Some(0), None, name, A),
                ],
                &[CALL_A],
            ),
            (
                "unknown name growing",
                &[(Some(0), Some("1"), Some("foo"), ""), (Some(0), None, Some("foo_bar"), "{}")],
                &["1 foo_bar {}"],
            ),
            (
                "unknown name in pieces",
                &[(Some(0), Some("1"), Some("foo_"), ""), (Some(0), None, Some("bar"), "{}")],
                &["1 foo_bar {}"],
            ),
            ("name late", &[(Some(0), Some("1"), None, A), (Some(0), None, name, "")], &[CALL_A]),
            ("name late, no index", &[(None, Some("1"), None, A), (None, None, name, "")], &[CALL_A]),
            ("id late", &[(Some(0), None, name, A), (Some(0), Some("1"), None, "")], &[CALL_A]),
            (
                "the same arguments again",
                &[(Some(0), Some("1"), name, A), (Some(0), None, None, A)],
                &[CALL_A],
            ),
            (
                "other arguments again",
                &[(Some(0), Some("1"), name, A), (Some(0), None, None, B)],
                &["1 read_file unreadable"],
            ),
            ("an empty shell", &[(Some(0), None, None, ""), (Some(1), Some("1"), name, A)], &[CALL_A]),
        ];
        for (title, rows, expected) in cases {
            assert_eq!(shape(&assemble(rows)), *expected, "{title}");
        }
    }

    #[test]
    fn a_call_whose_name_never_comes_is_counted() {
        let assembled = assemble(&[(Some(0), Some("1"), None, A)]);
        assert_eq!((assembled.calls.len(), assembled.nameless), (0, 1));
    }

    #[test]
    fn a_name_is_announced_once() {
        let mut assembler = Assembler::new(["read_file".to_owned()].into());
        let mut add = |name, arguments| {
            assembler.add(Fragment { index: Some(0), name, arguments, ..Fragment::default() }).unwrap()
        };
        assert_eq!(add(Some("read_"), ""), None);
        assert_eq!(add(Some("file"), ""), Some("read_file".to_owned()));
        assert_eq!(add(Some("read_file"), "{}"), None);
    }

    #[test]
    fn floods_stay_bounded() {
        let mut assembler = Assembler::new([].into());
        let refused = (0..1_000).find_map(|index| {
            assembler.add(Fragment { index: Some(index), name: Some("x"), ..Fragment::default() }).err()
        });
        assert!(refused.is_some());
        assert_eq!(assembler.count(), MAX_CALLS);

        let mut assembler = Assembler::new([].into());
        let block = "x".repeat(1 << 20);
        for _ in 0..10 {
            assembler
                .add(Fragment { index: Some(0), name: Some("x"), arguments: &block, ..Fragment::default() })
                .unwrap();
        }
        assert!(assembler.calls[0].arguments.len() <= MAX_ARGUMENTS);
        let assembled = assembler.finish(&mut CallIds::new([].into(), 7));
        assert!(matches!(assembled.calls[0].arguments, Arguments::Unreadable { .. }));
    }
}
