//! Which hosts were approved, and which addresses are never connected to whatever name they go by.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// One approved host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule {
    name: String,
    port: Option<u16>,
}

/// The ports of a host that was approved without one.
const USUAL_PORTS: [u16; 2] = [80, 443];

impl HostRule {
    /// Reads `name` or `name:port`; an IPv6 address with a port stands in brackets.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let (name, port) = split_port(text);
        Self { name: plain(name), port }
    }

    /// Whether a connection to `host` on `port` was approved.
    #[must_use]
    pub fn allows(&self, host: &str, port: u16) -> bool {
        let port_fits = self.port.map_or_else(|| USUAL_PORTS.contains(&port), |approved| approved == port);
        port_fits && self.name == plain(host)
    }
}

/// A host and the port after its last colon, if there is one.
pub fn split_port(text: &str) -> (&str, Option<u16>) {
    match text.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => match port.parse() {
            Ok(port) => (name, Some(port)),
            Err(_) => (text, None),
        },
        Some(_) | None => (text, None),
    }
}

fn plain(name: &str) -> String {
    name.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase()
}

/// Whether an address belongs to the public internet: not this machine, not its networks, no metadata service
/// (IANA's special-purpose registries, RFC 6890).
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (18..20).contains(&b))
        || a >= 240;
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let embedded = || {
        let [g1, g2] = g.to_be_bytes();
        let [h1, h2] = h.to_be_bytes();
        Ipv4Addr::new(g1, g2, h1, h2)
    };
    match (a, b, c, d, e, f) {
        // An IPv4 address in another dress: mapped, translated (NAT64).
        (0, 0, 0, 0, 0, 0xFFFF) | (0x64, 0xFF9B, 0, 0, 0, 0) => is_public_v4(embedded()),
        // 6to4 and Teredo hold one too, elsewhere.
        (0x2002 | 0x3FFF, ..) | (0x2001, 0, ..) | (0x2001, 0xDB8, ..) | (0x2001, 2, ..) => false,
        // Global unicast is all that is left.
        _ => a & 0xE000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R50
    #[test]
    fn special_addresses_are_never_public() {
        for special in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "0.1.2.3",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "192.0.0.8",
            "192.0.2.1",
            "240.0.0.1",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "::127.0.0.1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
        for public in
            ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    /// R50
    #[test]
    fn only_what_was_approved() {
        for (rule, host, port, allowed) in [
            ("example.com", "example.com", 443, true),
            ("example.com", "EXAMPLE.com.", 80, true),
            ("example.com", "example.com", 22, false),
            ("example.com", "www.example.com", 443, false),
            ("example.com", "example.com.evil", 443, false),
            ("example.com:8080", "example.com", 8080, true),
            ("example.com:8080", "example.com", 443, false),
            ("[2606:4700::1]:443", "2606:4700::1", 443, true),
            ("2606:4700::1", "[2606:4700::1]", 443, true),
            ("", "", 443, true),
            ("example.com", "", 443, false),
        ] {
            assert_eq!(HostRule::new(rule).allows(host, port), allowed, "{rule} {host} {port}");
        }
    }
}
