//! A client's file as text: which servers stand in it, one put in, one taken out. Whatever else
//! stands there stays as it is, byte for byte where the notation allows it.

use crate::client::Client;
use crate::trouble::Wrong;
use crate::{json, toml};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    Json,
    Jsonc,
    Toml,
}

/// Some editors begin a file with it; it is none of its text.
const MARK: char = '\u{feff}';

/// What stands in a text for a server.
pub(crate) fn get(client: &Client, text: &str, name: &str) -> Result<Option<Value>, Wrong> {
    let text = text.trim_start_matches(MARK);
    match client.format {
        Format::Toml => toml::get(text, &client.servers, name),
        format => json::get(text, format, &client.servers, name),
    }
}

/// All servers in a text, by their names.
pub(crate) fn all(client: &Client, text: &str) -> Result<Vec<(String, Value)>, Wrong> {
    let text = text.trim_start_matches(MARK);
    match client.format {
        Format::Toml => toml::all(text, &client.servers),
        format => json::all(text, format, &client.servers),
    }
}

/// The text with this server in it. Of one that is there already, other keys stay.
pub(crate) fn put(
    client: &Client,
    text: &str,
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, Wrong> {
    marked(text, |text| match client.format {
        Format::Toml => toml::put(text, &client.servers, name, entry),
        format => json::put(text, format, &client.servers, name, entry),
    })
}

/// The text without this server.
pub(crate) fn take(client: &Client, text: &str, name: &str) -> Result<String, Wrong> {
    marked(text, |text| match client.format {
        Format::Toml => toml::take(text, &client.servers, name),
        format => json::take(text, format, &client.servers, name),
    })
}

fn marked(text: &str, edit: impl FnOnce(&str) -> Result<String, Wrong>) -> Result<String, Wrong> {
    match text.strip_prefix(MARK) {
        Some(rest) => Ok(format!("{MARK}{}", edit(rest)?)),
        None => edit(text),
    }
}
