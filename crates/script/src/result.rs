//! What a handler returned, as a tool's output.

use crate::convert::{Unwritable, write_json};
use crate::stdlib::content::Block;
use crate::stdlib::prelude::*;
use model::{Content, Output, Structured};
use serde_json::Value as Json;

pub(crate) fn output<'v>(
    value: Value<'v>,
    typed: bool,
    wanted: Structured,
    heap: Heap<'v>,
    budget: Budget,
) -> Result<Output, Unwritable> {
    if let Some(text) = value.unpack_str() {
        if text.len() > budget.bytes {
            return Err(Unwritable(format!(
                "the text is longer than {} bytes (limit `result`)",
                budget.bytes
            )));
        }
        let structured =
            (typed && wanted != Structured::Text).then(|| Json::String(text.to_owned()));
        return Ok(Output { structured, ..Output::text(text) });
    }
    if is_content(value) {
        return blocks(vec![to_json(value, heap, budget)?]);
    }
    if let Some(list) = ListRef::from_value(value)
        && !list.is_empty()
        && list.iter().all(is_content)
    {
        let items: Result<Vec<Json>, _> =
            list.iter().map(|item| to_json(item, heap, budget)).collect();
        return blocks(items?);
    }
    if is_whole_result(value) {
        let mut output = whole(to_json(value, heap, budget)?)?;
        if wanted != Structured::Data {
            output.tell_data();
        }
        output.structured = output.structured.filter(|_| wanted != Structured::Text);
        return Ok(output);
    }
    let text = write_json(value, heap, budget)?;
    let is_data = typed || text.starts_with(['{', '[']);
    let structured = if is_data && wanted != Structured::Text {
        Some(to_json(value, heap, budget)?)
    } else {
        None
    };
    Ok(Output { structured, ..Output::text(text) })
}

fn is_content(value: Value<'_>) -> bool {
    Block::from_value(value).is_some()
}

/// A dict with a list under `content` is an MCP result as it stands.
fn is_whole_result(value: Value<'_>) -> bool {
    let Some(dict) = DictRef::from_value(value) else {
        return false;
    };
    let Some(content) = dict.get_str("content").and_then(ListRef::from_value) else {
        return false;
    };
    let is_block = |item: Value<'_>| {
        is_content(item) || DictRef::from_value(item).is_some_and(|d| d.get_str("type").is_some())
    };
    content.iter().all(is_block)
}

fn whole(json: Json) -> Result<Output, Unwritable> {
    let Json::Object(mut map) = json else {
        return Err(Unwritable("a result must be an object".into()));
    };
    let is_error =
        map.get("isError").or_else(|| map.get("is_error")).and_then(Json::as_bool).unwrap_or(false);
    let structured = map.remove("structuredContent").or_else(|| map.remove("structured_content"));
    let Some(Json::Array(items)) = map.remove("content") else {
        return Err(Unwritable("`content` must be a list".into()));
    };
    let mut output = blocks(items)?;
    output.is_error = is_error;
    output.structured = structured.filter(|s| !s.is_null());
    Ok(output)
}

fn blocks(items: Vec<Json>) -> Result<Output, Unwritable> {
    let mut content = Vec::with_capacity(items.len());
    for (i, item) in items.into_iter().enumerate() {
        content
            .push(serde_json::from_value::<Content>(item).map_err(|why| {
                Unwritable(format!("content[{i}] is not a content block: {why}"))
            })?);
    }
    Ok(Output { content, ..Output::default() })
}
