//! The two dialects of MCP a client may speak, as lines on the wire.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Era {
    /// `initialize` first, revision 2025-11-25.
    Legacy,
    /// No handshake, `_meta` on every request, revision 2026-07-28.
    Modern,
}

impl Era {
    pub(super) const ALL: [Self; 2] = [Self::Legacy, Self::Modern];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }

    /// Protocol revision.
    pub(super) fn revision(self) -> &'static str {
        match self {
            Self::Legacy => "2025-11-25",
            Self::Modern => "2026-07-28",
        }
    }

    /// The first request of a client, as method and params.
    pub(super) fn opening(self) -> (&'static str, Value) {
        match self {
            Self::Legacy => ("initialize", initialize()),
            Self::Modern => ("server/discover", json!({})),
        }
    }

    /// What a client sends once that is answered.
    pub(super) fn opened(self) -> Option<&'static str> {
        match self {
            Self::Legacy => {
                Some("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
            }
            Self::Modern => None,
        }
    }

    /// A request up to its id and from there on, so that many can be written cheaply.
    pub(super) fn request(self, method: &str, mut params: Value) -> (String, String) {
        if self == Self::Modern {
            params["_meta"] = meta();
        }
        let tail = format!(",\"method\":\"{method}\",\"params\":{params}}}\n");
        ("{\"jsonrpc\":\"2.0\",\"id\":".to_owned(), tail)
    }
}

fn initialize() -> Value {
    json!({"protocolVersion": Era::Legacy.revision(), "capabilities": {}, "clientInfo": client_info()})
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": Era::Modern.revision(),
        "io.modelcontextprotocol/clientInfo": client_info(),
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn client_info() -> Value {
    json!({"name": "bench", "version": "1"})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_modern_requests_carry_meta() {
        let (head, tail) = Era::Legacy.request("tools/list", json!({}));
        let line = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{}}\n";
        assert_eq!(format!("{head}7{tail}"), line);
        let (_, modern) = Era::Modern.request("tools/list", json!({}));
        assert!(modern.contains("\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""));
    }
}
