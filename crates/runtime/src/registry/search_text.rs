//! Tools found by a query, as text: signatures of the best, names of more, and other modules with matches.

use super::budgeted_text::BudgetedText;
use super::module_list::name_modules;
use super::offer_text::{Target, tool_line};
use crate::catalog::{Catalog, Handle, Module};
use compact::count_tokens;
use model::summarize;
use std::sync::Arc;

/// Tools shown with their signatures.
const SIGNATURES: usize = 5;
/// The same beyond the best tool of each need, if there are many needs.
const BEYOND_BEST: usize = 2;
/// Tools whose optional parameters have their types, if there is one need; else the best tool of each need.
const FULL: usize = 2;
/// Forms of a signature besides the shortest.
const LONGER_FORMS: usize = 2;
/// Tools shown by name after them.
const NAMES: usize = 25;
/// Other modules that are named.
const MODULES: usize = 5;
/// Tools with similar words that are named if nothing was found.
const SIMILAR: usize = 5;
/// Tokens of one response: 460, less the error of an estimate.
const TOKENS: usize = 435;
/// Tokens for the names of modules, or of a module's tools, if nothing was found.
const NAMES_TOKENS: usize = 200;
/// Characters of a need that is repeated because it found nothing.
const LONGEST_NEED: usize = 60;

/// Tools that a query found.
pub(super) struct Found<'q> {
    /// The best first; those of several needs in turn.
    pub(super) tools: Vec<Handle>,
    /// How many needs found tools.
    pub(super) needs: usize,
    /// Needs that found none.
    pub(super) unmatched: Vec<&'q str>,
}

/// Shows the tools that fit a query, the best first.
pub(super) fn show_found(found: &Found<'_>) -> String {
    let (best, more) = split(&found.tools, SIGNATURES.max(found.needs + BEYOND_BEST));
    let (more, rest) = split(more, NAMES);
    let unmatched = found.unmatched.iter();
    let mut others: Vec<String> = unmatched
        .map(|need| format!("no tool matches: {}\n", summarize(need, LONGEST_NEED)))
        .collect();
    others.push(other_modules(&found.tools[..best.len() + more.len()], rest));
    let others = others.concat();
    let mut text = BudgetedText::new(TOKENS);
    let reserved = count_tokens(&more_line(more, TOKENS)) + count_tokens(&others);
    let lines = signatures(best, found.needs.max(FULL), text.left().saturating_sub(reserved));
    let shown = lines.iter().take_while(|line| text.push(line)).count();
    let left = text.left().saturating_sub(count_tokens(&others));
    let unshown = [&best[shown..], more].concat();
    text.push(&more_line(&unshown, left));
    text.push(&others);
    text.into_text()
}

fn split(tools: &[Handle], at: usize) -> (&[Handle], &[Handle]) {
    tools.split_at(tools.len().min(at))
}

/// Shows the names alone.
pub(super) fn show_names(found: &Found<'_>) -> String {
    let found = found.tools.iter().take(SIGNATURES + NAMES);
    let names: Vec<String> = found.map(ToString::to_string).collect();
    let mut text = BudgetedText::new(TOKENS);
    text.push_names("", names.iter().map(String::as_str));
    text.into_text()
}

/// Returns a line for each tool, the best first: its signature, as far as the tokens go with its result, and
/// then for the first `full` of them with the types of optional parameters.
fn signatures(tools: &[Handle], full: usize, tokens: usize) -> Vec<String> {
    let forms = tools.iter().enumerate().map(|(rank, handle)| {
        let tool = &handle.tool().tool;
        let mut forms = vec![tool.outline(), tool.brief_signature()];
        if rank < full {
            forms.push(tool.signature());
        }
        let line = |form| tool_line(&format!("{}.{form}", handle.module.name), tool);
        forms.into_iter().map(line).collect()
    });
    let forms: Vec<Vec<String>> = forms.collect();
    let mut chosen: Vec<&String> = forms.iter().filter_map(|lines| lines.first()).collect();
    let shortest = chosen.iter().map(|line| count_tokens(line)).sum();
    let mut left = tokens.saturating_sub(shortest);
    for length in 1..=LONGER_FORMS {
        for (chosen, lines) in chosen.iter_mut().zip(&forms) {
            let Some(longer) = lines.get(length) else {
                continue;
            };
            let extra = count_tokens(longer).saturating_sub(count_tokens(chosen));
            if extra <= left {
                left -= extra;
                *chosen = longer;
            }
        }
    }
    chosen.into_iter().cloned().collect()
}

