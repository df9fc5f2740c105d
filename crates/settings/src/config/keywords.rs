//! Is a key's JSON Schema one? Its faults are found when the manifest is read, not when it is used.

use super::schema::ConfigKey;
use crate::document::Spans;
use jsonschema::ValidationError;
use model::{Fault, did_you_mean};
use serde_json::Value;

/// What may stand under a key of `[config]`.
pub const CONFIG_WORDS: &str = "\
    type default description required enum const title examples format deprecated readOnly \
    writeOnly minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength \
    pattern items prefixItems contains minContains maxContains minItems maxItems uniqueItems \
    unevaluatedItems properties patternProperties additionalProperties unevaluatedProperties \
    propertyNames minProperties maxProperties dependentRequired dependentSchemas allOf anyOf \
    oneOf not if then else contentEncoding contentMediaType contentSchema";

pub(super) const TYPES: [&str; 7] =
    ["string", "integer", "number", "boolean", "array", "object", "null"];

/// What other languages call our types.
const ALIASES: [(&str, &str); 6] = [
    ("str", "string"),
    ("int", "integer"),
    ("float", "number"),
    ("bool", "boolean"),
    ("list", "array"),
    ("dict", "object"),
];

/// Says where the schema is not right, or the default does not fit it.
pub(super) fn check(key: &ConfigKey, spans: &Spans) -> Result<(), Fault> {
    check_words(key, spans)?;
    let validator =
        jsonschema::validator_for(&key.schema).map_err(|error| invalid(key, &error, spans))?;
    let Some(error) = key.default.as_ref().and_then(|default| validator.validate(default).err())
    else {
        return Ok(());
    };
    let fault = Fault::new(format!("the default of `{}` does not fit: {error}", key.name));
    let path = format!("/default{}", error.instance_path());
    Err(spans.fault(&below(key, &path), fault))
}

/// JSON Schema ignores what it does not know; a misspelt rule would be no rule.
fn check_words(key: &ConfigKey, spans: &Spans) -> Result<(), Fault> {
    let names = key.schema.as_object().into_iter().flat_map(|map| map.keys());
    let strange = |name: &&String| {
        !CONFIG_WORDS.split(' ').any(|word| word == *name)
            && !name.starts_with('$')
            && !name.starts_with("x-")
    };
    let Some(name) = names.into_iter().find(strange) else {
        return Ok(());
    };
    let fault = Fault::new(format!("`{name}` is not a word of JSON Schema"));
    let help = match did_you_mean(name, CONFIG_WORDS.split(' ')) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "what is your own begins with `x-`".to_owned(),
    };
    Err(spans.key_fault(&["config", &key.name, name], fault.help(help)))
}

fn invalid(key: &ConfigKey, error: &ValidationError<'_>, spans: &Spans) -> Fault {
    let pointer = error.instance_path().to_string();
    if let Some((word, fault)) = wrong_type(key, &pointer) {
        let path = [below(key, &pointer), vec![word]].concat();
        return spans.fault(&path, fault);
    }
    let reference = matches!(error.kind(), jsonschema::error::ValidationErrorKind::Referencing(_));
    let why = if reference {
        "`$ref` leads nowhere; it can point only into the same key".to_owned()
    } else {
        error.to_string()
    };
    let fault = Fault::new(format!("the schema of `{}` is not valid: {why}", key.name));
    spans.fault(&below(key, &pointer), fault)
}

/// The path of what a JSON pointer into the schema of a key leads to.
fn below<'p>(key: &'p ConfigKey, pointer: &'p str) -> Vec<&'p str> {
    ["config", &key.name].into_iter().chain(pointer.split('/').skip(1)).collect()
}

/// The word that is not a type: the value itself, or one in its list.
fn wrong_type<'k>(key: &'k ConfigKey, pointer: &str) -> Option<(&'k str, Fault)> {
    let given = key.schema.pointer(pointer).filter(|_| pointer.ends_with("/type"))?;
    let words = given.as_array().map_or(std::slice::from_ref(given), Vec::as_slice);
    let word = words.iter().filter_map(Value::as_str).find(|word| !TYPES.contains(word))?;
    let alias = ALIASES.iter().find(|(name, _)| *name == word).map(|(_, name)| *name);
    let help = match alias.or_else(|| did_you_mean(word, TYPES)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are `{}`", TYPES.join("`, `")),
    };
    Some((word, Fault::new(format!("`{word}` is not a type")).help(help)))
}
