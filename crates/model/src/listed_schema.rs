//! Schemas rewritten for tool lists: forms that some clients reject are replaced by ones that all accept.

use serde_json::{Map, Value, json};
use std::cell::Cell;

type Schema = Map<String, Value>;

/// Keywords that hold schemas by name, in a list, or one.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTED: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE: [&str; 11] = [
    "items",
    "additionalItems",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
];
/// What models need not read.
const UNREAD: [&str; 3] = ["$schema", "$comment", "title"];
/// The dialect of MCP's schemas, and keywords that only it has.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
const DIALECT_KEYWORDS: [&str; 8] = [
    "$defs",
    "$anchor",
    "$dynamicRef",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
    "dependentSchemas",
    "dependentRequired",
];
/// Keywords of a branch of `allOf` that lose nothing when they are merged into the schema around it.
const MERGED: [&str; 4] = ["type", "properties", "required", "description"];
/// How many branches are merged into one schema: references may lead in circles.
const MOST_BRANCHES: usize = 100;

/// Forms of draft-04 in their present spelling, with the same meaning.
pub(crate) fn modernize(schema: &Value) -> Value {
    let mut modern = rewrite(schema, modernize_one);
    if let Some(schema) = modern.as_object_mut() {
        // It names the draft whose forms are gone now.
        schema.shift_remove("$schema");
    }
    modern
}

/// What a tool list shows of an input schema. Arguments are checked by the schema itself.
pub(crate) fn list_input(schema: &Value) -> Value {
    let plain = list_output(schema);
    let Value::Object(root) = plain else {
        return plain;
    };
    let definitions = Value::Object(root.clone());
    let left = Cell::new(MOST_BRANCHES);
    let mut root = without_root_choices(root, &definitions, &left);
    let names_dialect = schema["$schema"] == DIALECT;
    if names_dialect && DIALECT_KEYWORDS.iter().any(|key| root.contains_key(*key)) {
        root.shift_insert(0, "$schema".to_owned(), json!(DIALECT));
    }
    Value::Object(root)
}

/// What a tool list shows of an output schema.
pub fn list_output(schema: &Value) -> Value {
    rewrite(&rewrite(schema, modernize_one), simplify_one)
}

/// Changes every schema within, then the schema itself.
fn rewrite(schema: &Value, change: fn(Schema) -> Schema) -> Value {
    let Value::Object(map) = schema else {
        return schema.clone();
    };
    let inner = map.iter().map(|(key, value)| {
        let key = key.as_str();
        let value = match value {
            Value::Object(all) if NAMED.contains(&key) => {
                let all = all.iter();
                all.map(|(name, schema)| (name.clone(), rewrite(schema, change))).collect()
            }
            Value::Array(all) if LISTED.contains(&key) || key == "items" => {
                all.iter().map(|schema| rewrite(schema, change)).collect()
            }
            Value::Object(_) if SINGLE.contains(&key) => rewrite(value, change),
            _ => value.clone(),
        };
        (key.to_owned(), value)
    });
    Value::Object(change(inner.collect()))
}

fn modernize_one(mut schema: Schema) -> Schema {
    for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        let Some(is_exclusive) = schema.get(exclusive).and_then(Value::as_bool) else {
            continue;
        };
        schema.shift_remove(exclusive);
        if is_exclusive && let Some(value) = schema.shift_remove(bound) {
            schema.insert(exclusive.to_owned(), value);
        }
    }
    if schema.get("items").is_some_and(Value::is_array)
        && let Some(items) = schema.shift_remove("items")
    {
        schema.insert("prefixItems".to_owned(), items);
        if let Some(rest) = schema.shift_remove("additionalItems") {
            schema.insert("items".to_owned(), rest);
        }
    }
    schema
}

fn simplify_one(mut schema: Schema) -> Schema {
    for key in UNREAD {
        schema.shift_remove(key);
    }
    // Only `false` says anything there, and only in objects do all clients read it.
    for key in SINGLE {
        let kept = match (key, schema.get(key)) {
            ("additionalProperties", Some(Value::Bool(false))) => continue,
            ("items", Some(Value::Bool(_))) => Some(json!({})),
            (_, Some(Value::Bool(_))) => None,
            _ => continue,
        };
        schema.shift_remove(key);
        if let Some(kept) = kept {
            schema.insert(key.to_owned(), kept);
        }
    }
    for key in LISTED {
        if let Some(Value::Array(all)) = schema.get_mut(key) {
            all.iter_mut().for_each(unbool);
        }
    }
    for key in NAMED {
        let Some(Value::Object(all)) = schema.get_mut(key) else {
            continue;
        };
        if key.ends_with("roperties") {
            all.retain(|_, schema| *schema != Value::Bool(false));
        }
        all.values_mut().for_each(unbool);
    }
    // Draft-03 said so in the property itself.
    if schema.get("required").is_some_and(Value::is_boolean) {
        schema.shift_remove("required");
    }
    schema
}

