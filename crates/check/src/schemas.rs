//! Schemas that are right and that some clients refuse all the same.

use model::{ModuleName, Tool};
use serde_json::Value;

/// Characters of a name: of a tool with its module before it, as lists show it, and of a parameter.
const LONGEST: usize = 64;

/// What is wrong, a sentence each.
pub(super) fn rejected(module: &ModuleName, tool: &Tool, typed: bool) -> Vec<String> {
    let name = &tool.name;
    let mut faults = Vec::new();
    let whole = format!("{module}_{name}");
    if whole.len() > LONGEST {
        faults.push(format!(
            "`{whole}` has {} characters; clients take names of {LONGEST}",
            whole.len()
        ));
    }
    let schema = tool.input.listed();
    if schema["type"] != "object" {
        faults.push(format!("the input schema of `{name}` is not of type `object`"));
    }
    for (parameter, inner) in schema["properties"].as_object().into_iter().flatten() {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        if parameter.len() > LONGEST || !parameter.chars().all(is_plain) {
            faults.push(format!(
                "`{parameter}` of `{name}` is no name that clients take: letters, digits, `_`, `.`, `-`"
            ));
        }
        // An extension has no words for what is in a list.
        if typed {
            let path = format!("`{parameter}` of `{name}`");
            walk(inner, &path, &mut faults);
        }
    }
    faults
}

fn walk(schema: &Value, path: &str, faults: &mut Vec<String>) {
    if schema["type"] == "array"
        && schema.get("items").is_none()
        && schema.get("prefixItems").is_none()
    {
        faults.push(format!("{path} is a list whose `items` are not said"));
    }
    if let Some(to) = schema["$ref"].as_str().filter(|to| !to.starts_with('#')) {
        faults.push(format!("{path} refers to {to}, which clients do not fetch"));
    }
    let children = schema["properties"].as_object().into_iter().flatten();
    for (_, child) in children {
        walk(child, path, faults);
    }
    if schema["items"].is_object() {
        walk(&schema["items"], path, faults);
    }
}
