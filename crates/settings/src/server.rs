//! `[server]` of `larkspur.toml`: how the server is reached, and what clients are told and shown.

use crate::Cors;
use crate::document::{Size, checked, word};
use model::{AddressRange, Fault, Tool, deserialize_text};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::str::FromStr;
use url::{Host, Url};

/// The server itself. Flags of `larkspur serve` win over this.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Server {
    /// Name of the project: part of the server's title in clients, and the name of the entry that
    /// `larkspur install` writes. Without it, the name of the folder with this file.
    #[serde(deserialize_with = "project_name")]
    #[schemars(example = &"shop")]
    pub name: Option<String>,
    /// Told to models before the generated text, which names the modules and says how their tools
    /// are found and called. At most 1,000 characters.
    #[serde(deserialize_with = "instructions")]
    #[schemars(example = "Ask before you close an issue.")]
    pub instructions: Option<String>,
    /// Where it keeps what must outlive it, relative to this file.
    #[schemars(extend("default" = ".larkspur"))]
    pub data_dir: Option<String>,
    /// How clients reach it: `stdio`, `http` or `stdio,http`.
    #[schemars(with = "String", extend("default" = "stdio"))]
    pub transport: Option<Transport>,
    /// Where it listens for HTTP. Any other host than this machine's own needs `auth`.
    #[schemars(extend("default" = "127.0.0.1"))]
    pub host: Option<String>,
    /// The port it listens on for HTTP.
    #[schemars(extend("default" = 3000))]
    pub port: Option<u16>,
    /// Names by which clients may call it, besides localhost.
    #[schemars(extend("examples" = [["mcp.example.org"]]))]
    pub hosts: Vec<String>,
    /// Which web pages may talk to it: true for those of this machine, or a list of origins.
    #[schemars(extend("default" = false))]
    pub cors: Cors,
    /// Who may call over HTTP: `none` for everybody on this machine, `token` for whoever knows
    /// `LARKSPUR_TOKEN` (one is made and shown at the start if it is not set), `jwt` for whom
    /// an issuer of `[auth]` names.
    #[serde(deserialize_with = "auth")]
    #[schemars(with = "Auth", extend("default" = "none"))]
    pub auth: Option<Auth>,
    /// Its address as clients know it; tokens of issuers are for this.
    #[serde(deserialize_with = "public_url")]
    #[schemars(example = "https://mcp.example.org/mcp")]
    pub public_url: Option<String>,
    /// `mapped` gives tools error codes from -32000 to -32002, and an HTTP status for each.
    #[serde(deserialize_with = "word")]
    pub errors: Errors,
    /// Maximum number of open HTTP connections per IP address (IPv6: per /64 network), of 4,096 in
    /// all. Further ones get 503 with `Retry-After` and are closed.
    pub connections_per_address: usize,
    /// Addresses and networks without that limit: all clients behind a proxy share its address.
    #[schemars(with = "Vec<String>", extend("examples" = [["10.0.0.0/8", "127.0.0.1"]]))]
    pub trusted_proxies: Vec<AddressRange>,
    /// Maximum number of HTTP sessions of one caller; callers without a login are one. The longest
    /// unused one ends where another is begun.
    pub sessions_per_caller: usize,
    /// The same for all callers together.
    pub sessions: usize,
    /// Maximum size of one message from a client, over stdio and HTTP.
    #[serde(with = "Size")]
    pub message_bytes: usize,
    /// What `tools/list` shows: `flat` (every tool by its listed name), `modules` (the meta tools
    /// `get_module_schema`, `call`, `call_readonly` and `batch`) or `auto`: flat if the list costs fewer
    /// tokens than `surface_tokens` when the server starts. Both ways work in every mode.
    #[serde(deserialize_with = "word")]
    pub surface: Surface,
    /// A list with as many tokens is not shown flat by `auto`, and no text response of
    /// `get_module_schema` has more tokens (460 are always allowed).
    pub surface_tokens: usize,
    /// Maximum number of tokens (estimated) of one result. A longer one is cut at whole items, and its
    /// first line says what is missing; a result with structured content is an error instead.
    pub result_tokens: usize,
    /// Which results have `structuredContent` and a listed `outputSchema`: `auto` (only those of tools
    /// that declare an object and neither `select` nor `compact`, because some clients show a model
    /// nothing else) or `always`, for programs that read data.
    #[serde(deserialize_with = "word")]
    pub structured: StructuredResults,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            name: None,
            instructions: None,
            data_dir: None,
            transport: None,
            host: None,
            port: None,
            hosts: Vec::new(),
            cors: Cors::default(),
            auth: None,
            public_url: None,
            errors: Errors::default(),
            connections_per_address: 256,
            trusted_proxies: Vec::new(),
            sessions_per_caller: 256,
            sessions: 4096,
            message_bytes: 4 << 20,
            surface: Surface::default(),
            surface_tokens: 2_000,
            result_tokens: 10_000,
            structured: StructuredResults::default(),
        }
    }
}

