//! Edits TOML. A new server goes to the end of the file, as text, and leaves as the lines it has: so
//! nothing else changes, and a comment stays with what it is about.

use crate::trouble::Wrong;
use serde_json::{Map, Value};
use std::ops::Range;
use toml_edit::{
    Array, Document, DocumentMut, InlineTable, Item, Key, Table, TableLike, TomlError,
    Value as Said,
};

pub(crate) fn get(text: &str, servers: &[String], name: &str) -> Result<Option<Value>, Wrong> {
    let document = parse(text)?;
    Ok(find(document.as_item(), servers, name)?.map(json))
}

/// All servers, by their names.
pub(crate) fn all(text: &str, servers: &[String]) -> Result<Vec<(String, Value)>, Wrong> {
    let document = parse(text)?;
    let mut item = Some(document.as_item());
    for key in servers {
        item = item.and_then(|item| item.get(key));
    }
    let table = item.and_then(Item::as_table_like);
    let pairs = table.into_iter().flat_map(TableLike::iter);
    Ok(pairs.map(|(name, item)| (name.to_owned(), json(item))).collect())
}

pub(crate) fn put(
    text: &str,
    servers: &[String],
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, Wrong> {
    let document = parse(text)?;
    let is_there = find(document.as_item(), servers, name)?.is_some();
    if !is_there && !is_inline(document.as_item(), servers) {
        return Ok(appended(text, servers, name, entry));
    }
    let mut document = document.into_mut();
    let mut table = room(&mut document, servers)?;
    let there = table.entry(name).or_insert(inline());
    table = there.as_table_like_mut().ok_or_else(|| Wrong::not_an_object(name))?;
    for (key, value) in entry {
        let said = table.entry(key).or_insert(Item::None);
        if json(said) != *value {
            say(said, value);
        }
    }
    Ok(with_lines_of(text, &document))
}

pub(crate) fn take(text: &str, servers: &[String], name: &str) -> Result<String, Wrong> {
    let document = parse(text)?;
    let Some(found) = find(document.as_item(), servers, name)? else {
        return Ok(text.to_owned());
    };
    let mut stretches = Vec::new();
    if add_stretches(found, &mut stretches) {
        return Ok(without(text, stretches));
    }
    let mut document = document.into_mut();
    room(&mut document, servers)?.remove(name);
    Ok(with_lines_of(text, &document))
}

fn parse(text: &str) -> Result<Document<&str>, Wrong> {
    Document::parse(text).map_err(|error: TomlError| {
        let byte = error.span().map_or(0, |span| span.start);
        Wrong::syntax(text, byte, error.message())
    })
}

/// What stands for a server, if anything; what is not the way to it is an error.
fn find<'d>(top: &'d Item, servers: &[String], name: &str) -> Result<Option<&'d Item>, Wrong> {
    let mut item = top;
    for key in servers {
        let Some(inner) = item.get(key) else {
            return Ok(None);
        };
        if !inner.is_table_like() {
            return Err(Wrong::not_an_object(key));
        }
        item = inner;
    }
    match item.get(name) {
        Some(found) if !found.is_table_like() => Err(Wrong::not_an_object(name)),
        found => Ok(found),
    }
}

/// Are the servers written in braces? Then a header cannot add to them.
fn is_inline(top: &Item, servers: &[String]) -> bool {
    let mut item = Some(top);
    servers.iter().any(|key| {
        item = item.and_then(|item| item.get(key));
        item.is_some_and(Item::is_inline_table)
    })
}

/// Where servers stand; made, where it is not there yet.
fn room<'d>(
    document: &'d mut DocumentMut,
    servers: &[String],
) -> Result<&'d mut dyn TableLike, Wrong> {
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for key in servers {
        let inner = table.entry(key).or_insert(inline()).as_table_like_mut();
        table = inner.ok_or_else(|| Wrong::not_an_object(key))?;
    }
    Ok(table)
}

fn inline() -> Item {
    Item::Value(InlineTable::new().into())
}

