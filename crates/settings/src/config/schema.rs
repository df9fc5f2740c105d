//! What a module can be told, from its manifest's `[config]`: a JSON Schema a key.

use super::environment::{env_name, variable};
use super::keywords;
use crate::document::Spans;
use model::{Fault, ModuleName, Place};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

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

    pub(crate) fn read(table: Map<String, Value>, spans: &Spans) -> Result<Self, Fault> {
        let mut keys: Vec<ConfigKey> = Vec::new();
        for (name, schema) in table {
            let key = read_key(name, schema, spans)?;
            let twin = keys.iter().find(|k| env_name(&k.name) == env_name(&key.name));
            if let Some(twin) = twin {
                let variable = env_name(&key.name);
                let message = format!("`{}` and `{}` are both {variable}", twin.name, key.name);
                let fault = Fault::new(format!("{message} in the environment"));
                return Err(spans.fault(&["config", &key.name], fault.help("rename one of them")));
            }
            keys.push(key);
        }
        Ok(Self { keys, open: false })
    }
}

/// Describes `[config]`: its keys are the author's, and what is under each is JSON Schema.
pub(crate) struct ConfigTable;

impl JsonSchema for ConfigTable {
    fn schema_name() -> Cow<'static, str> {
        "config".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "propertyNames": { "title": "KEY", "examples": ["folders"] },
            "additionalProperties": {
                "description": "What the module can be told, a table for each key of yours. What is under it \
                    is JSON Schema, and `required`. A key begins with a letter and has letters, digits, `-` \
                    and single `_`. Scripts read it as `ctx.config`.",
                "type": "object",
                "properties": {
                    "type": {
                        "description": "What a value has to be.",
                        "anyOf": [{ "enum": keywords::TYPES }, { "type": "array" }],
                        "examples": ["array"]
                    },
                    "default": {
                        "description": "What holds if nobody says anything.",
                        "title": "a value",
                        "examples": [["data"]]
                    },
                    "description": {
                        "description": "For whoever sets it.",
                        "type": "string",
                        "examples": ["folders with notes"]
                    },
                    "required": {
                        "description": "The module does not start until the key is set.",
                        "type": ["boolean", "array"],
                        "default": false
                    }
                }
            }
        })
    }
}

fn read_key(name: String, mut schema: Value, spans: &Spans) -> Result<ConfigKey, Fault> {
    let at = ["config", name.as_str()];
    if !is_plain(&name) {
        let fault = Fault::new(format!("config key `{name}` cannot be set"));
        let help = "begin with a letter; use letters, digits, `-` and single `_`";
        return Err(spans.fault(&at, fault.help(help)));
    }
    if !schema.is_object() {
        return Err(spans.fault(&at, Fault::new(format!("`config.{name}` must be a table"))));
    }
    let required = take_required(&mut schema);
    let text = |name: &str| schema.get(name).and_then(Value::as_str).map(str::to_owned);
    let default_place = spans.value(&["config", &name, "default"]);
    let key = ConfigKey {
        required,
        default: schema.get("default").cloned(),
        description: text("description"),
        default_line: default_place.map_or(0, |place| place.line),
        place: spans.key(&at).ok_or_else(|| Fault::new(format!("`config.{name}` has no place")))?,
        name,
        schema,
    };
    keywords::check(&key, spans)?;
    Ok(key)
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
