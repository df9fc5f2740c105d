//! Options of `cargo xtask clients`.

use anyhow::{Context, Result, bail, ensure};

use crate::case::Plan;
use crate::client::Client;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    only: Vec<String>,
    cases: Vec<String>,
    pub(crate) list: bool,
    pub(crate) write: bool,
    pub(crate) transport: Transport,
}

/// How clients reach the server.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Transport {
    #[default]
    Stdio,
    Http,
}

impl Options {
    pub(crate) fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter().map(String::as_str);
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("`{arg}` needs a name"));
            match arg {
                "--only" => options.only.push(value()?.to_owned()),
                "--case" => options.cases.push(value()?.to_owned()),
                "--transport" => options.transport = Transport::read(value()?)?,
                "--list" => options.list = true,
                "--write" => options.write = true,
                _ => bail!("unknown option `{arg}`; see `cargo xtask clients --help`"),
            }
        }
        let is_whole = options.only.is_empty() && options.cases.is_empty();
        ensure!(
            is_whole || !options.write,
            "`--write` renews the whole table: leave out `--only` and `--case`"
        );
        ensure!(
            options.transport == Transport::Stdio || !options.write,
            "`--write` renews the table over stdio: leave out `--transport`"
        );
        Ok(options)
    }

    /// Keeps the clients and rows that were asked for.
    pub(crate) fn select(&self, clients: &mut Vec<Client>, plan: &mut Plan) -> Result<()> {
        let columns = clients.iter().flat_map(|client| &client.columns);
        let columns = columns.map(|column| column.name.as_str());
        check(&self.only, "client", columns)?;
        check(&self.cases, "case", plan.rows.iter().map(|row| row.case.as_str()))?;
        for client in clients.iter_mut() {
            client.columns.retain(|column| keeps(&self.only, &column.name));
        }
        clients.retain(|client| !client.columns.is_empty());
        plan.rows.retain(|row| keeps(&self.cases, &row.case));
        Ok(())
    }
}

impl Transport {
    fn read(name: &str) -> Result<Self> {
        match name {
            "stdio" => Ok(Self::Stdio),
            "http" => Ok(Self::Http),
            _ => bail!("no transport `{name}`: there are stdio and http"),
        }
    }
}

fn keeps(wanted: &[String], name: &str) -> bool {
    wanted.is_empty() || wanted.iter().any(|wanted| wanted == name)
}

fn check<'n>(wanted: &[String], kind: &str, known: impl Iterator<Item = &'n str>) -> Result<()> {
    let mut known: Vec<&str> = known.collect();
    known.dedup();
    let unknown = wanted.iter().find(|name| !known.contains(&name.as_str()));
    if let Some(unknown) = unknown {
        bail!("no {kind} `{unknown}`: there are {}", known.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtask::workspace::Workspace;

    fn select(line: &str) -> Result<(usize, usize), String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let root = Workspace::read().unwrap().root;
        let mut clients = Client::read_all(&root).unwrap();
        let mut plan = Plan::read(&root).unwrap();
        let options = Options::parse(&args).map_err(|error| error.to_string())?;
        let selected = options.select(&mut clients, &mut plan);
        selected.map_err(|error| error.to_string())?;
        Ok((clients.len(), plan.rows.len()))
    }

    #[test]
    fn clients_and_cases_are_selected_by_name() {
        assert_eq!(select("--only codex-unknown --case number"), Ok((1, 3)));
        assert_eq!(select("--only claude --only codex --case search"), Ok((2, 1)));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, expected) in [
            ("--fast", "unknown option `--fast`; see `cargo xtask clients --help`"),
            ("--only", "`--only` needs a name"),
            (
                "--write --case number",
                "`--write` renews the whole table: leave out `--only` and `--case`",
            ),
            (
                "--write --transport http",
                "`--write` renews the table over stdio: leave out `--transport`",
            ),
            ("--transport sse", "no transport `sse`: there are stdio and http"),
            (
                "--only cursor",
                "no client `cursor`: there are claude, codex, codex-unknown, copilot, gemini, opencode, qwen",
            ),
        ] {
            assert_eq!(select(line), Err(expected.to_owned()), "{line}");
        }
    }
}
