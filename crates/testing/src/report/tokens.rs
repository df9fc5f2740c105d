//! What calls cost, as a table in Markdown and for programs.

use super::Event;
use crate::cost::{Cost, Size};
use model::Grouped;
use serde_json::{Value, json};

const HEAD: &str = "\
| characters / tokens | sent by the service | as JSON | as read | of sent | of JSON |
|---|---:|---:|---:|---:|---:|";

/// A row for each test that made one call: characters and tokens, and shares in tokens.
pub(super) fn table(events: &[Event]) -> String {
    let mut lines = vec![HEAD.to_owned()];
    lines.extend(costs(events).map(|(_, cost)| row(cost)));
    lines.join("\n")
}

pub(super) fn to_json(events: &[Event]) -> Vec<Value> {
    let size = |size: Size| json!({"characters": size.characters, "tokens": size.tokens});
    let one = |(test, cost): (&String, &Cost)| {
        json!({
            "test": test,
            "tool": cost.tool,
            "sent": size(cost.sent),
            "json": size(cost.json),
            "text": size(cost.text),
        })
    };
    costs(events).map(one).collect()
}

fn costs(events: &[Event]) -> impl Iterator<Item = (&String, &Cost)> {
    events.iter().filter_map(|event| match event {
        Event::Passed { test, cost, .. } => Some((test, cost.as_ref()?)),
        _ => None,
    })
}

fn row(cost: &Cost) -> String {
    let Cost { tool, sent, json, text } = cost;
    format!(
        "| `{tool}` | {} | {} | {} | {} | {} |",
        shown(*sent),
        shown(*json),
        shown(*text),
        share(*text, *sent),
        share(*text, *json)
    )
}

fn shown(size: Size) -> String {
    if size.characters == 0 {
        return "–".to_owned();
    }
    format!("{} / {}", Grouped(size.characters), Grouped(size.tokens))
}

/// In percent with one digit, rounded.
fn share(part: Size, whole: Size) -> String {
    if whole.tokens == 0 {
        return "–".to_owned();
    }
    let tenths = (part.tokens * 2000 + whole.tokens) / (whole.tokens * 2);
    format!("{}.{} %", tenths / 10, tenths % 10)
}
