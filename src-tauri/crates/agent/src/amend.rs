//! Changes of a TOML file that a person writes too: what didn't change stays as it stands there, byte by byte.
//!
//! `toml_edit` keeps comments, order and spacing, but not line ends, and it drops a comment with what it stood above.
//! So its result is laid beside the text: each line that is in both is taken from the text, and no comment goes.

use serde_json::{Map, Value};
use similar::{Algorithm, DiffTag, capture_diff_slices};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, RawString, TableLike};

/// Of which arrays the entries are known by which of their fields: `("profiles", "id")`.
pub type Names<'a> = &'a [(&'a str, &'a str)];

/// What a text says, in the order in which it would be written; `null` for what it doesn't say.
pub type Table = Map<String, Value>;

/// Begins a text that some editors of Windows write.
const BOM: &str = "\u{feff}";

/// `text`, which says `before`, changed to what says `now`. What is in neither of them, or the same in both, is not
/// touched, though the text may not even have it.
///
/// # Errors
/// When the text is no TOML.
pub fn amended(
    text: &str,
    before: &Table,
    now: &Table,
    names: Names<'_>,
) -> Result<String, toml_edit::TomlError> {
    let mut document = parse(text)?;
    amend_table(document.as_table_mut(), before, now, names);
    Ok(as_it_stands(text, &document.to_string()))
}

/// `text` without the entry of the array `key` at `place`.
///
/// # Errors
/// When the text is no TOML.
pub fn without_entry(text: &str, key: &str, place: usize) -> Result<String, toml_edit::TomlError> {
    let mut document = parse(text)?;
    if let Some(item) = document.get_mut(key) {
        remove_entry(item, place);
    }
    Ok(as_it_stands(text, &document.to_string()))
}

/// `text` with `more` after it, whose line ends become those of the text.
#[must_use]
pub fn appended(text: &str, more: &str) -> String {
    as_it_stands(text, &format!("{}{more}", text.strip_prefix(BOM).unwrap_or(text).replace("\r\n", "\n")))
}

fn parse(text: &str) -> Result<DocumentMut, toml_edit::TomlError> {
    text.strip_prefix(BOM).unwrap_or(text).parse()
}

fn amend_table(table: &mut dyn TableLike, before: &Table, now: &Table, names: Names<'_>) {
    let says = |table: &Table, key: &str| table.get(key).is_some_and(|value| !value.is_null());
    for key in before.keys().filter(|key| says(before, key) && !says(now, key)) {
        table.remove(key);
    }
    for (key, value) in now.iter().filter(|(_, value)| !value.is_null()) {
        let old = before.get(key);
        if old != Some(value) {
            amend_value(table, key, old, value, names);
        }
    }
}

fn amend_value(table: &mut dyn TableLike, key: &str, old: Option<&Value>, now: &Value, names: Names<'_>) {
    if let (Some((_, field)), Value::Array(now)) = (names.iter().find(|(array, _)| *array == key), now) {
        if table.get(key).is_none_or(|item| item.as_array().is_some_and(Array::is_empty)) {
            table.insert(key, Item::ArrayOfTables(ArrayOfTables::new()));
        }
        let old = old.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if let Some(item) = table.get_mut(key).filter(|item| has_entries(item)) {
            amend_entries(item, old, now, field, names);
            if is_ordered_anew(old, now, field) {
                order(item, now, field);
            }
            return;
        }
    }
    if let Some(item) = table.get_mut(key) {
        if let (Some(inner), Value::Object(now)) = (item.as_table_like_mut(), now) {
            let old = old.and_then(Value::as_object).cloned().unwrap_or_default();
            return amend_table(inner, &old, now, names);
        }
        if let Some(there) = item.as_value_mut().filter(|_| !is_tables(now)) {
            let mut value = value_of(now);
            *value.decor_mut() = there.decor().clone();
            *there = value;
            return;
        }
    }
    table.insert(key, item_of(now));
}

/// Changes the entries that differ, adds the new ones at the end, and removes those that are gone.
fn amend_entries(item: &mut Item, before: &[Value], now: &[Value], field: &str, names: Names<'_>) {
    let (before, now) = (named(before, field), named(now, field));
    let known = |list: &[(Name, Table)], name: &Name| list.iter().find(|(other, _)| other == name).cloned();
    let there = named_there(item, field);
    for (name, entry) in &now {
        let old = known(&before, name).map(|(_, old)| old);
        let place = there.iter().position(|other| other == name);
        match (place.and_then(|place| entries(item).into_iter().nth(place)), old) {
            (Some(_), Some(old)) if old == *entry => {}
            (Some(table), old) => amend_table(table, &old.unwrap_or_default(), entry, names),
            (None, Some(old)) if old == *entry => {}
            (None, _) => push_entry(item, entry),
        }
    }
    for (place, name) in there.iter().enumerate().rev() {
        if known(&before, name).is_some() && known(&now, name).is_none() {
            remove_entry(item, place);
        }
    }
}