/// Numbers of HTTP sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLimits {
    pub per_caller: usize,
    pub total: usize,
}

/// Limits of HTTP connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionSettings {
    /// Open connections per address.
    pub per_address: usize,
    /// Addresses without that limit: all clients behind a proxy share its address.
    pub trusted_proxies: Vec<AddressRange>,
}

impl Server {
    pub fn connections(&self) -> ConnectionSettings {
        ConnectionSettings {
            per_address: self.connections_per_address,
            trusted_proxies: self.trusted_proxies.clone(),
        }
    }

    pub fn session_limits(&self) -> SessionLimits {
        SessionLimits { per_caller: self.sessions_per_caller, total: self.sessions }
    }

    /// The same, but for the settings that hold as soon as the file is read again.
    pub(crate) fn with_what_holds_at_once(&self, from: &Self) -> Self {
        Self {
            name: from.name.clone(),
            instructions: from.instructions.clone(),
            surface: from.surface,
            surface_tokens: from.surface_tokens,
            result_tokens: from.result_tokens,
            structured: from.structured,
            ..self.clone()
        }
    }
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Server::default().connections()
    }
}

impl Default for SessionLimits {
    fn default() -> Self {
        Server::default().session_limits()
    }
}

/// One transport or both: `stdio`, `http`, `stdio,http`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transport {
    pub stdio: bool,
    pub http: bool,
}

fn auth<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Auth>, D::Error> {
    word(deserializer).map(Some)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Auth {
    None,
    Token,
    /// Tokens that somebody else makes.
    Jwt,
}

/// Which codes errors have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Errors {
    /// As MCP has them: what a tool gets wrong is a result.
    #[default]
    Mcp,
    /// Codes and statuses of their own for tools: -32000, -32001, -32002.
    Mapped,
}

/// How tools are shown to clients: all of them, or a few through which the others are found and called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// Every tool, by its own name.
    Flat,
    /// The meta tools alone.
    Modules,
    /// Flat while that list is short.
    #[default]
    Auto,
}

/// Which results have structured content beside their text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StructuredResults {
    /// Those of tools that declare an object and no shorter form: there both are the same JSON.
    #[default]
    Auto,
    /// All that are data.
    Always,
}

impl StructuredResults {
    /// The schema of a tool's results in `tools/list`. A client that reads a schema there must get structured
    /// content with every result, and some show a model nothing else.
    pub fn listed_schema(self, tool: &Tool) -> Option<&Value> {
        let is_object = |schema: &&Value| schema["type"] == "object";
        match self {
            Self::Always => tool.output.as_ref(),
            Self::Auto if tool.is_compact() => None,
            Self::Auto => tool.output.as_ref().filter(is_object),
        }
    }
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

impl<'de> Deserialize<'de> for Transport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer)
    }
}

/// The operator's own text leaves the rest to the names of modules.
const MOST_OWN_CHARACTERS: usize = 1_000;
/// It becomes part of tool names in clients.
const LONGEST_NAME: usize = 32;

/// Up to 32 characters that can be part of a tool's name in every client.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    name.len() <= LONGEST_NAME && name.bytes().all(is_plain)
}

fn project_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(deserializer, |name| {
        if is_plain_name(name) {
            return Ok(Some(name.to_owned()));
        }
        Err(Fault::new(format!("`{name}` cannot be the name of a project")).help(format!(
            "write up to {LONGEST_NAME} letters, digits, `_` and `-`: `name = \"shop\"`"
        )))
    })
}

fn instructions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(deserializer, |text| {
        let characters = text.chars().count();
        if characters <= MOST_OWN_CHARACTERS {
            return Ok(Some(text.to_owned()));
        }
        Err(Fault::new(format!("`instructions` has {characters} characters")).help(format!(
            "write at most {MOST_OWN_CHARACTERS}: clients cut longer texts, and the names of the modules \
             follow"
        )))
    })
}

/// The server's own address as clients know it: no fragment, no query, no slash at the end.
fn public_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    checked(deserializer, |text| {
        let url = Url::parse(text).ok();
        let is_plain = url.is_some_and(|url| url.query().is_none() && url.fragment().is_none());
        if is_plain && is_secure(text) {
            return Ok(Some(text.trim_end_matches('/').to_owned()));
        }
        Err(Fault::new(format!("`{text}` cannot be the server's public URL"))
            .help("write it as clients do: `https://mcp.example.org/mcp`"))
    })
}

/// Over https, or within this machine.
pub(crate) fn is_secure(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else {
        return false;
    };
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" && url.has_host() || url.scheme() == "http" && is_here
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
