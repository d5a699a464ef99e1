//! Reasons in the language of the person. A reason is stored, and told to the model, in English; a catalogue holds
//! its translation, keyed by the English sentence with its values in braces: `{path} may hold secrets.` A key that
//! begins in lower case is a phrase: it only stands inside a sentence, in the place of a value. What the app itself
//! says when something can't be done has a table of its own, whose wide templates never take a rule's words.

use super::Language;
use super::words::{Words, fill};
use std::collections::BTreeMap;

/// Values that are a phrase or a sentence of our own and no name: translated in turn.
const PHRASES: &[&str] = &["why", "wants", "first"];
/// What stands between several wants.
const AND: &str = ", and ";
/// What ends a sentence.
const STOPS: [char; 2] = ['.', '。'];

/// `reason` in `language`, as a whole sentence; a rule's or a hook's own words stay as they are. Not escaped.
#[must_use]
pub fn reason_in(language: Language, reason: &str) -> String {
    match (language, Words::of(language).reason(reason)) {
        (Language::English, _) | (Language::Chinese, None) => reason.to_owned(),
        (Language::Chinese, Some(translated)) => ended(&translated),
    }
}

/// What can't be done and why (`Can't store the audit record: …`), in `language`: a sentence, or a phrase. For the app's
/// own words only, which a reason is too; anybody else's inside them stay as they are. Not escaped.
#[must_use]
pub fn failure_in(language: Language, english: &str) -> String {
    let words = match language {
        Language::English => return english.to_owned(),
        Language::Chinese => Words::of(language),
    };
    let tables = [&words.failures, &words.reasons];
    if let Some(sentence) = words.translated(&tables, english, |template| !is_phrase(template)) {
        return ended(&sentence);
    }
    words.translated(&tables, english, is_phrase).unwrap_or_else(|| english.to_owned())
}

impl Words {
    /// The translation of one of our own reasons, without its full stop; `None` where there is none.
    pub(super) fn reason(&self, english: &str) -> Option<String> {
        self.translated(&[&self.reasons], english, |template| !is_phrase(template))
    }

    fn translated(
        &self,
        tables: &[&BTreeMap<String, String>],
        english: &str,
        counts: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let whole = |table: &&BTreeMap<String, String>| table.get(english).cloned();
        if let Some(plain) = tables.iter().find_map(whole).filter(|_| counts(english)) {
            return Some(plain);
        }
        // Of several templates that fit, one that begins itself, so that a frame comes before what it holds; of those
        // the one that says most.
        let (_, chinese, values) = tables
            .iter()
            .flat_map(|table| table.iter())
            .filter(|(template, _)| counts(template))
            .filter_map(|(template, chinese)| Some((template, chinese, values(template, english)?)))
            .max_by_key(|(template, _, values)| {
                (!template.starts_with('{'), literal_length(template, values.len()))
            })?;
        let translated: Vec<(&str, String)> = values
            .into_iter()
            .map(|(name, value)| {
                let value =
                    if PHRASES.contains(&name) { self.phrase(tables, value) } else { value.to_owned() };
                (name, value)
            })
            .collect();
        let values: Vec<(&str, &str)> =
            translated.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Some(fill(chinese, &values))
    }

    /// A value that is a phrase or a sentence of our own, or several; without its full stop.
    fn phrase(&self, tables: &[&BTreeMap<String, String>], english: &str) -> String {
        let any = |text: &str| {
            let whole = self.translated(tables, text, |_| true);
            whole.or_else(|| self.translated(tables, &format!("{text}."), |_| true))
        };
        let parts: Option<Vec<String>> = english.split(AND).map(any).collect();
        let translated = parts.map(|parts| parts.join(&self.list)).or_else(|| any(english));
        translated.unwrap_or_else(|| english.to_owned()).trim_end_matches(STOPS).to_owned()
    }
}

/// A Chinese sentence with its full stop, whatever stop the words of others at its end have; a question has its own.
fn ended(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches(STOPS);
    if sentence.ends_with('？') { sentence.to_owned() } else { format!("{sentence}。") }
}

