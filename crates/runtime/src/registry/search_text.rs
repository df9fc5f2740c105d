//! Tools found by a query, as text: signatures of the best, names of more, and other modules with matches.

use super::budgeted_text::BudgetedText;
use super::module_list::name_modules;
use super::offer_text::{Target, tool_line};
use crate::catalog::{Catalog, Handle, Module};
use model::count_tokens;
use std::sync::Arc;

/// Tools shown with their signatures.
const SIGNATURES: usize = 5;
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

/// Shows the tools that fit a query, the best first.
pub(super) fn show_found(found: &[Handle]) -> String {
    let (best, more) = found.split_at(found.len().min(SIGNATURES));
    let (more, rest) = more.split_at(more.len().min(NAMES));
    let others = other_modules(&found[..best.len() + more.len()], rest);
    let names: Vec<String> = more.iter().map(ToString::to_string).collect();
    let mut text = BudgetedText::new(TOKENS);
    let reserved = count_tokens(&format!("more: {}\n{others}", names.join(", ")));
    let lines = signatures(best, text.left().saturating_sub(reserved));
    let shown = lines.iter().take_while(|line| text.push(line)).count();
    let unshown: Vec<String> = best[shown..].iter().map(ToString::to_string).collect();
    let label = if shown == 0 { "" } else { "more: " };
    text.push_names(label, unshown.iter().chain(&names).map(String::as_str));
    text.push(&others);
    text.into_text()
}

/// Shows the names alone.
pub(super) fn show_names(found: &[Handle]) -> String {
    let found = found.iter().take(SIGNATURES + NAMES);
    let names: Vec<String> = found.map(ToString::to_string).collect();
    let mut text = BudgetedText::new(TOKENS);
    text.push_names("", names.iter().map(String::as_str));
    text.into_text()
}

/// Returns a line for each tool: brief signatures, and full ones as far as the tokens go, the best first.
fn signatures(tools: &[Handle], tokens: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for handle in tools {
        let tool = &handle.tool().tool;
        let line =
            |signature: String| tool_line(&format!("{}.{signature}", handle.module.name), tool);
        lines.push((line(tool.brief_signature()), line(tool.signature())));
    }
    let brief = lines.iter().map(|(brief, _)| count_tokens(brief)).sum();
    let mut left = tokens.saturating_sub(brief);
    let chosen = lines.into_iter().map(|(brief, full)| {
        let extra = count_tokens(&full).saturating_sub(count_tokens(&brief));
        if extra > left {
            return brief;
        }
        left -= extra;
        full
    });
    chosen.collect()
}

/// Returns a line on modules that have matches, none of which is shown.
fn other_modules(shown: &[Handle], rest: &[Handle]) -> String {
    let mut others: Vec<(&Arc<Module>, usize)> = Vec::new();
    let is_shown = |module: &Module| shown.iter().any(|handle| handle.module.name == module.name);
    for module in rest
        .iter()
        .map(|handle| &handle.module)
        .filter(|module| !is_shown(module))
    {
        match others
            .iter_mut()
            .find(|(other, _)| other.name == module.name)
        {
            Some((_, matches)) => *matches += 1,
            None => others.push((module, 1)),
        }
    }
    if others.is_empty() {
        return String::new();
    }
    let named = others.iter().take(MODULES);
    let named: Vec<String> = named
        .map(|(module, matches)| format!("{} ({matches})", module.name))
        .collect();
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
                    handles
                        .iter()
                        .map(|handle| handle.tool().tool.name.as_str()),
                );
                lines.push(names.into_text());
            }
            lines.push("Leave `modules` out to search all modules.".to_owned());
        }
        None => {
            let similar = catalog.search_similar(query);
            let similar: Vec<String> = similar
                .iter()
                .take(SIMILAR)
                .map(ToString::to_string)
                .collect();
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
