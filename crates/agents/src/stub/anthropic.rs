//! The Messages API of Anthropic.

use serde_json::{Value, json};

use super::turn::{Body, Reply, Turn, flatten, items, text};

pub(super) fn read(body: &Value) -> Turn {
    let mut turn = Turn::default();
    let tools = items(&body["tools"]).iter();
    // Tools that are only announced have to be loaded by the client's search first.
    let loaded = tools.filter(|tool| tool["defer_loading"] != true);
    turn.tools.extend(loaded.map(|tool| text(tool, "name").to_owned()));
    let contents = items(&body["messages"]).iter();
    let blocks = contents.flat_map(|message| items(&message["content"]));
    for result in blocks.filter(|block| block["type"] == "tool_result") {
        let references = items(&result["content"]).iter();
        let references = references.filter(|block| block["type"] == "tool_reference");
        let names = references.map(|block| text(block, "tool_name").to_owned());
        turn.tools.extend(names);
        turn.results.push(flatten(&result["content"]));
    }
    turn
}

pub(super) fn write(body: &Value, reply: &Reply, number: usize) -> Body {
    let usage = json!({"input_tokens": 100, "output_tokens": 10});
    let (block, delta, stop) = match reply {
        Reply::Text(text) => (
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
            "end_turn",
        ),
        Reply::Call { tool, arguments } => (
            json!({"type": "tool_use", "id": format!("toolu_{number:04}"), "name": tool, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
            "tool_use",
        ),
    };
    let mut message = json!({
        "id": format!("msg_{number:04}"), "type": "message", "role": "assistant",
        "model": body["model"], "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    if body["stream"] != true {
        message["content"] = json!([complete(&block, reply)]);
        message["stop_reason"] = json!(stop);
        return Body::json(&message);
    }
    Body::events(&[
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage}),
        json!({"type": "message_stop"}),
    ])
}

/// A content block as it is without streaming.
fn complete(block: &Value, reply: &Reply) -> Value {
    let mut block = block.clone();
    match reply {
        Reply::Text(text) => block["text"] = json!(text),
        Reply::Call { arguments, .. } => block["input"] = arguments.clone(),
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deferred_tools_count_once_a_search_has_loaded_them() {
        let body = json!({
            "tools": [{"name": "ToolSearch"}, {"name": "late", "defer_loading": true}, {"name": "other", "defer_loading": true}],
            "messages": [
                {"role": "user", "content": "please"},
                {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "tool_reference", "tool_name": "late"}]}]},
                {"role": "user", "content": [{"type": "tool_result", "content": "42"}]},
            ],
        });
        let turn = read(&body);
        assert_eq!(turn.tools, ["ToolSearch", "late"]);
        assert_eq!(turn.results[1], "42");
    }
}
