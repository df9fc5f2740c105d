//! Serves a corpus: the tools of its servers as modules, its payloads by one module that declares result shapes.
//!
//! Layout, as in `tests/corpus`: `tools/*.json` (`server`, `description`, `tools`), `queries.json`
//! (`query`, `relevant`) and `payloads/*.json`.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::modules::Modules;

const PAYLOADS: &str = include_str!("fixture/payloads.star");

/// Module that returns the payloads.
pub(super) const MODULE: &str = "payloads";

pub(super) struct Corpus {
    /// Root of the repository, for the modules in it.
    root: PathBuf,
    folder: PathBuf,
    servers: Vec<CorpusServer>,
}

/// A server's tool list, with the line that describes it in a manifest.
#[derive(Deserialize)]
struct CorpusServer {
    #[serde(rename = "server")]
    name: String,
    description: String,
    tools: Vec<Value>,
}

/// A request in plain words, with the tools that fit it.
#[derive(Deserialize)]
pub(super) struct PlainRequest {
    pub(super) query: String,
    pub(super) relevant: Vec<String>,
}

impl Corpus {
    /// Opens the corpus in `folder`, by default the repository's own.
    pub(super) fn open(root: &Path, folder: Option<&Path>) -> Result<Self> {
        let folder = folder.map_or_else(|| root.join("tests/corpus"), Path::to_path_buf);
        let files = list_json(&folder.join("tools"))?;
        let servers: Result<Vec<CorpusServer>> = files.iter().map(|path| read(path)).collect();
        Ok(Self { root: root.to_path_buf(), servers: servers?, folder })
    }

    /// The modules that we ship.
    pub(super) fn shipped(&self) -> PathBuf {
        self.root.join("modules")
    }

    /// Writes a module for each server.
    pub(super) fn servers(&self) -> Result<Modules> {
        let modules = Modules::many(0)?;
        for server in &self.servers {
            let source = server.to_module();
            modules.write_described(&server.name, &server.description, "", &source)?;
        }
        Ok(modules)
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.servers.iter().map(|s| s.name.as_str()).collect()
    }

    /// Writes one module that returns the payloads, and returns these by name.
    pub(super) fn payloads(&self) -> Result<(Modules, BTreeMap<String, Value>)> {
        let modules = Modules::many(0)?;
        modules.write_folder(MODULE, "", PAYLOADS)?;
        let module = modules.path().join(MODULE);
        let markdown = self.root.join("modules/notion/markdown.star");
        fs::copy(&markdown, module.join("notion.star"))
            .with_context(|| format!("cannot copy {}", markdown.display()))?;
        let mut payloads = BTreeMap::new();
        for path in list_json(&self.folder.join("payloads"))? {
            let payload: Value = read(&path)?;
            let name = path.file_stem().and_then(|name| name.to_str());
            let name = name.with_context(|| format!("{} is not UTF-8", path.display()))?;
            fs::write(module.join(format!("{name}.json")), payload.to_string())?;
            payloads.insert(name.to_owned(), payload);
        }
        Ok((modules, payloads))
    }

    pub(super) fn requests(&self) -> Result<Vec<PlainRequest>> {
        read(&self.folder.join("queries.json"))
    }
}

impl CorpusServer {
    /// Declares every tool with its own description and schema; of tools with one name, the first.
    fn to_module(&self) -> String {
        let mut seen = HashSet::new();
        let tools = self.tools.iter();
        let tools = tools.filter(|tool| seen.insert(tool["name"].as_str()));
        let declared = tools.map(|tool| {
            let (name, about) = (&tool["name"], &tool["description"]);
            let schema = json!(tool["inputSchema"].to_string());
            format!(
                "tool(_any, name = {name}, description = {about}, input_schema = json.decode({schema}))"
            )
        });
        let head = "def _any(**args):\n    return {}\n".to_owned();
        let lines: Vec<String> = [head].into_iter().chain(declared).collect();
        lines.join("\n")
    }
}

/// Lists the JSON files of a folder, sorted by name; fails if there are none.
fn list_json(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder);
    let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
    let paths: std::io::Result<Vec<PathBuf>> = entries.map(|e| Ok(e?.path())).collect();
    let mut paths = paths?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
    ensure!(!paths.is_empty(), "no JSON files in {}", folder.display());
    paths.sort();
    Ok(paths)
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot parse {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtask::workspace::Workspace;

    /// The error of opening a corpus with this one file in `tools`.
    fn problem(file: &str, text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tools")).unwrap();
        fs::write(folder.path().join("tools").join(file), text).unwrap();
        let error = Corpus::open(Path::new("."), Some(folder.path())).err().unwrap();
        format!("{error:#}").replace(&folder.path().display().to_string(), "DIR")
    }

    #[test]
    fn repository_corpus_is_the_default_and_complete() {
        let corpus = Corpus::open(&Workspace::read().unwrap().root, None).unwrap();
        assert_eq!(corpus.names().len(), 14);
        assert_eq!(corpus.requests().unwrap().len(), 60);
        let (_modules, payloads) = corpus.payloads().unwrap();
        assert!(payloads.contains_key("notion_blocks_children"), "{:?}", payloads.keys());
    }

    #[test]
    fn incomplete_corpus_is_an_error_that_names_the_file() {
        let missing = Corpus::open(Path::new("."), Some(Path::new("no/such"))).err().unwrap();
        assert!(missing.to_string().starts_with("cannot read no/such"), "{missing}");
        assert_eq!(problem("notes.txt", ""), "no JSON files in DIR/tools");
        assert_eq!(
            problem("a.json", r#"{"server": "a", "tools": []}"#),
            "cannot parse DIR/tools/a.json: missing field `description` at line 1 column 28"
        );
    }

    #[test]
    fn repeated_tool_names_are_declared_once() {
        let server: CorpusServer = serde_json::from_value(json!({
            "server": "a", "description": "A \"quoted\" line",
            "tools": [{"name": "x", "description": "1"}, {"name": "x", "description": "2"}],
        }))
        .unwrap();
        let source = server.to_module();
        assert_eq!(source.matches("tool(_any").count(), 1, "{source}");
        assert!(source.contains("description = \"1\""), "{source}");
    }
}
