//! What `module.toml` promises: everything that can be known before code runs.

#[cfg(test)]
mod follow_tests;
mod limits;
mod names;
mod permissions;
mod promise;

pub use limits::{ModuleLimits, Rate};
pub(crate) use names::read_prefix;
pub use permissions::SecretSpec;
pub(crate) use permissions::{GrantTable, check_names};

use crate::config::{ConfigSchema, ConfigTable};
use crate::document::{Document, Spans, object};
use model::{
    Fault, ModuleName, Permission, Permissions, Place, ToolName, check_entry, check_host,
    check_host_entry,
};
use schemars::JsonSchema;
use semver::Version;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::mem::take;

/// What the module is.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The module's name, in small letters, digits and dashes. Its tools are `notes.TOOL`.
    #[serde(deserialize_with = "names::own_name")]
    #[schemars(with = "String", example = &"notes")]
    pub name: ModuleName,
    /// The module's version, as SemVer: three numbers.
    #[serde(deserialize_with = "names::version")]
    #[schemars(with = "String", example = "0.1.0")]
    pub version: Version,
    /// What it is for, in a sentence. Models read it.
    #[schemars(example = "Notes in files")]
    pub description: String,
    /// The file it begins with, below the module's folder.
    #[serde(default = "main_star", deserialize_with = "names::entry")]
    pub entry: String,
    /// What the names of its tools begin with in a flat list, instead of the module's name and
    /// `_`. With an empty one they are listed under their bare names.
    #[serde(default, deserialize_with = "read_prefix")]
    #[schemars(example = &"n_")]
    pub prefix: Option<String>,
    /// The versions of Larkspur it works with. Another one refuses it and says why.
    #[schemars(example = ">=0.1")]
    pub larkspur: Option<String>,
    /// The version of the service behind it. Clients are told.
    #[schemars(example = "2022-11-28")]
    pub api_version: Option<String>,
    /// Who wrote it.
    #[schemars(example = "Ada Lovelace")]
    pub author: Option<String>,
    /// Under which license.
    #[schemars(example = &"MIT")]
    pub license: Option<String>,
    /// Where there is more about it.
    #[schemars(example = "https://example.org/notes")]
    pub homepage: Option<String>,
    /// Modules it cannot do without. They start first.
    #[serde(default)]
    #[schemars(with = "Vec<String>", extend("examples" = [["auth"]]))]
    pub depends_on: Vec<ModuleName>,
    /// Modules it uses if they are there.
    #[serde(default)]
    #[schemars(with = "Vec<String>", extend("examples" = [["search"]]))]
    pub optional_deps: Vec<ModuleName>,
    /// The tools it declares: all of them, and no others. A module that declares others does
    /// not start.
    #[schemars(with = "Option<Vec<String>>", extend("examples" = [["read", "keep"]]))]
    pub tools: Option<Vec<ToolName>>,
    /// Further words by which its tools are found.
    #[serde(default)]
    #[schemars(extend("examples" = [["notebook", "diary"]]))]
    pub keywords: Vec<String>,
    /// What the module can be told.
    #[serde(default, rename = "config", deserialize_with = "object")]
    #[schemars(with = "ConfigTable")]
    config_table: Map<String, Value>,
    /// What the module may do to the world; what is not named is refused. Paths are relative
    /// to the module's folder, or begin with `/`; `*` stands for anything but `/`, `**` for
    /// anything. `{config.KEY}` stands for what the key is set to.
    #[serde(default, deserialize_with = "GrantTable::read")]
    #[schemars(with = "GrantTable")]
    pub permissions: Permissions,
    #[serde(default)]
    #[schemars(extend("propertyNames" = {"examples": ["token"]}))]
    pub secrets: BTreeMap<String, SecretSpec>,
    #[serde(default)]
    pub limits: ModuleLimits,
    #[serde(skip)]
    pub config: ConfigSchema,
    #[serde(skip)]
    spans: Option<Spans>,
}

fn main_star() -> String {
    "main.star".to_owned()
}

