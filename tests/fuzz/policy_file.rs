//! Policy files: a text is refused with its place or read, and an untrusted one never loosens.

use crate::campaign;
use crate::world::{context, settle, shell_call};
use assent_policy::rule::{Layer, RuleFile};
use assent_policy::{Os, Rules, ShellKind};

/// R20
#[test]
fn policy_file() {
    let context = context(ShellKind::Bash, Os::Linux);
    let calls =
        ["ls", "cargo test", "git push", "curl https://example.org/", "cat a.txt > b.txt"].map(shell_call);
    let without = calls.each_ref().map(|call| settle(call, &context, &Rules::default()).0.behavior);
    campaign::run("policy_file", |input| {
        let text = String::from_utf8_lossy(input);
        let mut kind = String::new();
        for (layer, shell, os) in [
            (Layer::Project, ShellKind::Bash, Os::Linux),
            (Layer::Managed, ShellKind::PowerShell, Os::Windows),
        ] {
            match RuleFile::parse(&text, layer, shell, os) {
                Ok(file) => {
                    let behaviors: Vec<_> = file.rules.iter().map(|rule| rule.behavior).collect();
                    kind += &format!("{behaviors:?}");
                    let rules = Rules::new([(file, false)], Vec::new());
                    for (call, without) in calls.iter().zip(without) {
                        let with = settle(call, &context, &rules).0.behavior;
                        assert!(with >= without, "{call:?} is {with:?}, without the file {without:?}");
                        kind += &format!("{with:?}");
                    }
                }
                Err(error) => {
                    let lines = text.matches('\n').count() + 1;
                    assert!((1..=lines).contains(&error.line) && error.column > 0, "{error}");
                    assert!(!error.message.is_empty() && !error.message.contains('\n'), "{error:?}");
                    kind += error.message.split(['`', '"']).next().unwrap_or_default();
                }
            }
        }
        kind
    });
}
