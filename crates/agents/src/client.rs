//! Agent command lines as data: package, settings, names of tools, and how each wraps a result.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use xtask::tools::{Kit, npm_kit};

use crate::stub::{OwnCall, ToolCall};

/// `client.json` in a folder of `crates/agents/clients`, which also has the files of the client's home.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    /// The folder's name.
    #[serde(skip)]
    pub(crate) name: String,
    #[serde(skip)]
    folder: PathBuf,
    /// npm package with its version.
    pub(crate) package: String,
    /// Its command in `node_modules/.bin`.
    pub(crate) program: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
    /// Replaces `@APPROVE@` where calls of every tool are allowed beforehand.
    #[serde(default)]
    pub(crate) approve: String,
    /// Replaces `@SERVER@` in the client's files.
    pub(crate) server: ServerEntry,
    /// Name that the model sees of a tool.
    tool: String,
    search: Option<SearchTool>,
    /// Call of `{tool}` with `{arguments}`, in a client that keeps tools hidden after the search.
    forward: Option<ForwardTool>,
    /// Text that the client puts between two content blocks.
    pub(crate) joiner: String,
    pub(crate) reads: ReadPatterns,
}

/// A client with one model: a column of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) model: String,
}

/// How a client's configuration names the server, over each transport.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerEntry {
    pub(crate) stdio: String,
    pub(crate) http: String,
}

/// The search of a client that defers tools.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchTool {
    tool: String,
    /// Arguments that load a tool by its name, `{tool}`.
    load: Value,
    /// Arguments that search for `{words}`.
    find: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ForwardTool {
    tool: String,
    /// Key of the name.
    name: String,
    /// Key of the arguments.
    arguments: String,
}

/// Regular expressions for a whole result as the model reads it. `{text}` is our text, `{trimmed}` the same without
/// line breaks at its end, `{escaped}` inside a JSON string, `{start}` the first lines of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadPatterns {
    pub(crate) text: String,
    pub(crate) error: String,
    pub(crate) image: String,
    /// A long result that the client cuts.
    pub(crate) cut: Option<String>,
}

impl Client {
    /// All clients, by their names.
    pub(crate) fn read_all(root: &Path) -> Result<Vec<Self>> {
        let mut folders = Vec::new();
        for entry in fs::read_dir(root.join("crates/agents/clients"))? {
            folders.push(entry?.path());
        }
        folders.sort();
        folders.iter().map(|folder| Self::read(folder)).collect()
    }

    fn read(folder: &Path) -> Result<Self> {
        let file = folder.join("client.json");
        let text = fs::read_to_string(&file)?;
        let mut client: Self = serde_json::from_str(&text)
            .with_context(|| format!("cannot read {}", file.display()))?;
        let name = folder.file_name().unwrap_or_default();
        client.name = name.to_string_lossy().into_owned();
        folder.clone_into(&mut client.folder);
        ensure!(!client.columns.is_empty(), "{} has no columns", file.display());
        Ok(client)
    }

    pub(crate) fn version(&self) -> &str {
        let version = self.package.rsplit_once('@');
        version.map_or("", |(_, version)| version)
    }

    /// Its package, below `target/tools`.
    pub(crate) fn kit(&self) -> Kit {
        npm_kit(format!("agents/{}", self.name), &self.package)
    }

    /// Folder of the files that the client finds in its home.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub(crate) fn tool_name(&self, tool: &str) -> String {
        self.tool.replace("{tool}", tool)
    }

    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> ToolCall {
        let tool = self.tool_name(tool);
        let load = self.search.as_ref().map(|search| OwnCall {
            tool: search.tool.clone(),
            arguments: fill(&search.load, "{tool}", &tool),
        });
        let forward = self.forward.as_ref().map(|forward| OwnCall {
            tool: forward.tool.clone(),
            arguments: json!({&forward.name: tool, &forward.arguments: arguments}),
        });
        ToolCall { tool, arguments: arguments.clone(), load, forward }
    }

    pub(crate) fn find(&self, words: &str) -> Option<OwnCall> {
        let search = self.search.as_ref()?;
        Some(OwnCall { tool: search.tool.clone(), arguments: fill(&search.find, "{words}", words) })
    }
}

/// Replaces a placeholder in every string of a value.
pub(crate) fn fill(value: &Value, placeholder: &str, text: &str) -> Value {
    match value {
        Value::String(string) => Value::String(string.replace(placeholder, text)),
        Value::Array(items) => items.iter().map(|item| fill(item, placeholder, text)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, field)| (key.clone(), fill(field, placeholder, text)))
            .collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtask::workspace::Workspace;

    #[test]
    fn every_client_of_the_table_is_there() {
        let clients = Client::read_all(&Workspace::read().unwrap().root).unwrap();
        let columns = clients.iter().flat_map(|client| &client.columns);
        let columns: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
        let expected =
            ["claude", "codex", "codex-unknown", "copilot", "gemini", "opencode", "qwen"];
        assert_eq!(columns, expected);
        assert!(clients.iter().all(|client| !client.version().is_empty()));
        assert_eq!(clients[0].tool_name("call"), "mcp__larkspur__call");
        let call = clients[0].call("call", &json!({}));
        let expected = json!({"query": "select:mcp__larkspur__call"});
        assert_eq!(call.load.unwrap().arguments, expected);
    }
}
