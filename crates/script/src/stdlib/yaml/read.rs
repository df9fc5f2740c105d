//! YAML into JSON. An alias counts as much as what it stands for, so that no text can stand for more
//! than it may.

use num_bigint::BigInt;
use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};
use serde_json::{Map, Number, Value as Json};
use std::collections::HashMap;
use std::str::FromStr;

const LONGEST_TEXT: usize = 8 << 20;
/// Values, those that aliases stand for counted each time.
const MOST_VALUES: usize = 1_000_000;
/// Bytes of their texts, likewise.
const MOST_BYTES: usize = 64 << 20;
const DEEPEST: usize = 100;
const LONGEST_NUMBER: usize = 1_000;

/// All documents of the text; `go_on` says whether there is time.
pub(super) fn documents(
    text: &str,
    go_on: &dyn Fn() -> anyhow::Result<()>,
) -> anyhow::Result<Vec<Json>> {
    if text.len() > LONGEST_TEXT {
        anyhow::bail!("yaml.decode: {} bytes; it reads {LONGEST_TEXT}", text.len());
    }
    let mut reader = Reader::default();
    for (count, event) in Parser::new_from_str(text).enumerate() {
        if count % 1_000 == 0 {
            go_on()?;
        }
        let (event, span) = event.map_err(|error| {
            let line = error.marker().line();
            anyhow::anyhow!("yaml.decode: line {line}: {}", error.info())
        })?;
        reader.take(event).map_err(|why| at(span, &why))?;
    }
    Ok(reader.done)
}

fn at(span: Span, why: &str) -> anyhow::Error {
    anyhow::anyhow!("yaml.decode: line {}: {why}", span.start.line())
}

/// A value, and how much it counts.
#[derive(Clone)]
struct Node {
    json: Json,
    values: usize,
    bytes: usize,
    /// Only a plain `<<` merges.
    plain: bool,
}

enum Open {
    List(Vec<Json>),
    Map { entries: Map<String, Json>, merged: Vec<Map<String, Json>>, key: Option<(String, bool)> },
}

/// A list or map that is being read, and what it counts so far.
struct Level {
    open: Open,
    anchor: usize,
    values: usize,
    bytes: usize,
}

#[derive(Default)]
struct Reader {
    levels: Vec<Level>,
    anchors: HashMap<usize, Node>,
    values: usize,
    bytes: usize,
    done: Vec<Json>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                let json = scalar(&text, plain, tag.as_deref())?;
                let node = Node { json, values: 1, bytes: text.len(), plain };
                self.finish(node, anchor)
            }
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor) else {
                    return Err("an alias inside what it stands for".into());
                };
                // Counted before it is copied.
                let (values, bytes) = (node.values, node.bytes);
                self.count(values, bytes)?;
                let node = Node { plain: false, ..self.anchors[&anchor].clone() };
                self.add(node)
            }
            Event::SequenceStart(anchor, _) => self.enter(Open::List(Vec::new()), anchor),
            Event::MappingStart(anchor, _) => {
                let (entries, merged, key) = (Map::new(), Vec::new(), None);
                self.enter(Open::Map { entries, merged, key }, anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => self.leave(),
            Event::DocumentStart(_) => {
                self.anchors.clear();
                Ok(())
            }
            Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => Ok(()),
        }
    }

    fn count(&mut self, values: usize, bytes: usize) -> Result<(), String> {
        self.values = self.values.saturating_add(values);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.values > MOST_VALUES || self.bytes > MOST_BYTES {
            return Err(format!(
                "with its aliases written out, the text has more than {MOST_VALUES} values or {MOST_BYTES} bytes"
            ));
        }
        Ok(())
    }

    fn enter(&mut self, open: Open, anchor: usize) -> Result<(), String> {
        if self.levels.len() == DEEPEST {
            return Err(format!("nested deeper than {DEEPEST}"));
        }
        if let Some(Level { open: Open::Map { key: None, .. }, .. }) = self.levels.last() {
            return Err("a key must be a text, not a list or a map".into());
        }
        self.levels.push(Level { open, anchor, values: 1, bytes: 0 });
        Ok(())
    }

    fn leave(&mut self) -> Result<(), String> {
        let Some(level) = self.levels.pop() else {
            return Ok(());
        };
        let json = match level.open {
            Open::List(items) => Json::Array(items),
            Open::Map { entries, merged, .. } => {
                // What was merged stands first, the earlier before the later; one's own wins.
                let mut all = Map::new();
                for (key, value) in merged.into_iter().flatten() {
                    all.entry(key).or_insert(value);
                }
                all.extend(entries);
                Json::Object(all)
            }
        };
        let node = Node { json, values: level.values, bytes: level.bytes, plain: false };
        // Its parts are counted already; it is one more.
        self.count(1, 0)?;
        self.keep(&node, level.anchor)?;
        self.add(node)
    }

    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), String> {
        self.count(node.values, node.bytes)?;
        self.keep(&node, anchor)?;
        self.add(node)
    }

    /// What has an anchor is kept for aliases; the copy counts.
    fn keep(&mut self, node: &Node, anchor: usize) -> Result<(), String> {
        if anchor > 0 {
            self.count(node.values, node.bytes)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(())
    }

    fn add(&mut self, node: Node) -> Result<(), String> {
        let Some(level) = self.levels.last_mut() else {
            self.done.push(node.json);
            return Ok(());
        };
        level.values = level.values.saturating_add(node.values);
        level.bytes = level.bytes.saturating_add(node.bytes);
        match &mut level.open {
            Open::List(items) => items.push(node.json),
            Open::Map { key, .. } if key.is_none() => *key = Some(name(&node)?),
            Open::Map { entries, merged, key } => match key.take() {
                Some((name, true)) if name == "<<" => merge(node.json, merged)?,
                Some((name, _)) if entries.contains_key(&name) => {
                    return Err(format!("the key \"{name}\" is there twice"));
                }
                Some((name, _)) => _ = entries.insert(name, node.json),
                None => {}
            },
        }
        Ok(())
    }
}

