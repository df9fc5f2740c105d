//! The Gemini API of Google.

use serde_json::{Value, json};

use super::turn::{Body, Reply, Turn, flatten, items, text};

pub(super) fn read(body: &Value) -> Turn {
    // A side request for a decision in JSON, such as who speaks next.
    if body["generationConfig"]["responseMimeType"] == "application/json" {
        return Turn::default();
    }
    let tools = items(&body["tools"]).iter();
    let functions = tools.flat_map(|tool| items(&tool["functionDeclarations"]));
    let contents = items(&body["contents"]).iter();
    let parts = contents.flat_map(|content| items(&content["parts"]));
    let results = parts.filter_map(|part| part.get("functionResponse"));
    Turn {
        tools: functions.map(|function| text(function, "name").to_owned()).collect(),
        results: results.map(read_result).collect(),
    }
}

/// Text of a function response, with its attached parts.
fn read_result(result: &Value) -> String {
    let response = &result["response"];
    let mut lines = match (&response["output"], &response["error"]) {
        (Value::Null, Value::Null) => vec![response.to_string()],
        (Value::Null, error) => vec![flatten(error)],
        (output, _) => vec![flatten(output)],
    };
    let attached = items(&result["parts"]).iter();
    lines.extend(attached.map(|part| match part.get("inlineData") {
        Some(_) => "[image]".to_owned(),
        None => part.to_string(),
    }));
    lines.join("\n")
}

pub(super) fn write(streams: bool, body: &Value, reply: &Reply, number: usize) -> Body {
    let part = match reply {
        Reply::Text(_) if body["generationConfig"]["responseMimeType"] == "application/json" => {
            let decision =
                json!({"reasoning": "none", "next_speaker": "user", "model_choice": "pro"});
            json!({"text": decision.to_string()})
        }
        Reply::Text(text) => json!({"text": text}),
        Reply::Call { tool, arguments } => {
            let call = json!({"name": tool, "args": arguments, "id": format!("call_{number:04}")});
            json!({"functionCall": call, "thoughtSignature": "c2ln"})
        }
    };
    let content = json!({"role": "model", "parts": [part]});
    let response = json!({
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
        "modelVersion": "stub",
    });
    if streams {
        return Body::events(&[response]);
    }
    Body::json(&response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_with_their_attachments() {
        let result = |response: Value| json!({"functionResponse": {"response": response}});
        let body = json!({
            "tools": [{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}],
            "contents": [{"parts": [result(json!({"output": "42"})), result(json!({"error": "no"}))]}],
        });
        let turn = read(&body);
        assert_eq!(turn.tools, ["a", "b"]);
        assert_eq!(turn.results, ["42", "no"]);
        let image = json!({"response": {"output": "see"}, "parts": [{"inlineData": {}}]});
        assert_eq!(read_result(&image), "see\n[image]");
    }
}
