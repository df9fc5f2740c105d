//! JSON values written as TOML.

use serde_json::{Map, Value};

/// An object as TOML: plain entries first, then tables, then lists of tables. `null` is left out.
/// A table stands under its whole path, so that the text can be far longer than the value.
pub fn write_toml(value: &Value, longest: usize) -> Result<String, String> {
    let Value::Object(root) = value else {
        return Err(format!("a TOML text is a dict, not {}", spoken(value)));
    };
    let mut out = Out { text: String::new(), longest };
    table(root, "", &mut out)?;
    Ok(out.text)
}

/// A value on one line, as it stands behind a `=`.
pub(crate) fn inline_toml(value: &Value) -> String {
    let mut out = Out { text: String::new(), longest: usize::MAX };
    inline(value, &mut out).map_or_else(|why| why, |()| out.text)
}

struct Out {
    text: String,
    longest: usize,
}

impl Out {
    fn push(&mut self, text: &str) -> Result<(), String> {
        if self.text.len() + text.len() > self.longest {
            return Err(format!("the text is longer than {} bytes", self.longest));
        }
        self.text.push_str(text);
        Ok(())
    }
}

fn spoken(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "a list",
        Value::String(_) => "a string",
        Value::Null => "None",
        _ => "a number or boolean",
    }
}

/// A table's own lines, then those of the tables in it, each under its whole path.
fn table(table: &Map<String, Value>, path: &str, out: &mut Out) -> Result<(), String> {
    let (below, here): (Vec<_>, Vec<_>) = table.iter().partition(|(_, v)| is_below(v));
    for (name, value) in here.into_iter().filter(|(_, value)| !value.is_null()) {
        out.push(&toml_key(name))?;
        out.push(" = ")?;
        inline(value, out)?;
        out.push("\n")?;
    }
    for (name, value) in below {
        let dot = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{dot}{}", toml_key(name));
        let (tables, open, close) = match value {
            Value::Array(items) => (items.as_slice(), "[[", "]]"),
            only => (std::slice::from_ref(only), "[", "]"),
        };
        for inner in tables.iter().filter_map(Value::as_object) {
            if !out.text.is_empty() {
                out.push("\n")?;
            }
            for part in [open, &path, close, "\n"] {
                out.push(part)?;
            }
            self::table(inner, &path, out)?;
        }
    }
    Ok(())
}

/// Tables, and lists of nothing but tables, get lines of their own.
fn is_below(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_object),
        _ => false,
    }
}

fn inline(value: &Value, out: &mut Out) -> Result<(), String> {
    match value {
        Value::Null => return Err("a list cannot hold None: TOML has no word for it".into()),
        Value::Bool(yes) => out.push(&yes.to_string())?,
        Value::Number(number) => out.push(&digits(&number.to_string())?)?,
        Value::String(text) => out.push(&quoted(text))?,
        Value::Array(items) => {
            out.push("[")?;
            for (i, item) in items.iter().enumerate() {
                out.push(if i > 0 { ", " } else { "" })?;
                inline(item, out)?;
            }
            out.push("]")?;
        }
        Value::Object(fields) => {
            out.push("{")?;
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            for (i, (name, value)) in fields.enumerate() {
                out.push(if i > 0 { ", " } else { " " })?;
                out.push(&toml_key(name))?;
                out.push(" = ")?;
                inline(value, out)?;
            }
            out.push(" }")?;
        }
    }
    Ok(())
}

/// TOML's integers have 64 bits; its floats are spelt as JSON's.
fn digits(number: &str) -> Result<String, String> {
    let is_float = number.contains(['.', 'e', 'E']);
    if !is_float && number.parse::<i64>().is_err() {
        return Err(format!("{number} does not fit into the 64 bits of a TOML integer"));
    }
    Ok(number.to_owned())
}

pub(crate) fn toml_key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.chars().all(bare) {
        return name.to_owned();
    }
    quoted(name)
}

/// JSON's quotes and escapes are TOML's too; only `DEL` must be escaped as well.
fn quoted(text: &str) -> String {
    let quoted = Value::String(text.to_owned()).to_string();
    quoted.replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_toml;
    use serde_json::json;

    #[track_caller]
    fn there_and_back(value: &Value, expected: &str) {
        let text = write_toml(value, 1_000).unwrap();
        assert_eq!(text, expected);
        assert_eq!(&read_toml(&text).unwrap(), value);
    }

    #[test]
    fn what_is_written_is_read_again() {
        there_and_back(&json!({}), "");
        there_and_back(
            &json!({"a": 1, "b": [1.5, true, "x\n\u{7f}ü"], "c d": {"": []}}),
            "a = 1\nb = [1.5, true, \"x\\n\\u007fü\"]\n\n[\"c d\"]\n\"\" = []\n",
        );
        there_and_back(
            &json!({"list": [{"x": {"y": 1}}, {}], "mixed": [{"a": 1}, 2]}),
            "mixed = [{ a = 1 }, 2]\n\n[[list]]\n\n[list.x]\ny = 1\n\n[[list]]\n",
        );
    }

    #[test]
    fn what_toml_cannot_say_is_named() {
        let check = |value: Value, expected: &str| {
            assert_eq!(write_toml(&value, 1_000).unwrap_err(), expected);
        };
        check(json!(null), "a TOML text is a dict, not None");
        check(json!({"a": [null]}), "a list cannot hold None: TOML has no word for it");
        let deep = json!({"a".repeat(400): {"b".repeat(400): {"c": {}}}});
        check(deep, "the text is longer than 1000 bytes");
        let big: Value = serde_json::from_str("9223372036854775808").unwrap();
        check(
            json!({"a": big}),
            "9223372036854775808 does not fit into the 64 bits of a TOML integer",
        );
    }
}
