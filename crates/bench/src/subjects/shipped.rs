//! All the modules that we ship, loaded at once: how long a start takes, and what their list costs a model.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Bench;
use super::start::{compared, list, start};
use crate::client::Client;
use crate::era::Era;
use crate::figure::{Amount, Unit};
use crate::table::Row;
use crate::tokens::count;

const START: Amount = Amount(60.0, Unit::Millis);
const LIST: Amount = Amount(600.0, Unit::Tokens);

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let folder = bench.corpus.shipped();
    let names = names(&folder)?;
    let larkspur = &bench.contenders.larkspur;
    let mut client = Client::connect(larkspur, &folder, Era::Legacy)?;
    let problem = missing(&mut client, &names)?;
    let tools = client.tools()?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..bench.effort.starts {
        ours.push(start(larkspur, &folder)?);
        theirs.push(start(&bench.contenders.minimal, &folder)?);
    }
    let what = format!("the {} modules we ship", names.len());
    let started = format!("start → `tools/list`, {what}");
    let tokens = Amount(count(&json!(tools).to_string())?, Unit::Tokens);
    let listed = tokens.noted(format!("{} tools", tools.len()));
    Ok(vec![
        compared(started, &ours, &theirs, list).bar(START).spoiled(problem.clone()),
        Row::new(format!("tools/list, {what}, surface = auto"), listed).bar(LIST).spoiled(problem),
    ])
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} is needed", folder.display()))? {
        let entry = entry?;
        if entry.path().join("module.toml").exists() {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// A module that is not served costs nothing.
fn missing(client: &mut Client, names: &[String]) -> Result<Option<String>> {
    let asked = json!({"modules": names, "detail": "names", "format": "json"});
    let found = client.call("get_module_schema", &asked)?;
    let found: Value = serde_json::from_str(&found).context(found)?;
    let is_served = |name: &String| {
        let mut served = found.as_array().into_iter().flatten();
        served.any(|one| one["module"] == json!(name) && one.get("error").is_none())
    };
    let missing: Vec<&str> =
        names.iter().filter(|name| !is_served(name)).map(String::as_str).collect();
    Ok((!missing.is_empty()).then(|| format!("does not serve {}", missing.join(", "))))
}
