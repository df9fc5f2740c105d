//! Hosts that two patterns name: `host`, `*.host` or `host:port`, and `*` for every public one.

/// Every public host.
pub(super) const PUBLIC: &str = "*";
/// What a pattern without a port stands for.
const USUAL_PORTS: [&str; 2] = ["80", "443"];

struct Host {
    /// `*.` stands before the name.
    below: bool,
    name: String,
    port: Option<String>,
}

/// What both name, as one pattern.
pub(super) fn narrow(a: &str, b: &str) -> Option<String> {
    if a == PUBLIC {
        return Some(b.to_owned());
    }
    if b == PUBLIC {
        return Some(a.to_owned());
    }
    let (a, b) = (Host::read(a), Host::read(b));
    let port = match (&a.port, &b.port) {
        (a, b) if a == b => a.clone(),
        (None, Some(port)) | (Some(port), None) if USUAL_PORTS.contains(&port.as_str()) => {
            Some(port.clone())
        }
        _ => return None,
    };
    let inner = if a.holds(&b) {
        b
    } else if b.holds(&a) {
        a
    } else {
        return None;
    };
    Some(Host { port, ..inner }.write())
}

impl Host {
    /// Of a text that has been checked when it was read.
    fn read(text: &str) -> Self {
        let (below, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        // An IPv6 address has colons inside its brackets.
        let end = rest.rfind(']').unwrap_or(0);
        let (name, port) = match rest[end..].rfind(':') {
            Some(colon) => (
                &rest[..end + colon],
                Some(rest[end + colon + 1..].to_owned()),
            ),
            None => (rest, None),
        };
        let name = name.to_ascii_lowercase();
        Self { below, name, port }
    }

    /// Does every host that the other names belong to these, ports aside?
    fn holds(&self, other: &Self) -> bool {
        if self.name == other.name {
            return self.below == other.below;
        }
        let outer = other.name.strip_suffix(&self.name);
        self.below && outer.is_some_and(|outer| outer.ends_with('.'))
    }

    fn write(&self) -> String {
        let star = if self.below { "*." } else { "" };
        match &self.port {
            Some(port) => format!("{star}{}:{port}", self.name),
            None => format!("{star}{}", self.name),
        }
    }
}

/// `host` or `host:port` of an address, for a sentence; what is reached is decided elsewhere.
pub(super) fn of_url(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    rest.rsplit('@').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_patterns_share() {
        for (a, b, both) in [
            ("x.org", "x.org", Some("x.org")),
            ("X.org", "x.org", Some("x.org")),
            ("x.org", "y.org", None),
            ("*.x.org", "a.x.org", Some("a.x.org")),
            ("*.x.org", "a.b.x.org", Some("a.b.x.org")),
            ("*.x.org", "x.org", None),
            ("*.x.org", "ax.org", None),
            ("*.x.org", "*.x.org", Some("*.x.org")),
            ("*.x.org", "*.a.x.org", Some("*.a.x.org")),
            ("*.x.org", "*.y.org", None),
            ("x.org", "x.org:443", Some("x.org:443")),
            ("x.org", "x.org:80", Some("x.org:80")),
            ("x.org", "x.org:8080", None),
            ("x.org:8080", "x.org:8080", Some("x.org:8080")),
            ("x.org:8080", "x.org:443", None),
            ("*.x.org:8080", "a.x.org:8080", Some("a.x.org:8080")),
            ("[::1]:80", "[::1]", Some("[::1]:80")),
            ("[::1]", "[::1]", Some("[::1]")),
            ("*", "x.org", Some("x.org")),
            ("*", "*", Some("*")),
        ] {
            assert_eq!(narrow(a, b).as_deref(), both, "{a} and {b}");
            assert_eq!(narrow(b, a).as_deref(), both, "{b} and {a}");
        }
    }

    #[test]
    fn an_address_has_a_host() {
        for (url, host) in [
            ("https://api.x.org/v1?q=1", "api.x.org"),
            ("http://user:pass@127.0.0.1:8080", "127.0.0.1:8080"),
            ("http://[::1]:80/", "[::1]:80"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(of_url(url), host);
        }
    }
}
