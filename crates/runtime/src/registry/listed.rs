//! What a list says of a tool, as JSON: what is sent to clients, and what it costs them.

use compact::count_tokens;
use model::{Hints, Tool, list_output};
use serde_json::{Map, Value, json};
use settings::StructuredResults;

/// As in `tools/list`.
pub(crate) fn listed(name: &str, tool: &Tool, results: StructuredResults) -> Value {
    let mut all = Map::new();
    let mut say = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            all.insert(key.to_owned(), value);
        }
    };
    let text = |text: &str| (!text.is_empty()).then(|| json!(text));
    say("name", Some(json!(name)));
    say("title", tool.title.as_deref().and_then(text));
    say("description", text(&tool.description));
    say("inputSchema", Some(tool.listed_input()));
    say("outputSchema", results.listed_schema(tool).map(list_output));
    say("annotations", annotations(tool.hints));
    say("icons", tool.icons.clone());
    Value::Object(all)
}

fn annotations(hints: Hints) -> Option<Value> {
    let all = [
        ("readOnlyHint", hints.read_only),
        ("destructiveHint", hints.destructive),
        ("idempotentHint", hints.idempotent),
        ("openWorldHint", hints.open_world),
    ];
    let said = all.into_iter().filter_map(|(key, hint)| Some((key.to_owned(), json!(hint?))));
    let said: Map<String, Value> = said.collect();
    (!said.is_empty()).then_some(Value::Object(said))
}

/// What a list of these says, each in JSON.
pub(super) fn written<'t>(
    tools: impl IntoIterator<Item = (&'t str, &'t Tool)>,
    results: StructuredResults,
) -> Vec<String> {
    let tools = tools.into_iter();
    tools.map(|(name, tool)| listed(name, tool, results).to_string()).collect()
}

/// What it costs a model.
pub(super) fn tokens<'w>(written: impl IntoIterator<Item = &'w String>) -> usize {
    written.into_iter().map(|text| count_tokens(text)).sum()
}
