//! Ranges of IP addresses, as configuration names them: one address, or a network such as `10.0.0.0/8`.

use crate::deserialize_text;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// All addresses that begin with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRange {
    network: IpAddr,
    prefix: u32,
}

impl AddressRange {
    pub fn contains(&self, address: IpAddr) -> bool {
        truncate(address.to_canonical(), self.prefix) == self.network
    }
}

impl<'de> Deserialize<'de> for AddressRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer)
    }
}

impl FromStr for AddressRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.trim().parse().map_err(|_| {
            format!("`{text}` is not an IP address or network; write `10.0.0.7` or `10.0.0.0/8`")
        })?;
        let bits = bits(address);
        let prefix = prefix.map_or(Ok(bits), |prefix| prefix.trim().parse());
        let prefix = prefix.ok().filter(|prefix| *prefix <= bits);
        let prefix = prefix
            .ok_or_else(|| format!("the prefix of `{text}` is not a number from 0 to {bits}"))?;
        let network = truncate(address, prefix);
        Ok(match network.to_canonical() {
            // An IPv4 network, written as IPv6.
            IpAddr::V4(short) if network.is_ipv6() && prefix >= 96 => {
                Self { network: short.into(), prefix: prefix - 96 }
            }
            _ => Self { network, prefix },
        })
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.prefix == bits(self.network) {
            return write!(f, "{}", self.network);
        }
        write!(f, "{}/{}", self.network, self.prefix)
    }
}

fn bits(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => u32::BITS,
        IpAddr::V6(_) => u128::BITS,
    }
}

/// The network of an address: its first bits, the rest zero. A longer prefix is the whole address.
pub fn truncate(address: IpAddr, prefix: u32) -> IpAddr {
    match address {
        IpAddr::V4(short) => {
            let rest = u32::MAX.checked_shr(prefix).unwrap_or(0);
            IpAddr::V4((short.to_bits() & !rest).into())
        }
        IpAddr::V6(long) => {
            let rest = u128::MAX.checked_shr(prefix).unwrap_or(0);
            IpAddr::V6((long.to_bits() & !rest).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses() {
        for (range, shown, inside, outside) in [
            ("10.0.0.0/8", "10.0.0.0/8", "10.255.1.2", "11.0.0.1"),
            ("10.1.2.3/8", "10.0.0.0/8", "10.0.0.1", "::1"),
            ("127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2"),
            (" 127.0.0.1/32 ", "127.0.0.1", "::ffff:127.0.0.1", "127.0.0.0"),
            ("0.0.0.0/0", "0.0.0.0/0", "8.8.8.8", "2001:db8::1"),
            ("::/0", "::/0", "2001:db8::1", "8.8.8.8"),
            ("2001:db8::/32", "2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"),
            ("::1", "::1", "::1", "::2"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8", "10.9.9.9", "::ffff:11.0.0.1"),
        ] {
            let parsed: AddressRange = range.parse().unwrap();
            assert_eq!(parsed.to_string(), shown);
            assert!(parsed.contains(inside.parse().unwrap()), "{range} {inside}");
            assert!(!parsed.contains(outside.parse().unwrap()), "{range} {outside}");
        }
    }

    #[test]
    fn wrong_range_names_the_mistake() {
        for (text, part) in [
            ("proxy.local", "`proxy.local` is not an IP address"),
            ("", "`` is not an IP address"),
            ("10.0.0.0/33", "is not a number from 0 to 32"),
            ("::/129", "is not a number from 0 to 128"),
            ("10.0.0.0/-1", "is not a number from 0 to 32"),
            ("10.0.0.0/", "is not a number from 0 to 32"),
            ("10.0.0.0/8/8", "is not a number from 0 to 32"),
            ("10.0.0.0:80", "`10.0.0.0:80` is not an IP address"),
        ] {
            let error = text.parse::<AddressRange>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
