//! Public benchmarks of tool search, read from their repositories' folders: `LiveMCPBench` and `MetaTool`.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::modules::Modules;

/// Step between the `MetaTool` requests that are used.
const EVERY: usize = 10;
/// Longest question that a tool can declare.
const LONGEST_QUESTION: usize = 200;
/// Name of the module that has all plugins of `MetaTool`.
const PLUGINS: &str = "plugins";

/// Tools as modules, and requests with the tools that fit them, as `module.tool`.
pub(super) struct SearchSet {
    pub(super) modules: Modules,
    pub(super) requests: Vec<(String, Vec<String>)>,
}

/// Reads the servers of `LiveMCPBench`, and the steps of those tasks that annotate a tool for each step.
pub(super) fn live_mcp_bench(folder: &Path) -> Result<SearchSet> {
    let servers = read_json(&folder.join("tools/LiveMCPTool/tools.json"))?;
    let modules = Modules::many(0)?;
    let mut paths: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for server in list(&servers) {
        let about = text(&server["description"]);
        for (name, offered) in server["tools"].as_object().into_iter().flatten() {
            let module = module_name(name);
            let tools: Vec<&Value> = list(&offered["tools"]).collect();
            for tool in &tools {
                let name = text(&tool["name"]);
                let known = paths.entry(name.to_owned()).or_default();
                known.push(format!("{module}.{}", name_of(name, '_')));
            }
            let declared = tools.iter().map(|tool| declare(tool, &[]));
            modules.write_described(&module, about, "", &source(declared))?;
        }
    }
    let tasks = read_json(&folder.join("annotated_data/all_annotations.json"))?;
    let mut requests = Vec::new();
    for task in list(&tasks) {
        let annotated = &task["Annotator Metadata"];
        let (steps, tools) = (numbered(&annotated["Steps"]), numbered(&annotated["Tools"]));
        if steps.len() == tools.len() {
            let steps = steps.into_iter().zip(tools);
            requests
                .extend(steps.filter_map(|(step, tool)| Some((step, paths.get(&tool)?.clone()))));
        }
    }
    ensure!(!requests.is_empty(), "no steps in {}", folder.display());
    Ok(SearchSet { modules, requests })
}

/// Reads the `MetaTool` plugins with this number of questions each, none of which is among the requests.
pub(super) fn meta_tool(folder: &Path, questions: usize) -> Result<SearchSet> {
    let plugins = read_json(&folder.join("dataset/plugin_des.json"))?;
    let plugins = plugins.as_object().context("plugin_des.json is not an object")?;
    let names: BTreeMap<String, &String> =
        plugins.keys().map(|name| (name.to_lowercase(), name)).collect();
    let path = folder.join("dataset/data/all_clean_data.csv");
    let rows =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let rows = csv_rows(&rows).into_iter().skip(1);
    let rows: Vec<(String, &str)> = rows
        .filter_map(|row| {
            let [query, tool] = row.try_into().ok()?;
            let name = names.get(&tool.to_lowercase())?;
            Some((query, name.as_str()))
        })
        .collect();
    let is_asked = |at: usize| at.is_multiple_of(EVERY);
    let mut others: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (_, (query, tool)) in rows.iter().enumerate().filter(|(at, _)| !is_asked(*at)) {
        if query.chars().count() <= LONGEST_QUESTION {
            others.entry(tool).or_default().push(query);
        }
    }
    let declared = plugins.iter().map(|(name, about)| {
        let known = others.get(name.as_str()).map_or(&[][..], Vec::as_slice);
        let schema = json!({"type": "object"});
        declare(
            &json!({"name": name, "description": about, "inputSchema": schema}),
            &spread(known, questions),
        )
    });
    let modules = Modules::many(0)?;
    modules.write_described(PLUGINS, "Plugins", "", &source(declared))?;
    let requests = rows.iter().step_by(EVERY);
    let requests = requests
        .map(|(query, tool)| (query.clone(), vec![format!("{PLUGINS}.{}", name_of(tool, '_'))]));
    Ok(SearchSet { modules, requests: requests.collect() })
}

/// Picks this number of items, spread over the whole list.
fn spread<'q>(items: &[&'q str], count: usize) -> Vec<&'q str> {
    let count = count.min(items.len());
    (0..count).map(|i| items[i * items.len() / count]).collect()
}

fn source(declared: impl Iterator<Item = String>) -> String {
    let declared: Vec<String> = declared.collect();
    format!("def _any(**args):\n    return {{}}\n{}\n", declared.join("\n"))
}

fn declare(tool: &Value, questions: &[&str]) -> String {
    let name = json!(name_of(text(&tool["name"]), '_'));
    let about = json!(text(&tool["description"]));
    let schema = json!(tool["inputSchema"].to_string());
    format!(
        "tool(_any, name = {name}, description = {about}, questions = {}, input_schema = json.decode({schema}))",
        json!(questions)
    )
}

/// Returns the name of a server as that of a module, which begins with a letter and has no underscores.
fn module_name(name: &str) -> String {
    let name = name_of(name, '-').replace('_', "-").to_lowercase();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("server-{name}") } else { name }
}

/// Replaces what a name of ours cannot have.
fn name_of(name: &str, other: char) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars().map(|c| if allowed(c) { c } else { other }).collect()
}

/// Reads lines such as `1. Search the web`.
fn numbered(lines: &Value) -> Vec<String> {
    let lines = text(lines).lines().map(|line| {
        let line = line.trim();
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let rest = rest.strip_prefix(['.', ')']).filter(|_| rest.len() < line.len());
        rest.unwrap_or(line).trim().to_owned()
    });
    lines.filter(|line| !line.is_empty()).collect()
}

/// Reads rows of comma-separated values, with quotation marks around some.
fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell).trim_end_matches('\r').to_owned());
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    rows
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn read_json(path: &Path) -> Result<Value> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot parse {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_numbered_lines_are_read() {
        let rows = csv_rows("Query,Tool\r\n\"a, \"\"b\"\"\",x\nc\n");
        assert_eq!(rows, [vec!["Query", "Tool"], vec!["a, \"b\"", "x"], vec!["c"]]);
        let lines = numbered(&json!("1. Search the web.\n\n 2) Read it\nplain"));
        assert_eq!(lines, ["Search the web.", "Read it", "plain"]);
        assert_eq!(spread(&["a", "b", "c", "d"], 2), ["a", "c"]);
        assert_eq!(spread(&["a"], 20), ["a"]);
    }
}
