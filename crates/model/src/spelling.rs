//! Other spellings of a call that have only one meaning, rewritten to the documented one.

use crate::duplicate_key;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The fields of one call: `module`, `tool`, `params` and others.
type Fields<'f> = Cow<'f, Map<String, Value>>;

/// Names that callers know from elsewhere, and ours.
const OTHER_NAMES: [(&str, &str); 6] = [
    ("tool_name", "tool"),
    ("name", "tool"),
    ("arguments", "params"),
    ("args", "params"),
    ("input", "params"),
    ("parameters", "params"),
];

/// Characters between a module and its tool.
const SEPARATORS: [char; 3] = ['.', '/', ':'];

/// Rewrites the fields of a call: `arguments` to `params`, `params` from JSON text, and
/// `"tool": "notion.search"` to a module and its tool.
pub fn normalize_call(fields: &mut Fields<'_>) {
    for (other, ours) in OTHER_NAMES {
        rename(fields, other, ours);
    }
    let text = fields.get("params").and_then(Value::as_str);
    if let Some(params @ Value::Object(_)) = text.and_then(read_json_text) {
        set(fields, "params", params);
    }
    if let Some((module, tool)) = split_path(fields) {
        set(fields, "module", module.into());
        set(fields, "tool", tool.into());
    }
}

/// The module and the tool that a call names, as far as it does.
pub fn call_target(args: &Map<String, Value>) -> (String, String) {
    let names = ["module", "tool", "tool_name", "name"];
    let named = names.iter();
    let named = named.filter_map(|name| Some(((*name).to_owned(), args.get(*name)?.clone())));
    let mut fields = Cow::Owned(named.collect());
    normalize_call(&mut fields);
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    (text("module").to_owned(), text("tool").to_owned())
}

/// JSON as models write it: also in a code fence, and with a comma after the last item.
pub fn read_json_text(text: &str) -> Option<Value> {
    let text = strip_fence(text);
    let value = serde_json::from_str(text).ok();
    let (value, text) = match value {
        Some(value) => (value, Cow::Borrowed(text)),
        None => {
            let text = drop_trailing_commas(text);
            (serde_json::from_str(&text).ok()?, Cow::Owned(text))
        }
    };
    duplicate_key(text.as_bytes()).is_none().then_some(value)
}

/// The text inside a code fence, if it is in one, and without a byte order mark.
pub fn strip_fence(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}');
    let fenced = text.trim().strip_prefix("```");
    let Some((language, inner)) = fenced.and_then(|inner| inner.split_once('\n')) else {
        return text;
    };
    if !language.trim_end().chars().all(char::is_alphanumeric) {
        return text;
    }
    inner.strip_suffix("```").unwrap_or(inner)
}

/// The text without commas that stand before a closing bracket, outside strings.
pub fn drop_trailing_commas(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    // Where the last comma was put, if only space came after it.
    let mut comma = None;
    let (mut is_string, mut is_escaped) = (false, false);
    for c in text.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_string,
            '"' => is_string = !is_string,
            _ => {}
        }
        if !is_string
            && matches!(c, ']' | '}')
            && let Some(at) = comma
        {
            kept.remove(at);
        }
        if is_string || !c.is_whitespace() {
            comma = (!is_string && c == ',').then_some(kept.len());
        }
        kept.push(c);
    }
    kept
}

fn rename(fields: &mut Fields<'_>, other: &str, ours: &str) {
    let is_absent = fields.get(ours).is_none_or(Value::is_null);
    if is_absent
        && fields.contains_key(other)
        && let Some(value) = fields.to_mut().shift_remove(other)
    {
        set(fields, ours, value);
    }
}

fn set(fields: &mut Fields<'_>, name: &str, value: Value) {
    fields.to_mut().insert(name.to_owned(), value);
}

/// The module and the tool, where one field names both.
fn split_path(fields: &Map<String, Value>) -> Option<(String, String)> {
    let given = |name: &str| fields.get(name).filter(|value| !value.is_null());
    let path = match (given("module"), given("tool")) {
        (_, Some(tool)) => tool.as_str()?,
        (module, None) => module?.as_str()?,
    };
    let (module, tool) = path.split_once(SEPARATORS)?;
    let is_free = given("tool").is_none() || given("module").is_none_or(|given| given == module);
    let is_whole = !module.is_empty() && !tool.is_empty() && !tool.contains(SEPARATORS);
    (is_free && is_whole).then(|| (module.to_owned(), tool.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_are_rewritten_where_only_one_is_meant() {
        for (given, expected) in [
            (
                json!({"tool": "notion.search", "arguments": {"q": 1}}),
                json!({"tool": "search", "params": {"q": 1}, "module": "notion"}),
            ),
            (
                json!({"module": "notion", "tool": "notion.search"}),
                json!({"module": "notion", "tool": "search"}),
            ),
            (json!({"module": "notion.search"}), json!({"module": "notion", "tool": "search"})),
            (
                json!({"name": "notion/search", "input": "{\"q\": 1}"}),
                json!({"tool": "search", "params": {"q": 1}, "module": "notion"}),
            ),
            (
                json!({"params": null, "args": "```json\n{\"q\": [1,],}\n```"}),
                json!({"params": {"q": [1]}}),
            ),
            // Not clear, or not wrong.
            (
                json!({"module": "github", "tool": "notion.search", "params": "x"}),
                json!({"module": "github", "tool": "notion.search", "params": "x"}),
            ),
            (
                json!({"tool": "a.b.c", "params": {}, "args": {}}),
                json!({"tool": "a.b.c", "params": {}, "args": {}}),
            ),
            (json!({"params": "{\"q\": 1, \"q\": 2}"}), json!({"params": "{\"q\": 1, \"q\": 2}"})),
        ] {
            let mut fields = Cow::Borrowed(given.as_object().unwrap());
            normalize_call(&mut fields);
            assert_eq!(json!(*fields), expected, "{given}");
        }
    }

    #[test]
    fn commas_go_only_where_they_are_too_many() {
        for (given, expected) in [
            (r#"[1, {"a": "x,]", }, ]"#, r#"[1, {"a": "x,]" } ]"#),
            (r#"["a\",]", "," ,]"#, r#"["a\",]", "," ]"#),
            ("[1,,]", "[1,]"),
            ("[,1]", "[,1]"),
        ] {
            assert_eq!(drop_trailing_commas(given), expected);
        }
    }

    #[test]
    fn fences_are_taken_off() {
        for (given, expected) in [
            ("```json\n[1]\n```", "[1]\n"),
            ("```\r\n[1]\r\n```\r\n", "[1]\r\n"),
            ("\u{feff} ```\n[1]", "[1]"),
            ("\n[1]", "\n[1]"),
            ("```", "```"),
            ("```a b\nx", "```a b\nx"),
        ] {
            assert_eq!(strip_fence(given), expected, "{given}");
        }
    }
}
