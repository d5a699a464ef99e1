//! Path patterns: globs, seen from the workspace unless they start with `/` or `~`.

use crate::path::{fault, is_absolute, relative_to};
use crate::{Context, Os};
use globset::{GlobBuilder, GlobMatcher};

/// One glob over resolved paths.
#[derive(Clone, Debug)]
pub struct PathPattern {
    text: String,
    root: Root,
    exact: GlobMatcher,
    folded: GlobMatcher,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    Workspace,
    Home,
    Absolute,
}

/// Why a text is no path pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathPatternError {
    /// The glob's grammar.
    #[error("{0}")]
    Glob(&'static str),
    /// It would never match a resolved path.
    #[error("a path pattern holds no `..`: it is compared with resolved paths")]
    Climbs,
    /// Nothing to match.
    #[error("a path pattern is not empty")]
    Empty,
}

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// When it is no glob, is empty or climbs.
    pub fn parse(text: &str) -> Result<Self, PathPatternError> {
        if text.is_empty() {
            return Err(PathPatternError::Empty);
        }
        let (root, glob) = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                (Root::Home, rest.trim_start_matches('/'))
            }
            Some(_) | None if is_absolute(text, Os::Windows) => {
                (Root::Absolute, text.trim_start_matches('/'))
            }
            Some(_) | None => (Root::Workspace, text.strip_prefix("./").unwrap_or(text)),
        };
        if glob.split('/').any(|part| part == "..") {
            return Err(PathPatternError::Climbs);
        }
        let glob = glob.trim_end_matches('/');
        let build = |insensitive| {
            GlobBuilder::new(glob)
                .literal_separator(true)
                .case_insensitive(insensitive)
                .empty_alternates(true)
                .build()
                .map(|glob| glob.compile_matcher())
                .map_err(|error| PathPatternError::Glob(fault(&error)))
        };
        Ok(Self { text: text.to_owned(), root, exact: build(false)?, folded: build(true)? })
    }

    /// The pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it matches the absolute `path`.
    ///
    /// # Errors
    /// When it starts at the home folder and that isn't known.
    pub fn matches(&self, path: &str, context: &Context) -> Result<bool, HomeUnknown> {
        Ok(self.seen_from_root(path, context)?.is_some_and(|seen| self.is_match(seen, context.os)))
    }

    /// Whether it matches the absolute `path` or a folder that holds it.
    ///
    /// # Errors
    /// When it starts at the home folder and that isn't known.
    pub fn matches_or_holds(&self, path: &str, context: &Context) -> Result<bool, HomeUnknown> {
        let Some(mut seen) = self.seen_from_root(path, context)? else { return Ok(false) };
        loop {
            if self.is_match(seen, context.os) {
                return Ok(true);
            }
            match seen.rsplit_once('/') {
                Some((folder, _)) => seen = folder,
                None => return Ok(false),
            }
        }
    }

    /// Whether something beneath the absolute `folder` may match: asked where a whole folder is touched.
    ///
    /// # Errors
    /// When it starts at the home folder and that isn't known.
    pub fn may_match_beneath(&self, folder: &str, context: &Context) -> Result<bool, HomeUnknown> {
        let start = self.literal_start(context)?;
        let contains = |outer: &str, inner: &str| crate::path::contains(outer, inner, context.os);
        Ok(contains(folder, &start) || self.has_wildcard() && contains(&start, folder))
    }

    fn has_wildcard(&self) -> bool {
        self.text.contains(['*', '?', '[', '{'])
    }

    /// The absolute path that every match is or lies beneath.
    fn literal_start(&self, context: &Context) -> Result<String, HomeUnknown> {
        let literal = crate::path::literal_prefix(match self.root {
            Root::Home => self.text.trim_start_matches(['~', '/']),
            Root::Absolute | Root::Workspace => &self.text,
        });
        let root = match self.root {
            Root::Workspace => context.workspace.as_str(),
            Root::Home if context.home.is_empty() => return Err(HomeUnknown),
            Root::Home => context.home.as_str(),
            Root::Absolute => "",
        };
        Ok(if literal.is_empty() && !root.is_empty() { root.to_owned() } else { format!("{root}/{literal}") })
    }

    fn seen_from_root<'path>(
        &self,
        path: &'path str,
        context: &Context,
    ) -> Result<Option<&'path str>, HomeUnknown> {
        match self.root {
            Root::Workspace => Ok(std::iter::once(&context.workspace)
                .chain(&context.workspace_aliases)
                .find_map(|root| relative_to(path, root, context.os))),
            Root::Home if context.home.is_empty() => Err(HomeUnknown),
            Root::Home => Ok(relative_to(path, &context.home, context.os)),
            Root::Absolute => Ok(Some(path.trim_start_matches('/'))),
        }
    }

    fn is_match(&self, seen: &str, os: Os) -> bool {
        match os {
            Os::Linux => self.exact.is_match(seen),
            Os::Macos | Os::Windows => {
                self.folded.is_match(seen) || self.folded.is_match(crate::path::fold(seen))
            }
        }
    }
}

