//! `cases.json`: the results that are looked at, the ways they are asked for, and searches for the meta tools.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::client::fill;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    runs: BTreeMap<String, Run>,
    ways: BTreeMap<String, Way>,
    cases: Vec<Case>,
    searches: Searches,
}

/// One conversation of a client with one server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    /// Folder of modules, from the workspace's root.
    pub(crate) modules: String,
    pub(crate) surface: String,
    /// Whether calls of every tool are allowed beforehand.
    pub(crate) approve: bool,
}

/// How a tool is called: by its own name, or through a meta tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Way {
    title: String,
    run: String,
    tool: String,
    arguments: Value,
    /// Columns that take part; all if empty.
    #[serde(default)]
    clients: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    title: String,
    tool: String,
    ways: Vec<String>,
    #[serde(flatten)]
    facts: Facts,
}

/// What holds for a result, in every client.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Facts {
    #[serde(default)]
    pub(crate) expect: Expect,
    /// Parts of our text.
    #[serde(default)]
    pub(crate) contains: Vec<String>,
    /// Maximum number of characters of our text.
    pub(crate) most: Option<usize>,
    /// File beside the modules that the call must not create.
    pub(crate) absent: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expect {
    #[default]
    Text,
    Error,
    Image,
    /// A text that clients may cut after its first lines.
    Long,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Searches {
    name: String,
    title: String,
    run: String,
    tools: Vec<String>,
    words: Vec<String>,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Name of the case, for `--case`.
    pub(crate) case: String,
    pub(crate) title: String,
    /// Name of the run.
    pub(crate) run: String,
    clients: Vec<String>,
    pub(crate) asks: Asks,
}

/// What the model does for a row.
#[derive(Clone, Debug)]
pub(crate) enum Asks {
    Call {
        tool: String,
        arguments: Value,
        facts: Facts,
    },
    /// Searches for each of the words, all of which must find each of the tools if they are not listed.
    Find {
        words: Vec<String>,
        tools: Vec<String>,
    },
}

/// The rows and the conversations that fill them.
pub(crate) struct Plan {
    pub(crate) runs: BTreeMap<String, Run>,
    pub(crate) rows: Vec<Row>,
}

impl Row {
    #[cfg(test)]
    pub(crate) fn new(title: &str, asks: Asks) -> Self {
        Self {
            case: title.to_owned(),
            title: title.to_owned(),
            run: String::new(),
            clients: Vec::new(),
            asks,
        }
    }

    pub(crate) fn concerns(&self, column: &str) -> bool {
        self.clients.is_empty() || self.clients.iter().any(|client| client == column)
    }
}

impl Plan {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let file = root.join("crates/agents/cases.json");
        let file: CaseFile = serde_json::from_str(&fs::read_to_string(file)?)?;
        let mut rows = vec![file.searches.row()];
        for case in &file.cases {
            for way in &case.ways {
                let known = file.ways.get(way);
                let way = known.with_context(|| format!("{}: no way `{way}`", case.name))?;
                rows.push(case.row(way));
            }
        }
        for row in &rows {
            let known = file.runs.contains_key(&row.run);
            anyhow::ensure!(known, "{}: no run `{}`", row.case, row.run);
        }
        Ok(Self { runs: file.runs, rows })
    }
}

impl Case {
    fn row(&self, way: &Way) -> Row {
        Row {
            case: self.name.clone(),
            title: format!("{}, {}", self.title, way.title),
            run: way.run.clone(),
            clients: way.clients.clone(),
            asks: Asks::Call {
                tool: way.tool.replace("{tool}", &self.tool),
                arguments: fill(&way.arguments, "{tool}", &self.tool),
                facts: self.facts.clone(),
            },
        }
    }
}

impl Searches {
    fn row(&self) -> Row {
        Row {
            case: self.name.clone(),
            title: self.title.clone(),
            run: self.run.clone(),
            clients: Vec::new(),
            asks: Asks::Find { words: self.words.clone(), tools: self.tools.clone() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use xtask::workspace::Workspace;

    #[test]
    fn each_case_is_a_row_for_each_of_its_ways() {
        let plan = Plan::read(&Workspace::read().unwrap().root).unwrap();
        let mut rows = plan.rows.iter();
        let row = rows.find(|row| row.title == "50 issues, list, in a batch").unwrap();
        let Asks::Call { tool, arguments, .. } = &row.asks else { panic!("{row:?}") };
        let task = json!({"id": "t", "module": "hub", "tool": "issues_list", "output": true});
        assert_eq!((tool.as_str(), arguments), ("batch", &json!({"tasks": [task]})));
        assert!(row.concerns("gemini"));
        let headless = plan.rows.iter().find(|row| row.run == "flat-headless");
        assert!(!headless.unwrap().concerns("gemini"));
    }
}
