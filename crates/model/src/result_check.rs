//! Check of a result against the JSON Schema that its tool declares.

use serde_json::Value;

/// Returns where and how a result differs from its schema; `None` if it matches.
pub fn result_mismatch(schema: &Value, result: &Value) -> Option<String> {
    let validator = match jsonschema::validator_for(schema) {
        Ok(validator) => validator,
        Err(error) => return Some(format!("the schema is invalid: {error}")),
    };
    let error = validator.iter_errors(result).next()?;
    let path = error.instance_path().to_string();
    let place = match path.as_str() {
        "" => "the result".to_owned(),
        path => format!("`{}`", path.trim_start_matches('/').replace('/', ".")),
    };
    Some(format!("{place}: {}", error.masked()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_mismatch_is_told_with_its_place_and_without_the_value() {
        let row =
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let schema = json!({
            "type": "object",
            "properties": {"results": {"type": "array", "items": row}},
            "required": ["results"],
        });
        for (result, expected) in [
            (json!({"results": [{"n": 1, "more": true}]}), None),
            (
                json!({"results": [{"n": 1}, {"n": "x"}]}),
                Some("`results.1.n`: value is not of type \"integer\""),
            ),
            (json!({"results": [{}]}), Some("`results.0`: \"n\" is a required property")),
            (json!([]), Some("the result: value is not of type \"object\"")),
        ] {
            let found = result_mismatch(&schema, &result);
            assert_eq!(found.as_deref(), expected, "{result}");
        }
        let invalid = result_mismatch(&json!({"type": 3}), &json!(1)).unwrap_or_default();
        assert!(invalid.starts_with("the schema is invalid: "), "{invalid}");
    }
}
