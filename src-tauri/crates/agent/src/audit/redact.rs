//! Secrets are taken out before anything is stored (R43): our own keys exactly, then known forms.
//!
//! The same text always gives the same result, and redacting twice changes nothing more.

use regex::{Captures, Regex, RegexSet};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Takes secrets out of texts.
#[derive(Clone, Default)]
pub struct Redactor {
    own: Vec<String>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Redactor({} own secrets)", self.own.len())
    }
}

impl Redactor {
    /// Shorter own secrets are left alone: they would eat ordinary words.
    const SHORTEST_OWN: usize = 6;

    /// A redactor that also knows the app's `own` secrets (API keys, the proxy's password).
    #[must_use]
    pub fn new(own: impl IntoIterator<Item = String>) -> Self {
        let mut own: Vec<String> =
            own.into_iter().filter(|secret| secret.trim().len() >= Self::SHORTEST_OWN).collect();
        own.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self { own }
    }

    /// `text` without secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut current = Cow::Borrowed(text);
        for secret in &self.own {
            if current.contains(secret.as_str()) {
                current = Cow::Owned(current.replace(secret.as_str(), "[redacted:own-key]"));
            }
        }
        // One pass tells the common text, which holds no secret, from the rest.
        if !ANY_FORM.is_match(&current) {
            return current.into_owned();
        }
        for form in FORMS.iter() {
            if let Cow::Owned(changed) =
                form.pattern.replace_all(&current, |found: &Captures<'_>| form.replacement(found))
            {
                current = Cow::Owned(changed);
            }
        }
        current.into_owned()
    }

    /// `value` without secrets: every text in it, and whatever stands under a name that means a secret.
    #[must_use]
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.value(item)).collect()),
            Value::Object(map) => Value::Object(self.map(map)),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn map(&self, map: &Map<String, Value>) -> Map<String, Value> {
        map.iter()
            .map(|(name, item)| {
                let hidden = SECRET_NAME.is_match(name)
                    && matches!(item, Value::String(text) if !text.is_empty() && !text.starts_with(MARK));
                let item =
                    if hidden { Value::String("[redacted:named]".to_owned()) } else { self.value(item) };
                (self.text(name), item)
            })
            .collect()
    }
}

/// How every replacement begins.
const MARK: &str = "[redacted:";

/// One kind of secret. Group `keep` stays, group `rest` after the secret stays too.
struct Form {
    name: &'static str,
    pattern: Regex,
    /// Whether what was found is a secret at all; `None` takes every match.
    is_secret: Option<fn(&str) -> bool>,
}

impl Form {
    fn replacement(&self, found: &Captures<'_>) -> String {
        let whole = found.get(0).map_or("", |part| part.as_str());
        let secret = found.name("secret").map_or(whole, |part| part.as_str());
        if secret.starts_with(MARK) || self.is_secret.is_some_and(|test| !test(secret)) {
            return whole.to_owned();
        }
        let keep = found.name("keep").map_or("", |part| part.as_str());
        let rest = found.name("rest").map_or("", |part| part.as_str());
        format!("{keep}{MARK}{}]{rest}", self.name)
    }
}

/// A word that names a secret, as part of a variable, field or option.
const NAMES: &str = r"(?:pass(?:word|wd|phrase)|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|account[_-]?key|encryption[_-]?key|auth[_-]?key)";

