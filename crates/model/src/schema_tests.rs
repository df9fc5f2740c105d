//! Facts about types, in data.

use super::*;
use crate::MOST_DIGITS;

fn accept(schema: &Schema, given: &str) -> Result<String, String> {
    let mut wrong = Vec::new();
    let value = schema.accept(serde_json::from_str(given).unwrap(), "x", &mut wrong);
    match wrong.as_slice() {
        [] => Ok(value.to_string()),
        all => Err(all
            .iter()
            .map(|m| format!("{}: {}", m.path, m.message))
            .collect::<Vec<_>>()
            .join("; ")),
    }
}

#[track_caller]
fn check(schema: &Schema, given: &str, expected: Result<&str, &str>) {
    assert_eq!(accept(schema, given), expected.map(str::to_owned).map_err(str::to_owned));
}

#[test]
fn integers_of_too_many_digits_are_refused() {
    let longest = "9".repeat(MOST_DIGITS);
    check(&Schema::Int, &longest, Ok(&longest));
    check(&Schema::Int, &format!("-{longest}"), Ok(&format!("-{longest}")));
    let million = "9".repeat(4_000_000);
    let refusal = "4000000 digits are too many for an integer; it may have 20000";
    for (schema, given, path) in [
        (Schema::Int, million.clone(), "x"),
        (Schema::Number, million.clone(), "x"),
        (Schema::List(Box::new(Schema::Int)), format!("[1, {million}]"), "x[1]"),
        (Schema::Any, format!("{{\"a\": [{million}]}}"), "x.a[0]"),
    ] {
        check(&schema, &given, Err(&format!("{path}: {refusal}")));
    }
}

#[test]
fn plain_values() {
    check(&Schema::Int, "3", Ok("3"));
    check(&Schema::Int, "3.0", Ok("3"));
    check(&Schema::Int, "123456789012345678901234567890", Ok("123456789012345678901234567890"));
    check(&Schema::Int, "3.5", Err("x: expected an integer, got the number 3.5"));
    check(&Schema::Int, "1e999", Err("x: expected an integer, got the number 1e+999"));
    check(&Schema::Int, "\"3\"", Err("x: expected an integer, got the string \"3\""));
    check(&Schema::Number, "1", Ok("1"));
    check(&Schema::Number, "1e999", Err("x: 1e+999 is too large for a number"));
    check(&Schema::Any, "{\"a\": [1e999]}", Err("x.a[0]: 1e+999 is too large for a number"));
    check(&Schema::Str, "\"ü\"", Ok("\"ü\""));
    check(&Schema::Str, "null", Err("x: expected a string, got null"));
    check(&Schema::Bool, "1", Err("x: expected true or false, got the number 1"));
}

#[test]
fn choices() {
    let state = Schema::OneOf(vec![json!("open"), json!("closed")]);
    check(&state, "\"open\"", Ok("\"open\""));
    check(
        &state,
        "\"opne\"",
        Err(
            "x: expected one of \"open\", \"closed\", got the string \"opne\"; did you mean \"open\"?",
        ),
    );
}

#[test]
fn nested_values() {
    let rows = Schema::List(Box::new(Schema::Dict(Box::new(Schema::Int))));
    check(&rows, r#"[{"a": 1}, {"b": 2.0}]"#, Ok(r#"[{"a":1},{"b":2}]"#));
    check(
        &rows,
        r#"[{"a": 1}, {"b": "2"}]"#,
        Err("x[1].b: expected an integer, got the string \"2\""),
    );
    let pair = Schema::Tuple(vec![Schema::Int, Schema::Str]);
    check(&pair, r#"[1, "a"]"#, Ok(r#"[1,"a"]"#));
    check(&pair, "[1]", Err("x: expected a list of 2, got a list"));
}

#[test]
fn records_fill_in_and_name_what_is_wrong() {
    let point = Schema::Record {
        name: "Point".into(),
        fields: vec![
            Field::required("x", Schema::Int),
            Field::optional("y", Schema::Number, Some(json!(0.5))),
        ],
    };
    check(&point, r#"{"x": 1}"#, Ok(r#"{"x":1,"y":0.5}"#));
    check(&point, "{}", Err("x.x: is required"));
    check(&point, r#"{"x": 1, "yy": 2}"#, Err("x.yy: is not a parameter; there are x, y"));
    check(&point, "[]", Err("x: expected an object (Point), got a list"));
    assert_eq!(
        point.to_json(),
        json!({"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "number", "default": 0.5}},
               "required": ["x"], "additionalProperties": false})
    );
}

#[test]
fn unions_take_the_exact_type_first() {
    let either = Schema::Union(vec![Schema::Int, Schema::Number]);
    check(&either, "1", Ok("1"));
    check(&either, "1.0", Ok("1.0"));
    let maybe = Schema::Union(vec![Schema::Str, Schema::Null]);
    check(&maybe, "null", Ok("null"));
    check(&maybe, "1", Err("x: expected a string or null, got the number 1"));
    assert_eq!(maybe.to_json(), json!({"type": ["string", "null"]}));
    let lists = Schema::Union(vec![Schema::List(Box::new(Schema::Int)), Schema::Null]);
    check(&lists, "[true]", Err("x[0]: expected an integer, got true"));
    assert_eq!(
        lists.to_json(),
        json!({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]})
    );
}

#[test]
fn typed_text_is_read_by_the_type() {
    let check = |schema: &Schema, text: &str, expected: Value| {
        assert_eq!(schema.read_text(text), expected, "{text}");
    };
    check(&Schema::Str, "5", json!("5"));
    check(&Schema::Int, "5", json!(5));
    check(&Schema::Int, "five", json!("five"));
    check(&Schema::Any, "5", json!(5));
    check(&Schema::Any, "x", json!("x"));
    check(&Schema::Bool, "yes", json!(true));
    check(&Schema::List(Box::new(Schema::Str)), "a, b", json!(["a", "b"]));
    check(&Schema::List(Box::new(Schema::Int)), "[1]", json!([1]));
    check(&Schema::Union(vec![Schema::Str, Schema::Null]), "null", json!("null"));
    check(&Schema::Union(vec![Schema::Int, Schema::Null]), "null", json!(null));
    check(&Schema::OneOf(vec![json!(1), json!(2)]), "2", json!(2));
}

#[test]
fn types_are_spelt_as_in_the_source() {
    let check = |schema: Schema, name: &str| assert_eq!(schema.type_name(), name);
    check(Schema::List(Box::new(Schema::Str)), "list[str]");
    check(Schema::Union(vec![Schema::Dict(Box::new(Schema::Any)), Schema::Null]), "dict | None");
    check(Schema::OneOf(vec![json!("a"), json!("b")]), r#""a"|"b""#);
}
