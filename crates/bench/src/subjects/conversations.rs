//! Input tokens of whole conversations with the shipped modules, once by `call` and once by `batch`.
//!
//! Input is what a model is sent over all turns without a cache: tool list, instructions, the request, and all that
//! was written and read before. Notion, GitHub and Jira are mock services on loopback.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use standins::{JIRA_EMAIL, Standins};
use tempfile::TempDir;

use super::Bench;
use crate::client::{Client, excerpt};
use crate::contender::Contender;
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::table::Row;
use crate::tokens::{count, shown, texts};

const CONVERSATIONS: &str = include_str!("../fixture/conversations.json");

/// Sums of the first commit that measured them, relative to the repository's root.
const STORED: &str = "bench/conversations.json";

/// Largest accepted share of the stored sum.
const SHARE: f64 = 0.7;

/// Encrypts nothing but the invented tokens of the mock services.
const VAULT_KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

#[derive(Deserialize)]
struct Conversation {
    /// What the user asks for.
    request: String,
    call: Vec<Turn>,
    batch: Vec<Turn>,
}

/// A tool call that the model makes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Turn {
    Search {
        search: String,
    },
    Call {
        call: String,
        params: Value,
        /// Fields of the result, if not all that the tool shows are wanted.
        select: Option<Value>,
    },
    Batch {
        tasks: Value,
    },
}

/// What every turn of a conversation sends before the request.
struct Surface {
    tools: f64,
    instructions: f64,
}

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let stored = read_stored(&bench.root.join(STORED))?;
    let conversations: Vec<Conversation> = serde_json::from_str(CONVERSATIONS)?;
    let mut sums = BTreeMap::from([("call", 0.0), ("batch", 0.0)]);
    let mut rows = Vec::new();
    for conversation in &conversations {
        for (way, turns) in [("call", &conversation.call), ("batch", &conversation.batch)] {
            let project = MockProject::create(bench)?;
            let input = converse(&mut project.connect()?, &conversation.request, turns)
                .with_context(|| format!("\"{}\" by `{way}`", conversation.request))?;
            *sums.entry(way).or_default() += input.total();
            let figure = Amount(input.total(), Unit::Tokens).noted(input.to_string());
            rows.push(Row::new(format!("\"{}\", by `{way}`", conversation.request), figure));
        }
    }
    let total: f64 = sums.values().sum();
    let before: f64 = stored.values().sum();
    let each = format!("`call` {:.0}, `batch` {:.0}", sums["call"], sums["batch"]);
    let figure = Amount(100.0 * total / before, Unit::Percent).noted(format!("{total:.0}: {each}"));
    let what = format!("input tokens in all, of the first measurement ({before:.0})");
    rows.push(Row::new(what, figure).bar(Amount(100.0 * SHARE, Unit::Percent)));
    Ok(rows)
}

/// Tokens sent to the model over all turns, by their origin.
#[derive(Default)]
struct InputTokens {
    turns: f64,
    tools: f64,
    instructions: f64,
    /// The request and the model's own calls.
    written: f64,
    searches: f64,
    results: f64,
}

impl InputTokens {
    fn total(&self) -> f64 {
        self.tools + self.instructions + self.written + self.searches + self.results
    }
}

impl Display for InputTokens {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.0} turns: tools {:.0}, instructions {:.0}, written {:.0}, searches {:.0}, results {:.0}",
            self.turns, self.tools, self.instructions, self.written, self.searches, self.results
        )
    }
}

/// Counts all turns, the one with the final answer included. What is read in a turn is sent again in each later one.
fn converse(client: &mut Client, request: &str, turns: &[Turn]) -> Result<InputTokens> {
    let surface = Surface::read(client)?;
    #[expect(clippy::cast_precision_loss, reason = "a few turns")]
    let sent = |done: usize| (turns.len() - done + 1) as f64;
    let mut input = InputTokens {
        turns: sent(0),
        tools: sent(0) * surface.tools,
        instructions: sent(0) * surface.instructions,
        written: sent(0) * count(request)?,
        ..InputTokens::default()
    };
    let mut found = String::new();
    for (done, turn) in (1..).zip(turns) {
        let (tool, arguments) = turn.to_call()?;
        for called in turn.called_tools() {
            ensure!(
                found.contains(&format!("{called}(")),
                "no search showed the signature of `{called}`"
            );
        }
        let params = json!({"name": tool, "arguments": arguments});
        let written = count(&params.to_string())?;
        let result = client.request("tools/call", params)?;
        ensure!(
            result["isError"] != json!(true) && !has_failed_task(&result),
            "`{tool}` {arguments}: {}",
            excerpt(&result["content"])
        );
        input.written += sent(done) * written;
        let read = match turn {
            Turn::Search { .. } => {
                found += &texts(&result);
                &mut input.searches
            }
            Turn::Call { .. } | Turn::Batch { .. } => &mut input.results,
        };
        *read += sent(done) * shown(&result)?;
    }
    Ok(input)
}

/// Whether a batch reports a task that is not ok.
fn has_failed_task(result: &Value) -> bool {
    let blocks = result["content"].as_array().into_iter().flatten();
    let mut texts = blocks.filter_map(|block| block["text"].as_str());
    texts.any(|text| text.contains(": error (") || text.contains(": skipped because "))
}

impl Turn {
    /// Tools whose signatures a model has to have read before this turn, as module.tool.
    fn called_tools(&self) -> Vec<String> {
        match self {
            Self::Search { .. } => Vec::new(),
            Self::Call { call, .. } => vec![call.clone()],
            Self::Batch { tasks } => {
                let text = |task: &Value, key| task[key].as_str().unwrap_or_default().to_owned();
                let tasks = tasks.as_array().into_iter().flatten();
                tasks
                    .map(|task| format!("{}.{}", text(task, "module"), text(task, "tool")))
                    .collect()
            }
        }
    }

