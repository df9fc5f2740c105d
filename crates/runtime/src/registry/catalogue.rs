//! The meta tools as clients see them: what is behind them stands in their descriptions, a line a
//! module, so that nobody has to look first.

use super::meta::Meta;
use super::summary::short;
use crate::catalog::Module;
use model::{Hints, TaskUse, Tool};
use std::sync::Arc;

/// So many modules have a line with what they are for; more are named only.
const LINES: usize = 40;
/// So many are named.
const NAMES: usize = 400;
/// The longest line about a module.
const LONGEST: usize = 80;

const SCHEMA: &str = "What modules offer, and what their tools take; query finds tools by plain words. \
                      Call first.";
const CALL: &str = "Calls a module's tool.";
const CALL_READONLY: &str = "Like call, or like batch with tasks, for read-only tools alone.";
const BATCH: &str = "Calls tools in one go. \"${id.results[0].name}\" in params, foreach or when is another \
                     task's result; ${item} is one of foreach. Only tasks with output are shown.";

pub(super) fn meta_tools<'m>(modules: impl Iterator<Item = &'m Arc<Module>>) -> Vec<Tool> {
    let modules: Vec<&Arc<Module>> = modules.collect();
    let described = |meta| match meta {
        Meta::Schema => format!("{SCHEMA}{}", catalogue(&modules)),
        Meta::Call => CALL.to_owned(),
        Meta::CallReadonly => CALL_READONLY.to_owned(),
        Meta::Batch => BATCH.to_owned(),
    };
    let all = Meta::ALL.into_iter();
    all.filter_map(|meta| tool(meta, described(meta))).collect()
}

fn tool(meta: Meta, description: String) -> Option<Tool> {
    let is_read_only = matches!(meta, Meta::Schema | Meta::CallReadonly);
    Some(Tool {
        name: meta.name().parse().ok()?,
        title: None,
        description,
        input: meta.input().clone(),
        output: None,
        hints: Hints {
            read_only: is_read_only.then_some(true),
            ..Hints::default()
        },
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

fn catalogue(modules: &[&Arc<Module>]) -> String {
    if modules.is_empty() {
        return " There are no modules yet.".to_owned();
    }
    if modules.len() <= LINES {
        let lines = modules.iter().map(|module| line(module));
        return format!(" Modules:{}", lines.collect::<String>());
    }
    let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    let named = names[..names.len().min(NAMES)].join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => format!(" Modules: {named}"),
        more => format!(" Modules: {named} and {more} more"),
    }
}

fn line(module: &Module) -> String {
    match short(module.description().unwrap_or_default(), LONGEST) {
        about if about.is_empty() => format!("\n{}", module.name),
        about => format!("\n{}: {about}", module.name),
    }
}
