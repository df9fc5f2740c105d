//! What `larkspur.toml` says about the server and its modules.

use crate::config::Origin;
use crate::document::{Document, Item, Source, Spans, Table};
use crate::known;
use crate::manifest::{self, read_prefix};
use crate::{AuditSettings, Bounds, Doors, Introduction, Policy, Quotas, Rate, Showing, Trust};
use model::{Fault, Grant, Limits, ModuleName, Place, is_connection_string};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Project {
    /// The modules to serve; all there are, if nothing is said.
    pub enable: Option<Vec<ModuleName>>,
    /// Where the server keeps what must outlive it.
    pub data_dir: Option<String>,
    /// The file with the vault's master key.
    pub vault_key_file: Option<String>,
    pub doors: Doors,
    pub showing: Showing,
    /// What clients are told about the server.
    pub introduction: Introduction,
    pub limits: Limits,
    pub bounds: Bounds,
    pub quotas: Quotas,
    pub modules: BTreeMap<ModuleName, ModuleSettings>,
    /// Databases that modules may be granted, by name.
    pub postgres: BTreeMap<String, Connection>,
    pub policy: Policy,
    /// Whose tokens are taken.
    pub trust: Trust,
    /// Absent where nothing is written down of calls.
    pub audit: Option<AuditSettings>,
    spans: Option<Spans>,
}

/// Where a database is, and usually its password: it is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Connection {
    pub url: String,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection { .. }")
    }
}

/// What is said about one module.
#[derive(Debug, Clone, PartialEq)]
pub struct ModuleSettings {
    name: ModuleName,
    config: Map<String, Value>,
    grant: Option<Grant>,
    prefix: Option<String>,
    rate: Option<Rate>,
    spans: Spans,
}

impl Project {
    /// The tables that say something else than before, and hold only from the next start on.
    pub fn waiting_for_a_start(&self, before: &Self) -> Vec<&'static str> {
        let bounds = |project: &Self| (project.limits.clone(), project.bounds, project.quotas);
        [
            ("[server]", (&self.doors, &self.data_dir) != (&before.doors, &before.data_dir)),
            ("[auth]", self.trust != before.trust),
            ("[limits]", bounds(self) != bounds(before)),
            ("[audit]", self.audit != before.audit),
            ("[vault]", self.vault_key_file != before.vault_key_file),
        ]
        .into_iter()
        .filter_map(|(table, is_other)| is_other.then_some(table))
        .collect()
    }

    pub fn parse(file: &str, text: &str) -> Result<Self, Fault> {
        let source = Source::new(file, text);
        let document = Document::parse(&source)?;
        let project = Self::read(&document);
        document.finish(Some(project))
    }

    /// Where a field stands: `enable`, `limits.timeout`, `module.hello`.
    pub fn place(&self, field: &str) -> Option<Place> {
        self.spans.as_ref()?.field(field)
    }

    /// Where an item of a list, or an entry of a table, stands.
    pub fn place_of_item(&self, field: &str, item: &str) -> Option<Place> {
        self.spans.as_ref()?.item(field, item)
    }

    fn read(document: &Document<'_>) -> Self {
        let mut table = document.table();
        let enable = table.get("enable").and_then(|item| item.list());
        let server = table.table("server").map(server).unwrap_or_default();
        let (data_dir, doors, showing, introduction) = server;
        let limits = table.table("limits").map(limits);
        let (limits, bounds, quotas) = limits.unwrap_or_default();
        let vault_key_file = table.table("vault").and_then(vault);
        let modules = table.table("module").map(Table::into_entries);
        let postgres = table.table("postgres").map(Table::into_entries);
        let [roles, scopes] = ["role", "scope"].map(|key| table.table(key));
        let policy = Policy::read(roles, scopes);
        let trust = table.table("auth").map(Trust::read);
        let audit = table.table("audit").map(AuditSettings::read);
        table.finish(&known::PROJECT_TOP);
        let spans = document.spans();
        let modules = modules.unwrap_or_default().into_iter();
        Self {
            enable: enable.map(|items| items.iter().filter_map(Item::parse).collect()),
            data_dir,
            vault_key_file,
            doors,
            showing,
            introduction,
            limits,
            bounds,
            quotas,
            modules: modules.filter_map(|m| module(&m, &spans)).collect(),
            postgres: connections(&postgres.unwrap_or_default()),
            policy,
            trust: trust.unwrap_or_default(),
            audit,
            spans: Some(spans),
        }
    }
}

