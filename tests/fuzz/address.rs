//! Addresses: the host that rules are matched with is the one that would be connected to.

use crate::campaign;
use assent_policy::host;
use url::Url;

/// R12: what a host rule covers never leads to another host.
#[test]
fn address() {
    campaign::run("address", |input| {
        let text = String::from_utf8_lossy(input);
        let judged = host::host_of(&text);
        if let Some(ascii) = judged.iter().chain(&host::to_ascii(&text)).find(|name| !name.is_ascii()) {
            panic!("{ascii:?} is not ASCII");
        }
        let url = Url::parse(&text).ok();
        let Some((judged, url)) = judged.as_ref().zip(url.as_ref()) else {
            return format!("{} {:?}", judged.is_some(), url.map(|url| url.scheme().starts_with("http")));
        };
        let connected = url.host_str().unwrap_or_default();
        let name = judged.split(':').next().unwrap_or_default();
        for covered in ["a.test", "xn--mnchen-3ya.test"] {
            let beneath = format!(".{covered}");
            assert_eq!(name == covered, connected == covered, "{judged} is judged, {connected} connected to");
            assert!(
                !name.ends_with(&beneath) || connected.ends_with(&beneath),
                "{judged} is judged, {connected} connected to"
            );
        }
        format!(
            "{} {:?} {}",
            name == connected,
            url.host().map(|host| std::mem::discriminant(&host)),
            judged.contains(':')
        )
    });
}
