//! Share of requests whose tool is in the response of one search, over public benchmarks.

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::json;

use super::Bench;
use crate::client::Client;
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::public_sets::{SearchSet, live_mcp_bench, meta_tool};
use crate::table::Row;

/// Share of requests that may miss their tool.
const STEPS: Amount = Amount(20.0, Unit::Percent);
const WITHOUT_QUESTIONS: Amount = Amount(24.0, Unit::Percent);
const WITH_QUESTIONS: Amount = Amount(10.0, Unit::Percent);
const QUESTIONS: usize = 20;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let (live, meta) = (&bench.live_mcp, &bench.meta_tool);
    ensure!(
        live.is_some() || meta.is_some(),
        "`search` needs --live-mcp-bench DIR or --meta-tool DIR"
    );
    let mut rows = Vec::new();
    if let Some(folder) = live {
        let what = "steps of LiveMCPBench without their tool in the response";
        rows.push(missed(bench, what, &live_mcp_bench(folder)?, STEPS)?);
    }
    if let Some(folder) = meta {
        rows.extend(meta_rows(bench, folder)?);
    }
    Ok(rows)
}

fn meta_rows(bench: &Bench, folder: &Path) -> Result<[Row; 2]> {
    let what = "requests of MetaTool without their tool in the response";
    let with = format!("{what}, {QUESTIONS} questions per tool");
    Ok([
        missed(bench, what, &meta_tool(folder, 0)?, WITHOUT_QUESTIONS)?,
        missed(bench, &with, &meta_tool(folder, QUESTIONS)?, WITH_QUESTIONS)?,
    ])
}

fn missed(bench: &Bench, what: &str, set: &SearchSet, bar: Amount) -> Result<Row> {
    let larkspur = &bench.contenders.larkspur;
    let flags = ["--surface", "modules"];
    let mut client = Client::connect_with(larkspur, set.modules.path(), Era::Legacy, &flags)?;
    let (mut missed, mut not_in_five) = (0_u32, 0_u32);
    for (query, fitting) in &set.requests {
        let found = client.call("get_module_schema", &json!({"query": query}))?;
        let found = shown_tools(&found);
        let has = |tools: &[String]| tools.iter().any(|tool| fitting.contains(tool));
        missed += u32::from(!has(&found));
        not_in_five += u32::from(!has(&found[..found.len().min(5)]));
    }
    let all = f64::from(u32::try_from(set.requests.len())?);
    let share = |count: u32| 100.0 * f64::from(count) / all;
    let note = format!("{missed} of {all}; {:.1} % not in the first five", share(not_in_five));
    let figure = Amount(share(missed), Unit::Percent).noted(note);
    Ok(Row::new(what, figure).bar(bar))
}

/// Returns the tools of a response: those with signatures, then those after `more in`.
fn shown_tools(response: &str) -> Vec<String> {
    let mut tools = Vec::new();
    for line in response.lines() {
        if let Some(modules) = line.strip_prefix("more in ") {
            for (module, names) in modules.split("; ").filter_map(|module| module.split_once(": "))
            {
                let names = names.split(", ").filter_map(|name| name.split(' ').next());
                tools.extend(names.map(|name| format!("{module}.{name}")));
            }
        } else if let Some((tool, _)) = line.split_once('(') {
            tools.push(tool.to_owned());
        }
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_a_response_are_read_in_their_order() {
        let response = "a.b(c: str) -> {d}  Does it (well)\na.e()\nmore in a: f, i; g: h and 3 more\n\
                        matches in other modules: i (2)";
        let expected = ["a.b", "a.e", "a.f", "a.i", "g.h"];
        assert_eq!(shown_tools(response)[..5], expected);
    }
}
