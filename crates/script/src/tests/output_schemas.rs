//! `output_schema` of a tool: JSON Schema, or a type.

use super::*;

fn declared(schema: &str) -> Result<serde_json::Value, Fault> {
    let source = format!(
        "Row = record(number = int, title = str | None)\n\
         Page = record(results = list[Row], total = field(int | None, None))\n\
         def rows():\n    return {{}}\n\ntool(rows, output_schema = {schema})\n"
    );
    let script = load(&source)?;
    Ok(script.tools[0].tool.output.clone().unwrap())
}

#[test]
fn a_type_names_fields_and_allows_more() {
    let row = json!({
        "type": "object",
        "properties": {"number": {"type": "integer"}, "title": {"type": ["string", "null"]}},
        "required": ["number", "title"],
    });
    let page = json!({
        "type": "object",
        "properties": {
            "results": {"type": "array", "items": row},
            "total": {"type": ["integer", "null"], "default": null},
        },
        "required": ["results"],
    });
    assert_eq!(declared("Page").unwrap(), page);
    assert_eq!(declared("list[Row]").unwrap(), json!({"type": "array", "items": row}));
    let verbatim = json!({"type": "object", "additionalProperties": false});
    assert_eq!(declared(r#"{"type": "object", "additionalProperties": False}"#).unwrap(), verbatim);
}

#[test]
fn other_values_are_rejected() {
    let expected = "tool `rows`: `output_schema` is a JSON Schema or a type, such as a record";
    for (given, why) in
        [("3", ", not a int"), ("typing.Any", "; this type says nothing"), ("{1: lambda: 3}", "")]
    {
        let fault = declared(given).unwrap_err();
        assert_eq!(fault.message, format!("{expected}{why}"), "{given}");
    }
}
