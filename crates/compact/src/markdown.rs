//! Markdown: documents as they are read, and other answers for those who ask for it.

use super::rows::Rows;
use super::toon::to_toon;
use serde_json::{Map, Value};

/// A document is an object with a text of several lines in it. Its other fields come first, in TOON;
/// then the text, with its lines as they are instead of `\n` in quotes. Nothing is lost.
pub(super) fn document(value: &Value) -> Option<String> {
    let map = value.as_object()?;
    let texts = map.iter().filter_map(|(key, value)| Some((key, value.as_str()?)));
    let (key, text) =
        texts.filter(|(_, text)| text.contains('\n')).max_by_key(|(_, text)| text.len())?;
    let mut front = map.clone();
    front.shift_remove(key);
    let mut lines = Vec::new();
    if !front.is_empty() {
        lines.push(to_toon(&Value::Object(front)).ok()?);
    }
    let field = to_toon(&Value::Object(Map::from_iter([(key.clone(), Value::Null)]))).ok()?;
    lines.push(field.trim_end_matches(" null").to_owned());
    lines.push(String::new());
    lines.push(text.to_owned());
    Some(lines.join("\n"))
}

/// Whether a text uses the marks by which Markdown is known.
pub(super) fn is_markdown(text: &str) -> bool {
    const MARKS: [&str; 10] =
        ["# ", "## ", "### ", "- ", "* ", "1. ", "> ", "```", "| ", "<details>"];
    let has_mark = |line: &str| MARKS.iter().any(|mark| line.starts_with(mark));
    text.lines().map(str::trim_start).any(has_mark)
}

/// Any answer: rows as a table, fields as a list, a text as it is.
pub(super) fn to_markdown(value: &Value) -> String {
    let rows = Rows::of(value);
    match (rows.get(value).and_then(|items| table(items)), rows) {
        (Some(table), Rows::Field(key)) => below_its_fields(value, &key, &table),
        (Some(table), _) => table,
        _ => document(value).unwrap_or_else(|| list(value, 0)),
    }
}

fn below_its_fields(value: &Value, key: &str, table: &str) -> String {
    let mut fields = value.clone();
    if let Some(fields) = fields.as_object_mut() {
        fields.shift_remove(key);
    }
    let title = format!("**{}**\n\n{table}", inline(key));
    if fields.as_object().is_some_and(Map::is_empty) {
        return title;
    }
    format!("{}\n\n{title}", list(&fields, 0))
}

/// Rows of plain values under the names of all their fields.
fn table(items: &[Value]) -> Option<String> {
    let rows: Vec<&Map<String, Value>> =
        items.iter().map(Value::as_object).collect::<Option<Vec<_>>>()?;
    let mut columns: Vec<&str> = Vec::new();
    for (key, value) in rows.iter().flat_map(|row| row.iter()) {
        if value.is_object() || value.is_array() {
            return None;
        }
        if !columns.contains(&key.as_str()) {
            columns.push(key);
        }
    }
    if columns.is_empty() {
        return None;
    }
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut lines = vec![
        line(columns.iter().map(|column| inline(column)).collect()),
        line(vec!["---".into(); columns.len()]),
    ];
    for row in rows {
        let cells = columns
            .iter()
            .map(|column| row.get(*column).map_or_else(String::new, |v| inline(&cell(v))));
        lines.push(line(cells.collect()));
    }
    Some(lines.join("\n"))
}

fn list(value: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let entry = |name: Option<&str>, value: &Value| {
        let name = name.map_or_else(String::new, |name| format!("**{}**:", inline(name)));
        if !is_plain(value) {
            let inner = list(value, depth + 1);
            let line = if name.is_empty() { "-" } else { "- " };
            return format!("{indent}{line}{name}\n{inner}");
        }
        let space = if name.is_empty() { "" } else { " " };
        // Further lines of a text belong to the same entry when they stand below it.
        let text = cell(value).replace('\n', &format!("\n{indent}  "));
        format!("{indent}- {name}{space}{text}")
    };
    let entries: Vec<String> = match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter().map(|(key, v)| entry(Some(key), v)).collect()
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().map(|item| entry(None, item)).collect()
        }
        other => vec![cell(other)],
    };
    entries.join("\n")
}

/// Whether it has nothing in it that would need lines of its own.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// On one line, and with no mark that would end a cell.
fn inline(text: &str) -> String {
    text.replace('|', "\\|").replace("\r\n", "<br>").replace(['\n', '\r'], "<br>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(value: &Value, expected: &str) {
        assert_eq!(to_markdown(value), expected);
    }

    #[test]
    fn a_document_has_its_fields_first_and_its_text_as_it_is() {
        let issue = json!({"number": 7, "title": "Crash", "body": "It \"fails\":\n\n- at start\n", "by": {"login": "ada"}});
        let expected = "\
number: 7
title: Crash
by:
  login: ada
body:

It \"fails\":

- at start
";
        assert_eq!(document(&issue).as_deref(), Some(expected));
        check(&issue, expected);
        assert_eq!(
            document(&json!({"the text": "a\nb"})).as_deref(),
            Some("\"the text\":\n\na\nb")
        );
    }

    #[test]
    fn what_is_no_document() {
        for value in
            [json!({"a": "one line"}), json!(["a\nb"]), json!("a\nb"), json!({"a": "x\ny", "n": 1})]
        {
            let is_one = value.get("n").is_some();
            assert_eq!(document(&value).is_some(), is_one, "{value}");
        }
        let lossy: Value =
            serde_json::from_str(r#"{"a": "x\ny", "n": 123456789012345678901234567890}"#).unwrap();
        assert_eq!(document(&lossy), None);
    }

    #[test]
    fn rows_are_a_table() {
        check(
            &json!([{"id": 1, "title": "a|b"}, {"id": 2, "note": "x\ny"}]),
            "\
| id | title | note |
| --- | --- | --- |
| 1 | a\\|b |  |
| 2 |  | x<br>y |",
        );
        check(
            &json!({"total": 1, "rows": [{"id": 1}]}),
            "- **total**: 1\n\n**rows**\n\n| id |\n| --- |\n| 1 |",
        );
    }

    #[test]
    fn the_rest_is_a_list() {
        check(
            &json!({"a": 1, "b": {"c": [1, "x"]}, "e": [], "n": null}),
            "- **a**: 1\n- **b**:\n  - **c**:\n    - 1\n    - x\n- **e**: []\n- **n**: null",
        );
        check(&json!([{"a": [1]}]), "-\n  - **a**:\n    - 1");
        check(&json!(["x\ny"]), "- x\n  y");
        check(&json!("# title\ntext"), "# title\ntext");
        check(&json!(7), "7");
        check(&json!([]), "[]");
        check(&json!({"rows": []}), "- **rows**: []");
    }

    #[test]
    fn markdown_is_known_by_its_marks() {
        for (text, is) in [
            ("# タイトル\n\nこれは本文です。", true),
            ("text\n- item", true),
            ("```code\nx\n```", true),
            ("plain\ntext - with a dash", false),
            ("a,b\n1,2", false),
            ("#hashtag", false),
        ] {
            assert_eq!(is_markdown(text), is, "{text}");
        }
    }
}
