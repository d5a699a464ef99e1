//! What the app says: kept in English, as the log has it, and worded as it leaves for the window.

use super::shown;
use crate::words::{Language, spoken};
use assent_policy::request::failure_in;
use serde::{Serialize, Serializer};
use std::fmt;

/// A sentence of the app's own, with values of others in it.
///
/// It is made in English, by errors that know no language, and worded in the person's where it is put into a message
/// to the window. That is the only way there, so none can arrive unworded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(type = "string"))]
pub struct Sentence(Vec<String>);

impl Sentence {
    /// Several, one after the other.
    pub const fn all(english: Vec<String>) -> Self {
        Self(english)
    }

    /// As the window shows it: in `language`, escaped.
    pub fn in_language(&self, language: Language) -> String {
        let between = match language {
            Language::English => " ",
            Language::Chinese => "",
        };
        let worded = |english: &String| shown(&failure_in(language.of_requests(), english));
        self.0.iter().map(worded).collect::<Vec<_>>().join(between)
    }
}

impl<T: Into<String>> From<T> for Sentence {
    fn from(english: T) -> Self {
        Self(vec![english.into()])
    }
}

/// In English, for the log.
impl fmt::Display for Sentence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(" "))
    }
}

impl Serialize for Sentence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.in_language(spoken()))
    }
}

#[cfg(test)]
mod tests {
    use super::Sentence;
    use crate::view::{Asked, BackendError};
    use crate::words::Language;
    use assent_agent::audit::AuditError;
    use std::io;

    /// R41: what stops everything is said in the person's language, with the file's and the system's own words in it.
    #[test]
    fn an_error_arrives_in_the_language_of_the_window() {
        let audit =
            |error: AuditError| BackendError::new("audit_unavailable", format!("Can't {error}.")).message;
        let opened = io::Error::from_raw_os_error(2);
        for (sentence, english, chinese) in [
            (
                audit(AuditError::Store("the disk of /d is full; free some space".to_owned())),
                "Can't store the audit record: the disk of /d is full; free some space.",
                "无法写入审计记录：/d 所在的磁盘已满，请腾出空间。",
            ),
            (
                audit(AuditError::Key("/k: others can read it (mode 644, wanted 600)".to_owned())),
                "Can't reach the audit key: /k: others can read it (mode 644, wanted 600).",
                "无法取得审计密钥：/k：其他人可以读取它（权限 644，应为 600）。",
            ),
            (
                format!("Can't open /a b: {opened}.").into(),
                "Can't open /a b: No such file or directory (os error 2).",
                "无法打开 /a b：没有这个文件或文件夹。",
            ),
            (
                Asked::impossible("The tour can't be changed.").message.unwrap(),
                "The tour can't be changed.",
                "导览不能更改。",
            ),
            // What nobody here has said stays as it is, and can't hide itself.
            ("no \u{202e}such".into(), "no \\u{202e}such", "no \\u{202e}such"),
            (
                Sentence::all(vec![
                    "There is no such call.".to_owned(),
                    "A session needs a name.".to_owned(),
                ]),
                "There is no such call. A session needs a name.",
                "没有这次调用。会话需要一个名称。",
            ),
        ] {
            assert_eq!(sentence.in_language(Language::English), english);
            assert_eq!(sentence.in_language(Language::Chinese), chinese);
        }
    }
}
