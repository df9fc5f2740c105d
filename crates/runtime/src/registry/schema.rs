//! `get_module_schema`: tools found by plain words, and what modules offer.

use super::detail::{Detail, offered};
use super::meta::Meta;
use super::module_list::{ToolCounts, list_modules, name_modules};
use super::offer_text::{Target, show_modules};
use super::search_text::{Found, show_found, show_names, show_nothing};
use super::{missing_module, missing_tool};
use crate::catalog::{Catalog, Handle, Module};
use crate::request::{RequestError, RequestErrorKind};
use compact::count_tokens;
use model::{Args, Grouped, Output, did_you_mean};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Tools found by a query that JSON shows.
const FOUND: usize = 10;
/// Needs of one query that are searched for by themselves; the last one takes what is left.
const MOST_NEEDS: usize = 5;
/// Tokens that a response may have, however few `surface_tokens` there are.
const LEAST: usize = 460;
/// Unknown names that are reported.
const UNKNOWN: usize = 10;
/// Tokens for the names of modules beside an error.
const NAMES_TOKENS: usize = 200;

/// Arguments of `get_module_schema`.
pub(crate) struct SchemaRequest {
    /// Names of modules and tools; none means all modules.
    names: Vec<String>,
    query: Option<String>,
    detail: Option<Detail>,
    is_json: bool,
}

impl SchemaRequest {
    pub(crate) fn read(args: Args) -> Result<Self, RequestError> {
        let args = Meta::Schema.accept(args);
        let args =
            args.map_err(|rejected| RequestErrorKind::rejected(rejected).of(Meta::Schema.name()))?;
        let text = |name: &str| args.get(name).and_then(Value::as_str);
        let query = text("query").filter(|query| !query.trim().is_empty());
        let detail = text("detail").and_then(Detail::named);
        Ok(Self {
            names: args.get("modules").map(names).unwrap_or_default(),
            query: query.map(str::to_owned),
            detail,
            is_json: detail == Some(Detail::Full) || text("format") == Some("json"),
        })
    }

    pub(crate) fn answer(&self, catalog: &Catalog) -> Output {
        let mut targets = Vec::new();
        let mut unknown = Vec::new();
        for name in &self.names {
            match find(catalog, name) {
                Some((module, tool)) => add(&mut targets, module, tool),
                None if unknown.contains(name) || unknown.len() >= UNKNOWN => {}
                None => unknown.push(name.clone()),
            }
        }
        if targets.is_empty() && !unknown.is_empty() {
            return nothing_known(catalog, &unknown);
        }
        if self.is_json {
            return self.answer_json(catalog, targets, &unknown);
        }
        let targets = Some(targets).filter(|targets| !targets.is_empty());
        let mut lines: Vec<String> = unknown.iter().map(|name| missing(catalog, name)).collect();
        lines.push(self.answer_text(catalog, targets));
        Output::text(lines.join("\n"))
    }

    fn answer_text(&self, catalog: &Catalog, targets: Option<Vec<Target>>) -> String {
        let most = catalog.rules.server.surface_tokens.max(LEAST);
        let Some(query) = &self.query else {
            return match (targets, self.detail) {
                (None, None) => overview(catalog, most),
                (targets, detail) => {
                    let targets = targets.unwrap_or_else(|| everything(catalog));
                    show_modules(&targets, detail.unwrap_or(Detail::Signatures), most)
                }
            };
        };
        let found = search(catalog, query, targets.as_deref());
        match self.detail {
            _ if found.tools.is_empty() => show_nothing(catalog, query, targets.as_deref()),
            Some(Detail::Names) => show_names(&found),
            _ => show_found(&found),
        }
    }

    /// Answers with a list of modules, as `MCPist` does.
    fn answer_json(&self, catalog: &Catalog, targets: Vec<Target>, unknown: &[String]) -> Output {
        let detail = self.detail.unwrap_or(Detail::Signatures);
        let targets = match &self.query {
            Some(query) => {
                let scope = Some(targets).filter(|targets| !targets.is_empty());
                let tools = search(catalog, query, scope.as_deref()).tools;
                let mut found = Vec::new();
                for handle in tools.into_iter().take(FOUND) {
                    add(&mut found, handle.module, Some(handle.index));
                }
                found
            }
            None if targets.is_empty() => everything(catalog),
            None => targets,
        };
        let unknown = unknown.iter().map(|name| {
            let near = did_you_mean(name, catalog.modules().map(|module| module.name.as_str()));
            json!({"module": name, "error": missing(catalog, name), "did_you_mean": near})
        });
        let targets = targets.iter();
        let offered =
            targets.map(|target| offered(&target.module, detail, target.tools.as_deref()));
        let text = Value::Array(unknown.chain(offered).collect()).to_string();
        let (tokens, most) = (count_tokens(&text), catalog.rules.server.result_tokens);
        if tokens <= most {
            return Output::text(text);
        }
        Output::error(format!(
            "the result has {} tokens, and `result_tokens` allows {}; name fewer modules, or tools as \
             \"module.tool\", or leave `detail` out",
            Grouped(tokens),
            Grouped(most)
        ))
    }
}