/// Returns a line with the names of as many tools as fit, by module: `more in hub: close, open; diary: write`.
/// The modules come in the order of their best tools.
fn more_line(tools: &[Handle], tokens: usize) -> String {
    let line = |shown: usize| {
        let names = names_by_module(&tools[..shown]);
        match tools.len() - shown {
            0 => format!("more in {names}\n"),
            more => format!("more in {names} and {more} more\n"),
        }
    };
    let mut lines = (1..=tools.len()).rev().map(line);
    lines.find(|line| count_tokens(line) <= tokens).unwrap_or_default()
}

fn names_by_module(tools: &[Handle]) -> String {
    let mut modules: Vec<(&str, Vec<&str>)> = Vec::new();
    for handle in tools {
        let (module, tool) = (handle.module.name.as_str(), handle.tool().tool.name.as_str());
        match modules.iter_mut().find(|(name, _)| *name == module) {
            Some((_, tools)) => tools.push(tool),
            None => modules.push((module, vec![tool])),
        }
    }
    let modules = modules.iter().map(|(module, tools)| format!("{module}: {}", tools.join(", ")));
    modules.collect::<Vec<_>>().join("; ")
}

/// Returns a line on modules that have matches, none of which is shown.
fn other_modules(shown: &[Handle], rest: &[Handle]) -> String {
    let mut others: Vec<(&Arc<Module>, usize)> = Vec::new();
    let is_shown = |module: &Module| shown.iter().any(|handle| handle.module.name == module.name);
    for module in rest.iter().map(|handle| &handle.module).filter(|module| !is_shown(module)) {
        match others.iter_mut().find(|(other, _)| other.name == module.name) {
            Some((_, matches)) => *matches += 1,
            None => others.push((module, 1)),
        }
    }
    if others.is_empty() {
        return String::new();
    }
    let named = others.iter().take(MODULES);
    let named: Vec<String> =
        named.map(|(module, matches)| format!("{} ({matches})", module.name)).collect();
    format!("matches in other modules: {}\n", named.join(", "))
}

/// Says that nothing was found, and what there is.
pub(super) fn show_nothing(catalog: &Catalog, query: &str, targets: Option<&[Target]>) -> String {
    let mut lines = vec!["No tool matches the query.".to_owned()];
    match targets {
        Some(targets) => {
            for target in targets {
                let handles = target.handles();
                let mut names = BudgetedText::new(NAMES_TOKENS / targets.len());
                let label = format!("{}: ", target.module.name);
                names.push_names(
                    &label,
                    handles.iter().map(|handle| handle.tool().tool.name.as_str()),
                );
                lines.push(names.into_text());
            }
            lines.push("Leave `modules` out to search all modules.".to_owned());
        }
        None => {
            let similar = catalog.search_similar(query);
            let similar: Vec<String> =
                similar.iter().take(SIMILAR).map(ToString::to_string).collect();
            if !similar.is_empty() {
                lines.push(format!("Similar words: {}", similar.join(", ")));
            }
            let modules: Vec<&Arc<Module>> = catalog.modules().collect();
            lines.push(format!("Modules: {}", name_modules(&modules, NAMES_TOKENS)));
            lines.push(
                "Try other words for what the tool does, or `modules` for all tools of a module."
                    .to_owned(),
            );
        }
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}
