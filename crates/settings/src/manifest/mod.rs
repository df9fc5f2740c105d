//! What `module.toml` promises: everything that can be known before code runs.

mod entry;
#[cfg(test)]
mod follow_tests;
mod grant;
mod limits;
mod names;
mod permissions;
mod promise;
mod version;

pub(crate) use grant::read as read_grant;
pub use limits::{ModuleLimits, Rate};
pub(crate) use names::read_prefix;
pub use permissions::SecretSpec;

use crate::config::ConfigSchema;
use crate::document::{Document, Source, Spans};
use crate::known;
use model::{Fault, ModuleName, Permissions, Place, ToolName};
use semver::Version;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    pub name: ModuleName,
    pub version: Version,
    pub description: String,
    /// The file that is loaded, relative to the module's folder.
    pub entry: String,
    /// What the listed names of its tools begin with, instead of `name_`.
    pub prefix: Option<String>,
    /// Of the service behind the module.
    pub api_version: Option<String>,
    pub author: Option<String>,
    pub license: Option<String>,
    pub homepage: Option<String>,
    pub depends_on: Vec<ModuleName>,
    pub optional_deps: Vec<ModuleName>,
    /// What the module says it offers, if it says so.
    pub tools: Option<Vec<ToolName>>,
    pub keywords: Vec<String>,
    pub config: ConfigSchema,
    pub permissions: Permissions,
    pub secrets: BTreeMap<String, SecretSpec>,
    pub limits: ModuleLimits,
    spans: Spans,
}

impl Manifest {
    /// Reads a manifest for a server of the given version.
    pub fn parse(file: &str, text: &str, server: &str) -> Result<Self, Fault> {
        let source = Source::new(file, text);
        let document = Document::parse(&source)?;
        let read = Self::read(&document, server);
        document.finish(read)
    }

    pub fn version_text(&self) -> String {
        self.version.to_string()
    }

    /// Where a field stands: `depends_on`, `permissions.http`.
    pub fn place(&self, field: &str) -> Option<Place> {
        self.spans.field(field)
    }

    /// Where an item of a list, or an entry of a table, stands.
    pub fn place_of_item(&self, field: &str, item: &str) -> Option<Place> {
        self.spans.item(field, item)
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

    /// Reads every field before it gives up on one, so that no key goes unasked.
    fn read(document: &Document<'_>, server: &str) -> Option<Self> {
        let mut table = document.table();
        let name = table.required("name").and_then(|i| names::own(&i));
        let version = table.required("version").and_then(|i| version::read(&i));
        let description = table.required("description");
        let description = description.and_then(|i| i.text().map(str::to_owned));
        let entry = entry::read(table.get("entry").as_ref());
        let prefix = table.get("prefix").and_then(|item| read_prefix(&item));
        version::check_server(table.get("larkspur").as_ref(), name.as_ref(), server);
        let [api_version, author, license, homepage] =
            ["api_version", "author", "license", "homepage"].map(|key| table.string(key));
        let [depends_on, optional_deps] =
            ["depends_on", "optional_deps"].map(|key| names::distinct(&table.list(key)));
        let tools = table.get("tools").and_then(|item| item.list());
        let keywords = table.strings("keywords");
        let [config, permissions, secrets, limits] =
            ["config", "permissions", "secrets", "limits"].map(|key| table.table(key));
        table.finish(&known::MANIFEST_TOP);
        names::check_apart(&depends_on, &optional_deps);
        let config = config.map(ConfigSchema::read).unwrap_or_default();
        let permissions = permissions.map(|table| permissions::read(table, &config));
        let secrets = secrets.map(|table| permissions::secrets(table, &config));
        let [depends_on, optional_deps] = [depends_on, optional_deps].map(names::all);
        let callable = depends_on.iter().chain(&optional_deps);
        let permissions = permissions.unwrap_or_default().with_dependencies(callable);
        let manifest = Self {
            permissions,
            secrets: secrets.unwrap_or_default(),
            config,
            limits: limits.map(ModuleLimits::read).unwrap_or_default(),
            tools: tools.map(|items| names::all(names::distinct(&items))),
            depends_on,
            optional_deps,
            api_version,
            author,
            license,
            homepage,
            prefix,
            keywords,
            spans: document.spans(),
            name: name?,
            version: version?,
            description: description?,
            entry: entry?,
        };
        Some(manifest)
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
