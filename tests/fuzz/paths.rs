//! Paths as text: joining settles in one step, and no spelling leaves the root or its own folder.

use crate::campaign;
use crate::world::context;
use assent_policy::rule::PathPattern;
use assent_policy::{Os, ShellKind, path};

/// R14
#[test]
fn paths() {
    let contexts = [Os::Linux, Os::Macos, Os::Windows].map(|os| context(ShellKind::Bash, os));
    campaign::run("paths", |input| {
        let text = String::from_utf8_lossy(input);
        // A pattern stands before the path it is held against.
        let (pattern, written) = text.split_once('\n').unwrap_or(("**", &text));
        let mut kind = format!("{:?}", path::check_argument(written).err());
        let pattern = PathPattern::parse(pattern).ok();
        if let Ok(alternatives) = path::alternatives(written) {
            for alternative in &alternatives {
                let prefix = path::literal_prefix(alternative);
                assert!(alternative.starts_with(&prefix), "{alternative:?} doesn't start with {prefix:?}");
            }
            kind += &alternatives.len().min(3).to_string();
        }
        for context in &contexts {
            let joined = match path::join(written, &context.workspace, context.os) {
                Ok(joined) => joined,
                Err(fault) => {
                    kind += format!("{fault:?}").split(['(', '"']).next().unwrap_or_default();
                    continue;
                }
            };
            assert!(path::is_absolute(&joined, context.os), "{joined:?} is not absolute");
            let lexical = path::lexical(&joined);
            assert_eq!(path::lexical(&lexical), lexical);
            assert!(!lexical.split('/').any(|part| part == ".."), "{lexical:?} climbs");
            assert!(path::contains(&lexical, &lexical, context.os));
            assert!(
                path::contains(path::parent(&lexical), &lexical, context.os),
                "{lexical:?} left its folder"
            );
            let inside = path::relative_to(&lexical, &context.workspace, context.os);
            assert_eq!(inside.is_some(), path::contains(&context.workspace, &lexical, context.os));
            kind += &format!(
                "{:?} {} {} {}",
                path::classify(&lexical, context),
                path::is_sensitive(inside.unwrap_or(&lexical)),
                path::is_protected(inside.unwrap_or(&lexical)),
                inside.is_some(),
            );
            if let Some(pattern) = &pattern
                && pattern.matches(&lexical, context).expect("the home folder is known")
            {
                let beneath = pattern.may_match_beneath(path::parent(&lexical), context);
                assert!(
                    beneath.expect("the home folder is known"),
                    "{lexical:?} matches, but not beneath its folder"
                );
                kind += "matches";
            }
        }
        kind
    });
}
