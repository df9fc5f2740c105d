//! What a module may reach, and the secrets it asks for, as its manifest names them.

use crate::config::ConfigSchema;
use crate::document::{Item, Table};
use crate::known;
use model::{Fault, Permission, Permissions, check_entry, check_host_entry, follow_config};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A secret the module asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecretSpec {
    pub description: Option<String>,
    /// Where it may be sent.
    pub hosts: Vec<String>,
    /// Commands that may have it in their environment.
    pub exec: Vec<String>,
}

pub(super) fn read(mut table: Table<'_>, config: &ConfigSchema) -> Permissions {
    let keys = config.key_names();
    let named = Permission::ALL.map(|permission| {
        let items = table.list(permission.key());
        (permission, names(&items, |text| check_entry(permission, text, &keys)))
    });
    table.finish(&known::PERMISSIONS);
    BTreeMap::from(named).into()
}

/// The texts of a list, each found right.
pub(crate) fn names(items: &[Item<'_>], check: impl Fn(&str) -> Result<(), Fault>) -> Vec<String> {
    let texts = items.iter().filter_map(|item| {
        let text = item.text()?;
        check(text).map_err(|fault| item.report(fault)).ok()?;
        Some(text.to_owned())
    });
    texts.collect()
}

pub(super) fn secrets(table: Table<'_>, config: &ConfigSchema) -> BTreeMap<String, SecretSpec> {
    let entries = table.into_entries();
    let named = |item: &Item<'_>| Some((item.key().to_owned(), secret(item.table()?, config)));
    entries.iter().filter_map(named).collect()
}

fn secret(mut table: Table<'_>, config: &ConfigSchema) -> SecretSpec {
    let keys = config.key_names();
    let check = |text: &str| check_host_entry(text, &keys);
    let secret = SecretSpec {
        description: table.string("description"),
        hosts: names(&table.list("hosts"), check),
        exec: table.strings("exec"),
    };
    table.finish(&known::SECRET);
    secret
}

impl SecretSpec {
    /// What it comes to under this configuration.
    pub(super) fn under(&self, config: &Map<String, Value>) -> Result<Self, Fault> {
        Ok(Self { hosts: follow_config(Permission::Http, &self.hosts, config)?, ..self.clone() })
    }
}
