//! Node.js: whether it is there, and new enough for the tools that build the window's pages.

use crate::run;
use anyhow::{Result, bail};

/// Where to get it; Debian 12's own is too old.
const WHERE: &str = "Get version 20.19, 22.12 or newer: nodejs.org, your distribution, or a version manager \
                     (`nvm install 22`, `fnm install 22`)";

/// Fails with what to do unless Node.js and npm can build the pages.
pub fn ensure() -> Result<()> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    match problem(run::output("node", &["--version"]).as_deref(), run::exists(npm)) {
        None => Ok(()),
        Some(problem) => bail!("{problem}"),
    }
}

/// What is wrong with the Node.js that says `version` of itself.
fn problem(version: Option<&str>, npm: bool) -> Option<String> {
    let Some(version) = version else {
        return Some(format!("Node.js wasn't found; the window's pages are built with it. {WHERE}"));
    };
    if !new_enough(version) {
        return Some(format!("Node.js {version} can't build the window's pages. {WHERE}"));
    }
    (!npm).then(|| {
        "Node.js is there, but `npm` wasn't found: on Debian and Ubuntu it is the package `npm`, elsewhere it comes \
         with Node.js"
            .to_owned()
    })
}

/// 20.19 and later 20s, 22.12 and later: what the bundler of `ui/` supports.
fn new_enough(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split('.').map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(20)), Some(Ok(minor))) => minor >= 19,
        (Some(Ok(22)), Some(Ok(minor))) => minor >= 12,
        (Some(Ok(major)), Some(Ok(_))) => major > 22,
        (None | Some(_), None | Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn each_lack_is_named_with_its_remedy() {
        for (version, npm, says) in [
            (Some("v20.19.0"), true, None),
            (Some("v22.12.0"), true, None),
            (Some("v24.1.0"), true, None),
            (Some("v18.20.4"), true, Some("Node.js v18.20.4 can't build")),
            (Some("v20.18.9"), true, Some("can't build")),
            (Some("v21.7.0"), true, Some("can't build")),
            (Some("v22.11.0"), true, Some("can't build")),
            (Some("nonsense"), true, Some("can't build")),
            (Some(""), true, Some("can't build")),
            (None, true, Some("Node.js wasn't found")),
            (Some("v22.12.0"), false, Some("`npm` wasn't found")),
        ] {
            let seen = problem(version, npm);
            match says {
                None => assert_eq!(seen, None, "{version:?}"),
                Some(part) => assert!(seen.is_some_and(|text| text.contains(part)), "{version:?} {npm}"),
            }
        }
    }
}
