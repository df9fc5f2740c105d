//! Types of arguments and answers, and their JSON Schema.

use serde_json::{Map, Value, json};

#[derive(Debug, Clone, PartialEq)]
pub enum Schema {
    Any,
    Null,
    Bool,
    Int,
    Number,
    Str,
    /// One of these literals.
    OneOf(Vec<Value>),
    List(Box<Schema>),
    Tuple(Vec<Schema>),
    Dict(Box<Schema>),
    Record {
        name: String,
        fields: Vec<Field>,
    },
    Union(Vec<Schema>),
}

/// A named part of an object: a tool's parameter or a record's field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub name: String,
    pub schema: Schema,
    pub required: bool,
    pub default: Option<Value>,
    pub description: Option<String>,
    /// JSON Schema keywords beyond the type, such as `minimum`.
    pub rules: Map<String, Value>,
}

impl Field {
    pub fn required(name: impl Into<String>, schema: Schema) -> Self {
        Self {
            name: name.into(),
            schema,
            required: true,
            default: None,
            description: None,
            rules: Map::new(),
        }
    }

    pub fn optional(name: impl Into<String>, schema: Schema, default: Option<Value>) -> Self {
        Self { required: false, default, ..Self::required(name, schema) }
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut json = match self.schema.to_json() {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        if let Some(text) = &self.description {
            json.insert("description".into(), json!(text));
        }
        if let Some(default) = &self.default {
            json.insert("default".into(), default.clone());
        }
        json.extend(self.rules.clone());
        Value::Object(json)
    }
}

impl Schema {
    pub fn to_json(&self) -> Value {
        match self {
            Self::Any => json!({}),
            Self::Null => json!({"type": "null"}),
            Self::Bool => json!({"type": "boolean"}),
            Self::Int => json!({"type": "integer"}),
            Self::Number => json!({"type": "number"}),
            Self::Str => json!({"type": "string"}),
            Self::OneOf(choices) => one_of_json(choices),
            // Clients refuse a list whose items are not said, also where they may be anything.
            Self::List(item) => json!({"type": "array", "items": item.to_json()}),
            Self::Tuple(items) => json!({
                "type": "array",
                "prefixItems": items.iter().map(Self::to_json).collect::<Vec<_>>(),
                "minItems": items.len(),
                "maxItems": items.len(),
            }),
            Self::Dict(value) => match value.to_json() {
                Value::Object(any) if any.is_empty() => json!({"type": "object"}),
                value => json!({"type": "object", "additionalProperties": value}),
            },
            Self::Record { fields, .. } => object_json(fields, false),
            Self::Union(kinds) => union_json(kinds),
        }
    }

    /// Python-like spelling: `list[str] | None`.
    pub fn type_name(&self) -> String {
        match self {
            Self::Any => "any".into(),
            Self::Null => "None".into(),
            Self::Bool => "bool".into(),
            Self::Int => "int".into(),
            Self::Number => "number".into(),
            Self::Str => "str".into(),
            Self::OneOf(choices) => {
                choices.iter().map(Value::to_string).collect::<Vec<_>>().join("|")
            }
            Self::List(item) if **item == Self::Any => "list".into(),
            Self::List(item) => format!("list[{}]", item.type_name()),
            Self::Tuple(items) => {
                format!("({})", items.iter().map(Self::type_name).collect::<Vec<_>>().join(", "))
            }
            Self::Dict(value) if **value == Self::Any => "dict".into(),
            Self::Dict(value) => format!("dict[str, {}]", value.type_name()),
            Self::Record { name, .. } => name.clone(),
            Self::Union(kinds) => kinds.iter().map(Self::type_name).collect::<Vec<_>>().join(" | "),
        }
    }
}

pub(crate) fn object_json(fields: &[Field], open: bool) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|f| (f.name.clone(), f.to_json())).collect();
    let required: Vec<&str> =
        fields.iter().filter(|f| f.required).map(|f| f.name.as_str()).collect();
    let mut json = Map::new();
    json.insert("type".into(), json!("object"));
    json.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        json.insert("required".into(), json!(required));
    }
    if !open {
        json.insert("additionalProperties".into(), json!(false));
    }
    Value::Object(json)
}

fn one_of_json(choices: &[Value]) -> Value {
    match choices.first() {
        Some(Value::String(_)) if choices.iter().all(Value::is_string) => {
            json!({"type": "string", "enum": choices})
        }
        Some(_) if choices.iter().all(|c| c.is_i64() || c.is_u64()) => {
            json!({"type": "integer", "enum": choices})
        }
        _ => json!({"enum": choices}),
    }
}

/// Plain types join as `"type": [..]`, which more clients understand than `anyOf`.
fn union_json(kinds: &[Schema]) -> Value {
    let parts: Vec<Value> = kinds.iter().map(Schema::to_json).collect();
    let plain = |part: &Value| {
        part.as_object().filter(|m| m.len() == 1).and_then(|m| m.get("type")).cloned()
    };
    let types: Option<Vec<Value>> = parts.iter().map(plain).collect();
    match types {
        Some(types) => json!({"type": types}),
        None => json!({"anyOf": parts}),
    }
}

/// The type a JSON Schema stands for, as near as one word goes.
pub(crate) fn type_of_json(schema: &Value) -> String {
    if let Some(choices) = choices(schema) {
        return choices;
    }
    let Some(kind) = schema.get("type").and_then(Value::as_str) else {
        return match schema.get("type").and_then(Value::as_array) {
            Some(kinds) => kinds
                .iter()
                .map(|k| type_of_json(&json!({"type": k})))
                .collect::<Vec<_>>()
                .join(" | "),
            None => "any".into(),
        };
    };
    match kind {
        "string" => "str".into(),
        "integer" => "int".into(),
        "number" => "number".into(),
        "boolean" => "bool".into(),
        "null" => "None".into(),
        "array" => match schema.get("items") {
            Some(Value::Object(any)) if any.is_empty() => "list".into(),
            Some(items) => format!("list[{}]", type_of_json(items)),
            None => "list".into(),
        },
        _ => match schema.get("additionalProperties") {
            Some(value @ Value::Object(_)) => format!("dict[str, {}]", type_of_json(value)),
            _ => "dict".into(),
        },
    }
}

/// So many choices are told.
const TOLD: usize = 8;

fn choices(schema: &Value) -> Option<String> {
    let choices = schema.get("enum")?.as_array()?;
    let told = choices.iter().take(TOLD).map(Value::to_string);
    let mut told: Vec<String> = told.collect();
    if choices.len() > TOLD {
        told.push("…".to_owned());
    }
    Some(told.join("|"))
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
