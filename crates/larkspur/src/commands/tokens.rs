//! `larkspur list --tokens`: what a model pays for the list of tools, by either surface.

use crate::terminal::{DIM, STRONG, count, note, say, styled};
use compact::TOKENS_ARE_COUNTED;
use model::Grouped;
use runtime::{Catalog, Choice};
use serde_json::{Value, json};

pub(crate) fn as_text(catalog: &Catalog) {
    let choice = &catalog.front.choice;
    let costs = catalog.costs();
    let widest = costs.iter().map(|cost| cost.module.len()).max();
    let widest = widest.unwrap_or_default().max("modules".len());
    let row = |name: &str, tools: usize, tokens: usize, rest: &str| {
        let tools = count(tools, "tool");
        let tokens = Grouped(tokens).to_string();
        say(&format!("{name:widest$}  {tools:>9}  {tokens:>9} tokens{rest}"));
    };
    for cost in &costs {
        let rest = format!("  {} as signatures", Grouped(cost.signatures));
        row(cost.module, cost.tools, cost.flat, &styled(DIM, rest));
    }
    let shown = |is_it: bool| if is_it { "  shown" } else { "" };
    let meta = catalog.front.meta_tools().len();
    let flat = styled(STRONG, shown(!choice.shows_modules));
    row("flat", choice.tools, choice.flat_tokens, &flat);
    let modules = styled(STRONG, shown(choice.shows_modules));
    row("modules", meta, choice.modules_tokens, &modules);
    note(&format!("surface: {choice}"));
    if !TOKENS_ARE_COUNTED {
        note("tokens are estimated");
    }
}

pub(crate) fn as_json(catalog: &Catalog) -> Value {
    let Choice { shows_modules, flat_tokens, modules_tokens, .. } = catalog.front.choice;
    let costs = catalog.costs();
    let modules = costs.iter().map(|cost| {
        json!({
            "module": cost.module,
            "tools": cost.tools,
            "flat": cost.flat,
            "signatures": cost.signatures,
        })
    });
    json!({
        "shown": if shows_modules { "modules" } else { "flat" },
        "why": catalog.front.choice.to_string(),
        "flat": flat_tokens,
        "modules": modules_tokens,
        "counted": TOKENS_ARE_COUNTED,
        "by_module": modules.collect::<Vec<_>>(),
    })
}
