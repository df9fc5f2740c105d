//! Tools of modules as text, within a number of tokens.

use super::budgeted_text::BudgetedText;
use super::detail::Detail;
use crate::catalog::{Handle, Module};
use compact::count_tokens;
use model::{Tool, summarize};
use std::sync::Arc;

/// Longest summary beside a signature or a module, in characters.
const LONGEST: usize = 100;
/// Tokens of the line that says that modules were left out.
const LAST_LINE: usize = 20;

/// A module that a caller named, or some of its tools.
pub(super) struct Target {
    pub(super) module: Arc<Module>,
    /// None means all.
    pub(super) tools: Option<Vec<usize>>,
}

impl Target {
    pub(super) fn handles(&self) -> Vec<Handle> {
        let all = || (0..self.module.tools.len()).collect();
        let tools: Vec<usize> = self.tools.clone().unwrap_or_else(all);
        let handle = |index| Handle { module: Arc::clone(&self.module), index };
        tools.into_iter().map(handle).collect()
    }
}

/// Shows the modules below each other; each may use an equal share of what is left.
pub(super) fn show_modules(targets: &[Target], detail: Detail, tokens: usize) -> String {
    let mut text = BudgetedText::new(tokens.saturating_sub(LAST_LINE));
    for (at, target) in targets.iter().enumerate() {
        let modules_left = targets.len() - at;
        if !text.push(&show_module(target, detail, text.left() / modules_left)) {
            let left_out = format!("{modules_left} more modules: name fewer at a time");
            return format!("{}\n{left_out}", text.into_text());
        }
    }
    text.into_text()
}

/// Shows a module's tools with their signatures, or as many of them as fit, and the names of the others.
fn show_module(target: &Target, detail: Detail, tokens: usize) -> String {
    let mut text = BudgetedText::new(tokens);
    let heading = heading(&target.module);
    if !text.push(&heading) {
        return heading;
    }
    let handles = target.handles();
    let lines = match detail {
        Detail::Names => Vec::new(),
        Detail::Signatures | Detail::Full => signatures(&handles, text.left()),
    };
    let shown = lines.iter().take_while(|line| text.push(line)).count();
    let names = handles[shown..].iter().map(|handle| handle.tool().tool.name.as_str());
    text.push_names(if shown == 0 { "" } else { "more: " }, names);
    format!("{}\n", text.into_text())
}

/// Returns full signatures if all of them fit, else brief ones.
fn signatures(handles: &[Handle], tokens: usize) -> Vec<String> {
    let lines = |signature: fn(&Tool) -> String| -> Vec<String> {
        let tools = handles.iter().map(|handle| &handle.tool().tool);
        tools.map(|tool| tool_line(&signature(tool), tool)).collect()
    };
    let full = lines(Tool::signature);
    if count_tokens(&full.concat()) <= tokens { full } else { lines(Tool::brief_signature) }
}

/// Returns a signature with what the tool does.
pub(super) fn tool_line(signature: &str, tool: &Tool) -> String {
    match summarize(&tool.description, LONGEST) {
        about if about.is_empty() => format!("{signature}\n"),
        about => format!("{signature}  {about}\n"),
    }
}

fn heading(module: &Module) -> String {
    let name = &module.name;
    let tools = match module.tools.len() {
        1 => "1 tool".to_owned(),
        many => format!("{many} tools"),
    };
    match summarize(module.description().unwrap_or_default(), LONGEST) {
        about if about.is_empty() => format!("{name} ({tools})\n"),
        about => format!("{name} ({tools}): {about}\n"),
    }
}