    /// The tool's listed name and its arguments.
    fn to_call(&self) -> Result<(&'static str, Value)> {
        Ok(match self {
            Self::Search { search } => ("get_module_schema", json!({"query": search})),
            Self::Call { call, params, select } => {
                let (module, tool) = call.split_once('.').context("a call needs module.tool")?;
                let mut arguments = json!({"module": module, "tool": tool, "params": params});
                if let Some(select) = select {
                    arguments["select"] = select.clone();
                }
                ("call", arguments)
            }
            Self::Batch { tasks } => ("batch", json!({"tasks": tasks})),
        })
    }
}

impl Surface {
    /// Counts what clients pass on of a tool: its name, description and input schema.
    fn read(client: &mut Client) -> Result<Self> {
        let (method, params) = client.era.opening();
        let opening = client.request(method, params)?;
        let instructions = count(opening["instructions"].as_str().unwrap_or_default())?;
        let tools: Vec<Value> = client
            .tools()?
            .iter()
            .map(|tool| {
                json!({
                    "name": tool["name"],
                    "description": tool["description"],
                    "inputSchema": tool["inputSchema"],
                })
            })
            .collect();
        let tools = count(&json!(tools).to_string())?;
        Ok(Self { tools, instructions })
    }
}

/// The shipped modules, configured for mock services that live as long as this value.
struct MockProject {
    server: Contender,
    modules: PathBuf,
    folder: TempDir,
    services: Standins,
}

impl MockProject {
    fn create(bench: &Bench) -> Result<Self> {
        let services = Standins::start()?;
        let folder = tempfile::tempdir()?;
        let database = folder.path().join("sales.db");
        fill(&database)?;
        let mut project = format!(
            "enable = ['notion', 'github', 'jira', 'sqlite']\n\
             [module.sqlite.config]\ndatabases = ['{}']\n",
            database.display()
        );
        for (module, service) in services.by_module() {
            let config = format!("[module.{module}.config]\nbase_url = '{}'\n", service.url());
            project.push_str(&config);
        }
        // Jira is the last of them.
        let email = format!("email = '{JIRA_EMAIL}'\n");
        project.push_str(&email);
        fs::write(folder.path().join("larkspur.toml"), project)?;
        let mut server = Contender::with(&bench.contenders.larkspur.program, Vec::new());
        server.environment = vec![
            ("LARKSPUR_VAULT_KEY", VAULT_KEY.into()),
            ("LARKSPUR_VAULT_KEYRING", "off".into()),
        ];
        let modules = bench.corpus.shipped();
        let project = Self { server, modules, folder, services };
        for (module, service) in project.services.by_module() {
            project.set_secret(&format!("{module}.token"), service.token)?;
        }
        Ok(project)
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join("larkspur.toml")
    }

    fn set_secret(&self, name: &str, value: &str) -> Result<()> {
        let mut child = Command::new(&self.server.program)
            .args(["secret", "set", name, "--modules"])
            .arg(&self.modules)
            .arg("--config")
            .arg(self.config())
            .envs(self.server.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut stdin = child.stdin.take().context("no stdin")?;
        stdin.write_all(value.as_bytes())?;
        drop(stdin);
        ensure!(child.wait()?.success(), "`larkspur secret set {name}` failed");
        Ok(())
    }

    fn connect(&self) -> Result<Client> {
        let config = self.config();
        let config = config.to_str().context("a path that is not UTF-8")?;
        let flags = ["--surface", "modules", "--config", config];
        Client::connect_with(&self.server, &self.modules, Era::Legacy, &flags)
    }
}

/// A table of 200 crossings, each with its revenue.
fn fill(database: &Path) -> Result<()> {
    let connection = rusqlite::Connection::open(database)?;
    connection.execute_batch(
        "create table crossings (id integer primary key, route text, day text, passengers int, revenue int);
         with recursive n(i) as (values(1) union all select i + 1 from n where i < 200)
         insert into crossings select i, 'Pier ' || (i % 7 + 1) || ' to the fort',
             '2026-10-' || substr('0' || (i % 28 + 1), -2), i * 37 % 211, i * 7919 % 10007 from n;",
    )?;
    Ok(())
}

/// Input tokens by way of calling.
fn read_stored(path: &Path) -> Result<BTreeMap<String, f64>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot parse {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtask::workspace::Workspace;

    #[test]
    fn six_conversations_parse_and_name_a_tool_in_each_call() {
        let conversations: Vec<Conversation> = serde_json::from_str(CONVERSATIONS).unwrap();
        assert_eq!(conversations.len(), 6);
        for turn in conversations.iter().flat_map(|c| c.call.iter().chain(&c.batch)) {
            turn.to_call().unwrap();
        }
    }

    #[test]
    fn both_ways_have_a_stored_sum() {
        let stored = read_stored(&Workspace::read().unwrap().root.join(STORED)).unwrap();
        let ways: Vec<&str> = stored.keys().map(String::as_str).collect();
        assert_eq!(ways, ["batch", "call"]);
    }

    #[test]
    fn failed_tasks_are_recognized() {
        let block = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        assert!(has_failed_task(&block("a: error (failed): no such issue\n")));
        assert!(has_failed_task(&block("b: skipped because `a` failed\n")));
        assert!(!has_failed_task(&block("a: 5\n")));
    }
}
