//! The table of secret forms, the texts that must stay, and idempotence.

use super::Redactor;
use proptest::prelude::*;
use serde_json::json;

/// Text, the secret in it, the kind it is replaced by.
fn secrets() -> Vec<(String, String, &'static str)> {
    let long = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
    let first = |count: usize| -> String { long.chars().take(count).collect() };
    let row = |text: &str, secret: &str, kind| {
        (text.replace("@", secret).replace('\u{1}', "@"), secret.to_owned(), kind)
    };
    vec![
        row("-----BEGIN RSA PRIVATE KEY-----\n@\n-----END RSA PRIVATE KEY-----", long, "private-key"),
        row("-----BEGIN OPENSSH PRIVATE KEY-----\n@", long, "private-key"),
        row(
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\n@\n-----END PGP PRIVATE KEY BLOCK-----",
            long,
            "private-key",
        ),
        row("git clone x # @", &format!("ghp_{}", first(36)), "github-token"),
        row("@", &format!("github_pat_{}", first(30)), "github-token"),
        row("x @ y", &format!("glpat-{}", first(20)), "gitlab-token"),
        row("id @.", "AKIAIOSFODNN7EXAMPLE", "aws-key-id"),
        row("AWS_SECRET_ACCESS_KEY=@", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "assignment"),
        row("?key=@", &format!("AIza{}", first(35)), "google-key"),
        row("@", &format!("ya29.{}", first(30)), "google-key"),
        row("@", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.dozjgNryP4J3jVmNHl0w5N", "jwt"),
        row("stripe @", &format!("sk_live_{}", first(24)), "stripe-key"),
        row("@", &format!("xoxb-1234567890-{}", first(20)), "slack-token"),
        row(
            "https://@",
            "hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
            "slack-token",
        ),
        row("@", &format!("sk-ant-api03-{long}"), "model-key"),
        row("@", &format!("sk-proj-{long}"), "model-key"),
        row("@", &format!("npm_{}", first(36)), "npm-token"),
        row("@", &format!("pypi-{long}{long}"), "pypi-token"),
        row("@", &format!("hf_{}", first(34)), "huggingface-token"),
        row("git push https://me:@\u{1}example.test/r", "hunter2!x", "url-credentials"),
        row("postgres://app:@\u{1}db/x", "p\u{e4}ss", "url-credentials"),
        row("curl -H 'Authorization: Bearer @' x", "abcDEF123456", "authorization"),
        row("Authorization: Basic @", "dXNlcjpwYXNz", "authorization"),
        row("authorization: @", "plainkey", "authorization"),
        row("{\"Authorization\": \"Bearer @\"}", "abc.def-1", "authorization"),
        row("X-Api-Key: @", "zzz", "api-key-header"),
        row("Cookie: @", "session=1; b=2", "cookie"),
        row("psql --password @ -h x", "hunter2", "option"),
        row("tool --api-key=@", "q1", "option"),
        row("curl -u me:@ https://x", "hunter2", "user-password"),
        row("mysql -u root -p@ db", "hunter2", "user-password"),
        row("DB_PASSWORD=@ ./run", "hunter2", "assignment"),
        row("export TOKEN='@'", "hunter2", "assignment"),
        row("GITHUB_TOKEN=@", "q", "assignment"),
        row("?access_token=@&b=1", "abc", "assignment"),
        row("{\"password\": @}", "\"correct horse\"", "assignment"),
        row("api_key = @", "'sesame-open'", "assignment"),
        row("password: @", "hunter22", "assignment"),
    ]
}

/// R43
#[test]
fn known_forms_are_taken_out() {
    let redactor = Redactor::default();
    for (text, secret, kind) in secrets() {
        let redacted = redactor.text(&text);
        assert!(!redacted.contains(&secret), "{text:?} → {redacted:?}");
        assert!(redacted.contains(&format!("[redacted:{kind}]")), "{text:?} → {redacted:?}");
        assert_eq!(redactor.text(&redacted), redacted, "{text:?}");
    }
}

#[test]
fn ordinary_texts_stay() {
    let redactor = Redactor::default();
    for text in [
        "cargo test checkout",
        "fn read(token: &Token) -> Result<Secret, Error>",
        "the password is asked for once",
        "export TOKEN=$OTHER",
        "git log --author=me",
        "https://example.test/a:b/c@d",
        "basic usage of the bearer",
        "let token = tokens.next();",
        "--token-file x",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "你好，密码在哪里",
    ] {
        assert_eq!(redactor.text(text), text);
    }
}

/// R43: our own keys go first and exactly, whatever their form.
#[test]
fn own_keys_and_named_values_are_taken_out() {
    let redactor = Redactor::new(["my own key".to_owned(), String::new(), "ab".to_owned()]);
    assert_eq!(redactor.text("x my own key ab"), "x [redacted:own-key] ab");
    assert_eq!(
        redactor.value(&json!({"password": "a", "nested": [{"api_key": "b", "path": "my own key"}], "n": 1})),
        json!({"password": "[redacted:named]", "nested": [{"api_key": "[redacted:named]", "path": "[redacted:own-key]"}], "n": 1})
    );
}

proptest! {
    /// R43: redacting twice changes nothing more, whatever surrounds a secret.
    #[test]
    fn it_is_idempotent(before in "\\PC{0,20}", row in 0_usize..38, after in "\\PC{0,20}", glue in "[ \n\"'=:;]?") {
        let redactor = Redactor::new(["own-secret-1".to_owned()]);
        let rows = secrets();
        let text = format!("{before}{glue}{}{glue}own-secret-1{after}", rows[row % rows.len()].0);
        let once = redactor.text(&text);
        prop_assert!(!once.contains("own-secret-1"));
        prop_assert_eq!(redactor.text(&once), once);
    }

    #[test]
    fn it_never_panics(text in any::<String>()) {
        let redactor = Redactor::default();
        let once = redactor.text(&text);
        prop_assert_eq!(redactor.text(&once), once);
    }
}