/// A name, and how many have had it before.
type Name = (String, usize);

fn numbered(names: impl Iterator<Item = String>) -> Vec<Name> {
    let mut numbered: Vec<Name> = Vec::new();
    for name in names {
        let before = numbered.iter().filter(|(other, _)| *other == name).count();
        numbered.push((name, before));
    }
    numbered
}

fn named(list: &[Value], field: &str) -> Vec<(Name, Table)> {
    let tables: Vec<Table> = list.iter().filter_map(Value::as_object).cloned().collect();
    let name = |table: &Table| table.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    numbered(tables.iter().map(name)).into_iter().zip(tables).collect()
}

fn named_there(item: &mut Item, field: &str) -> Vec<Name> {
    let name =
        |entry: &&mut dyn TableLike| entry.get(field).and_then(Item::as_str).unwrap_or_default().to_owned();
    numbered(entries(item).iter().map(name))
}

/// Whether the entries that stay have another order, or a new one isn't behind them.
fn is_ordered_anew(before: &[Value], now: &[Value], field: &str) -> bool {
    let names = |list| named(list, field).into_iter().map(|(name, _)| name).collect::<Vec<Name>>();
    let (before, now) = (names(before), names(now));
    let (stay, new): (Vec<&Name>, Vec<&Name>) = now.iter().partition(|name| before.contains(name));
    !before.iter().filter(|name| now.contains(name)).eq(stay.iter().copied())
        || !stay.into_iter().chain(new).eq(&now)
}

/// Brings the entries into the order of `now`, each with what is written above it.
fn order(item: &mut Item, now: &[Value], field: &str) {
    let wanted: Vec<Name> = named(now, field).into_iter().map(|(name, _)| name).collect();
    let names = named_there(item, field);
    let Item::ArrayOfTables(tables) = item else { return };
    let mut ordered: Vec<(usize, toml_edit::Table)> = names
        .iter()
        .zip(tables.iter())
        .map(|(name, table)| {
            (wanted.iter().position(|other| other == name).unwrap_or(usize::MAX), table.clone())
        })
        .collect();
    // What stands above the first, parted from it by a blank line, is about all of them.
    let mut above = String::new();
    if let Some((_, first)) = ordered.first_mut() {
        let prefix = first.decor().prefix().and_then(RawString::as_str).unwrap_or_default().to_owned();
        if let Some((all, own)) = prefix.rsplit_once("\n\n").or_else(|| prefix.rsplit_once("\n\r\n")) {
            first.decor_mut().set_prefix(format!("\n{own}"));
            all.clone_into(&mut above);
        }
    }
    ordered.sort_by_key(|(place, _)| *place);
    tables.clear();
    for (place, (_, mut table)) in ordered.into_iter().enumerate() {
        if place == 0 && !above.is_empty() {
            let own = table.decor().prefix().and_then(RawString::as_str).unwrap_or("\n").to_owned();
            table.decor_mut().set_prefix(format!("{above}\n{own}"));
        }
        forget_place(&mut table);
        tables.push(table);
    }
}

/// The table and those in it are written where they stand in the order.
fn forget_place(table: &mut toml_edit::Table) {
    table.set_position(None);
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(inner) => forget_place(inner),
            Item::ArrayOfTables(inner) => inner.iter_mut().for_each(forget_place),
            Item::None | Item::Value(_) => {}
        }
    }
}

/// Whether `item` is an array of tables, written in either way.
fn has_entries(item: &Item) -> bool {
    let in_line = item.as_array().map(|array| array.iter().all(toml_edit::Value::is_inline_table));
    item.is_array_of_tables() || in_line == Some(true)
}

fn entries(item: &mut Item) -> Vec<&mut dyn TableLike> {
    match item {
        Item::ArrayOfTables(tables) => tables.iter_mut().map(|table| table as &mut dyn TableLike).collect(),
        Item::Value(toml_edit::Value::Array(array)) => array
            .iter_mut()
            .filter_map(toml_edit::Value::as_inline_table_mut)
            .map(|table| table as &mut dyn TableLike)
            .collect(),
        Item::None | Item::Value(_) | Item::Table(_) => Vec::new(),
    }
}

fn push_entry(item: &mut Item, entry: &Table) {
    match item {
        Item::ArrayOfTables(tables) => tables.push(table_of(entry)),
        Item::Value(toml_edit::Value::Array(array)) => array.push(table_of(entry).into_inline_table()),
        Item::None | Item::Value(_) | Item::Table(_) => {}
    }
}

fn remove_entry(item: &mut Item, place: usize) {
    match item {
        Item::ArrayOfTables(tables) if place < tables.len() => {
            tables.remove(place);
        }
        Item::Value(toml_edit::Value::Array(array)) if place < array.len() => {
            array.remove(place);
        }
        Item::ArrayOfTables(_) | Item::None | Item::Value(_) | Item::Table(_) => {}
    }
}

