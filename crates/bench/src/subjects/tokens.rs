//! Tokens that a model reads for the corpus: tool list, schemas and results; and how often search finds the tool.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Bench;
use crate::client::Client;
use crate::compare::most;
use crate::corpus::{Corpus, MODULE};
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::modules::Modules;
use crate::table::Row;
use crate::tokens::{count, shown};

const LIST: Amount = Amount(700.0, Unit::Tokens);
const SIGNATURES: Amount = Amount(20.0, Unit::Percent);
const ANSWER: Amount = Amount(10.0, Unit::Percent);
/// Of minified JSON: line breaks in long JSON take a little.
const NEVER_LARGER: Amount = Amount(100.5, Unit::Percent);
const NOT_FOUND: Amount = Amount(10.0, Unit::Percent);

/// Payloads for which `fixture/payloads.star` declares a result shape, with the bar of each.
const DECLARED: [(&str, Amount); 6] = [
    ("confluence_search", ANSWER),
    ("github_list_issues", ANSWER),
    ("jira_search", ANSWER),
    ("notion_blocks_3", ANSWER),
    ("notion_blocks_children", ANSWER),
    ("notion_search", NEVER_LARGER),
];
/// Tools that a response names.
const TOP: usize = 30;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let servers = bench.corpus.servers()?;
    let connect = |surface| connect_uncut(bench, &servers, &["--surface", surface]);
    let mut client = connect("modules")?;
    let mut rows = vec![
        list(&mut client, &mut connect("flat")?, &bench.corpus)?,
        signatures(&mut client, &bench.corpus)?,
        search(&mut client, &bench.corpus)?,
    ];
    rows.extend(answers(bench)?);
    Ok(rows)
}

fn list(modules: &mut Client, flat: &mut Client, corpus: &Corpus) -> Result<Row> {
    let (modules, flat) = (modules.tools()?, flat.tools()?);
    // What every client passes on: annotations, titles and `_meta` are for the client itself.
    let seen = |tool: &Value| {
        let kept = ["name", "description", "inputSchema"].map(|key| (key, tool[key].clone()));
        Value::Object(kept.map(|(key, value)| (key.to_owned(), value)).into_iter().collect())
    };
    let tokens = |tools: &[Value]| count(&tools.iter().map(seen).collect::<Value>().to_string());
    let figure = Amount(tokens(&modules)?, Unit::Tokens);
    let figure = figure.noted(format!("{} tools", modules.len()));
    let beside = format!("flat: {:.0} for {}", tokens(&flat)?, flat.len());
    let servers = corpus.names().len();
    let what = format!("tools/list, the corpus' {servers} servers as modules; {beside}");
    Ok(Row::new(what, figure).bar(LIST))
}

fn signatures(client: &mut Client, corpus: &Corpus) -> Result<Row> {
    let mut asked = |detail: &str| -> Result<f64> {
        let mut tokens = 0.0;
        for module in corpus.names() {
            let arguments = json!({"modules": [module], "detail": detail});
            let params = json!({"name": "get_module_schema", "arguments": arguments});
            tokens += shown(&client.request("tools/call", params)?)?;
        }
        Ok(tokens)
    };
    let (brief, full) = (asked("signatures")?, asked("full")?);
    let figure = share(brief, full).noted(format!("{brief:.0} of {full:.0}"));
    Ok(Row::new("get_module_schema, signatures of full schemas", figure).bar(SIGNATURES))
}

/// The bar is for those that are found: at least 90 of 100.
fn search(client: &mut Client, corpus: &Corpus) -> Result<Row> {
    let requests = corpus.requests()?;
    let mut missed = 0;
    for request in &requests {
        let arguments = json!({"query": request.query, "detail": "names"});
        let found = client.call("get_module_schema", &arguments)?;
        let mut found = found.split(", ").take(TOP);
        missed += u32::from(!found.any(|tool| request.relevant.iter().any(|one| one == tool)));
    }
    let all = u32::try_from(requests.len())?;
    let figure = share(missed.into(), all.into()).noted(format!("{missed} of {all}"));
    let what = format!("requests in plain words without their tool among the {TOP} of a response");
    Ok(Row::new(what, figure).bar(NOT_FOUND))
}

fn answers(bench: &Bench) -> Result<Vec<Row>> {
    let (modules, payloads) = bench.corpus.payloads()?;
    let mut client = connect_uncut(bench, &modules, &[])?;
    let mut rows = Vec::new();
    let mut bare = Vec::new();
    for (name, payload) in &payloads {
        let whole = count(&payload.to_string())?;
        let plain = tokens(&mut client, "raw", &json!({"name": name}))?;
        bare.push(100.0 * plain / whole);
        let Some((_, bar)) = DECLARED.iter().find(|(declared, _)| declared == name) else {
            continue;
        };
        let brief = tokens(&mut client, name, &json!({}))?;
        let figure = share(brief, whole).noted(format!("{brief:.0} of {whole:.0}"));
        rows.push(Row::new(format!("{name}, compact of minified JSON"), figure).bar(*bar));
    }
    let each: Vec<String> = bare.iter().map(|share| format!("{share:.0}")).collect();
    let figure = Amount(most(bare), Unit::Percent).noted(each.join(", "));
    let what = format!(
        "any of {} payloads with nothing declared, compact of minified JSON, at most",
        payloads.len()
    );
    rows.push(Row::new(what, figure).bar(NEVER_LARGER));
    Ok(rows)
}

/// A server that never cuts an answer: what is cut is small for another reason.
fn connect_uncut(bench: &Bench, modules: &Modules, flags: &[&str]) -> Result<Client> {
    let project = modules.path().join("larkspur.toml");
    std::fs::write(&project, "[server]\nresult_tokens = 1000000\n")?;
    let project = project.to_str().context("a path that is no text")?;
    let flags = [&["--config", project], flags].concat();
    Client::connect_with(&bench.contenders.larkspur, modules.path(), Era::Legacy, &flags)
}

fn tokens(client: &mut Client, tool: &str, params: &Value) -> Result<f64> {
    let arguments = json!({"module": MODULE, "tool": tool, "params": params});
    let result = client.request("tools/call", json!({"name": "call", "arguments": arguments}))?;
    ensure!(result["isError"] != json!(true), "{tool}: {result}");
    shown(&result)
}

fn share(part: f64, whole: f64) -> Amount {
    Amount(100.0 * part / whole, Unit::Percent)
}
