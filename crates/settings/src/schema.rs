//! What can stand in `larkspur.toml` and `module.toml`, from the types that read them: as JSON Schema for editors, and
//! as sections with their keys for pages and templates.

use crate::document::{inline_toml, toml_key};
use crate::{Manifest, Project};
use model::{Grouped, first_sentence};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// All of `larkspur.toml`, in the order in which it is shown.
pub static PROJECT: LazyLock<Vec<Section>> = LazyLock::new(|| sections(&project_schema()));
/// All of `module.toml`.
pub static MANIFEST: LazyLock<Vec<Section>> = LazyLock::new(|| sections(&manifest_schema()));

/// One table of a file.
#[derive(Debug, Clone)]
pub struct Section {
    /// `limits`, `role.NAME`; empty for what stands above all tables.
    pub name: String,
    /// As in an example: `role.reader`.
    pub example: String,
    pub about: String,
    pub keys: Vec<Key>,
}

#[derive(Debug, Clone)]
pub struct Key {
    pub name: String,
    /// In words: `list of texts`.
    pub kind: String,
    pub is_required: bool,
    /// What holds if nobody says anything, as TOML.
    pub default: Option<String>,
    /// What could be said, as TOML; none of a table that has a section of its own.
    pub example: Option<String>,
    pub about: String,
}

pub fn project_schema() -> Value {
    schema::<Project>("larkspur.toml")
}

pub fn manifest_schema() -> Value {
    schema::<Manifest>("module.toml")
}

/// In the draft that editors of TOML know, and in one piece.
fn schema<T: JsonSchema>(file: &str) -> Value {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    schema["title"] = json!(file);
    schema
}

/// TOML has no null, and no number of ours is 0.
fn tidy(schema: &mut Value) {
    let Value::Object(map) = schema else {
        return schema.as_array_mut().into_iter().flatten().for_each(tidy);
    };
    if let Some(Value::Array(kinds)) = map.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            map["type"] = only.clone();
        }
    }
    map.retain(|_, value| !value.is_null());
    if map.get("minimum") == Some(&json!(0)) {
        map["minimum"] = json!(1);
        map.shift_remove("format");
    }
    map.values_mut().for_each(tidy);
}

fn sections(schema: &Value) -> Vec<Section> {
    let mut found = Vec::new();
    collect("", "", schema, &mut found);
    found
}

/// A table with its keys, then the tables in it.
fn collect(name: &str, example: &str, schema: &Value, found: &mut Vec<Section>) {
    let required = schema["required"].as_array();
    let is_required = |key: &str| required.is_some_and(|keys| keys.iter().any(|one| one == key));
    let properties = || schema["properties"].as_object().into_iter().flatten();
    found.push(Section {
        name: name.to_owned(),
        example: example.to_owned(),
        about: about(schema),
        keys: properties().map(|(key, value)| read_key(key, value, is_required(key))).collect(),
    });
    for (key, value) in properties() {
        let (name, example) = (dotted(name, key), dotted(example, key));
        let names = &value["propertyNames"];
        let author_key = toml_key(names["examples"][0].as_str().unwrap_or_default());
        let of_each = &value["additionalProperties"];
        if value["properties"].is_object() {
            collect(&name, &example, value, found);
        } else if of_each["properties"].is_object() {
            let placeholder = names["title"].as_str().unwrap_or("NAME");
            let (name, example) = (dotted(&name, placeholder), dotted(&example, &author_key));
            collect(&name, &example, of_each, found);
        } else if of_each.is_object() && !names.is_null() {
            let keys = vec![read_key(&author_key, of_each, false)];
            found.push(Section { name, example, about: about(value), keys });
        }
    }
}

fn read_key(name: &str, schema: &Value, is_required: bool) -> Key {
    let has_section = schema["properties"].is_object() || !schema["propertyNames"].is_null();
    let own = |value: Option<&Value>| value.filter(|_| !has_section).map(toml);
    let example = own(schema["examples"].get(0));
    let default = schema.get("default").filter(|value| example.is_none() || **value != json!([]));
    let described =
        if schema["description"].is_null() { &schema["additionalProperties"] } else { schema };
    let about = about(described);
    Key {
        name: name.to_owned(),
        kind: kind(schema),
        is_required,
        default: own(default),
        example,
        about: if has_section { first_sentence(&about).to_owned() } else { about },
    }
}

/// A long number has its digits in groups.
fn toml(value: &Value) -> String {
    match value.as_u64().and_then(|number| usize::try_from(number).ok()) {
        Some(number) if number >= 10_000 => Grouped(number).to_string().replace(',', "_"),
        _ => inline_toml(value),
    }
}

/// In one line: the sources break it where they please.
fn about(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kind(schema: &Value) -> String {
    let words = words(schema);
    if !words.is_empty() {
        return format!("`\"{}\"`", words.join("\"`, `\""));
    }
    let kind = schema["title"].as_str().unwrap_or_else(|| match schema["type"].as_str() {
        Some("array") => "list of texts",
        Some("integer") => "number",
        Some("object") => "table",
        Some("string") => "text",
        _ => "true or false",
    });
    kind.to_owned()
}

/// The words that a text may be, if these are all.
fn words(schema: &Value) -> Vec<&str> {
    let one_of = ["oneOf", "anyOf"].iter().filter_map(|key| schema[*key].as_array());
    let below = one_of.flatten().flat_map(words);
    let own = schema["enum"].as_array().into_iter().flatten();
    let own = own.chain(schema.get("const")).filter_map(Value::as_str);
    own.chain(below).collect()
}

fn dotted(path: &str, key: &str) -> String {
    let dot = if path.is_empty() { "" } else { "." };
    format!("{path}{dot}{key}")
}

impl Key {
    /// An example, or else the default.
    pub fn value(&self) -> Option<&str> {
        self.example.as_deref().or(self.default.as_deref())
    }
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