fn is_tables(value: &Value) -> bool {
    value.as_array().is_some_and(|array| !array.is_empty() && array.iter().all(Value::is_object))
}

fn item_of(value: &Value) -> Item {
    match value {
        Value::Object(table) => Item::Table(table_of(table)),
        Value::Array(array) if is_tables(value) => Item::ArrayOfTables(
            array.iter().filter_map(Value::as_object).map(table_of).collect::<ArrayOfTables>(),
        ),
        Value::Null => Item::None,
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Array(_) => {
            Item::Value(value_of(value))
        }
    }
}

fn table_of(table: &Table) -> toml_edit::Table {
    let said = table.iter().filter(|(_, value)| !value.is_null());
    said.map(|(key, value)| (key.as_str(), item_of(value))).collect()
}

/// The value on one line.
fn value_of(value: &Value) -> toml_edit::Value {
    match value {
        Value::String(text) => string_of(text),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::Bool(truth) => (*truth).into(),
        Value::Array(array) => array.iter().map(value_of).collect::<Array>().into(),
        Value::Object(table) => {
            let table = table.iter().filter(|(_, value)| !value.is_null());
            table.map(|(key, value)| (key.as_str(), value_of(value))).collect::<InlineTable>().into()
        }
        // TOML has none; what holds it leaves it out.
        Value::Null => "".into(),
    }
}

/// The text, its own line ends as escapes: those of the file are another matter.
fn string_of(text: &str) -> toml_edit::Value {
    // What JSON writes for it means the same in TOML.
    let json = text.contains(['\n', '\r']).then(|| Value::from(text).to_string());
    let escaped = json.and_then(|json| json.replace('\u{7f}', "\\u007f").parse().ok());
    escaped.unwrap_or_else(|| text.into())
}

/// `changed`, with each line that `text` has too as it is there, and with every comment of it.
fn as_it_stands(text: &str, changed: &str) -> String {
    let (mark, text) = text.strip_prefix(BOM).map_or(("", text), |rest| (BOM, rest));
    let (old, new) = (lines(text), lines(changed));
    let windows = old.iter().filter(|(_, end)| *end == "\r\n").count() * 2 > old.len();
    let end = if windows { "\r\n" } else { "\n" };
    let words =
        |lines: &[(&str, &str)]| lines.iter().map(|(words, _)| (*words).to_owned()).collect::<Vec<_>>();
    let operations = capture_diff_slices(Algorithm::Myers, &words(&old), &words(&new));

    let added = operations.iter().filter(|one| one.tag() != DiffTag::Equal);
    let added = added.flat_map(|one| new.get(one.new_range()).unwrap_or_default());
    let mut moved: Vec<&str> = added.map(|(words, _)| *words).filter(|words| is_comment(words)).collect();
    let mut lines: Vec<Line<'_>> = Vec::new();
    for operation in operations {
        let there = old.get(operation.old_range()).unwrap_or_default();
        if operation.tag() == DiffTag::Equal {
            lines.extend(there.iter().map(|(words, end)| Line { words, end, parting: false }));
            continue;
        }
        for (words, end) in there.iter().filter(|(words, _)| is_comment(words) || is_blank(words)) {
            match moved.iter().position(|other| other == words) {
                Some(place) => drop(moved.remove(place)),
                None => lines.push(Line { words, end, parting: is_blank(words) }),
            }
        }
        let added = new.get(operation.new_range()).unwrap_or_default();
        lines.extend(added.iter().map(|(words, _)| Line { words, end, parting: false }));
    }
    let mut result = mark.to_owned();
    let mut touches = None;
    for (place, line) in lines.iter().enumerate() {
        // A blank line that went stays where what it parted would touch.
        let next = lines.get(place + 1..).unwrap_or_default().iter().find(|line| !line.parting);
        if line.parting && (touches != Some(true) || next.is_none_or(|next| is_blank(next.words))) {
            continue;
        }
        if place > 0 && touches.is_some() && !result.ends_with('\n') {
            result.push_str(end);
        }
        result.push_str(line.words);
        result.push_str(line.end);
        touches = Some(!is_blank(line.words));
    }
    result
}

/// One line, and how it ends.
#[derive(Clone, Copy)]
struct Line<'a> {
    words: &'a str,
    end: &'a str,
    /// A blank line that went.
    parting: bool,
}

fn lines(text: &str) -> Vec<(&str, &str)> {
    let parted = |line| match str::strip_suffix(line, "\n") {
        Some(line) => line.strip_suffix('\r').map_or((line, "\n"), |line| (line, "\r\n")),
        None => (line, ""),
    };
    text.split_inclusive('\n').map(parted).collect()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

#[cfg(test)]
mod tests;
