//! The meta tools as clients see them, with the modules in their descriptions.

use super::meta::Meta;
use super::module_list::{ToolCounts, list_modules, name_modules};
use crate::catalog::Module;
use compact::count_tokens;
use model::{Hints, TaskUse, Tool};
use serde_json::json;
use std::sync::Arc;

/// Tokens of the names, descriptions and input schemas of all meta tools: 700, less the error of an estimate.
const SURFACE_TOKENS: usize = 660;
/// Tokens that the list of modules has in any case.
const LIST_TOKENS: usize = 120;

const SCHEMA: &str = "Finds tools: query in plain words, several needs with \";\" between them; modules for \
                      all tools of modules, or one as module.tool. Call first.";
const CALL: &str = "Calls a module's tool; select: the result's fields that are wanted.";
const CALL_READONLY: &str = "Like call, or like batch with tasks, for read-only tools alone.";
const BATCH: &str = "Calls tools in one go. \"${id.results[0].name}\" in params, foreach or when is another \
                     task's result; ${item} is one of foreach. Only tasks with output are shown.";

pub(super) fn meta_tools<'m>(modules: impl Iterator<Item = &'m Arc<Module>>) -> Vec<Tool> {
    let modules: Vec<&Arc<Module>> = modules.collect();
    let all = Meta::ALL.into_iter();
    let mut tools: Vec<Tool> = all.filter_map(tool).collect();
    let used: usize = tools.iter().map(surface_tokens).sum();
    let left = SURFACE_TOKENS.saturating_sub(used).max(LIST_TOKENS);
    if modules.is_empty() {
        add(&mut tools, Meta::Schema, " There are no modules yet.");
        return tools;
    }
    let names = name_modules(&modules, left / 4);
    let list =
        list_modules(&modules, ToolCounts::Hidden, left.saturating_sub(count_tokens(&names)));
    add(&mut tools, Meta::Call, &format!(" Modules: {names}."));
    add(&mut tools, Meta::Schema, &format!(" Modules:\n{list}"));
    tools
}

/// Adds to the description of a meta tool.
fn add(tools: &mut [Tool], meta: Meta, text: &str) {
    let mut tools = tools.iter_mut();
    if let Some(tool) = tools.find(|tool| tool.name.as_str() == meta.name()) {
        tool.description += text;
    }
}

/// Tokens that a client passes on of a tool.
pub(super) fn surface_tokens(tool: &Tool) -> usize {
    let (name, description, input) = (&tool.name, &tool.description, tool.input.to_json());
    let passed_on =
        json!({"name": name.as_str(), "description": description, "inputSchema": input});
    count_tokens(&passed_on.to_string())
}

fn tool(meta: Meta) -> Option<Tool> {
    let is_read_only = matches!(meta, Meta::Schema | Meta::CallReadonly);
    Some(Tool {
        name: meta.name().parse().ok()?,
        title: None,
        description: match meta {
            Meta::Schema => SCHEMA.to_owned(),
            Meta::Call => CALL.to_owned(),
            Meta::CallReadonly => CALL_READONLY.to_owned(),
            Meta::Batch => BATCH.to_owned(),
        },
        input: meta.input().clone(),
        output: None,
        hints: Hints { read_only: is_read_only.then_some(true), ..Hints::default() },
        reads: Vec::new(),
        icons: None,
        examples: Vec::new(),
        questions: Vec::new(),
        timeout: None,
        task: TaskUse::Never,
        select: None,
        has_compact: false,
        cache: None,
        always: true,
    })
}
