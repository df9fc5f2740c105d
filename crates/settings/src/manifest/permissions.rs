//! What a module may reach, and the secrets it asks for: `[permissions]` and `[secrets]` of `module.toml`, and
//! `[module.NAME.grant]` of `larkspur.toml`.

use crate::document::Spans;
use model::{Fault, Grant, Permission, follow_config};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(crate) struct GrantTable {
    /// Hosts: `example.org`, `*.example.org`, `example.org:8080`, or `*` for every public one.
    #[schemars(extend("examples" = [["api.example.org"]]))]
    http: Option<Vec<String>>,
    /// Commands, by their exact names.
    #[schemars(extend("examples" = [["git"]]))]
    exec: Option<Vec<String>>,
    /// Variables of the environment. `LARKSPUR_*`, the server's own, are kept from everyone.
    #[schemars(extend("examples" = [["GITHUB_*"]]))]
    env: Option<Vec<String>>,
    /// SQLite databases, to read.
    #[schemars(extend("examples" = [["data/*.db"]]))]
    sqlite: Option<Vec<String>>,
    /// SQLite databases, to read and to write.
    #[schemars(extend("examples" = [["data/cache.db"]]))]
    sqlite_write: Option<Vec<String>>,
    /// PostgreSQL connections, by their names: `[postgres.NAME]` in `larkspur.toml`.
    #[schemars(extend("examples" = [["main"]]))]
    postgres: Option<Vec<String>>,
    /// Files, to read.
    #[schemars(extend("examples" = [["data/**"]]))]
    files: Option<Vec<String>>,
    /// Files, to read and to write.
    #[schemars(extend("examples" = [["out/**"]]))]
    files_write: Option<Vec<String>>,
    /// Tools of other modules, for `ctx.call`: `module.tool`, or `module.*` for all of a module. Those of
    /// modules in `depends_on` and `optional_deps`, and its own, may always be called.
    #[schemars(extend("examples" = [["files.read"]]))]
    calls: Option<Vec<String>>,
}

impl GrantTable {
    pub(super) fn read<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: From<BTreeMap<Permission, Vec<String>>>,
        D: Deserializer<'de>,
    {
        let table = <Self as Deserialize>::deserialize(deserializer)?;
        let lists = [
            (Permission::Http, table.http),
            (Permission::Exec, table.exec),
            (Permission::Env, table.env),
            (Permission::Sqlite, table.sqlite),
            (Permission::SqliteWrite, table.sqlite_write),
            (Permission::Postgres, table.postgres),
            (Permission::Files, table.files),
            (Permission::FilesWrite, table.files_write),
            (Permission::Calls, table.calls),
        ];
        let there = lists.into_iter().filter_map(|(permission, list)| Some((permission, list?)));
        Ok(T::from(there.collect()))
    }

    pub(crate) fn grant<'de, D: Deserializer<'de>>(de: D) -> Result<Option<Grant>, D::Error> {
        Self::read(de).map(Some)
    }
}

/// A secret the module asks for. `larkspur secret set MODULE.NAME` sets it,
/// `ctx.secret(NAME)` uses it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct SecretSpec {
    /// For whoever sets it.
    #[schemars(example = "a personal access token")]
    pub description: Option<String>,
    /// Where it may be sent.
    #[schemars(extend("examples" = [["api.example.org"]]))]
    pub hosts: Vec<String>,
    /// Commands that may have it in their environment.
    #[schemars(extend("examples" = [["git"]]))]
    pub exec: Vec<String>,
}

impl SecretSpec {
    /// What it comes to under this configuration.
    pub(super) fn under(&self, config: &Map<String, Value>) -> Result<Self, Fault> {
        Ok(Self { hosts: follow_config(Permission::Http, &self.hosts, config)?, ..self.clone() })
    }
}

/// Finds the texts of the list at a path right, or says which is not.
pub(crate) fn check_names(
    names: &[String],
    path: &[&str],
    spans: &Spans,
    check: impl Fn(&str) -> Result<(), Fault>,
) -> Result<(), Fault> {
    names.iter().try_for_each(|name| {
        check(name).map_err(|fault| spans.fault(&[path, &[name]].concat(), fault))
    })
}
