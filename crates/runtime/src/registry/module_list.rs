//! List of modules within a number of tokens.

use super::budgeted_text::BudgetedText;
use crate::catalog::Module;
use compact::count_tokens;
use model::{ModuleName, summarize};
use std::cmp::Reverse;
use std::sync::Arc;

/// Longest description of a module, in characters; the shorter ones are tried if a list is too long.
const LONGEST: [usize; 4] = [80, 60, 40, 24];

/// Whether the number of tools stands behind a module's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolCounts {
    Shown,
    Hidden,
}

/// Returns a line for each module, with its description. If that is too long, the modules with most tools
/// have a line, which takes half the tokens at most, the others are named, and the rest is counted.
pub(super) fn list_modules(modules: &[&Arc<Module>], counts: ToolCounts, tokens: usize) -> String {
    let lines = |longest| all_lines(modules, counts, longest, tokens);
    if let Some(all) = LONGEST.into_iter().find_map(lines) {
        return all;
    }
    let mut by_size = modules.to_vec();
    by_size.sort_by_key(|module| Reverse(module.tools.len()));
    let longest = LONGEST[LONGEST.len() - 1];
    let mut described = BudgetedText::new(tokens / 2);
    let lines = by_size.iter().take_while(|module| described.push(&line(module, counts, longest)));
    let described_count = lines.count();
    let names: Vec<String> =
        by_size[described_count..].iter().map(|module| label(module, counts)).collect();
    let described = described.into_text();
    let mut named = BudgetedText::new(tokens - count_tokens(&described).min(tokens));
    named.push_names("Also: ", names.iter().map(String::as_str));
    format!("{described}\n{}", named.into_text())
}

/// Returns the names of the modules, as many as fit, and how many more there are.
pub(super) fn name_modules(modules: &[&Arc<Module>], tokens: usize) -> String {
    let mut text = BudgetedText::new(tokens);
    text.push_names("", modules.iter().map(|module| module.name.as_str()));
    text.into_text()
}

/// Returns a line for each module if all of them fit.
fn all_lines(
    modules: &[&Arc<Module>],
    counts: ToolCounts,
    longest: usize,
    tokens: usize,
) -> Option<String> {
    let mut text = BudgetedText::new(tokens);
    let fits = modules.iter().all(|module| text.push(&line(module, counts, longest)));
    fits.then(|| text.into_text())
}

fn line(module: &Module, counts: ToolCounts, longest: usize) -> String {
    let label = label(module, counts);
    let description = without_own_name(module.description().unwrap_or_default(), &module.name);
    match summarize(description, longest) {
        about if about.is_empty() => format!("{label}\n"),
        about => format!("{label}: {about}\n"),
    }
}

/// Leaves out a label such as `GitHub:`, which repeats the module's name.
fn without_own_name<'a>(description: &'a str, name: &ModuleName) -> &'a str {
    let Some((label, rest)) = description.split_once(": ") else { return description };
    let repeats = label.to_lowercase().replace([' ', '-', '_'], "");
    if repeats.starts_with(&name.as_str().replace(['-', '_'], "")) && !label.contains('.') {
        rest
    } else {
        description
    }
}

fn label(module: &Module, counts: ToolCounts) -> String {
    match counts {
        ToolCounts::Shown => format!("{} ({})", module.name, module.tools.len()),
        ToolCounts::Hidden => module.name.to_string(),
    }
}
