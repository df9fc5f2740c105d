//! One conversation of one client: prepared, run and judged.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::case::{Asks, Row, Run};
use crate::client::{Client, Column};
use crate::launch::Launch;
use crate::options::Transport;
use crate::reading::{judge, quote};
use crate::reference::Reference;
use crate::serving::{HttpServer, Serving};
use crate::stub::{Conversation, Outcome, Stub, Wish};
use crate::table::Cell;

/// Programs and folders that all conversations share.
pub(crate) struct Bench {
    pub(crate) root: PathBuf,
    pub(crate) larkspur: PathBuf,
    /// Folder of Node.js.
    pub(crate) node: PathBuf,
    /// Folder of the installed packages.
    pub(crate) tools: PathBuf,
    pub(crate) transport: Transport,
}

impl Bench {
    pub(crate) fn is_installed(&self, client: &Client) -> bool {
        client.kit().is_present(&self.tools)
    }

    /// Fills the cells of the rows that one run has, in their order.
    pub(crate) fn measure(
        &self,
        client: &Client,
        column: &Column,
        run: (&str, &Run),
        rows: &[&Row],
    ) -> Result<Vec<Cell>> {
        let (name, run) = run;
        let scratch = tempfile::tempdir()?;
        let transport = match self.transport {
            Transport::Stdio => "stdio",
            Transport::Http => "http",
        };
        let records = self.root.join("target/agents").join(transport);
        let records = records.join(&column.name).join(name);
        if records.exists() {
            fs::remove_dir_all(&records)?;
        }
        let serving = Serving::prepare(&self.larkspur, &self.root, run, scratch.path())?;
        let stub = Stub::start(Conversation::new(wishes(client, rows)), records.clone())?;
        // Ends with the conversation.
        let http = match self.transport {
            Transport::Stdio => None,
            Transport::Http => Some(HttpServer::start(&serving)?),
        };
        let launch = Launch {
            client,
            column,
            serving: &serving,
            address: http.as_ref().map(HttpServer::address),
            approve: run.approve,
            url: stub.url(),
            package: self.root.join(client.kit().place()),
            node: self.node.clone(),
            home: scratch.path().join("home"),
            records,
        };
        let failure = launch.run()?;
        let (outcomes, listed) = stub.outcomes();
        let left = |file: &str| serving.take(file);
        let mut judge = Judge {
            client,
            listed: &listed,
            reference: Reference::start(&serving).context("cannot start the server")?,
            failure,
        };
        let mut outcomes = outcomes.into_iter();
        let mut cells = Vec::new();
        for row in rows {
            let outcomes: Vec<Outcome> = outcomes.by_ref().take(row.asks.count(client)).collect();
            cells.push(judge.cell(row, &outcomes, &left)?);
        }
        Ok(cells)
    }
}

/// Everything that the model does in one conversation.
fn wishes(client: &Client, rows: &[&Row]) -> Vec<Wish> {
    let wishes = |row: &&Row| match &row.asks {
        Asks::Call { tool, arguments, .. } => vec![Wish::Call(client.call(tool, arguments))],
        Asks::Find { words, .. } => {
            let searches = words.iter().filter_map(|words| client.find(words));
            searches.map(Wish::Find).collect()
        }
    };
    rows.iter().flat_map(wishes).collect()
}

impl Asks {
    /// Number of wishes.
    fn count(&self, client: &Client) -> usize {
        match self {
            Self::Call { .. } => 1,
            Self::Find { words, .. } => words.iter().filter_map(|words| client.find(words)).count(),
        }
    }
}

struct Judge<'a> {
    client: &'a Client,
    /// Tools that the client listed at first.
    listed: &'a [String],
    reference: Reference,
    /// How the client ended, if not well.
    failure: Option<String>,
}

impl Judge<'_> {
    fn cell(
        &mut self,
        row: &Row,
        outcomes: &[Outcome],
        left: &dyn Fn(&str) -> bool,
    ) -> Result<Cell> {
        let (tool, arguments, facts) = match &row.asks {
            Asks::Find { tools, .. } => return Ok(self.found(tools, outcomes)),
            Asks::Call { tool, arguments, facts } => (tool, arguments, facts),
        };
        let is_left = facts.absent.as_deref().is_some_and(left);
        let read = match outcomes.first() {
            Some(Outcome::Read(read)) => read,
            Some(Outcome::NotListed) => {
                let name = self.client.tool_name(tool);
                return Ok(Cell::failed(format!("`{name}` is neither listed nor found")));
            }
            _ => return Ok(Cell::failed(self.unreached())),
        };
        let sent = match self.reference.call(tool, arguments) {
            Ok(sent) => sent,
            Err(error) => {
                return Ok(Cell::failed(format!("{error:#}; the model reads {}", quote(read))));
            }
        };
        // The call of the reference may leave the file as well.
        let is_left = facts.absent.as_deref().is_some_and(left) || is_left;
        let mut reading = judge(self.client, facts, &sent, read)?;
        if is_left {
            reading.problem = Some("the file that must not be written is there".to_owned());
        }
        Ok(Cell::from(reading))
    }

    /// Whether the tools are listed, or found by every search.
    fn found(&self, tools: &[String], outcomes: &[Outcome]) -> Cell {
        let names: Vec<String> = tools.iter().map(|tool| self.client.tool_name(tool)).collect();
        if names.iter().all(|name| self.listed.contains(name)) {
            return Cell::passed("listed");
        }
        if self.listed.is_empty() {
            return Cell::failed(self.unreached());
        }
        let finds = |outcome: &&Outcome| match outcome {
            Outcome::Read(read) => names.iter().all(|name| mentions(read, name)),
            Outcome::NotReached | Outcome::NotListed => false,
        };
        let found = outcomes.iter().filter(finds).count();
        let text = format!("{found} of {}", outcomes.len());
        if found == outcomes.len() && found > 0 {
            return Cell::passed(text);
        }
        let listed = self.listed.join(", ");
        Cell::failed(format!("{} found in {text} searches; listed: {listed}", names.join(" and ")))
    }

    fn unreached(&self) -> String {
        match &self.failure {
            Some(failure) => format!("the client {failure}"),
            None => "the client ended before this call".to_owned(),
        }
    }
}

/// Whether a text has a name as a whole word: `call` is not in `call_readonly`.
fn mentions(text: &str, name: &str) -> bool {
    let ends = text.match_indices(name).map(|(at, _)| at + name.len());
    let mut next = ends.map(|end| text[end..].chars().next());
    next.any(|next| next.is_none_or(|next| !next.is_alphanumeric() && next != '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_whole_words() {
        assert!(mentions("s/call_readonly\ns/call\n", "s/call"));
        assert!(!mentions("s/call_readonly\n", "s/call"));
    }
}
