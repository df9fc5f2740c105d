//! The Chat Completions API of `OpenAI`.

use serde_json::{Value, json};

use super::turn::{Body, Reply, Turn, flatten, items, text};

pub(super) fn read(body: &Value) -> Turn {
    let tools = items(&body["tools"]).iter();
    let mut results: Vec<String> = Vec::new();
    for message in items(&body["messages"]) {
        match (text(message, "role"), results.last_mut()) {
            ("tool", _) => results.push(flatten(&message["content"])),
            // Some clients attach the images of a result in a message of their own.
            ("user", Some(result)) if has_image(message) => {
                result.push('\n');
                result.push_str(&flatten(&message["content"]));
            }
            _ => {}
        }
    }
    Turn { tools: tools.map(|tool| text(&tool["function"], "name").to_owned()).collect(), results }
}

fn has_image(message: &Value) -> bool {
    let mut parts = items(&message["content"]).iter();
    parts.any(|part| part["type"] == "image_url")
}

pub(super) fn write(body: &Value, reply: &Reply, number: usize) -> Body {
    let (message, finish) = match reply {
        Reply::Text(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Reply::Call { tool, arguments } => {
            let function = json!({"name": tool, "arguments": arguments.to_string()});
            let id = format!("call_{number:04}");
            let call = json!({"index": 0, "id": id, "type": "function", "function": function});
            (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
        }
    };
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    let envelope = |object: &str, choice: Value| {
        json!({
            "id": format!("chat_{number:04}"), "object": object, "created": 1, "model": body["model"],
            "choices": [choice], "usage": usage,
        })
    };
    if body["stream"] != true {
        let choice = json!({"index": 0, "message": message, "finish_reason": finish});
        return Body::json(&envelope("chat.completion", choice));
    }
    let chunk = |choice| envelope("chat.completion.chunk", choice);
    let mut events = Body::events(&[
        chunk(json!({"index": 0, "delta": message, "finish_reason": null})),
        chunk(json!({"index": 0, "delta": {}, "finish_reason": finish})),
    ]);
    events.text.push_str("data: [DONE]\n\n");
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_and_results_are_read() {
        let body = json!({
            "tools": [{"type": "function", "function": {"name": "a"}}],
            "messages": [{"role": "user", "content": "x"}, {"role": "tool", "content": "42"}, {"role": "user", "content": [{"type": "image_url"}]}],
        });
        let expected =
            Turn { tools: vec!["a".to_owned()], results: vec!["42\n[image]".to_owned()] };
        assert_eq!(read(&body), expected);
    }
}
