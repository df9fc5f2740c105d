//! All clients that are known: ours, and those that people add.
#![expect(clippy::disallowed_methods, reason = "this is the room that reads the table of clients")]

use crate::client::Client;
use crate::home::Home;
use crate::launch;
use crate::trouble::{Trouble, Wrong};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

const OURS: &str = include_str!("clients.toml");

#[derive(Debug)]
pub struct Table(BTreeMap<String, Client>);

impl Table {
    /// Ours, and over them what somebody keeps in a file of his own.
    pub fn load(home: &Home) -> Result<Self, Trouble> {
        let mut all = read(OURS, Path::new("clients.toml"))?;
        let file = home.clients()?;
        match std::fs::read_to_string(&file) {
            Ok(text) => all.extend(read(&text, &file)?),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                return Err(Trouble::Disk { doing: "read", file, why: error.to_string() });
            }
        }
        Ok(Self(all))
    }

    pub fn get(&self, name: &str) -> Option<&Client> {
        self.0.get(name)
    }

    pub fn all(&self) -> impl Iterator<Item = &Client> {
        self.0.values()
    }
}

fn read(text: &str, file: &Path) -> Result<BTreeMap<String, Client>, Trouble> {
    parse(text).map_err(|wrong| Trouble::Text { file: file.to_path_buf(), wrong })
}

fn parse(text: &str) -> Result<BTreeMap<String, Client>, Wrong> {
    let parsed: Result<BTreeMap<String, Client>, _> = toml_edit::de::from_str(text);
    let mut clients = parsed.map_err(|error| {
        let byte = error.span().map_or(0, |span| span.start);
        Wrong::syntax(text, byte, error.message())
    })?;
    for (name, client) in &mut clients {
        client.name.clone_from(name);
        if !launch::is_whole(&client.entry) {
            return Err(Wrong::Shape(format!(
                "`entry` of `{name}` needs \"{{command}}\" and \"{{args}}\", or \"{{command_line}}\""
            )));
        }
        if client.servers.is_empty() {
            return Err(Wrong::Shape(format!("`servers` of `{name}` names no key")));
        }
    }
    Ok(clients)
}