static SECRET_NAME: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(r"(?i)(?:^|[_\-.]|\b){NAMES}s?(?:$|[_\-.]|\b)|^(?:authorization|cookie)$"))
});

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let form = |name, pattern: &str| Form { name, pattern: compile(pattern), is_secret: None };
    let checked = |name, pattern: &str, test| Form { name, pattern: compile(pattern), is_secret: Some(test) };
    vec![
        form(
            "private-key",
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
        ),
        form("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})"),
        form("gitlab-token", r"\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas)-[A-Za-z0-9_\-]{20,}"),
        form("aws-key-id", r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}\b"),
        form(
            "google-key",
            r"\bAIza[0-9A-Za-z_\-]{35}|\bya29\.[0-9A-Za-z_\-]{20,}|\bGOCSPX-[0-9A-Za-z_\-]{20,}",
        ),
        form("jwt", r"\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*"),
        form("stripe-key", r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{16,}"),
        form(
            "slack-token",
            r"\bxox[abceoprs]-[A-Za-z0-9\-]{10,}|\bxapp-[A-Za-z0-9\-]{10,}|\bhooks\.slack\.com/services/[A-Za-z0-9/]{20,}",
        ),
        form("model-key", r"\bsk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_\-]{16,}"),
        form("npm-token", r"\bnpm_[A-Za-z0-9]{36}"),
        form("pypi-token", r"\bpypi-[A-Za-z0-9_\-]{50,}"),
        form("huggingface-token", r"\bhf_[A-Za-z0-9]{30,}"),
        form("sendgrid-key", r"\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}"),
        form("twilio-key", r"\bSK[0-9a-f]{32}\b"),
        form("digitalocean-token", r"\bdo[opr]_v1_[a-f0-9]{64}"),
        form("vault-token", r"\bhv[sb]\.[A-Za-z0-9_\-]{24,}"),
        form("telegram-token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_\-]{33}"),
        form("age-key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}"),
        form(
            "url-credentials",
            r"(?P<keep>\b[A-Za-z][A-Za-z0-9+.\-]*://[^\s/:@'\x22]*:)(?P<secret>[^\s/'\x22]+)(?P<rest>@)",
        ),
        form(
            "authorization",
            r"(?i)(?P<keep>\b(?:proxy-)?authorization['\x22]?\s*[:=]\s*['\x22]?(?:(?:basic|bearer|token|digest|negotiate|apikey)\s+)?)(?P<secret>[^\s'\x22,;]+)",
        ),
        checked(
            "authorization",
            r"(?i)(?P<keep>\b(?:bearer|basic)\s+)(?P<secret>[A-Za-z0-9._~+/=\-]{12,})",
            has_digit_or_mixed_case,
        ),
        form(
            "api-key-header",
            r"(?i)(?P<keep>\bx-(?:api-key|auth-token|goog-api-key|csrf-token)['\x22]?\s*[:=]\s*['\x22]?)(?P<secret>[^\s'\x22,;]+)",
        ),
        form("cookie", r"(?i)(?P<keep>\b(?:set-)?cookie:[ \t]*)(?P<secret>[^\r\n'\x22]+)"),
        form(
            "option",
            &format!(
                r"(?i)(?P<keep>--(?:[a-z0-9\-]*-)?{NAMES}(?:[ \t]+|=)['\x22]?)(?P<secret>[^\s'\x22\-$][^\s'\x22]*)"
            ),
        ),
        form(
            "user-password",
            r"(?P<keep>(?:^|\s)(?:-u|--user)[ =]?['\x22]?[^\s:'\x22$]+:)(?P<secret>[^\s'\x22$][^\s'\x22]*)",
        ),
        form(
            "user-password",
            r"(?P<keep>\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;&]*?\s-p)(?P<secret>[^\s'\x22$]+)",
        ),
        // NAME=value, as a shell or an .env file writes it; a reference ($NAME) is no secret.
        form(
            "assignment",
            &format!(
                r"(?i)(?P<keep>(?:[a-z0-9]+[_.\-])*{NAMES}s?(?:[_.\-][a-z0-9]+)*=['\x22]?)(?P<secret>[^\s'\x22$=&;,)][^\s'\x22&;]*)"
            ),
        ),
        // "name": "value", name: 'value', name = "value".
        checked(
            "assignment",
            &format!(
                r"(?i)(?P<keep>\b(?:[a-z0-9]+[_.\-]?)*{NAMES}s?['\x22]?\s*(?::|=|=>|:=)\s*)(?P<secret>'[^'\n]{{4,}}'|\x22[^\x22\n]{{4,}}\x22)"
            ),
            |quoted| !quoted.trim_matches(['"', '\'']).starts_with(MARK),
        ),
        // name: value, as YAML and headers write it; only what looks random.
        checked(
            "assignment",
            &format!(
                r"(?im)(?P<keep>\b(?:[a-z0-9]+[_.\-]?)*{NAMES}s?:[ \t]+)(?P<secret>[^\s'\x22,;{{}}()\[\]<>]{{8,}})[ \t]*$"
            ),
            has_digit_or_mixed_case,
        ),
    ]
});

#[expect(clippy::expect_used, reason = "the patterns were compiled one by one already")]
static ANY_FORM: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(FORMS.iter().map(|form| form.pattern.as_str())).expect("the forms' own patterns")
});

/// Ordinary words have no digit, and capitals only at their start.
fn has_digit_or_mixed_case(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
        || text.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
}

#[expect(clippy::expect_used, reason = "the patterns are literals; a test compiles every one")]
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a literal pattern")
}

#[cfg(test)]
mod tests;
