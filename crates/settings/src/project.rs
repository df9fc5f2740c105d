//! What `larkspur.toml` says about the server and its modules.

use crate::config::Origin;
use crate::document::{Document, Spans, object};
use crate::manifest::{GrantTable, check_names, read_prefix};
use crate::policy::{Role, Scope};
use crate::{AuditSettings, Bounds, Policy, Rate, Server, Trust};
use indexmap::IndexMap;
use model::{Fault, Grant, ModuleName, Permission, Place, check_name, is_connection_string};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::mem::take;

/// What is served.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Project {
    /// The modules to serve. Without this line, all that lie in the folders of modules.
    #[schemars(with = "Vec<String>", extend("examples" = [["hello", "crypto-tools"]]))]
    pub enable: Option<Vec<ModuleName>>,
    pub server: Server,
    #[serde(rename = "limits")]
    pub bounds: Bounds,
    #[serde(rename = "auth")]
    pub trust: Trust,
    #[schemars(extend("propertyNames" = {"examples": ["reader"]}))]
    role: IndexMap<String, Role>,
    #[schemars(extend("propertyNames" = {"examples": ["notion:write"]}))]
    scope: IndexMap<String, Scope>,
    pub vault: Vault,
    #[schemars(with = "AuditSettings")]
    pub audit: Option<AuditSettings>,
    #[serde(rename = "module")]
    #[schemars(
        with = "BTreeMap<String, ModuleSettings>",
        extend("propertyNames" = {"examples": ["crypto-tools"]})
    )]
    pub modules: BTreeMap<ModuleName, ModuleSettings>,
    #[schemars(extend("propertyNames" = {"examples": ["main"]}))]
    pub postgres: BTreeMap<String, Connection>,
    /// `role` and `scope`, once they are read.
    #[serde(skip)]
    pub policy: Policy,
    #[serde(skip)]
    spans: Option<Spans>,
}

/// Where secrets are kept sealed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Vault {
    /// The file with its master key, relative to this file; nobody but its owner may read it, and
    /// it does not lie in `data_dir`. Without it, `LARKSPUR_VAULT_KEY`, the system's keyring or
    /// `~/.config/larkspur/vault.key`.
    #[schemars(example = "/etc/larkspur/vault.key")]
    pub key_file: Option<String>,
}

/// A PostgreSQL database that modules use by this name. A module has to declare
/// the name: `postgres = ["main"]` under `[permissions]`, or in `permissions(…)` of a single
/// file.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Connection {
    /// Where it is. sslmode is `disable`, `prefer`, `require`, or `verify-full`, which also asks
    /// who the server is.
    #[schemars(example = "postgres://user:password@db.example.org:5432/shop?sslmode=verify-full")]
    pub url: String,
}

/// The URL usually has a password in it: it is not printed.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection { .. }")
    }
}

/// What is said about one module.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct ModuleSettings {
    /// What a module's own `[config]` in its `module.toml` asks for. The environment wins over
    /// what is said here (`CRYPTO_TOOLS__ALGORITHM=sha512`), and the command line over both
    /// (`--set crypto-tools.algorithm=sha512`).
    #[serde(deserialize_with = "object")]
    #[schemars(extend(
        "propertyNames" = {"examples": ["algorithm"]},
        "additionalProperties" = {
            "title": "as the module says",
            "description": "A key of that module.",
            "examples": ["sha256"]
        }
    ))]
    pub config: Map<String, Value>,
    /// What a module may do to the world, with the keys of `[permissions]` in a `module.toml`. A
    /// module may do what it declares, in its manifest or by `permissions(…)` in a single file, and
    /// what a key here also names; a key that is not here takes nothing away. For a file in
    /// starlark-mcp's form, a key here replaces what such a file may do: requests to any public
    /// host, the commands of its `allowed_exec`, every variable, every database, files that lie
    /// beside it. Paths are relative to the
    /// module's folder, or begin with `/`; `*` stands for anything but `/`, `**` for anything. A
    /// host that is not public is reached only if it is named: `["*", "127.0.0.1:8080"]`.
    #[serde(deserialize_with = "GrantTable::grant")]
    #[schemars(with = "GrantTable")]
    pub grant: Option<Grant>,
    /// What the names of its tools begin with in a flat list. It wins over `prefix` in the
    /// `module.toml`; with an empty one they are listed under their bare names.
    #[serde(deserialize_with = "read_prefix")]
    #[schemars(example = &"crypto_")]
    pub prefix: Option<String>,
    /// How often it may be called.
    #[schemars(example = "5/s")]
    pub rate: Option<Rate>,
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    spans: Option<Spans>,
}

