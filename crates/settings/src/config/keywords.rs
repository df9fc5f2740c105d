//! Is a key's JSON Schema one? Its faults are found when the manifest is read, not when it is used.

use super::schema::ConfigKey;
use crate::document::Item;
use jsonschema::{ValidationError, Validator};
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

pub(crate) const TYPES: [&str; 7] =
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

/// Complains where the schema is not right, or the default does not fit it.
pub(super) fn check(item: &Item<'_>, key: &ConfigKey) -> bool {
    known(item, key) && valid(item, key)
}

/// JSON Schema ignores what it does not know; a misspelt rule would be no rule.
fn known(item: &Item<'_>, key: &ConfigKey) -> bool {
    let names = key.schema.as_object().into_iter().flat_map(|map| map.keys());
    let strange = |name: &&String| {
        !CONFIG_WORDS.split(' ').any(|word| word == *name)
            && !name.starts_with('$')
            && !name.starts_with("x-")
    };
    let Some(name) = names.into_iter().find(strange) else {
        return true;
    };
    let fault = Fault::new(format!("`{name}` is not a word of JSON Schema"));
    let help = match did_you_mean(name, CONFIG_WORDS.split(' ')) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "what is your own begins with `x-`".to_owned(),
    };
    item.below([name.as_str()]).report_key(fault.help(help));
    false
}

fn valid(item: &Item<'_>, key: &ConfigKey) -> bool {
    let validator = match jsonschema::validator_for(&key.schema) {
        Ok(validator) => validator,
        Err(error) => {
            invalid(item, &error);
            return false;
        }
    };
    fits(item, key, &validator)
}

fn invalid(item: &Item<'_>, error: &ValidationError<'_>) {
    let path = error.instance_path().to_string();
    let at = item.below(path.split('/').skip(1));
    if path.ends_with("/type") && report_type(&at) {
        return;
    }
    let reference = matches!(error.kind(), jsonschema::error::ValidationErrorKind::Referencing(_));
    let why = if reference {
        "`$ref` leads nowhere; it can point only into the same key".to_owned()
    } else {
        error.to_string()
    };
    at.complain(format!("the schema of `{}` is not valid: {why}", item.key()));
}

/// Finds the word that is not a type: the value itself, or one in its list.
fn report_type(at: &Item<'_>) -> bool {
    let words = match at.json() {
        Some(Value::Array(words)) => words,
        one => one.into_iter().collect(),
    };
    let mut words = words.iter().enumerate();
    let wrong =
        words.find_map(|(i, word)| Some((i, word.as_str()?)).filter(|(_, w)| !TYPES.contains(w)));
    if let Some((i, word)) = wrong {
        at.below([i.to_string().as_str()]).report(not_a_type(word));
    }
    wrong.is_some()
}

fn not_a_type(given: &str) -> Fault {
    let alias = ALIASES.iter().find(|(name, _)| *name == given);
    let near = alias.map(|(_, name)| *name);
    let help = match near.or_else(|| did_you_mean(given, TYPES)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are `{}`", TYPES.join("`, `")),
    };
    Fault::new(format!("`{given}` is not a type")).help(help)
}

fn fits(item: &Item<'_>, key: &ConfigKey, validator: &Validator) -> bool {
    let Some(default) = &key.default else {
        return true;
    };
    let Err(error) = validator.validate(default) else {
        return true;
    };
    let path = error.instance_path().to_string();
    let at = item.below(["default"]).below(path.split('/').skip(1));
    at.complain(format!("the default of `{}` does not fit: {error}", key.name));
    false
}
