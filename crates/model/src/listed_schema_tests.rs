//! What lists show of schemas that clients reject, and what is left alone.
#![expect(clippy::needless_pass_by_value, reason = "`json!` reads best where it is written")]

use super::*;
use crate::{Args, Input};

#[track_caller]
fn lists(schema: Value, expected: Value) {
    assert_eq!(list_input(&schema), expected);
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

#[test]
fn boolean_schemas_become_objects() {
    lists(
        object(json!({
            "any": true,
            "never": false,
            "deep": {"type": "array", "items": true, "contains": true},
            "map": {"type": "object", "additionalProperties": true},
            "closed": {"type": "object", "additionalProperties": false, "unevaluatedProperties": false},
            "some": {"anyOf": [true, {"type": "string"}]},
        })),
        object(json!({
            "any": {},
            "deep": {"type": "array", "items": {}},
            "map": {"type": "object"},
            "closed": {"type": "object", "additionalProperties": false},
            "some": {"anyOf": [{}, {"type": "string"}]},
        })),
    );
}

#[test]
fn old_forms_are_spelt_as_today() {
    lists(
        object(json!({
            "above": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
            "below": {"type": "number", "maximum": 9, "exclusiveMaximum": false},
            "pair": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]},
            "here": {"type": "string", "required": true},
        })),
        object(json!({
            "above": {"type": "number", "exclusiveMinimum": 0},
            "below": {"type": "number", "maximum": 9},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "here": {"type": "string"},
        })),
    );
}

/// The keyword `title`, not the parameter `title`.
#[test]
fn titles_and_drafts_are_not_listed() {
    let mut schema = object(json!({"title": {"type": "string", "title": "The title"}}));
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("Args");
    lists(schema, object(json!({"title": {"type": "string"}})));
}

#[test]
fn choices_at_the_root_are_merged() {
    let text = json!({"type": "string"});
    lists(
        json!({
            "type": "object",
            "properties": {"repo": text},
            "required": ["repo"],
            "oneOf": [
                {"properties": {"id": {"type": "integer"}}, "required": ["id"]},
                {"properties": {"id": {}, "name": text}, "required": ["repo", "name"]},
            ],
        }),
        json!({
            "type": "object",
            "properties": {"repo": text, "id": {"anyOf": [{"type": "integer"}, {}]}, "name": text},
            "required": ["repo"],
            "description": "Give id, or repo and name.",
        }),
    );
    lists(
        json!({
            "type": "object",
            "allOf": [{"$ref": "#/$defs/base"}, {"properties": {"b": text}, "required": ["b"]}],
            "$defs": {"base": {"properties": {"a": text}, "required": ["a"]}},
        }),
        json!({
            "type": "object",
            "$defs": {"base": {"properties": {"a": text}, "required": ["a"]}},
            "required": ["a", "b"],
            "properties": {"a": text, "b": text},
        }),
    );
    lists(
        json!({"type": "object", "description": "Find.", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"type": "object", "description": "Find. Give a, or b."}),
    );
}

/// A schema that refers to itself ends.
#[test]
fn references_in_a_circle_end() {
    let round =
        json!({"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}});
    assert_eq!(list_input(&round)["type"], "object");
    let round = json!({"type": "object", "anyOf": vec![json!({"$ref": "#"}); 50]});
    assert_eq!(list_input(&round)["type"], "object");
}

#[test]
fn what_is_fine_stays() {
    let fine = json!({
        "type": "object",
        "properties": {
            "state": {"type": "string", "enum": ["open", "closed"], "default": "open"},
            "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "in": {"$ref": "#/$defs/in"},
        },
        "required": ["state"],
        "additionalProperties": false,
        "$defs": {"in": {"type": "array", "items": {"type": "string"}}},
    });
    lists(fine.clone(), fine);
}

/// The schema as it was written decides what is accepted.
#[test]
fn arguments_are_checked_by_the_schema_itself() {
    let input = Input::verbatim(json!({
        "type": "object",
        "properties": {
            "any": true,
            "page": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
        },
        "anyOf": [{"required": ["any"]}, {"required": ["page"]}],
    }))
    .unwrap();
    let accepts = |args: Value| {
        let args: Args = args.as_object().unwrap().clone();
        input.accept(args).is_ok()
    };
    assert!(accepts(json!({"any": [1]})));
    assert!(accepts(json!({"page": 1})));
    assert!(!accepts(json!({"page": 0})));
    assert!(!accepts(json!({})));
    let listed = json!({
        "type": "object",
        "properties": {"any": {}, "page": {"type": "integer", "exclusiveMinimum": 0}},
        "description": "Give any, or page.",
    });
    assert_eq!(*input.listed(), listed);
}
