//! Every change of a person's file leaves every other line of it.

use super::{Table, amended, appended, without_entry};
use proptest::prelude::*;
use serde_json::Value;

const NAMES: super::Names<'_> = &[("models", "id"), ("headers", "name")];

const TEXT: &str = "\
# What I want.
# language = \"en\"

size = 0x10   # hexadecimal, since I like it
'theme'   =   'dark'

# The one of work.
reviewer = \"second\"
mode = \"strict\"
# Numbers of the window.

[window] # when it was closed
width = 1_000.0
height = 10.0

# First the local one.
[[models]]
id = \"local\" # never rename
name = \"\"\"Ollama\"\"\"
headers = [ { name = \"X-Team\", value = \"blue\" } ]

# Then the other.

[[models]]
id = \"far\"
name = \"Far\"
[[models.headers]]
name = \"X-Key\" # theirs
value = \"1\"
# The end.
";

fn table(text: &str) -> Table {
    toml::from_str(text).unwrap()
}

/// `TEXT` after `change` of what it says.
fn changed(text: &str, change: impl FnOnce(&mut Table)) -> String {
    let before = table(text);
    let mut now = before.clone();
    change(&mut now);
    let written = amended(text, &before, &now, NAMES).unwrap();
    assert_eq!(table(&written), now, "{written}");
    written
}

fn models(now: &mut Table) -> &mut Vec<Value> {
    now["models"].as_array_mut().unwrap()
}

fn model(now: &mut Table, place: usize) -> &mut Table {
    models(now)[place].as_object_mut().unwrap()
}

fn entry(id: &str) -> Value {
    Value::Object(table(&format!("id = \"{id}\"\nname = \"New\"")))
}

/// What each change of the text takes away and what it brings, line by line; nothing else differs.
#[test]
fn each_change_is_one_of_its_lines() {
    type Change = fn(&mut Table);
    let table: &[(Change, &[&str], &[&str])] = &[
        (|_| (), &[], &[]),
        (
            |now| drop(now.insert("size".into(), 18.into())),
            &["size = 0x10   # hexadecimal, since I like it"],
            &["size = 18   # hexadecimal, since I like it"],
        ),
        (
            |now| drop(now.insert("theme".into(), "light".into())),
            &["'theme'   =   'dark'"],
            &["'theme'   =   \"light\""],
        ),
        (|now| drop(now.remove("reviewer")), &["reviewer = \"second\""], &[]),
        (|now| drop(now.insert("language".into(), "en".into())), &[], &["language = \"en\""]),
        (
            |now| drop(now["window"].as_object_mut().unwrap().insert("width".into(), 2.5.into())),
            &["width = 1_000.0"],
            &["width = 2.5"],
        ),
        (
            |now| drop(model(now, 0).insert("name".into(), "L".into())),
            &["name = \"\"\"Ollama\"\"\""],
            &["name = \"L\""],
        ),
        (|now| drop(model(now, 1).insert("tools".into(), true.into())), &[], &["tools = true"]),
        (
            |now| {
                let header = &mut model(now, 0)["headers"].as_array_mut().unwrap()[0];
                header.as_object_mut().unwrap().insert("value".into(), "red".into());
            },
            &["headers = [ { name = \"X-Team\", value = \"blue\" } ]"],
            &["headers = [ { name = \"X-Team\", value = \"red\" } ]"],
        ),
        (
            |now| {
                let header = &mut model(now, 1)["headers"].as_array_mut().unwrap()[0];
                header.as_object_mut().unwrap().insert("value".into(), "2".into());
            },
            &["value = \"1\""],
            &["value = \"2\""],
        ),
        (
            |now| drop(model(now, 1).remove("headers")),
            &["[[models.headers]]", "name = \"X-Key\" # theirs", "value = \"1\""],
            &[],
        ),
        (|now| models(now).push(entry("new")), &[], &["", "[[models]]", "id = \"new\"", "name = \"New\""]),
        (
            |now| drop(models(now).remove(0)),
            &[
                "[[models]]",
                "id = \"local\" # never rename",
                "name = \"\"\"Ollama\"\"\"",
                "headers = [ { name = \"X-Team\", value = \"blue\" } ]",
            ],
            &[],
        ),
        (
            |now| drop(now.insert("folder".into(), Value::Object(table("path = \"/a\"")))),
            &[],
            &["", "[folder]", "path = \"/a\""],
        ),
    ];
    for ends in ["\n", "\r\n"] {
        for mark in ["", super::BOM] {
            let text = format!("{mark}{}", TEXT.replace('\n', ends));
            for (change, gone, come) in table {
                let written = changed(&text, change);
                assert!(written.starts_with(mark) && written.matches(super::BOM).count() == mark.len() / 3);
                assert_eq!(written.matches('\n').count(), written.matches(ends).count(), "{written:?}");
                assert_eq!(difference(&text, &written), (lines(gone), lines(come)), "{written}");
            }
        }
    }
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// The lines that went, blank ones aside, and those that came.
fn difference(old: &str, new: &str) -> (Vec<String>, Vec<String>) {
    let [old, new] = [old, new].map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    for operation in similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new) {
        if operation.tag() != similar::DiffTag::Equal {
            gone.extend(old[operation.old_range()].iter().filter(|line| !line.is_empty()).cloned());
            come.extend(new[operation.new_range()].iter().cloned());
        }
    }
    (gone, come)
}

#[test]
fn what_a_text_leaves_out_is_not_written_into_it() {
    let before = table("size = 14\nmode = \"balanced\"\n[[models]]\nid = \"tour\"\n");
    let mut now = before.clone();
    now.insert("mode".into(), "strict".into());
    for (text, written) in [
        ("", "mode = \"strict\"\n"),
        ("# mine\n", "mode = \"strict\"\n# mine\n"),
        ("size = 14", "size = 14\nmode = \"strict\"\n"),
        ("mode = \"balanced\" # so", "mode = \"strict\" # so\n"),
        ("models = [] # none", "models = [] # none\nmode = \"strict\"\n"),
    ] {
        assert_eq!(amended(text, &before, &now, NAMES).unwrap(), written, "{text:?}");
    }
    now.insert("models".into(), vec![entry("new"), before["models"][0].clone()].into());
    let written = amended("models = []\n", &before, &now, NAMES).unwrap();
    assert_eq!(table(&written)["models"].as_array().unwrap().len(), 1, "{written}");
}

/// Entries of one name are told apart by their order.
#[test]
fn entries_of_one_name_are_told_apart() {
    let text = "[[models]]\nid = \"a\"\nname = \"1\"\n\n[[models]]\nid = \"a\"\nname = \"2\" # second\n";
    let written = changed(text, |now| drop(model(now, 1).insert("name".into(), "3".into())));
    assert_eq!(written, text.replace("\"2\"", "\"3\""));
    let written = changed(text, |now| drop(models(now).pop()));
    assert_eq!(written, "[[models]]\nid = \"a\"\nname = \"1\"\n");
}

/// An entry takes along what is written above it; what is about all of them stays at the top.
#[test]
fn another_order_is_kept() {
    let all = "# All.\n\n# More.\n\n";
    let (a, b) = ("# Of a.\n[[models]]\nid = \"a\"\n", "\n[[models]] # b\nid = \"b\"\nheaders.x = 1\n");
    let new = "\n[[models]]\nid = \"new\"\nname = \"New\"\n";
    let end = "\n[window]\nwidth = 1\n";
    for ends in ["\n", "\r\n"] {
        let of = |parts: &[&str]| parts.concat().replace('\n', ends);
        let text = of(&[all, a, b, end]);
        let written = changed(&text, |now| models(now).reverse());
        assert_eq!(written, of(&[all, b.trim_start(), "\n", a, end]));
        let written = changed(&text, |now| models(now).insert(1, entry("new")));
        assert_eq!(written, of(&[all, a, new, b, end]));
        let written = changed(&text, |now| models(now).insert(0, entry("new")));
        assert_eq!(written, of(&[all, new.trim_start(), "\n", a, b, end]));
    }
}

#[test]
fn an_entry_goes_and_every_comment_stays() {
    let text = "version = 1 # the first\n\n# mine\n\n# of a\n[[rules]]\nname = \"a\"\n# of b\n[[rules]]\nname = \"b\"\n";
    for (place, left) in [
        (0, "version = 1 # the first\n\n# mine\n\n# of a\n# of b\n[[rules]]\nname = \"b\"\n"),
        (1, "version = 1 # the first\n\n# mine\n\n# of a\n[[rules]]\nname = \"a\"\n# of b\n"),
        (2, text),
    ] {
        for ends in ["\n", "\r\n"] {
            let [text, left] = [text, left].map(|text| text.replace('\n', ends));
            assert_eq!(without_entry(&text, "rules", place).unwrap(), left);
        }
    }
}

#[test]
fn what_is_appended_ends_its_lines_as_the_text_does() {
    assert_eq!(appended("a = 1\r\n", "\n[b]\nc = 1\n"), "a = 1\r\n\r\n[b]\r\nc = 1\r\n");
    assert_eq!(appended("\u{feff}a = 1", "\nb = 1\n"), "\u{feff}a = 1\nb = 1\n");
}

fn value() -> impl Strategy<Value = Value> + Clone {
    prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\# é]{0,6}".prop_map(Value::String),
    ]
}

/// One that is written anew may hold more than one line.
fn new_value() -> impl Strategy<Value = Value> + Clone {
    prop_oneof![value(), "[a-z\"\\\\#\n\r\u{7f} é]{0,6}".prop_map(Value::String)]
}

/// Its own fields, and those of its entries.
type Document = (Fields, Vec<Fields>);
type Fields = Vec<(String, Value)>;

fn document(value: impl Strategy<Value = Value> + Clone + 'static) -> impl Strategy<Value = Document> {
    let fields = || {
        prop::collection::btree_map("[a-e]", value.clone(), 0..5)
            .prop_map(|map| map.into_iter().collect::<Vec<_>>())
    };
    (fields(), prop::collection::vec(fields(), 0..4))
}

/// The document as somebody would write it: comments and blank lines between all its lines, at both line ends.
fn written((fields, entries): &Document, noise: &[u8]) -> String {
    let mut noise = noise.iter().cycle();
    let mut text = String::new();
    let mut line = |words: String| {
        let number = noise.next().copied().unwrap_or_default();
        let end = if number & 1 == 0 { "\n" } else { "\r\n" };
        if number & 2 == 0 {
            text.push_str(&format!("# note {number}{end}"));
        }
        if number & 4 == 0 {
            text.push_str(end);
        }
        text.push_str(&format!(
            "{}{words}{}{end}",
            " ".repeat(usize::from(number >> 6)),
            if number & 8 == 0 { "" } else { " # so" }
        ));
    };
    for (key, value) in fields {
        line(format!("{key} = {value}"));
    }
    for (place, entry) in entries.iter().enumerate() {
        line("[[models]]".to_owned());
        line(format!("id = \"{place}\""));
        for (key, value) in entry {
            line(format!("{key} = {value}"));
        }
    }
    text
}

fn says((fields, entries): &Document) -> Table {
    let mut table: Table = fields.iter().cloned().collect();
    let entries = entries.iter().enumerate().map(|(place, entry)| {
        let mut entry: Table = entry.iter().cloned().collect();
        entry.insert("id".into(), place.to_string().into());
        Value::Object(entry)
    });
    let entries: Vec<Value> = entries.collect();
    if !entries.is_empty() {
        table.insert("models".into(), entries.into());
    }
    table
}

proptest! {
    #![proptest_config(crate::effort::cases(128))]

    /// Whatever is changed to whatever: the file says it, and has each comment that it had.
    #[test]
    fn no_comment_goes(old in document(value()), new in document(new_value()), noise in prop::collection::vec(any::<u8>(), 1..16)) {
        let text = written(&old, &noise);
        let (before, now) = (says(&old), says(&new));
        let left = amended(&text, &before, &now, NAMES).unwrap();
        prop_assert_eq!(&table(&left), &now, "{}\n->\n{}", text, left);
        let comments = |text: &str| {
            let lines = text.lines().filter(|line| line.starts_with('#'));
            let mut lines: Vec<String> = lines.map(str::to_owned).collect();
            lines.sort();
            lines
        };
        prop_assert_eq!(comments(&left), comments(&text));
        prop_assert_eq!(amended(&text, &before, &before, NAMES).unwrap(), text);
    }

    /// One value that changes is one line that changes.
    #[test]
    fn one_change_is_one_line(old in document(value()), new in new_value(), noise in prop::collection::vec(any::<u8>(), 1..16)) {
        let text = written(&old, &noise);
        let before = says(&old);
        for key in before.keys().filter(|key| *key != "models") {
            let mut now = before.clone();
            now.insert(key.clone(), new.clone());
            let left = amended(&text, &before, &now, NAMES).unwrap();
            let [one, other]: [Vec<&str>; 2] = [&text, &left].map(|text| text.split_inclusive('\n').collect());
            prop_assert_eq!(one.len(), other.len());
            let differ = one.iter().zip(&other).filter(|(one, other)| one != other).count();
            prop_assert_eq!(differ, usize::from(before[key] != new), "{}\n->\n{}", text, left);
        }
    }
}
