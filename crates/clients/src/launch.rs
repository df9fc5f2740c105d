//! How a client starts us, and the form in which each client writes that down.

use crate::client::Client;
use crate::document;
use crate::trouble::Wrong;
use serde_json::{Map, Value, json};
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub command: String,
    pub args: Vec<String>,
    /// Is the client asked to load all tools at once, if it can be?
    pub always_load: bool,
}

const COMMAND: &str = "{command}";
const ARGS: &str = "{args}";
const COMMAND_LINE: &str = "{command_line}";

impl Launch {
    /// What stands in a client's file.
    pub(crate) fn entry(&self, client: &Client) -> Map<String, Value> {
        let filled = client.entry.iter().map(|(key, value)| {
            let value = match value.as_str() {
                Some(COMMAND) => json!(self.command),
                Some(ARGS) => json!(self.args),
                Some(COMMAND_LINE) => json!(self.line()),
                _ => value.clone(),
            };
            (key.clone(), value)
        });
        let always = client.always.iter().filter(|_| self.always_load);
        let always = always.map(|(key, value)| (key.clone(), value.clone()));
        filled.chain(always).collect()
    }

    /// Is it this program that is started?
    pub fn is_larkspur(&self) -> bool {
        let name = Path::new(&self.command).file_stem();
        name.is_some_and(|name| name == "larkspur")
    }

    /// What an entry starts; none if it is of another kind, like a server at an address.
    pub(crate) fn of_entry(entry: &Value, client: &Client) -> Option<Self> {
        let at = |mark: &str| {
            let mut template = client.entry.iter();
            let (key, _) = template.find(|(_, value)| value.as_str() == Some(mark))?;
            entry.get(key)
        };
        let mut always = client.always.iter();
        let always_load =
            !client.always.is_empty() && always.all(|(key, value)| entry.get(key) == Some(value));
        let (command, args) = if let Some(line) = at(COMMAND_LINE) {
            let mut words = texts(line)?.into_iter();
            (words.next()?, words.collect())
        } else {
            let command = at(COMMAND)?.as_str()?.to_owned();
            (command, at(ARGS).map_or(Some(Vec::new()), texts)?)
        };
        Some(Self { command, args, always_load })
    }

    fn line(&self) -> Vec<&String> {
        std::iter::once(&self.command).chain(&self.args).collect()
    }
}

/// Does a template say all that has to be said?
pub(crate) fn is_whole(template: &Map<String, Value>) -> bool {
    let has = |mark: &str| template.values().any(|value| value.as_str() == Some(mark));
    has(COMMAND_LINE) || (has(COMMAND) && has(ARGS))
}

/// What to paste into a client's file; without a client, the form that most of them read.
pub fn snippet(client: Option<&Client>, name: &str, launch: &Launch) -> String {
    let usual = || {
        let entry = json!({"command": launch.command, "args": launch.args});
        format!("{:#}\n", json!({"mcpServers": {name: entry}}))
    };
    let written = client.map(|client| -> Result<String, Wrong> {
        document::put(client, "", name, &launch.entry(client))
    });
    written.and_then(Result::ok).unwrap_or_else(usual)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let texts = value.as_array()?.iter();
    texts.map(|text| text.as_str().map(str::to_owned)).collect()
}
