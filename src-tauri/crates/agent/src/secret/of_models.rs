//! The secrets that reach a model's server: where its key is kept, and which of its headers are secret.

use reqwest::Url;

/// What the keychain's entries are filed under.
pub const SERVICE: &str = "assent-model";
/// The folder beside the settings with the keys that are kept in files.
pub const FOLDER: &str = "keys";

/// Parts of a header's name whose value is secret however short it is.
const SECRET: [&str; 8] = ["auth", "key", "token", "secret", "cookie", "pass", "credential", "session"];
/// The length from which a value in one piece may be a token, bytes; shorter ones are ordinary words.
const TOKEN: usize = 20;

/// What the key of the profile `id` is called while its server is `base_url`: both in one plain word.
#[must_use]
pub fn key_name(id: &str, base_url: &str) -> String {
    let host = Url::parse(base_url)
        .map(|url| {
            format!("{}_{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(0))
        })
        .unwrap_or_default();
    let word = |text: &str| -> String {
        text.chars()
            .map(|letter| if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '_' })
            .collect()
    };
    format!("{}@{}", word(id), word(&host))
}

/// What has to be taken out of what is stored of a header: its value where that is secret, with and without its scheme.
#[must_use]
pub fn secrets_of_header(name: &str, value: &str) -> Vec<String> {
    let name = name.to_ascii_lowercase();
    let is_token = value.len() >= TOKEN && !value.contains([' ', '/']);
    if !is_token && !SECRET.iter().any(|part| name.contains(part)) {
        return Vec::new();
    }
    let bare = value.split_once(' ').map(|(_, bare)| bare.trim().to_owned());
    [Some(value.to_owned()), bare].into_iter().flatten().collect()
}