/// Reads names of modules and tools: a list, or a text with commas between them or with a JSON list in it.
fn names(modules: &Value) -> Vec<String> {
    let split = |text: &str| -> Vec<String> {
        let names = text.split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    match modules {
        Value::Array(items) => items.iter().filter_map(Value::as_str).flat_map(split).collect(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(list @ Value::Array(_)) => names(&list),
            _ => split(text),
        },
        _ => Vec::new(),
    }
}

/// Finds a module, or a tool as `module.tool` or by its listed name.
fn find(catalog: &Catalog, name: &str) -> Option<(Arc<Module>, Option<usize>)> {
    if let Some(module) = catalog.module(name) {
        return Some((Arc::clone(module), None));
    }
    let handle = catalog.find(name)?;
    Some((handle.module, Some(handle.index)))
}

/// Adds a module, or a tool of it, unless it is there already.
fn add(targets: &mut Vec<Target>, module: Arc<Module>, tool: Option<usize>) {
    let known = targets.iter_mut().find(|target| target.module.name == module.name);
    match (known, tool) {
        (None, tool) => targets.push(Target { module, tools: tool.map(|tool| vec![tool]) }),
        (Some(known), None) => known.tools = None,
        (Some(known), Some(tool)) => {
            if let Some(tools) = known.tools.as_mut().filter(|tools| !tools.contains(&tool)) {
                tools.push(tool);
            }
        }
    }
}

fn everything(catalog: &Catalog) -> Vec<Target> {
    let modules = catalog.modules().cloned();
    modules.map(|module| Target { module, tools: None }).collect()
}

/// Finds tools for each need of a query, which stand with semicolons between them. The tools of several
/// needs take turns, so that the best of each comes before the second of any.
fn search<'q>(catalog: &Catalog, query: &'q str, targets: Option<&[Target]>) -> Found<'q> {
    let is_wanted = |handle: &Handle| {
        targets.is_none_or(|targets| {
            let mut targets = targets.iter();
            targets.any(|target| target.module.name == handle.module.name)
        })
    };
    let needs = query.splitn(MOST_NEEDS, [';', '；']).map(str::trim);
    let (mut rankings, mut unmatched) = (Vec::new(), Vec::new());
    for need in needs.filter(|need| !need.is_empty()) {
        let mut tools = catalog.search(need);
        tools.retain(is_wanted);
        if tools.is_empty() {
            unmatched.push(need);
        } else {
            rankings.push(tools.into_iter());
        }
    }
    let needs = rankings.len();
    let (mut tools, mut known) = (Vec::new(), BTreeSet::new());
    while !rankings.is_empty() {
        rankings.retain_mut(|ranking| {
            let next = ranking.find(|handle| known.insert(handle.to_string()));
            let is_left = next.is_some();
            tools.extend(next);
            is_left
        });
    }
    Found { tools, needs, unmatched }
}

/// Lists the modules with the number of their tools.
fn overview(catalog: &Catalog, tokens: usize) -> String {
    let modules: Vec<&Arc<Module>> = catalog.modules().collect();
    if modules.is_empty() {
        return "There are no modules yet.".to_owned();
    }
    let tools: usize = modules.iter().map(|module| module.tools.len()).sum();
    let heading = format!(
        "Modules with their number of tools ({} in all). `query` finds tools by plain words, `modules` \
         lists those of a module.",
        Grouped(tools)
    );
    let tokens = tokens.saturating_sub(count_tokens(&heading) + 1);
    format!("{heading}\n{}", list_modules(&modules, ToolCounts::Shown, tokens))
}

/// Says that a name is unknown: of a module, or of a tool as `module.tool`.
fn missing(catalog: &Catalog, name: &str) -> String {
    let path = name.split_once('.');
    let path = path.and_then(|(module, tool)| Some((catalog.module(module)?, tool)));
    let error = match path {
        Some((module, tool)) => missing_tool(module, tool),
        None => missing_module(catalog, name),
    };
    error.to_string()
}

fn nothing_known(catalog: &Catalog, unknown: &[String]) -> Output {
    let mut lines: Vec<String> = unknown.iter().map(|name| missing(catalog, name)).collect();
    let modules: Vec<&Arc<Module>> = catalog.modules().collect();
    if modules.is_empty() {
        lines.push("there are no modules".to_owned());
    } else {
        lines.push(format!("modules: {}", name_modules(&modules, NAMES_TOKENS)));
    }
    Output::error(lines.join("\n"))
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
