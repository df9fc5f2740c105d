//! Two roads for a call over HTTP, ours and rmcp's: whoever asks cannot tell which one it went.

use crate::room::Room;
use crate::web::{MODERN, Reply, Web, modern};
use serde_json::{Value, json};

const MODULE: &str = r#"
def hello(name: str) -> str:
    return "hello " + name

def sizes(n: int) -> list[dict]:
    return [{"n": i} for i in range(n)]

def refuse(why: str) -> str:
    fail(why)

def ask(ctx) -> str:
    return str(ctx.elicit("who?", {"type": "object", "properties": {"name": {"type": "string"}}}))

tool(hello)
tool(sizes)
tool(refuse)
tool(ask)
"#;

/// The same call twice: as it is, and with its name in a form that only rmcp reads.
fn both(web: &Web, tool: &str, encoded: &str, args: &Value, capabilities: &Value) -> [Reply; 2] {
    let mut message = modern("tools/call", json!({"name": tool, "arguments": args}));
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    [tool, encoded].map(|name| {
        let headers = [
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ];
        web.post(&headers, &message)
    })
}

#[test]
fn both_roads_give_the_same_answer() {
    let cases = [
        ("hello", "=?base64?aGVsbG8=?=", json!({"name": "ada"})),
        ("hello", "=?base64?aGVsbG8=?=", json!({"name": 3})),
        ("hello", "=?base64?aGVsbG8=?=", json!({})),
        ("sizes", "=?base64?c2l6ZXM=?=", json!({"n": 3})),
        ("refuse", "=?base64?cmVmdXNl?=", json!({"why": "no"})),
        ("ask", "=?base64?YXNr?=", json!({})),
        ("nobody", "=?base64?bm9ib2R5?=", json!({})),
    ];
    for project in ["", "[server]\nerrors = 'mapped'\n"] {
        let room = Room::new();
        room.write("all.star", MODULE).project(project);
        let web = Web::start(room, &[]);
        for (tool, encoded, args) in &cases {
            for capabilities in [json!({}), json!({"elicitation": {"form": {}}})] {
                let [ours, theirs] = both(&web, tool, encoded, args, &capabilities);
                assert_eq!(ours.status, theirs.status, "{tool} {args}");
                assert_eq!(
                    ours.header("content-type"),
                    theirs.header("content-type"),
                    "{tool} {args}"
                );
                let (mut ours, mut theirs) = (ours.json(), theirs.json());
                // What is sealed is sealed anew each time.
                for answer in [&mut ours, &mut theirs] {
                    if let Some(state) = answer.pointer_mut("/result/requestState") {
                        *state = json!("sealed");
                    }
                }
                assert_eq!(ours, theirs, "{tool} {args}");
            }
        }
    }
}
