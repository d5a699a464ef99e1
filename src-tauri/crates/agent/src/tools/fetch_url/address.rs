//! Which addresses count as the public internet, and a resolver that gives no others.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

/// Whether `address` is a public unicast address (the special-purpose registries of IANA, RFC 6890), and no
/// cloud's metadata service.
#[must_use]
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = matches!(
        (a, b, c),
        // This network, private use, shared by carriers, loopback, link-local with the metadata address.
        (0 | 10 | 127, _, _) | (100, 64..=127, _) | (169, 254, _) | (172, 16..=31, _) | (192, 168, _)
            // Protocol assignments, documentation, 6to4 relays, benchmarks.
            | (192, 0, 0 | 2) | (192, 88, 99) | (198, 18..=19, _) | (198, 51, 100) | (203, 0, 113)
            // Multicast, reserved, broadcast.
            | (224..=255, _, _)
    );
    // Azure's host service has a public address.
    !special && address != Ipv4Addr::new(168, 63, 129, 16)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b) {
        // An IPv4 address in other clothes: mapped, translated (RFC 6052), NAT64's well-known prefix.
        (0, 0) if (c, d, e, f) == (0, 0, 0, 0xffff) || (c, d, e, f) == (0, 0, 0xffff, 0) => embedded(g, h),
        (0x64, 0xff9b) if (c, d, e, f) == (0, 0, 0, 0) => embedded(g, h),
        // Tunnels, ORCHIDs and other protocol assignments; 6to4; documentation.
        (0x2001, 0..=0x01ff | 0x0db8) | (0x2002, _) | (0x3fff, 0..=0x0fff) => false,
        // Global unicast.
        (0x2000..=0x3fff, _) => true,
        _ => false,
    }
}

/// Finds the addresses of a name.
#[async_trait::async_trait]
pub(super) trait Lookup: Send + Sync {
    /// Every address, in the order they are tried.
    async fn lookup(&self, host: &str) -> std::io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
#[derive(Debug)]
pub(super) struct System;

#[async_trait::async_trait]
impl Lookup for System {
    async fn lookup(&self, host: &str) -> std::io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|found| found.ip()).collect())
    }
}

/// Looks a name up and checks what came back. The client connects to exactly these addresses, so that a
/// second, different answer can't get in between.
#[derive(Clone)]
pub(super) struct Checked {
    pub(super) lookup: Arc<dyn Lookup>,
    pub(super) allows: fn(IpAddr) -> bool,
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { lookup, allows } = self.clone();
        let host = name.as_str().to_owned();
        Box::pin(async move {
            let found = lookup.lookup(&host).await.map_err(|_| ResolveError::Unknown(host.clone()))?;
            if let Some(refused) = found.iter().find(|address| !allows(**address)) {
                return Err(ResolveError::NotPublic(host, *refused).into());
            }
            if found.is_empty() {
                return Err(ResolveError::Unknown(host).into());
            }
            let addresses: Addrs = Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

/// Why a name gives no address to connect to.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResolveError {
    /// It has none.
    #[error("the host {0} is unknown")]
    Unknown(String),
    /// It has one that isn't on the public internet; then none is used.
    #[error("the host {0} has the address {1}, which is not on the public internet")]
    NotPublic(String, IpAddr),
}

#[cfg(test)]
mod tests {
    use super::is_public;
    use proptest::prelude::{any, proptest};
    use proptest::prop_assert_eq;
    use std::net::{IpAddr, Ipv4Addr};

    #[test]
    fn addresses_that_are_not_public() {
        let addresses = [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "198.18.0.1",
            "168.63.129.16",
            "203.0.113.7",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:0:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ];
        for address in addresses {
            assert!(!is_public(address.parse().expect("an address")), "{address}");
        }
    }

    #[test]
    fn addresses_that_are_public() {
        for address in [
            "1.1.1.1",
            "93.184.216.34",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "64:ff9b::101:101",
            "2a00::1",
        ] {
            assert!(is_public(address.parse().expect("an address")), "{address}");
        }
    }

    proptest! {
        /// An IPv4 address means the same in IPv6 clothes.
        #[test]
        fn mapped_addresses_count_as_what_they_are(bits in any::<u32>()) {
            let plain = Ipv4Addr::from(bits);
            prop_assert_eq!(is_public(IpAddr::V4(plain)), is_public(IpAddr::V6(plain.to_ipv6_mapped())));
        }
    }
}