impl Manifest {
    /// Reads a manifest for a server of the given version.
    pub fn parse(file: &str, text: &str, server: &str) -> Result<Self, Fault> {
        let document = Document::parse(file, text)?;
        // Ahead of everything else: a newer manifest may well hold keys that this server does not know.
        if let Some(needs) = document.text("larkspur") {
            names::check_server(needs, document.text("name"), server)
                .map_err(|fault| document.spans.fault(&["larkspur"], fault))?;
        }
        let (mut manifest, spans) = document.read::<Self>(is_allowed)?;
        manifest.config = ConfigSchema::read(take(&mut manifest.config_table), &spans)?;
        manifest.check(&spans)?;
        let callable = manifest.depends_on.iter().chain(&manifest.optional_deps);
        manifest.permissions = manifest.permissions.clone().with_dependencies(callable);
        Ok(Self { spans: Some(spans), ..manifest })
    }

    /// What no value shows by itself.
    fn check(&self, spans: &Spans) -> Result<(), Fault> {
        let keys = self.config.key_names();
        for permission in Permission::ALL {
            let names = self.permissions.get(permission);
            let path = ["permissions", permission.key()];
            check_names(names, &path, spans, |text| check_entry(permission, text, &keys))?;
        }
        for (name, secret) in &self.secrets {
            let path = ["secrets", name, "hosts"];
            check_names(&secret.hosts, &path, spans, |text| check_host_entry(text, &keys))?;
        }
        for host in self.limits.http_rate.keys() {
            let fault = |fault| spans.key_fault(&["limits", "http_rate", host], fault);
            check_host(host).map_err(fault)?;
        }
        distinct("depends_on", &self.depends_on, spans)?;
        distinct("optional_deps", &self.optional_deps, spans)?;
        distinct("tools", self.tools.as_deref().unwrap_or_default(), spans)?;
        match self.optional_deps.iter().find(|name| self.depends_on.contains(name)) {
            Some(name) => {
                let fault =
                    Fault::new(format!("`{name}` is in both `depends_on` and `optional_deps`"));
                let path = ["optional_deps", name.as_str()];
                Err(spans.fault(&path, fault.help("keep it in one of them")))
            }
            None => Ok(()),
        }
    }

    pub fn version_text(&self) -> String {
        self.version.to_string()
    }

    /// Where a field stands: `depends_on`, `permissions.http`.
    pub fn place(&self, field: &str) -> Option<Place> {
        self.spans.as_ref()?.field(field)
    }

    /// Where an item of a list, or an entry of a table, stands.
    pub fn place_of_item(&self, field: &str, item: &str) -> Option<Place> {
        self.spans.as_ref()?.item(field, item)
    }

    /// What the module asks for, and whether it cannot do without; that which it cannot comes first.
    pub fn dependencies(&self) -> impl Iterator<Item = (&ModuleName, bool)> {
        let required = self.depends_on.iter().map(|name| (name, true));
        required.chain(self.optional_deps.iter().map(|name| (name, false)))
    }

    /// Its secrets, with the hosts they are for under this configuration.
    pub fn secrets_under(
        &self,
        config: &Map<String, Value>,
    ) -> Result<BTreeMap<String, SecretSpec>, Fault> {
        let all = self.secrets.iter();
        all.map(|(name, secret)| Ok((name.clone(), secret.under(config)?))).collect()
    }
}

/// Where a list may be, or else an empty text or 0.
fn is_allowed(path: &[&str], is_list: bool) -> bool {
    match path {
        ["config", ..] | ["prefix"] => true,
        ["permissions" | "limits"] | ["secrets", _] => !is_list,
        _ => is_list,
    }
}

/// A name that comes twice is a slip, most likely of the clipboard.
fn distinct<T: PartialEq + Display>(list: &str, names: &[T], spans: &Spans) -> Result<(), Fault> {
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            let fault = Fault::new(format!("`{list}` names `{name}` twice"));
            return Err(spans.fault(&[list, &at.to_string()], fault));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