fn is_phrase(template: &str) -> bool {
    let first = |first: char| first.is_lowercase() || matches!(first, '~' | '*');
    template.starts_with(first) || template.starts_with('{') && !template.ends_with('.')
}

/// The values that make `text` out of `template`, by name; `None` where it isn't made of it.
fn values<'a>(template: &'a str, text: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
    let (before, mut pattern) = template.split_once('{')?;
    let mut rest = text.strip_prefix(before)?;
    let mut found = Vec::new();
    loop {
        let (name, after) = pattern.split_once('}')?;
        let (literal, next) = match after.split_once('{') {
            Some((literal, next)) => (literal, Some(next)),
            None => (after, None),
        };
        let value = match next {
            None => rest.strip_suffix(literal)?,
            Some(_) => rest.split_once(literal)?.0,
        };
        if value.is_empty() {
            return None;
        }
        found.push((name, value));
        let Some(next) = next else { return Some(found) };
        rest = rest.get(value.len() + literal.len()..)?;
        pattern = next;
    }
}

fn literal_length(template: &str, values: usize) -> usize {
    let names: usize = template.split('{').skip(1).filter_map(|part| part.find('}')).sum();
    template.len().saturating_sub(names + 2 * values)
}

#[cfg(test)]
mod tests {
    use super::{Language, failure_in, reason_in};

    #[test]
    fn values_keep_their_place() {
        let cases = [
            ("It only reads, inside the sandbox.", "它只在沙箱内读取。"),
            ("src/a b.env may hold secrets.", "src/a b.env 可能含有机密。"),
            ("It would read .env, which may hold secrets.", "它会读取 .env，其中可能含有机密。"),
            ("x is refused: the path names a network share.", "x 被拒绝：路径指向网络共享。"),
            (
                "It asks to run without the sandbox, and to connect to a.example, b.example.",
                "它要求在沙箱外运行、连接 a.example, b.example。",
            ),
            ("My own words.", "My own words."),
            // A phrase stands inside a sentence only: on its own these are somebody's words.
            ("exit code 3", "exit code 3"),
            ("read a.txt: no", "read a.txt: no"),
            ("Hook `fmt` failed: exit code 1: a, and b.", "钩子 `fmt` 失败：退出码 1：a, and b。"),
            ("Hook `fmt`: it failed: no.", "钩子 `fmt`：it failed: no。"),
            ("The hooks can't be read: read h.json: line 3.", "无法读取钩子：读取 h.json：line 3。"),
            (
                "There is nobody to ask: No surface can ask. The call did not run.",
                "无人可问：没有可以询问的界面。调用没有运行。",
            ),
            (
                "What allowed this call no longer does: In strict mode every command asks. It did not run.",
                "先前允许它的条件不再成立：严格模式下每条命令都询问。调用没有运行。",
            ),
        ];
        for (english, chinese) in cases {
            assert_eq!(reason_in(Language::Chinese, english), chinese);
            assert_eq!(reason_in(Language::English, english), english);
        }
    }

    #[test]
    fn what_cannot_be_done_is_said_whole_and_a_rule_keeps_its_words() {
        let cases = [
            ("Can't read the audit log: it is no log.", "无法读取审计日志：it is no log。"),
            ("Can't use /a: line 3: no.", "无法使用 /a：line 3：no。"),
            ("version must be 1", "version 必须是 1"),
            ("There is no such call.", "没有这次调用。"),
            (
                "Can't reach http://localhost:1 (connection refused (os error 111)). Is the server running?",
                "无法连接 http://localhost:1（连接被拒绝）。服务器在运行吗？",
            ),
            ("Too many requests: slow down. Try again a little later.", "请求过多：slow down。请稍后再试。"),
            ("Somebody else's words.", "Somebody else's words."),
        ];
        for (english, chinese) in cases {
            assert_eq!(failure_in(Language::Chinese, english), chinese);
            assert_eq!(failure_in(Language::English, english), english);
        }
        assert_eq!(reason_in(Language::Chinese, "Can't push: ask Ada."), "Can't push: ask Ada.");
    }
}
