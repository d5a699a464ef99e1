//! What a server says about a failure, in any of the shapes in use: an object, an array of objects (Gemini), flat
//! (vLLM, Mistral), a string (Ollama, LM Studio), HTML or nothing at all.

use crate::model::sniff::{BodyKind, sniff};
use serde_json::Value;

/// How much of a server's words is kept, bytes.
const MAX_SAID: usize = 500;

/// A failure as reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// `code`, where it is a word, and every other word that names the kind (`type`, `status`).
    pub labels: Vec<String>,
    /// `code`, where it is a number in the range of HTTP statuses, or a text that holds one.
    pub status: Option<u16>,
    /// What it says, for people.
    pub message: String,
    /// The parameter it is about.
    pub parameter: Option<String>,
    /// How long to wait, where the body says so, ms.
    pub retry_after_ms: Option<u64>,
    /// The body is a web page.
    pub is_html: bool,
    /// There is no body.
    pub is_empty: bool,
    /// The provider's filter names what it flagged.
    pub is_flagged: bool,
}

impl Report {
    /// Reads the body of an error response.
    #[must_use]
    pub fn from_body(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let text = text.trim_start_matches('\u{feff}').trim();
        match sniff(text.as_bytes()) {
            None => Self { is_empty: true, ..Self::default() },
            Some(BodyKind::Html) => {
                Self { is_html: true, message: "a web page".to_owned(), ..Self::default() }
            }
            Some(BodyKind::Json) => match serde_json::from_str::<Value>(text) {
                Ok(value) => Self::from_json(&value),
                Err(_) => Self { message: text.to_owned(), ..Self::default() },
            },
            Some(BodyKind::EventStream) => {
                let data =
                    text.lines().find_map(|line| line.strip_prefix("data:").or(line.strip_prefix("error:")));
                match data.and_then(|data| serde_json::from_str::<Value>(data.trim()).ok()) {
                    Some(value) => Self::from_json(&value),
                    None => Self { message: text.to_owned(), ..Self::default() },
                }
            }
        }
    }

    /// Reads an error that came as JSON.
    #[must_use]
    pub fn from_json(value: &Value) -> Self {
        let mut report = Self::default();
        report.read(value, 0);
        report
    }

    /// All words in lower case, to look for patterns in.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = self.labels.join(" ");
        words.push(' ');
        words.push_str(&self.message);
        words.to_lowercase()
    }

    /// One line, bounded, without control characters.
    #[must_use]
    pub fn shorten(text: &str) -> String {
        let mut out = String::new();
        for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty())
        {
            if out.len() + word.len() > MAX_SAID {
                out.push_str(" …");
                break;
            }
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        out
    }

    fn read(&mut self, value: &Value, depth: u8) {
        if depth > 3 {
            return;
        }
        match value {
            Value::String(text) => self.say(text),
            Value::Array(items) => items.iter().take(3).for_each(|item| self.read(item, depth + 1)),
            Value::Object(object) => {
                match object.get("error") {
                    Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => {}
                    Some(inner) => self.read(inner, depth + 1),
                }
                for key in ["code", "type", "status", "error_type"] {
                    match object.get(key) {
                        Some(Value::String(label)) => {
                            self.read_status(label.parse().ok());
                            self.labels.push(label.clone());
                        }
                        Some(Value::Number(number)) => self.read_status(number.as_u64()),
                        Some(_) | None => {}
                    }
                }
                for key in ["message", "msg", "detail", "errors", "base_resp", "status_msg"] {
                    if let Some(inner @ (Value::String(_) | Value::Array(_) | Value::Object(_))) =
                        object.get(key)
                    {
                        self.read(inner, depth + 1);
                    }
                }
                if let Some(Value::String(parameter)) = object.get("param") {
                    self.parameter = Some(parameter.clone());
                }
                // FastAPI says where in the body: `["body", "stream_options"]`.
                if let Some(Value::Array(place)) = object.get("loc") {
                    self.parameter = place.last().and_then(Value::as_str).map(str::to_owned);
                }
                if let Some(delay) = object.get("retryDelay").and_then(Value::as_str) {
                    self.retry_after_ms = seconds(delay.trim_end_matches('s'));
                }
                if let Some(Value::Object(metadata)) = object.get("metadata") {
                    self.is_flagged |=
                        metadata.contains_key("flagged_input") || metadata.contains_key("reasons");
                    if let Some(raw) = metadata.get("raw").and_then(Value::as_str) {
                        self.say(raw);
                    }
                }
                if let Some(Value::Array(details)) = object.get("details") {
                    details.iter().take(8).for_each(|detail| {
                        let delay = detail.get("retryDelay").and_then(Value::as_str);
                        if let Some(delay) = delay {
                            self.retry_after_ms = seconds(delay.trim_end_matches('s'));
                        }
                    });
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn read_status(&mut self, number: Option<u64>) {
        let status = number.and_then(|number| u16::try_from(number).ok());
        if let Some(status @ 400..=599) = status {
            self.status = Some(status);
        }
    }

    fn say(&mut self, text: &str) {
        if !self.message.is_empty() {
            self.message.push_str("; ");
        }
        self.message.push_str(text.trim());
    }
}

/// Decimal seconds as ms.
fn seconds(text: &str) -> Option<u64> {
    let seconds = text.trim().parse::<f64>().ok()?;
    (seconds.is_finite() && (0.0..=1e9).contains(&seconds)).then(|| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be within range"
        )]
        let milliseconds = (seconds * 1000.0).ceil() as u64;
        milliseconds
    })
}

#[cfg(test)]
mod tests {
    use super::Report;
    use proptest::prelude::*;

    #[test]
    fn every_shape_is_read() {
        let cases = [
            (r#"{"error":{"message":"m","type":"t","code":"c","param":"p"}}"#, "c t", "m"),
            (r#"{"error":"m"}"#, "", "m"),
            (
                r#"[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]"#,
                "RESOURCE_EXHAUSTED",
                "m",
            ),
            (
                r#"{"object":"error","message":"m","type":"BadRequestError","code":400}"#,
                "BadRequestError",
                "m",
            ),
            (r#"{"detail":[{"msg":"m"}]}"#, "", "m"),
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#,
                "overloaded_error error",
                "m",
            ),
            (r#""m""#, "", "\"m\""),
            ("m", "", "m"),
            ("data: {\"error\":{\"message\":\"m\"}}\n\n", "", "m"),
            (r#"{"choices":null,"base_resp":{"status_code":1008,"status_msg":"m"}}"#, "", "m"),
            ("<html>", "", "a web page"),
            ("", "", ""),
        ];
        for (body, labels, message) in cases {
            let report = Report::from_body(body.as_bytes());
            assert_eq!(
                (report.labels.join(" ").as_str(), report.message.as_str()),
                (labels, message),
                "{body}"
            );
        }
        let report = Report::from_body(br#"{"error":{"code":429,"details":[{"retryDelay":"12.5s"}]}}"#);
        assert_eq!((report.status, report.retry_after_ms), (Some(429), Some(12_500)));
        let status = |body: &str| Report::from_body(body.as_bytes()).status;
        assert_eq!(status(r#"{"error":{"code":"402"}}"#), Some(402));
        assert_eq!(status(r#"{"error":{"code":"1113"}}"#), None);
    }

    proptest! {
        #[test]
        fn nothing_panics(body in proptest::collection::vec(any::<u8>(), 0..100)) {
            let report = Report::from_body(&body);
            prop_assert!(Report::shorten(&report.message).len() <= 520);
        }
    }
}
