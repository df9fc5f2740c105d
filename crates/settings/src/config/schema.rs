//! What a module can be told, from its manifest's `[config]`: a JSON Schema a key.

use super::environment::{env_name, variable};
use super::keywords;
use crate::document::{Item, Table};
use model::{Fault, ModuleName, Place};
use serde_json::{Map, Value, json};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConfigSchema {
    keys: Vec<ConfigKey>,
    open: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ConfigKey {
    pub name: String,
    pub required: bool,
    pub default: Option<Value>,
    pub description: Option<String>,
    /// JSON Schema, with the default and the description in it.
    pub schema: Value,
    /// Of the key in the manifest.
    pub place: Place,
    /// The line that the default stands on.
    pub(super) default_line: usize,
}

impl ConfigKey {
    /// The variable of the environment that sets it: `CRYPTO_TOOLS__ALGORITHM`.
    pub fn variable(&self, module: &ModuleName) -> String {
        variable(module, &self.name)
    }
}

impl ConfigSchema {
    /// Of a module without a manifest: any keys, of any type.
    pub fn open() -> Self {
        Self { keys: Vec::new(), open: true }
    }

    pub fn is_open(&self) -> bool {
        self.open
    }

    /// In the author's order.
    pub fn keys(&self) -> &[ConfigKey] {
        &self.keys
    }

    pub(crate) fn key_names(&self) -> Vec<&str> {
        self.keys.iter().map(|key| key.name.as_str()).collect()
    }

    /// What holds when nobody says anything.
    pub fn defaults(&self) -> Map<String, Value> {
        let set = self.keys.iter();
        set.filter_map(|key| Some((key.name.clone(), key.default.clone()?))).collect()
    }

    pub(super) fn key(&self, name: &str) -> Option<&ConfigKey> {
        self.keys.iter().find(|key| key.name == name)
    }

    pub fn to_json_schema(&self) -> Value {
        if self.open {
            return json!({"type": "object"});
        }
        let pairs = self.keys.iter();
        let properties: Map<String, Value> =
            pairs.map(|k| (k.name.clone(), k.schema.clone())).collect();
        let required = self.keys.iter().filter(|key| key.required);
        let required: Vec<&str> = required.map(|key| key.name.as_str()).collect();
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema["additionalProperties"] = json!(false);
        schema
    }

    pub(crate) fn read(table: Table<'_>) -> Self {
        let mut keys: Vec<ConfigKey> = Vec::new();
        for item in table.into_entries() {
            let Some(key) = read_key(&item) else {
                continue;
            };
            let twin = keys.iter().find(|k| env_name(&k.name) == env_name(&key.name));
            if let Some(twin) = twin {
                let variable = env_name(&key.name);
                let message = format!("`{}` and `{}` are both {variable}", twin.name, key.name);
                let fault = Fault::new(format!("{message} in the environment"));
                item.report_key(fault.help("rename one of them"));
            }
            keys.push(key);
        }
        Self { keys, open: false }
    }
}

fn read_key(item: &Item<'_>) -> Option<ConfigKey> {
    if !is_plain(item.key()) {
        let fault = Fault::new(format!("config key `{}` cannot be set", item.key()));
        let help = "begin with a letter; use letters, digits, `-` and single `_`";
        item.report_key(fault.help(help));
        return None;
    }
    item.table()?;
    let mut schema = item.json()?;
    let required = take_required(&mut schema);
    let text = |name: &str| schema.get(name).and_then(Value::as_str).map(str::to_owned);
    let key = ConfigKey {
        name: item.key().to_owned(),
        required,
        default: schema.get("default").cloned(),
        description: text("description"),
        place: item.key_place(),
        default_line: item.below(["default"]).place().line,
        schema,
    };
    keywords::check(item, &key).then_some(key)
}

/// On a key, `required` says whether it must be set; a list is JSON Schema's own, of an object.
fn take_required(schema: &mut Value) -> bool {
    let Some(&Value::Bool(required)) = schema.get("required") else {
        return false;
    };
    if let Value::Object(map) = schema {
        map.shift_remove("required");
    }
    required
}

/// A name that the environment and the command line can spell: `__` and `.` lead into objects there.
fn is_plain(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    let doubled = ["__", "--", "_-", "-_"].iter().any(|pair| name.contains(pair));
    let ends_well = !name.ends_with(['_', '-']);
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(plain)
        && !doubled
        && ends_well
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
