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
        let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(connected) = url.as_ref().and_then(Url::host_str) else {
            assert_eq!(judged, None, "nothing can be connected to");
            return format!("none {}", host::to_ascii(&text).is_some());
        };
        let judged = judged.unwrap_or_default();
        // A final dot names the same host, and a port is no part of the name.
        let connected = connected.strip_suffix('.').unwrap_or(connected);
        let port = judged
            .strip_prefix(connected)
            .unwrap_or_else(|| panic!("{judged} is judged, {connected} connected to"));
        assert!(port.is_empty() || port.starts_with(':'), "{judged} is judged, {connected} connected to");
        format!("{} {}", port.is_empty(), text.contains(connected))
    });
}
