//! The corpus beside the repository, served: its servers' tools as modules, its answers by a module
//! with declarations of its own.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::modules::Modules;

const PAYLOADS: &str = include_str!("fixture/payloads.star");

/// What the answers are asked by.
pub(super) const MODULE: &str = "payloads";

/// The servers, as their manifests would say what they are for.
const SERVERS: [(&str, &str); 14] = [
    ("airtable", "Airtable bases, tables and records"),
    ("chrome-devtools", "Drive and inspect a Chrome browser"),
    ("context7", "Current documentation of libraries"),
    ("firecrawl", "Scrape, crawl and search the web"),
    ("git", "Read and change a local Git repository"),
    ("github", "GitHub repositories, issues and pull requests"),
    ("gitlab", "GitLab projects, issues and merge requests"),
    ("google-maps", "Places, directions and distances"),
    ("notion", "Notion pages, databases and comments"),
    ("playwright", "Automate a browser with Playwright"),
    ("postgres", "Read-only SQL on PostgreSQL"),
    ("slack", "Slack channels, messages and users"),
    ("tavily", "Search, extract and crawl the web"),
    ("time", "Current time and time zones"),
];

pub(super) struct Corpus {
    /// The repository's root, beside which the corpus lies.
    root: PathBuf,
}

impl Corpus {
    pub(super) fn beside(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
        }
    }

    /// The modules that we ship.
    pub(super) fn shipped(&self) -> PathBuf {
        self.root.join("modules")
    }

    /// The servers, a module each.
    pub(super) fn servers(&self) -> Result<Modules> {
        let modules = Modules::many(0)?;
        for (name, about) in SERVERS {
            let corpus = self.read(&format!("tools/{name}.json"))?;
            modules.write_described(name, about, "", &main(&corpus))?;
        }
        Ok(modules)
    }

    pub(super) fn names() -> Vec<&'static str> {
        SERVERS.iter().map(|(name, _)| *name).collect()
    }

    /// One module that gives the answers, and these by their names.
    pub(super) fn payloads(&self) -> Result<(Modules, BTreeMap<String, Value>)> {
        let modules = Modules::many(0)?;
        modules.write_folder(MODULE, "", PAYLOADS)?;
        let folder = modules.path().join(MODULE);
        let brief = self.root.join("modules/notion/markdown.star");
        fs::copy(&brief, folder.join("notion.star"))
            .with_context(|| format!("{} is needed", brief.display()))?;
        let mut answers = BTreeMap::new();
        let payloads = self.path("payloads");
        let files = fs::read_dir(&payloads);
        let files = files.with_context(|| format!("{} is needed", payloads.display()))?;
        for file in files {
            let file = file?.file_name().into_string();
            let file = file.ok().context("a name that is no text")?;
            let answer = self.read(&format!("payloads/{file}"))?;
            fs::write(folder.join(&file), answer.to_string())?;
            answers.insert(file.trim_end_matches(".json").to_owned(), answer);
        }
        Ok((modules, answers))
    }

    /// Requests in plain words, and the tools that fit each.
    pub(super) fn queries(&self) -> Result<Vec<(String, Vec<String>)>> {
        let queries = self.read("queries_dev.json")?;
        let read = |query: &Value| {
            let tools = query["relevant"].as_array()?.iter();
            let tools = tools.filter_map(|tool| tool.as_str().map(str::to_owned));
            Some((query["query"].as_str()?.to_owned(), tools.collect()))
        };
        let queries = queries.as_array().context("no list of queries")?;
        let read: Option<Vec<_>> = queries.iter().map(read).collect();
        read.context("a query without words or tools")
    }

    fn read(&self, file: &str) -> Result<Value> {
        let path = self.path(file);
        let text = fs::read_to_string(&path);
        let text = text.with_context(|| format!("{} is needed", path.display()))?;
        Ok(serde_json::from_str(&text)?)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.root.join("../shared/corpus").join(file)
    }
}

/// Every tool with its own words and schema. Of variants with one name the first is shown.
fn main(corpus: &Value) -> String {
    let mut seen = HashSet::new();
    let tools = corpus["tools"].as_array().into_iter().flatten();
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
