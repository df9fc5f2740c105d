//! The Responses API of `OpenAI`.

use serde_json::{Value, json};

use super::turn::{Body, Reply, Turn, flatten, items, text};

/// Name of the tool by which the model searches tools of the client; it has an item type of its own.
const SEARCH: &str = "tool_search";

pub(super) fn read(body: &Value) -> Turn {
    let mut turn = Turn::default();
    let tools = items(&body["tools"]).iter();
    turn.tools.extend(tools.flat_map(names));
    for item in items(&body["input"]) {
        match text(item, "type") {
            "tool_search_output" => {
                let found: Vec<String> = items(&item["tools"]).iter().flat_map(names).collect();
                turn.results.push(found.join("\n"));
                turn.tools.extend(found);
            }
            "function_call_output" => turn.results.push(flatten(&item["output"])),
            _ => {}
        }
    }
    turn
}

/// Names of a listed tool; those of a namespace are `namespace/name`.
fn names(tool: &Value) -> Vec<String> {
    let name = text(tool, "name");
    match text(tool, "type") {
        "namespace" => {
            let tools = items(&tool["tools"]).iter();
            tools.map(|tool| format!("{name}/{}", text(tool, "name"))).collect()
        }
        SEARCH => vec![SEARCH.to_owned()],
        _ => vec![name.to_owned()],
    }
}

pub(super) fn write(body: &Value, reply: &Reply, number: usize) -> Body {
    let item = item(reply, number);
    let usage = json!({
        "input_tokens": 100, "output_tokens": 10, "total_tokens": 110,
        "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    });
    let response = json!({
        "id": format!("resp_{number:04}"), "object": "response", "created_at": 1, "model": body["model"],
        "status": "completed", "output": [item], "usage": usage, "error": null, "tools": [],
    });
    if body["stream"] != true {
        return Body::json(&response);
    }
    let mut begun = response.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    Body::events(&[
        json!({"type": "response.created", "sequence_number": 0, "response": begun}),
        json!({"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item}),
        json!({"type": "response.completed", "sequence_number": 3, "response": response}),
    ])
}

fn item(reply: &Reply, number: usize) -> Value {
    let (tool, arguments) = match reply {
        Reply::Text(text) => {
            let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
            let id = format!("msg_{number:04}");
            return json!({
                "type": "message", "id": id, "role": "assistant", "status": "completed", "content": content,
            });
        }
        Reply::Call { tool, arguments } => (tool, arguments),
    };
    let (id, call) = (format!("item_{number:04}"), format!("call_{number:04}"));
    if tool == SEARCH {
        return json!({
            "type": "tool_search_call", "id": id, "call_id": call, "execution": "client",
            "status": "completed", "arguments": arguments,
        });
    }
    let mut item = json!({
        "type": "function_call", "id": id, "call_id": call, "status": "completed",
        "name": tool, "arguments": arguments.to_string(),
    });
    if let Some((namespace, name)) = tool.split_once('/') {
        item["namespace"] = json!(namespace);
        item["name"] = json!(name);
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_and_found_tools_are_read() {
        let namespace =
            |name| json!({"type": "namespace", "name": "mcp__s", "tools": [{"name": name}]});
        let body = json!({
            "tools": [{"type": "tool_search"}, {"type": "function", "name": "shell"}, namespace("a")],
            "input": [
                {"type": "tool_search_output", "tools": [namespace("b")]},
                {"type": "function_call_output", "output": "42"},
            ],
        });
        let turn = read(&body);
        assert_eq!(turn.tools, ["tool_search", "shell", "mcp__s/a", "mcp__s/b"]);
        assert_eq!(turn.results, ["mcp__s/b", "42"]);
    }

    #[test]
    fn a_tool_of_a_namespace_is_called_in_it() {
        let reply = Reply::Call { tool: "mcp__s/a".to_owned(), arguments: json!({}) };
        let item = item(&reply, 1);
        assert_eq!((&item["namespace"], &item["name"]), (&json!("mcp__s"), &json!("a")));
    }
}
