//! Who gets to read conversations when a profile is added, changed or comes back: asked natively, and put on record.

use crate::questions::Question;
use crate::settings::{Profile, Settings, is_local};
use crate::shell::{Reply, Shell};
use assent_agent::malformed;
use serde_json::json;

/// A host that wasn't there, or a proxy or certificate that was another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReader {
    host: String,
    address: String,
    proxy: Option<String>,
    certificates: Option<String>,
}

impl NewReader {
    /// Who reads along anew once `next` takes the place of `old` in `settings`; `None` where nobody does.
    pub fn of(next: &Profile, old: Option<&Profile>, settings: &Settings) -> Option<Self> {
        // Whoever stands in between reads along: a new proxy or certificate is asked like a new host.
        let other = |value: &String, before: Option<&String>| {
            (!value.is_empty() && before != Some(value)).then(|| value.clone())
        };
        let proxy = other(&next.proxy, old.map(|old| &old.proxy));
        let certificates = other(&next.ca_file, old.map(|old| &old.ca_file));
        let host = host_of(&next.base_url);
        let known = host.is_ok() && settings.profiles.iter().any(|other| host_of(&other.base_url) == host);
        let added = !known && !is_local(&next.base_url);
        (added || proxy.is_some() || certificates.is_some()).then(|| Self {
            host: host.unwrap_or_else(|_| next.base_url.clone()),
            address: next.base_url.clone(),
            proxy,
            certificates,
        })
    }

    /// Asks natively; whether the person says yes.
    pub async fn ask(&self, shell: &Shell) -> bool {
        let words = shell.words();
        let mut question =
            Question::new(&words.ask_provider_title, &words.ask_provider, &words.ask_provider_yes)
                .line(&words.label_host, &self.host)
                .line(&words.label_address, &self.address);
        if let Some(proxy) = &self.proxy {
            question = question.line(&words.label_proxy, proxy);
        }
        if let Some(certificates) = &self.certificates {
            question = question.line(&words.label_certificates, certificates);
        }
        shell.questions.confirmed(question, &words).await
    }

    /// Puts the yes on record.
    ///
    /// # Errors
    /// When it can't be recorded.
    pub fn record(&self, shell: &Shell) -> Reply<()> {
        let details = json!({"host": self.host});
        shell.record("provider_added", "Conversations may be sent to this host.", details, "dialog")
    }

    /// Puts on record that nothing came of it.
    ///
    /// # Errors
    /// When it can't be recorded.
    pub fn record_failed(&self, shell: &Shell) -> Reply<()> {
        let details = json!({"host": self.host});
        shell.record("provider_failed", "It could not be put back after all.", details, "dialog")
    }
}

/// The host that `base_url` sends to, in ASCII, with its port where it names one.
///
/// # Errors
/// Why nothing may be sent there.
pub fn host_of(base_url: &str) -> Result<String, String> {
    let url = malformed::address(base_url).map_err(|fault| format!("The address can't be read: {fault}."))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("The address must begin with http:// or https://.".to_owned());
    }
    if url.scheme() == "http" && !is_local(base_url) {
        return Err("A server on another machine needs https://.".to_owned());
    }
    let host = url.host_str().ok_or("The address names no host.")?;
    Ok(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

#[cfg(test)]
mod tests {
    use super::{NewReader, host_of};
    use crate::removed::{Removed, take_profile};
    use crate::settings::{Profile, Settings};
    use crate::view::ProviderKind;

    #[test]
    fn a_host_is_ascii_and_remote_ones_need_encryption() {
        for (url, host) in [
            ("http://localhost:11434/v1", Some("localhost:11434")),
            ("https://api.example.com/v1", Some("api.example.com")),
            ("https://аpi.example.com", Some("xn--pi-6kc.example.com")),
            ("http://192.168.1.5:8080", None),
            ("ftp://example.com", None),
            ("nothing", None),
        ] {
            assert_eq!(host_of(url).ok().as_deref(), host, "{url}");
        }
    }

    fn at(url: &str) -> Profile {
        Profile {
            id: "mine".into(),
            kind: ProviderKind::ChatCompletions,
            base_url: url.into(),
            ..Profile::tour()
        }
    }

    fn with(profiles: Vec<Profile>) -> Settings {
        Settings { profiles, ..Settings::default() }
    }

    /// R12: a host, a proxy or certificates that none had are asked about, whether they are typed or come back.
    #[test]
    fn who_reads_along_anew_is_asked_about() {
        let here = at("https://a.example");
        let elsewhere = at("https://b.example");
        let proxied = Profile { proxy: "http://p.example".into(), ..here.clone() };
        let certified = Profile { ca_file: "/ca.pem".into(), ..here.clone() };
        let local = at("http://localhost:11434");
        let settings = with(vec![here.clone()]);
        for (next, old, asked) in [
            (&here, Some(&here), false),
            (&here, None, false),
            (&elsewhere, Some(&here), true),
            (&elsewhere, None, true),
            (&local, Some(&here), false),
            (&proxied, Some(&here), true),
            (&proxied, None, true),
            (&proxied, Some(&proxied), false),
            (&certified, Some(&here), true),
            (&here, Some(&proxied), false),
        ] {
            assert_eq!(NewReader::of(next, old, &settings).is_some(), asked, "{next:?} for {old:?}");
        }
    }

    /// R12: Undo brings no host or proxy back unasked that was moved away from or removed.
    #[test]
    fn what_comes_back_is_asked_about_as_if_it_were_typed() {
        let before = Profile { proxy: "http://p.example".into(), ..at("https://a.example") };
        let after = at("https://b.example");
        let moved = with(vec![after.clone()]);
        let back = Removed::changed(before.clone(), after.clone(), None).back(&moved).unwrap();
        let asked = NewReader::of(&back, Some(&after), &moved).unwrap();
        assert_eq!((asked.host.as_str(), asked.proxy.as_deref()), ("a.example", Some("http://p.example")));

        let mut settings = with(vec![Profile::tour(), before]);
        let back = take_profile(&mut settings, "mine").unwrap().back(&settings).unwrap();
        assert_eq!(NewReader::of(&back, None, &settings), Some(asked));
    }
}
