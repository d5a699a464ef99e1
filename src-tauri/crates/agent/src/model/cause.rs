//! Why a connection failed, in a few phrases of our own: the systems' words differ, and have no Chinese.

use std::error::Error;
use std::io::{self, ErrorKind};

/// The cause that people can do something about by adding a certificate.
pub const UNTRUSTED: &str = "its certificate is not trusted";

/// Words of the libraries below, lower case, and what they mean. The first that is found counts.
const SAID: &[(&str, &str)] = &[
    ("unknownissuer", UNTRUSTED),
    ("certificate expired", "its certificate has expired"),
    ("certificate not valid for name", "its certificate is for another name"),
    ("peer certificate", UNTRUSTED),
    ("invalidcontenttype", "it does not speak TLS there"),
    ("dns error", "its name can't be looked up"),
    ("failed to lookup address information", "its name can't be looked up"),
    ("proxy authorization required", "the proxy asks for a password"),
    ("tunnel error: unsuccessful", "the proxy refuses the connection"),
    ("connection closed before message completed", "it closed the connection"),
];

/// Our phrase for `error`; `None` where there is none.
#[must_use]
pub fn phrase(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let chain = || std::iter::successors(Some(error), |error| (**error).source());
    let texts: Vec<String> = chain().map(|error| error.to_string().to_lowercase()).collect();
    let said = SAID.iter().find(|(words, _)| texts.iter().any(|text| text.contains(words)));
    let kind = || chain().filter_map(|error| error.downcast_ref::<io::Error>()).find_map(of_kind);
    said.map(|(_, phrase)| *phrase).or_else(kind)
}

fn of_kind(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        ErrorKind::ConnectionRefused => Some("connection refused"),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            Some("the connection was cut")
        }
        ErrorKind::UnexpectedEof => Some("it closed the connection"),
        ErrorKind::TimedOut => Some("timed out"),
        ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => Some("there is no network"),
        ErrorKind::HostUnreachable | ErrorKind::AddrNotAvailable => Some("no network leads to it"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{SAID, phrase};
    use assent_policy::request::{Language, failure_in};
    use std::error::Error;
    use std::fmt;
    use std::io::{self, ErrorKind};

    #[derive(Debug)]
    struct Outer(&'static str, Option<io::Error>);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_ref().map(|inner| inner as _)
        }
    }

    #[test]
    fn what_the_libraries_say_becomes_a_phrase() {
        let lookup = "failed to lookup address information: Temporary failure in name resolution";
        let cases = [
            ("dns error", Some(io::Error::other(lookup)), Some("its name can't be looked up")),
            (
                "dns error",
                Some(io::Error::other("No such host is known.")),
                Some("its name can't be looked up"),
            ),
            ("tcp connect error", Some(ErrorKind::ConnectionRefused.into()), Some("connection refused")),
            ("tcp connect error", Some(ErrorKind::NetworkUnreachable.into()), Some("there is no network")),
            (
                "error sending request",
                Some(ErrorKind::ConnectionReset.into()),
                Some("the connection was cut"),
            ),
            (
                "client error (Connect)",
                Some(io::Error::new(ErrorKind::InvalidData, "invalid peer certificate: UnknownIssuer")),
                Some("its certificate is not trusted"),
            ),
            (
                "client error (Connect)",
                Some(io::Error::other("invalid peer certificate: certificate expired: verification time 1")),
                Some("its certificate has expired"),
            ),
            ("connection closed before message completed", None, Some("it closed the connection")),
            ("something else", None, None),
        ];
        for (outer, inner, expected) in cases {
            assert_eq!(phrase(&Outer(outer, inner)), expected, "{outer}");
        }
    }

    /// The everyday error of somebody who is offline.
    #[test]
    fn every_phrase_has_its_chinese_inside_the_sentence() {
        let kinds = [
            ErrorKind::ConnectionRefused,
            ErrorKind::ConnectionReset,
            ErrorKind::UnexpectedEof,
            ErrorKind::TimedOut,
            ErrorKind::NetworkUnreachable,
            ErrorKind::HostUnreachable,
        ];
        let of_kinds = kinds.into_iter().filter_map(|kind| phrase(&io::Error::from(kind)));
        for said in SAID.iter().map(|(_, phrase)| *phrase).chain(of_kinds) {
            let english =
                format!("Can't reach https://a.example ({said}). Check the address and the network.");
            let chinese = failure_in(Language::Chinese, &english);
            assert!(!chinese.contains(said), "{chinese}");
        }
    }
}
