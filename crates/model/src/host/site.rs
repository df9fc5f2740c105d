//! Who is asked: the host and the port of a URL, as the URL parser reads them, so that every spelling
//! of an address is the same one.

use super::address::is_public;
use std::fmt;
use url::{Host, Url};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// In small letters, without the dot at the end; an IPv6 address in brackets.
    host: String,
    port: u16,
    is_address: bool,
}

/// What a name without a port stands for.
const USUAL_PORTS: [u16; 2] = [80, 443];

impl Site {
    pub fn read(url: &str) -> Option<Self> {
        Self::of(&Url::parse(url).ok()?)
    }

    pub fn of(url: &Url) -> Option<Self> {
        let host = url.host()?;
        Some(Self {
            host: host.to_string().trim_end_matches('.').to_owned(),
            port: url.port_or_known_default()?,
            is_address: !matches!(host, Host::Domain(_)),
        })
    }

    /// Does this URL lead there by https? What the parser makes of it counts, not how it is written.
    pub fn is_encrypted(url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| url.scheme() == "https")
    }

    /// Does a name in a manifest say the port?
    pub fn has_port(pattern: &str) -> bool {
        written_port(pattern).is_some()
    }

    /// The server that a connection string in the form of a URL leads to.
    pub fn of_database(connection: &str) -> Option<Self> {
        let url = Url::parse(connection).ok()?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return None;
        }
        let (host, port) = (url.host_str()?, url.port().unwrap_or(5432));
        Self::read(&format!("http://{host}:{port}/"))
    }

    /// Is it this machine or one beside it, as far as its name alone says?
    pub fn is_near(&self) -> bool {
        let host = self.host.trim_matches(['[', ']']);
        match host.parse() {
            Ok(address) => !is_public(address),
            Err(_) => host == "localhost" || host.ends_with(".localhost"),
        }
    }

    /// Does `host`, `*.host` or `host:port` name it? Without a port, 80 and 443 are meant.
    pub fn matches(&self, pattern: &str) -> bool {
        let (below, pattern) = match pattern.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let url = Url::parse(&format!("http://{pattern}/")).ok();
        let Some(named) = url.as_ref().and_then(Self::of) else {
            return false;
        };
        let right_port = match written_port(pattern) {
            Some(port) => self.port == port,
            None => USUAL_PORTS.contains(&self.port),
        };
        let right_host = if below { self.lies_below(&named) } else { self.host == named.host };
        right_port && right_host
    }

    fn lies_below(&self, other: &Self) -> bool {
        let rest = self.host.strip_suffix(&other.host);
        !self.is_address && rest.is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
    }
}

/// The parser forgets a port that is usual for its scheme, so it is read here.
fn written_port(pattern: &str) -> Option<u16> {
    let after_address = pattern.rsplit(']').next().unwrap_or(pattern);
    after_address.rsplit_once(':')?.1.parse().ok()
}

/// As a manifest names it.
impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if USUAL_PORTS.contains(&self.port) {
            f.write_str(&self.host)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_manifest_stands_for_sites() {
        let check = |pattern: &str, url: &str, expected: bool| {
            let site = Site::of(&Url::parse(url).unwrap()).unwrap();
            assert_eq!(site.matches(pattern), expected, "{pattern} {url}");
        };
        check("example.org", "https://example.org/a", true);
        check("example.org", "http://EXAMPLE.org./", true);
        check("example.org", "http://example.org:8080/", false);
        check("example.org", "http://a.example.org/", false);
        check("example.org", "http://example.org.evil.net/", false);
        check("example.org:80", "http://example.org/", true);
        check("example.org:80", "https://example.org/", false);
        check("example.org:8080", "http://example.org:8080/", true);
        check("example.org:8080", "http://example.org/", false);
        check("*.example.org", "http://a.b.example.org/", true);
        check("*.example.org", "http://example.org/", false);
        check("*.example.org", "http://badexample.org/", false);
        check("*.example.org:81", "http://a.example.org:81/", true);
        check("*.0.0.1", "http://127.0.0.1/", false);
        check("127.0.0.1:8080", "http://2130706433:8080/", true);
        check("127.0.0.1", "http://0x7f.1/", true);
        check("[::1]:81", "http://[0:0::1]:81/", true);
        check("[::1]", "http://[::1]/", true);
        check("", "http://example.org/", false);
        check("*", "http://example.org/", false);
    }

    #[test]
    fn a_site_is_shown_as_a_manifest_names_it() {
        let check = |url: &str, expected: &str| {
            let site = Site::of(&Url::parse(url).unwrap()).unwrap();
            assert_eq!(site.to_string(), expected);
        };
        check("https://Example.org/a?b", "example.org");
        check("http://127.1:8080/", "127.0.0.1:8080");
        check("http://[::1]:81/", "[::1]:81");
    }
}