/// A key as a text, and whether it was written plainly.
fn name(node: &Node) -> Result<(String, bool), String> {
    match &node.json {
        Json::String(text) => Ok((text.clone(), node.plain)),
        Json::Array(_) | Json::Object(_) => Err("a key must be a text, not a list or a map".into()),
        other => Ok((other.to_string(), false)),
    }
}

fn merge(value: Json, merged: &mut Vec<Map<String, Json>>) -> Result<(), String> {
    match value {
        Json::Object(map) => merged.push(map),
        Json::Array(items) => {
            for item in items {
                merge(item, merged)?;
            }
        }
        _ => return Err("`<<` merges maps, and this is none".into()),
    }
    Ok(())
}

/// What a scalar means, by the core schema of YAML 1.2.
fn scalar(text: &str, plain: bool, tag: Option<&Tag>) -> Result<Json, String> {
    let is_text = tag.is_some_and(|tag| tag.suffix == "str");
    if !plain || is_text {
        return Ok(Json::String(text.to_owned()));
    }
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Json::Null,
        "true" | "True" | "TRUE" => Json::Bool(true),
        "false" | "False" | "FALSE" => Json::Bool(false),
        _ => match number(text)? {
            Some(number) => Json::Number(number),
            None => Json::String(text.to_owned()),
        },
    })
}

fn number(text: &str) -> Result<Option<Number>, String> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Ok(None);
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
        return Err(format!("{text} is no number that can be passed on"));
    }
    if text.len() > LONGEST_NUMBER {
        return Err(format!("a number of {} digits; it may have {LONGEST_NUMBER}", text.len()));
    }
    let radix = |prefix: &str, radix: u32| {
        let digits = text.strip_prefix(prefix)?;
        BigInt::parse_bytes(digits.as_bytes(), radix)
    };
    let digits = text.strip_prefix('+').unwrap_or(text);
    let whole = unsigned.bytes().all(|b| b.is_ascii_digit());
    let int = if whole {
        BigInt::from_str(digits).ok()
    } else {
        radix("0x", 16).or_else(|| radix("0o", 8))
    };
    if let Some(int) = int {
        return Ok(Some(Number::from_string_unchecked(int.to_string())));
    }
    let float = digits.parse::<f64>().ok().filter(|_| unsigned.bytes().all(in_float));
    match float {
        Some(float) if !float.is_finite() => Err(format!("{text} is too large for a number")),
        Some(float) => Ok(Some(Number::from_string_unchecked(format!("{float:?}")))),
        None => Ok(None),
    }
}

fn in_float(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+')
}