impl ModuleSettings {
    pub fn config(&self) -> &Map<String, Value> {
        &self.config
    }

    /// What the operator leaves it, if he says so.
    pub fn grant(&self) -> Option<&Grant> {
        self.grant.as_ref()
    }

    /// What the names of its tools begin with in a flat list.
    pub fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// How often it may be called, by whomever.
    pub fn rate(&self) -> Option<Rate> {
        self.rate
    }

    /// The value at a path into the config, or what of the way there is.
    pub(crate) fn place(&self, path: &[String]) -> Option<Place> {
        let mut ways = (1..=path.len()).rev();
        ways.find_map(|n| self.spans.value(&self.path(&path[..n])))
    }

    pub(crate) fn key_place(&self, path: &[String]) -> Option<Place> {
        self.spans.key(&self.path(path))
    }

    pub(crate) fn origin(&self, path: &[String]) -> Origin {
        let place = self.key_place(path);
        let (file, line) = place.map(|p| (p.file, p.line)).unwrap_or_default();
        Origin::File { file, line }
    }

    fn path<'p>(&'p self, inner: &'p [String]) -> Vec<&'p str> {
        let inner = inner.iter().map(String::as_str);
        ["module", self.name.as_str(), "config"].into_iter().chain(inner).collect()
    }
}

fn server(mut table: Table<'_>) -> (Option<String>, Doors, Showing, Introduction) {
    let data_dir = table.string("data_dir");
    let doors = Doors::read(&mut table);
    let showing = Showing::read(&mut table);
    let introduction = Introduction::read(&mut table);
    table.finish(&known::SERVER);
    (data_dir, doors, showing, introduction)
}

fn vault(mut table: Table<'_>) -> Option<String> {
    let key_file = table.string("key_file");
    table.finish(&known::VAULT);
    key_file
}

fn limits(mut table: Table<'_>) -> (Limits, Bounds, Quotas) {
    let usual = Limits::default();
    let mut get = |key| table.get(key);
    let limits = Limits {
        time: get("timeout").and_then(|i| i.duration()).unwrap_or(usual.time),
        ticks: get("ticks").and_then(|i| i.count()).unwrap_or(usual.ticks),
        heap_bytes: get("heap").and_then(|i| i.size()).unwrap_or(usual.heap_bytes),
        call_depth: get("call_depth").and_then(|i| i.count()).unwrap_or(usual.call_depth),
        result_bytes: get("result").and_then(|i| i.size()).unwrap_or(usual.result_bytes),
        ..usual
    };
    let bounds = Bounds::read(&mut table);
    let quotas = Quotas::read(&mut table);
    table.finish(&known::LIMITS);
    (limits, bounds, quotas)
}

fn connections(items: &[Item<'_>]) -> BTreeMap<String, Connection> {
    let named = |item: &Item<'_>| Some((item.key().to_owned(), connection(item)?));
    items.iter().filter_map(named).collect()
}

fn connection(item: &Item<'_>) -> Option<Connection> {
    let mut table = item.table()?;
    let url = table.required("url").and_then(|url| url.text());
    table.finish(&known::POSTGRES);
    if is_connection_string(item.key()) {
        let fault = format!("`{}` is no name for a connection", item.key());
        item.report_key(Fault::new(fault));
    }
    Some(Connection { url: url?.to_owned() })
}

fn module(item: &Item<'_>, spans: &Spans) -> Option<(ModuleName, ModuleSettings)> {
    let name = item.key().parse::<ModuleName>();
    let name = name.map_err(|error| item.report_key(Fault::new(error.to_string())));
    let mut table = item.table()?;
    let config = table.get("config").map(|config| {
        config.table()?;
        config.json()
    });
    let grant = table.table("grant").map(manifest::read_grant);
    let prefix = table.get("prefix").and_then(|item| read_prefix(&item));
    let rate = table.get("rate").and_then(|item| item.parse());
    table.finish(&known::MODULE);
    let name = name.ok()?;
    let settings = ModuleSettings {
        name: name.clone(),
        config: match config.flatten() {
            Some(Value::Object(config)) => config,
            _ => Map::new(),
        },
        grant,
        prefix,
        rate,
        spans: spans.clone(),
    };
    Some((name, settings))
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
