//! How the server is reached: which doors are open, where, and to whom.

use crate::document::{Item, Table};
use crate::trust::public_url;
use model::AddressRange;
use model::Fault;
use std::str::FromStr;

/// One door or several: `stdio`, `http`, `stdio,http`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transport {
    pub stdio: bool,
    pub http: bool,
}

/// `[server]` of `larkspur.toml`, as far as it is about doors; what is not there is not said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doors {
    pub transport: Option<Transport>,
    pub host: Option<String>,
    pub port: Option<u16>,
    /// Names by which clients may call it, besides those of this machine.
    pub hosts: Vec<String>,
    pub cors: Cors,
    pub auth: Option<Auth>,
    /// Its address as clients know it.
    pub public_url: Option<String>,
    pub errors: Errors,
    pub connections: ConnectionSettings,
    pub sessions: SessionLimits,
    pub message_bytes: MessageBytes,
}

/// Bytes that a message may have, over stdio and HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageBytes(pub usize);

impl Default for MessageBytes {
    fn default() -> Self {
        Self(4 << 20)
    }
}

/// Numbers of HTTP sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLimits {
    pub per_caller: usize,
    pub total: usize,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { per_caller: 256, total: 4096 }
    }
}

/// Limits of HTTP connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionSettings {
    /// Open connections per address.
    pub per_address: usize,
    /// Addresses without that limit: all clients behind a proxy share its address.
    pub trusted_proxies: Vec<AddressRange>,
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self { per_address: 256, trusted_proxies: Vec::new() }
    }
}

/// Which web pages may talk to the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Cors {
    #[default]
    Nobody,
    /// Pages that this machine serves.
    Loopback,
    Origins(Vec<String>),
    Anybody,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Auth {
    None,
    Token,
    /// Tokens that somebody else makes.
    Jwt,
}

/// Which codes errors have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Errors {
    /// As MCP has them: what a tool gets wrong is a result.
    #[default]
    Mcp,
    /// Codes and statuses of their own for tools: -32000, -32001, -32002.
    Mapped,
}

impl FromStr for Transport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut open = Self { stdio: false, http: false };
        for name in text.split(',').map(str::trim) {
            let is_open = match name {
                "stdio" => &mut open.stdio,
                "http" => &mut open.http,
                other => {
                    return Err(format!(
                        "`{other}` is no transport; write stdio, http or stdio,http"
                    ));
                }
            };
            if std::mem::replace(is_open, true) {
                return Err(format!("`{name}` is there twice; write stdio, http or stdio,http"));
            }
        }
        Ok(open)
    }
}

impl FromStr for Auth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "token" => Ok(Self::Token),
            "jwt" => Ok(Self::Jwt),
            other => Err(format!("`{other}` is no way to log in; write none, token or jwt")),
        }
    }
}

impl FromStr for Errors {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "mcp" => Ok(Self::Mcp),
            "mapped" => Ok(Self::Mapped),
            other => Err(format!("errors are `mcp` or `mapped`, not `{other}`")),
        }
    }
}

impl Doors {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        let port = table.get("port").and_then(|item| item.count());
        Self {
            transport: table.get("transport").and_then(|item| item.parse()),
            host: table.string("host"),
            port,
            hosts: table.strings("hosts"),
            cors: table.get("cors").and_then(|item| cors(&item)).unwrap_or_default(),
            public_url: table.get("public_url").and_then(|item| public_url(&item)),
            auth: table.get("auth").and_then(|item| item.parse()),
            errors: table.get("errors").and_then(|item| item.parse()).unwrap_or_default(),
            connections: ConnectionSettings::read(table),
            sessions: SessionLimits::read(table),
            message_bytes: table
                .get("message_bytes")
                .and_then(|item| item.size())
                .map(MessageBytes)
                .unwrap_or_default(),
        }
    }
}

impl SessionLimits {
    fn read(table: &mut Table<'_>) -> Self {
        let usual = Self::default();
        let mut count = |key: &'static str| table.get(key).and_then(|item| item.count());
        Self {
            per_caller: count("sessions_per_caller").unwrap_or(usual.per_caller),
            total: count("sessions").unwrap_or(usual.total),
        }
    }
}

impl ConnectionSettings {
    fn read(table: &mut Table<'_>) -> Self {
        let per_address = table.get("connections_per_address");
        let proxies = table.list("trusted_proxies");
        Self {
            per_address: per_address
                .and_then(|item| item.count())
                .unwrap_or(Self::default().per_address),
            trusted_proxies: proxies.iter().filter_map(Item::parse).collect(),
        }
    }
}

fn cors(item: &Item<'_>) -> Option<Cors> {
    if let Some(allowed) = item.boolean() {
        return Some(if allowed { Cors::Loopback } else { Cors::Nobody });
    }
    let items = item.list()?;
    let origins: Vec<String> = items.iter().filter_map(origin).collect();
    if origins.iter().any(|origin| origin == "*") {
        return Some(Cors::Anybody);
    }
    Some(Cors::Origins(origins))
}

fn origin(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    if text == "*" || text == "null" {
        return Some(text.to_owned());
    }
    let Some(origin) = origin_of(text) else {
        item.report(
            Fault::new(format!("`{text}` is not an origin"))
                .help("write a scheme, a host and perhaps a port: `https://app.example.org`"),
        );
        return None;
    };
    Some(origin)
}

/// As browsers send it: nothing after the port, no port that is usual.
pub fn origin_of(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    let bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    let plain = url.username().is_empty() && url.password().is_none();
    let web = matches!(url.scheme(), "http" | "https");
    (bare && plain && web).then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transports_are_named_once_each() {
        for (text, expected) in [
            ("stdio", Ok((true, false))),
            ("http", Ok((false, true))),
            ("stdio,http", Ok((true, true))),
            ("http , stdio", Ok((true, true))),
            ("stdio,stdio", Err("`stdio` is there twice; write stdio, http or stdio,http")),
            ("http,stdio,http", Err("`http` is there twice; write stdio, http or stdio,http")),
            ("sse", Err("`sse` is no transport; write stdio, http or stdio,http")),
            ("", Err("`` is no transport; write stdio, http or stdio,http")),
        ] {
            let parsed = text.parse::<Transport>().map(|open| (open.stdio, open.http));
            assert_eq!(parsed, expected.map_err(str::to_owned), "{text}");
        }
    }
}