/// `true` and `false` as objects.
fn unbool(schema: &mut Value) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({"not": {}}),
        _ => {}
    }
}

/// Merges choices at the root of a schema into it: several clients leave out such tools.
fn without_root_choices(mut root: Schema, definitions: &Value, left: &Cell<usize>) -> Schema {
    root.shift_remove("not");
    let merged = |branch: Schema| {
        left.set(left.get().checked_sub(1)?);
        Some(without_root_choices(branch, definitions, left))
    };
    if let Some(to) = root.get("$ref").and_then(Value::as_str)
        && let Some(Value::Object(target)) = definitions.pointer(to.trim_start_matches('#'))
        && let Some(target) = merged(target.clone())
    {
        root.shift_remove("$ref");
        merge_all(&mut root, vec![target]);
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = root.shift_remove(key) else {
            continue;
        };
        if key == "allOf" && branches.iter().any(says_more) {
            root.insert(key.to_owned(), Value::Array(branches.clone()));
        }
        let branches = branches.into_iter().filter_map(|branch| match branch {
            Value::Object(branch) => merged(branch),
            _ => None,
        });
        let branches: Vec<Schema> = branches.collect();
        if key == "allOf" {
            merge_all(&mut root, branches);
        } else {
            merge_any(&mut root, &branches);
        }
    }
    root.entry("type").or_insert_with(|| json!("object"));
    root
}

/// Whether a branch of `allOf` has keywords that merging would weaken.
fn says_more(branch: &Value) -> bool {
    let mut keys = branch.as_object().into_iter().flat_map(Map::keys);
    keys.any(|key| !MERGED.contains(&key.as_str()) && key != "$ref")
}

/// All of the branches hold.
fn merge_all(root: &mut Schema, branches: Vec<Schema>) {
    for branch in &branches {
        require(root, &names(branch));
    }
    merge_properties(root, &branches);
    for branch in branches {
        for (key, value) in branch {
            if key != "type" && !root.contains_key(&key) {
                root.insert(key, value);
            }
        }
    }
}

/// One of the branches holds: what all of them require is required, and the rest is said in words.
fn merge_any(root: &mut Schema, branches: &[Schema]) {
    let all: Vec<Vec<String>> = branches.iter().map(names).collect();
    let Some((first, others)) = all.split_first() else {
        return;
    };
    let mut common = first.clone();
    common.retain(|name| others.iter().all(|names| names.contains(name)));
    require(root, &common);
    merge_properties(root, branches);
    let choices = all.iter().map(|names| {
        let rest: Vec<&str> =
            names.iter().filter(|name| !common.contains(name)).map(String::as_str).collect();
        rest.join(" and ")
    });
    let choices: Vec<String> = choices.collect();
    if choices.iter().all(|choice| !choice.is_empty()) {
        let words = format!("Give {}.", choices.join(", or "));
        let words = match root.get("description").and_then(Value::as_str) {
            Some(text) => format!("{text} {words}"),
            None => words,
        };
        root.insert("description".to_owned(), json!(words));
    }
}

/// Adds the properties of branches; one that several branches describe differently may be any of those.
fn merge_properties(root: &mut Schema, branches: &[Schema]) {
    let mut added: Map<String, Value> = Map::new();
    for branch in branches {
        let properties = branch.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let said = added.entry(name.clone()).or_insert_with(|| json!([]));
            if let Value::Array(said) = said
                && !said.contains(schema)
            {
                said.push(schema.clone());
            }
        }
    }
    if added.is_empty() {
        return;
    }
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    let Value::Object(properties) = properties else {
        return;
    };
    for (name, said) in added {
        let empty = Schema::new();
        let known = properties.get(&name).and_then(Value::as_object);
        if !known.unwrap_or(&empty).is_empty() {
            continue;
        }
        let schema = match said {
            Value::Array(mut one) if one.len() == 1 => one.remove(0),
            several => json!({"anyOf": several}),
        };
        properties.insert(name, schema);
    }
}

fn names(schema: &Schema) -> Vec<String> {
    let required = schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

fn require(root: &mut Schema, more: &[String]) {
    let mut required = names(root);
    let missing = more.iter().filter(|name| !required.contains(name));
    let missing: Vec<String> = missing.cloned().collect();
    required.extend(missing);
    if !required.is_empty() {
        root.insert("required".to_owned(), json!(required));
    }
}

#[cfg(test)]
#[path = "listed_schema_tests.rs"]
mod tests;