fn appended(text: &str, servers: &[String], name: &str, entry: &Map<String, Value>) -> String {
    let mut table = Table::new();
    for (key, value) in entry {
        say(table.entry(key).or_insert(Item::None), value);
    }
    let keys = servers.iter().map(String::as_str).chain([name]);
    let keys: Vec<String> = keys.map(|key| Key::new(key).to_string()).collect();
    let ending = line_ending(text);
    let before = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let added = format!("{before}[{}]\n{table}", keys.join("."));
    format!("{text}{}", added.replace('\n', ending))
}

/// Says a value anew, with the spaces and the comment that stood around the old one.
fn say(item: &mut Item, value: &Value) {
    let decor = item.as_value().map(|value| value.decor().clone());
    let mut said = said(value);
    if let Some(decor) = decor {
        *said.decor_mut() = decor;
    }
    *item = Item::Value(said);
}

fn said(value: &Value) -> Said {
    match value {
        // TOML has no null, and no table of ours asks for one.
        Value::Null => "".into(),
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(values) => values.iter().map(said).collect::<Array>().into(),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| (key.as_str(), said(value)));
            pairs.collect::<InlineTable>().into()
        }
    }
}

fn json(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => json_of(value),
        Item::Table(table) => table.iter().map(|(key, item)| (key, json(item))).collect(),
        Item::ArrayOfTables(tables) => tables
            .iter()
            .map(|table| -> Value { table.iter().map(|(key, item)| (key, json(item))).collect() })
            .collect(),
    }
}

fn json_of(value: &Said) -> Value {
    match value {
        Said::String(text) => text.value().as_str().into(),
        Said::Integer(number) => (*number.value()).into(),
        Said::Float(number) => (*number.value()).into(),
        Said::Boolean(value) => (*value.value()).into(),
        Said::Datetime(time) => time.value().to_string().into(),
        Said::Array(values) => values.iter().map(json_of).collect(),
        Said::InlineTable(table) => table.iter().map(|(key, v)| (key, json_of(v))).collect(),
    }
}

/// Where a table of its own stands, and those below it; false if it is written in another way.
fn add_stretches(item: &Item, stretches: &mut Vec<Range<usize>>) -> bool {
    let Item::Table(table) = item else {
        return false;
    };
    if table.is_dotted() {
        return false;
    }
    // A table that only those below it speak of has no lines of its own.
    let mut own = table.span().filter(|_| !table.is_implicit());
    for (_, child) in table {
        match child {
            Item::Table(inner) if !inner.is_dotted() => {
                if !add_stretches(child, stretches) {
                    return false;
                }
            }
            _ => match (end_of(child), &mut own) {
                (Some(end), Some(own)) => own.end = own.end.max(end),
                _ => return false,
            },
        }
    }
    stretches.extend(own);
    true
}

/// Where a value ends, or the last one that dotted keys say.
fn end_of(item: &Item) -> Option<usize> {
    match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(table) => {
            let ends: Option<Vec<usize>> = table.iter().map(|(_, inner)| end_of(inner)).collect();
            ends?.into_iter().max()
        }
        Item::None | Item::ArrayOfTables(_) => None,
    }
}

/// The text without the lines of these stretches, and without the empty line before each.
fn without(text: &str, mut stretches: Vec<Range<usize>>) -> String {
    stretches.sort_by_key(|stretch| stretch.start);
    let mut rest = text.to_owned();
    for stretch in stretches.into_iter().rev() {
        let end = rest[stretch.end..].find('\n');
        let end = end.map_or(rest.len(), |at| stretch.end + at + 1);
        let start = rest[..stretch.start].rfind('\n').map_or(0, |at| at + 1);
        let before = &rest[..start];
        let empty = ["\n\r\n", "\n\n"].iter().find(|end| before.ends_with(**end));
        let start = start - empty.map_or(0, |end| end.len() - 1);
        rest.replace_range(start..end, "");
    }
    rest
}

fn line_ending(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The writer knows one kind of line ending.
fn with_lines_of(text: &str, document: &DocumentMut) -> String {
    let written = document.to_string().replace("\r\n", "\n");
    written.replace('\n', line_ending(text))
}
