//! Reasons in the language of the person. A reason is stored, and told to the model, in English; a catalogue holds
//! its translation, keyed by the English sentence with its values in braces: `{path} may hold secrets.`

use super::Language;
use super::words::{Words, fill};

/// Values that are a phrase of our own and no name: translated in turn.
const PHRASES: &[&str] = &["why", "wants"];
/// What stands between several wants.
const AND: &str = ", and ";

/// `reason` in `language`, as a whole sentence; a rule's or a hook's own words stay as they are. Not escaped.
#[must_use]
pub fn reason_in(language: Language, reason: &str) -> String {
    match (language, Words::of(language).reason(reason)) {
        (Language::English, _) | (Language::Chinese, None) => reason.to_owned(),
        (Language::Chinese, Some(translated)) => format!("{translated}。"),
    }
}

impl Words {
    /// The translation of one of our own reasons, without its full stop; `None` where there is none.
    pub(super) fn reason(&self, english: &str) -> Option<String> {
        if let Some(plain) = self.reasons.get(english) {
            return Some(plain.clone());
        }
        // Of several templates that fit, the one that says most itself.
        let (template, values) = self
            .reasons
            .keys()
            .filter_map(|template| Some((template, values(template, english)?)))
            .max_by_key(|(template, values)| literal_length(template, values.len()))?;
        let translated: Vec<(&str, String)> = values
            .into_iter()
            .map(|(name, value)| {
                let value = if PHRASES.contains(&name) { self.phrase(value) } else { value.to_owned() };
                (name, value)
            })
            .collect();
        let values: Vec<(&str, &str)> =
            translated.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Some(fill(self.reasons.get(template)?, &values))
    }

    fn phrase(&self, english: &str) -> String {
        let parts: Vec<String> =
            english.split(AND).map(|part| self.reason(part).unwrap_or_else(|| part.to_owned())).collect();
        parts.join(&self.list)
    }
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
    use super::{Language, reason_in};

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
        ];
        for (english, chinese) in cases {
            assert_eq!(reason_in(Language::Chinese, english), chinese);
            assert_eq!(reason_in(Language::English, english), english);
        }
    }
}