/// A pattern starts at the home folder, and nobody knows where that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the home folder is not known")]
pub struct HomeUnknown;

#[cfg(test)]
mod tests {
    use super::PathPattern;
    use crate::context::sample;
    use proptest::prelude::*;

    /// R12
    #[test]
    fn where_patterns_are_seen_from() {
        let context = sample();
        for (pattern, path, expected) in [
            ("docs/**", "/ws/docs/a/b.md", true),
            ("docs/*", "/ws/docs/a/b.md", false),
            ("**", "/ws/a", true),
            ("**", "/elsewhere/a", false),
            ("*.md", "/ws/a.md", true),
            ("*.md", "/ws/docs/a.md", false),
            ("**/*.md", "/ws/docs/a.md", true),
            ("./a", "/ws/a", true),
            ("~/docs/**", "/home/u/docs/a", true),
            ("~/docs/**", "/ws/docs/a", false),
            ("/etc/*", "/etc/passwd", true),
            ("docs/**", "/ws/DOCS/a", false),
        ] {
            let matched = PathPattern::parse(pattern).unwrap().matches(path, &context);
            assert_eq!(matched, Ok(expected), "{pattern} {path}");
        }
        assert!(PathPattern::parse("../x").is_err());
        assert!(PathPattern::parse("").is_err());
        assert!(PathPattern::parse("a[").is_err());
    }

    #[test]
    fn a_folder_stands_for_what_it_holds() {
        let context = sample();
        let pattern = PathPattern::parse("secrets").unwrap();
        assert_eq!(pattern.matches("/ws/secrets/a", &context), Ok(false));
        assert_eq!(pattern.matches_or_holds("/ws/secrets/a", &context), Ok(true));
        assert_eq!(pattern.may_match_beneath("/ws", &context), Ok(true));
        assert_eq!(pattern.may_match_beneath("/ws/src", &context), Ok(false));
        for (pattern, folder, expected) in [
            ("**/*.key", "/ws", true),
            ("**/*.key", "/ws/src/deep", true),
            ("docs/**/*.md", "/ws/docs/a", true),
            ("docs/**/*.md", "/ws/src", false),
            ("docs/a.md", "/ws/docs/a.md/b", false),
            ("~/notes/*", "/ws", false),
            ("/etc/*.conf", "/etc", true),
        ] {
            let pattern = PathPattern::parse(pattern).unwrap();
            assert_eq!(pattern.may_match_beneath(folder, &context), Ok(expected), "{pattern:?} {folder}");
        }
    }

    #[test]
    fn a_home_that_is_not_known_is_an_error() {
        let context = crate::Context { home: String::new(), ..sample() };
        assert!(PathPattern::parse("~/x").unwrap().matches("/ws/a", &context).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,30}", path in "/[a-z/~*]{0,20}") {
            if let Ok(pattern) = PathPattern::parse(&text) {
                let _ = pattern.matches_or_holds(&path, &sample());
                let _ = pattern.may_match_beneath(&path, &sample());
            }
        }
    }
}
