//! `assent://session/ID`: the only address the app answers to. All it does is show that session.

use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};
use tauri::Url;

const SCHEME: &str = "assent";
/// Hexadecimal digits of an id: its time (ms), and what is random.
const TIME: std::ops::RangeInclusive<usize> = 11..=16;
const RANDOM: usize = 20;

/// An address that was understood; it holds an id and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLink(String);

impl SessionLink {
    /// Reads `text`; anything but the one form is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let plain = url.scheme() == SCHEME
            && url.host_str() == Some("session")
            && url.username().is_empty()
            && url.password().is_none()
            && url.port().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        let path = url.path();
        let id = path.strip_prefix('/')?;
        Self::of_id(id.strip_suffix('/').unwrap_or(id)).filter(|_| plain)
    }

    /// The link to the session `id`, where that is an id's form.
    #[must_use]
    pub fn of_id(id: &str) -> Option<Self> {
        let hexadecimal = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let (time, random) = id.split_once('-')?;
        let sound =
            TIME.contains(&time.len()) && random.len() == RANDOM && hexadecimal(time) && hexadecimal(random);
        sound.then(|| Self(id.to_owned()))
    }

    /// The first argument of this process that is such an address.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        Self::among(std::env::args_os().skip(1))
    }

    fn among(arguments: impl IntoIterator<Item = OsString>) -> Option<Self> {
        arguments.into_iter().find_map(|argument| Self::parse(argument.to_str()?))
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0
    }
}

/// A link that came before the shell stood; it is shown once the shell stands. Of several the last counts.
#[derive(Debug, Default)]
pub struct EarlyLink(Mutex<Option<SessionLink>>);

impl EarlyLink {
    /// Keeps `link`. Only macOS hands a link to a running app.
    #[cfg(any(target_os = "macos", test))]
    pub fn keep(&self, link: SessionLink) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(link);
    }

    /// Gives it away.
    pub fn take(&self) -> Option<SessionLink> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::{EarlyLink, SessionLink};

    const ID: &str = "0198c2f6a31-00112233445566778899";

    #[test]
    fn only_a_session_is_understood() {
        let good = format!("assent://session/{ID}");
        for address in [good.clone(), format!("{good}/"), format!("ASSENT://session/{ID}")] {
            assert_eq!(SessionLink::parse(&address).as_ref().map(SessionLink::id), Some(ID), "{address}");
        }
        for address in [
            format!("{good}?run=1"),
            format!("{good}#x"),
            format!("{good}/../approve"),
            format!("{good}%2f"),
            format!("assent://user@session/{ID}"),
            format!("assent://session:80/{ID}"),
            format!("assent:session/{ID}"),
            format!("assent://approve/{ID}"),
            format!("https://session/{ID}"),
            format!("assent://session/{}", ID.to_uppercase().replace('-', "_")),
            format!("assent://session/{ID}{}", "0".repeat(4096)),
            "assent://session/".to_owned(),
            "assent://session/../../etc/passwd".to_owned(),
            "assent://session/--safe".to_owned(),
            "assent://".to_owned(),
            "--safe".to_owned(),
            String::new(),
        ] {
            assert_eq!(SessionLink::parse(&address), None, "{address}");
        }
    }

    /// What isn't text is no address, and no reason to fail.
    #[cfg(unix)]
    #[test]
    fn a_link_is_found_among_any_arguments() {
        use std::os::unix::ffi::OsStringExt as _;
        let odd = std::ffi::OsString::from_vec(vec![0xff]);
        assert_eq!(SessionLink::among([odd.clone()]), None);
        let link = format!("assent://session/{ID}");
        let found = SessionLink::among([odd, "--safe".into(), link.into()]);
        assert_eq!(found.as_ref().map(SessionLink::id), Some(ID));
    }

    #[test]
    fn the_ids_that_are_made_are_understood() {
        let id = assent_agent::id::new_id(1_764_460_000_000).unwrap();
        assert_eq!(SessionLink::of_id(&id).as_ref().map(SessionLink::id), Some(id.as_str()));
    }

    #[test]
    fn an_early_link_is_given_away_once_and_the_last_counts() {
        let link = |digit: &str| SessionLink::of_id(&format!("{}-{}", digit.repeat(11), digit.repeat(20)));
        let early = EarlyLink::default();
        assert_eq!(early.take(), None);
        early.keep(link("1").unwrap());
        early.keep(link("2").unwrap());
        assert_eq!(early.take(), link("2"));
        assert_eq!(early.take(), None);
    }
}
