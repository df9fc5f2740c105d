//! What can be measured, one file each.

mod attacks;
mod calls;
mod conversations;
mod instructions;
mod mcp_http;
mod reload;
mod rss;
mod search;
mod start;
mod tokens;

pub(crate) use start::start;

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, anyhow};

use super::client::Client;
use super::contender::Contenders;
use super::corpus::Corpus;
use super::era::Era;
use super::machine;
use super::modules::Modules;
use super::options::Effort;
use super::table::Row;

/// What every subject needs to be measured.
pub(super) struct Bench {
    pub(super) contenders: Contenders,
    pub(super) effort: Effort,
    pub(super) corpus: Corpus,
    /// Folders of public benchmarks, for `search`.
    pub(super) live_mcp: Option<PathBuf>,
    pub(super) meta_tool: Option<PathBuf>,
    /// Root of the repository.
    pub(super) root: PathBuf,
}

impl Bench {
    /// Machine, time, load and what is measured, in one line.
    pub(super) fn describe(&self) -> String {
        let larkspur = self.contenders.larkspur.describe();
        format!("{} · {larkspur}", machine::describe())
    }

    /// A server that is quick and small because it has not loaded its modules is neither.
    fn missing_tools(&self, modules: &Modules) -> Result<Option<String>> {
        let larkspur = &self.contenders.larkspur;
        let flags = ["--surface", "flat"];
        let tools =
            Client::connect_with(larkspur, modules.path(), Era::Legacy, &flags)?.tools()?.len();
        let wrong = tools != modules.count;
        Ok(wrong.then(|| format!("lists {tools} tools, not {}", modules.count)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Subject {
    Calls,
    Instructions,
    Start,
    Rss,
    Reload,
    McpHttp,
    Tokens,
    Search,
    Conversations,
    Attacks,
}

impl Subject {
    pub(super) const ALL: [Self; 10] = [
        Self::Calls,
        Self::Instructions,
        Self::Start,
        Self::Rss,
        Self::Reload,
        Self::McpHttp,
        Self::Tokens,
        Self::Search,
        Self::Conversations,
        Self::Attacks,
    ];

    pub(super) fn measure(self, bench: &Bench) -> Result<Vec<Row>> {
        match self {
            Self::Calls => calls::measure(bench),
            Self::Instructions => instructions::measure(bench),
            Self::Start => start::measure(bench),
            Self::Rss => rss::measure(bench),
            Self::Reload => reload::measure(bench),
            Self::McpHttp => mcp_http::measure(bench),
            Self::Tokens => tokens::measure(bench),
            Self::Search => search::measure(bench),
            Self::Conversations => conversations::measure(bench),
            Self::Attacks => attacks::measure(bench),
        }
    }
}

impl Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Calls => "calls",
            Self::Instructions => "instructions",
            Self::Start => "start",
            Self::Rss => "rss",
            Self::Reload => "reload",
            Self::McpHttp => "mcp-http",
            Self::Tokens => "tokens",
            Self::Search => "search",
            Self::Conversations => "conversations",
            Self::Attacks => "attacks",
        })
    }
}

impl FromStr for Subject {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|subject| subject.to_string() == name);
        found.ok_or_else(|| {
            anyhow!(
                "no subject `{name}`: there are {}",
                Self::ALL.map(|s| s.to_string()).join(", ")
            )
        })
    }
}