impl Project {
    pub fn parse(file: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(file, text)?;
        let (mut project, spans) = document.read::<Self>(is_allowed)?;
        project.policy =
            Policy { roles: take(&mut project.role), scopes: take(&mut project.scope) };
        if project.trust.algorithms.is_empty() {
            project.trust.algorithms = Trust::default().algorithms;
        }
        project.check(&spans)?;
        for (name, module) in &mut project.modules {
            name.as_str().clone_into(&mut module.name);
            module.spans = Some(spans.clone());
        }
        Ok(Self { spans: Some(spans), ..project })
    }

    /// What no value shows by itself.
    fn check(&self, spans: &Spans) -> Result<(), Fault> {
        if let Some((origin, fault)) = self.server.cors.wrong() {
            return Err(spans.fault(&["server", "cors", origin], fault));
        }
        self.trust.check(spans)?;
        self.policy.check(spans)?;
        for (name, module) in &self.modules {
            for permission in Permission::ALL {
                let names = module.grant.as_ref().and_then(|grant| grant.get(permission));
                let path = ["module", name.as_str(), "grant", permission.key()];
                let check = |text: &str| check_name(permission, text);
                check_names(names.unwrap_or_default(), &path, spans, check)?;
            }
        }
        match self.postgres.keys().find(|name| is_connection_string(name)) {
            Some(name) => {
                let fault = Fault::new(format!("`{name}` is no name for a connection"));
                Err(spans.fault(&["postgres", name], fault))
            }
            None => Ok(()),
        }
    }

    /// The tables that say something else than before, and hold only from the next start on.
    pub fn waiting_for_a_start(&self, before: &Self) -> Vec<&'static str> {
        [
            ("[server]", self.server.with_what_holds_at_once(&before.server) != before.server),
            ("[auth]", self.trust != before.trust),
            ("[limits]", self.bounds != before.bounds),
            ("[audit]", self.audit != before.audit),
            ("[vault]", self.vault != before.vault),
        ]
        .into_iter()
        .filter_map(|(table, is_other)| is_other.then_some(table))
        .collect()
    }

    /// Where a field stands: `enable`, `limits.timeout`, `module.hello`.
    pub fn place(&self, field: &str) -> Option<Place> {
        self.spans.as_ref()?.field(field)
    }

    /// Where an item of a list, or an entry of a table, stands.
    pub fn place_of_item(&self, field: &str, item: &str) -> Option<Place> {
        self.spans.as_ref()?.item(field, item)
    }
}

impl ModuleSettings {
    /// The value at a path into the config, or what of the way there is.
    pub(crate) fn place(&self, path: &[String]) -> Option<Place> {
        let mut ways = (1..=path.len()).rev();
        ways.find_map(|n| self.spans.as_ref()?.value(&self.path(&path[..n])))
    }

    pub(crate) fn key_place(&self, path: &[String]) -> Option<Place> {
        self.spans.as_ref()?.key(&self.path(path))
    }

    pub(crate) fn origin(&self, path: &[String]) -> Origin {
        let place = self.key_place(path);
        let (file, line) = place.map(|p| (p.file, p.line)).unwrap_or_default();
        Origin::File { file, line }
    }

    fn path<'p>(&'p self, inner: &'p [String]) -> Vec<&'p str> {
        let inner = inner.iter().map(String::as_str);
        ["module", &self.name, "config"].into_iter().chain(inner).collect()
    }
}

/// Where a list may be, or else an empty text or 0.
fn is_allowed(path: &[&str], is_list: bool) -> bool {
    match path {
        ["module", _, "config" | "prefix", ..]
        | ["auth", "claims", ..]
        | ["role", _, "claims", ..] => true,
        ["server" | "limits" | "auth" | "vault" | "audit"]
        | ["role" | "scope" | "module" | "postgres", _]
        | ["auth", "issuer", _]
        | ["module", _, "grant"] => !is_list,
        _ => is_list,
    }
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
