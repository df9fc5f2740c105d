//! Ways into a configuration, and what the schema says where they lead.

use serde_json::Value;

/// A key, then keys of the objects inside.
pub(super) type Path = Vec<String>;

/// The schema of what a path leads to, if the schema says so.
pub(super) fn below<'s>(schema: &'s Value, steps: &[String]) -> Option<&'s Value> {
    steps.iter().try_fold(schema, |schema, step| {
        let property = schema.get("properties").and_then(|p| p.get(step));
        property.or_else(|| schema.get("additionalProperties").filter(|s| s.is_object()))
    })
}

/// The names that a schema, and a value at hand, give to what is inside.
pub(super) fn names<'s>(schema: Option<&'s Value>, held: Option<&'s Value>) -> Vec<&'s str> {
    let properties = schema.and_then(|s| s.get("properties"));
    let maps = [properties, held];
    let maps = maps.into_iter().flatten().filter_map(Value::as_object);
    maps.flat_map(|map| map.keys().map(String::as_str)).collect()
}
