//! JSON into YAML, in blocks; texts are quoted where a reader could take them for something else.

use serde_json::Value as Json;

pub(super) fn document(json: &Json, longest: usize) -> anyhow::Result<String> {
    let mut out = Out { text: String::new(), longest };
    if is_block(json) {
        out.block(json, 0)?;
    } else {
        out.scalar(json)?;
    }
    Ok(out.text)
}

struct Out {
    text: String,
    longest: usize,
}

/// Lists and maps with something in them take lines of their own.
fn is_block(json: &Json) -> bool {
    match json {
        Json::Array(items) => !items.is_empty(),
        Json::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

impl Out {
    fn block(&mut self, json: &Json, indent: usize) -> anyhow::Result<()> {
        match json {
            Json::Array(items) => items.iter().try_for_each(|item| {
                self.begin(indent, "- ")?;
                self.inside_list(item, indent)
            }),
            Json::Object(fields) => fields.iter().try_for_each(|(key, value)| {
                self.begin(indent, "")?;
                self.field(key, value, indent)
            }),
            other => self.scalar(other),
        }
    }

    /// After the dash, the first line of a block goes on; the others stand below it.
    fn inside_list(&mut self, item: &Json, indent: usize) -> anyhow::Result<()> {
        match item {
            Json::Object(fields) if !fields.is_empty() => {
                for (i, (key, value)) in fields.iter().enumerate() {
                    if i > 0 {
                        self.begin(indent + 2, "")?;
                    }
                    self.field(key, value, indent + 2)?;
                }
                Ok(())
            }
            Json::Array(items) if !items.is_empty() => {
                for (i, item) in items.iter().enumerate() {
                    self.begin(if i > 0 { indent + 2 } else { 0 }, "- ")?;
                    self.inside_list(item, indent + 2)?;
                }
                Ok(())
            }
            other => self.scalar(other),
        }
    }

    fn field(&mut self, key: &str, value: &Json, indent: usize) -> anyhow::Result<()> {
        let key = spelt(key);
        self.push(&key)?;
        if is_block(value) {
            self.push(":\n")?;
            return self.block(value, indent + 2);
        }
        self.push(": ")?;
        self.scalar(value)
    }

    fn scalar(&mut self, json: &Json) -> anyhow::Result<()> {
        let text = match json {
            Json::String(text) => spelt(text),
            Json::Number(number) => number_text(&number.to_string()),
            other => other.to_string(),
        };
        self.push(&text)?;
        self.push("\n")
    }

    fn begin(&mut self, indent: usize, mark: &str) -> anyhow::Result<()> {
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.push(mark)
    }

    fn push(&mut self, text: &str) -> anyhow::Result<()> {
        if self.text.len() + text.len() > self.longest {
            anyhow::bail!("yaml.encode: the text is longer than {} bytes", self.longest);
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// Readers of YAML 1.1 take a number with an exponent for a text unless it has a point and a sign.
fn number_text(number: &str) -> String {
    let Some((digits, exponent)) = number.split_once('e') else {
        return number.to_owned();
    };
    let point = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) { "" } else { "+" };
    format!("{digits}{point}e{sign}{exponent}")
}

/// Plain if that says the same everywhere, else in double quotes, which are JSON's.
fn spelt(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let quoted = Json::String(text.to_owned()).to_string();
    // Characters that YAML takes for breaks or refuses, and JSON does not mind.
    let odd = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    if !quoted.contains(odd) {
        return quoted;
    }
    let escaped = |c: char| {
        if odd(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() }
    };
    quoted.chars().map(escaped).collect()
}

/// Words that some version of YAML takes for something else than a text.
const WORDS: [&str; 10] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "~"];

fn is_plain(text: &str) -> bool {
    let first = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '/'));
    let rest = text
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '@' | '+' | '='));
    first && rest && !text.ends_with(' ') && !WORDS.contains(&text.to_lowercase().as_str())
}
