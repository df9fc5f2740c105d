//! What belongs to one caller does not exist for another: tasks, states of questions, words about
//! resources. The ids are those of the requirements: S1 to S4, T11.

use crate::issuer::{Issuer, claims};
use crate::room::Room;
use crate::web::{MODERN, Reply, Web, read_head};
use crate::wire::PATIENCE;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::time::Instant;

const NAME: &str = "https://login.example.org";

const JOBS: &str = r#"
def brew(ctx) -> str:
    for _ in range(100000):
        if ctx.state.get("go"):
            return "tea for " + ctx.caller["name"]
        time.sleep("10ms")

def go(ctx) -> str:
    ctx.state.set("go", True)
    return "going"

def ask(ctx) -> str:
    return ctx.elicit("For whom?", {"name": "string"})["content"]["name"]

def touch(ctx) -> str:
    ctx.resource_updated("secret://plan")
    ctx.resource_updated("open://plan")
    return "touched"

def secret_plan() -> str:
    return "x"

def open_plan() -> str:
    return "y"

tool(brew, task = True); tool(go); tool(ask); tool(touch)
resource("secret://plan", secret_plan)
resource("open://plan", open_plan)
"#;

const ROLES: &str = r#"
[role.all]
users = ["ada"]
allow = ["*"]

[role.some]
users = ["bob"]
allow = ["*"]
deny = ["jobs.secret_plan"]
"#;

fn serve() -> (Issuer, Web) {
    let token = |name: &str| json!({"key": "main", "claims": claims(NAME, json!({"sub": name}))});
    let tokens = json!({"ada": token("ada"), "bob": token("bob")});
    let issuer = Issuer::new(json!({"main": "RS256"}), tokens);
    let room = Room::new();
    room.write("jobs.star", JOBS);
    room.project(&format!("{}{ROLES}", issuer.trusted(NAME)));
    let web = Web::start(room, &[]);
    (issuer, web)
}

fn message(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities":
            {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn headers<'h>(method: &'h str, name: &'h str, authorization: &'h str) -> Vec<(&'h str, &'h str)> {
    let mut headers = vec![
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", method),
        ("Authorization", authorization),
    ];
    if !name.is_empty() {
        headers.push(("Mcp-Name", name));
    }
    headers
}

struct Asks<'w> {
    web: &'w Web,
    authorization: String,
}

impl Asks<'_> {
    #[track_caller]
    fn ask(&self, method: &str, params: Value) -> Reply {
        let name = params["name"].as_str().or(params["taskId"].as_str());
        let name = name.unwrap_or_default().to_owned();
        let message = message(method, params);
        self.web.post(&headers(method, &name, &self.authorization), &message)
    }
}

fn two<'w>(issuer: &Issuer, web: &'w Web) -> [Asks<'w>; 2] {
    ["ada", "bob"].map(|name| Asks { web, authorization: format!("Bearer {}", issuer.token(name)) })
}

/// S4: somebody else's task is as unknown as one that never was.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn a_task_belongs_to_its_caller() {
    let (issuer, web) = serve();
    let [ada, bob] = two(&issuer, &web);
    let created = ada.ask("tools/call", json!({"name": "brew", "arguments": {}})).is(200).json();
    let id = created["result"]["taskId"].as_str().unwrap().to_owned();
    let never = "0".repeat(id.len());
    for (method, more) in [
        ("tasks/get", json!({})),
        ("tasks/cancel", json!({})),
        ("tasks/update", json!({"inputResponses": {}})),
    ] {
        let said = |id: &str| {
            let mut params = more.clone();
            params["taskId"] = json!(id);
            let reply = bob.ask(method, params);
            (reply.status, reply.body.replace(id, "ID"))
        };
        assert_eq!(said(&id), said(&never), "{method}");
        assert!(said(&id).1.contains("there is no task"), "{method}");
    }
    let look = || ada.ask("tasks/get", json!({"taskId": id})).is(200).json()["result"].clone();
    assert_eq!(look()["status"], "working");
    bob.ask("tools/call", json!({"name": "go", "arguments": {}})).is(200);
    let deadline = Instant::now() + PATIENCE;
    while look()["status"] != "completed" {
        assert!(Instant::now() < deadline, "{:#}", look());
    }
    assert_eq!(look()["result"]["content"][0]["text"], "tea for ada");
}

/// S2: what was asked in one caller's name is not answered in another's.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn a_request_state_belongs_to_its_caller() {
    let (issuer, web) = serve();
    let [ada, bob] = two(&issuer, &web);
    let call = json!({"name": "ask", "arguments": {}});
    let first = ada.ask("tools/call", call.clone()).is(200).json()["result"].clone();
    let key = first["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let mut again = call;
    again["requestState"] = first["requestState"].clone();
    again["inputResponses"] = json!({key: {"action": "accept", "content": {"name": "Eve"}}});
    let stolen = bob.ask("tools/call", again.clone()).json();
    let why = stolen["error"]["message"].as_str().unwrap();
    assert!(why.contains("belongs to another request, caller or server"), "{why}");
    let own = ada.ask("tools/call", again).is(200).json();
    assert_eq!(own["result"]["content"][0]["text"], "Eve");
}

/// T11: nobody hears of a resource that he cannot see.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn words_about_resources_are_for_those_who_see_them() {
    let (issuer, web) = serve();
    let [ada, bob] = two(&issuer, &web);
    let listen = |who: &Asks<'_>| {
        let wanted = json!({"resourceSubscriptions": ["secret://plan", "open://plan"]});
        let body = message("subscriptions/listen", json!({"notifications": wanted})).to_string();
        let mut all = headers("subscriptions/listen", "", &who.authorization);
        all.push(("Content-Type", "application/json"));
        let lines: Vec<String> =
            all.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let mut stream = BufReader::new(web.connect());
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{}\r\n\r\n{body}",
            body.len(),
            lines.join("\r\n")
        );
        stream.get_mut().write_all(request.as_bytes()).unwrap();
        assert_eq!(read_head(&mut stream).0, 200);
        stream
    };
    // Of two words the first one that is heard, beside the acknowledgement.
    let heard = |stream: &mut dyn BufRead| loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream has ended");
        if line.contains("notifications/resources/updated") {
            break line;
        }
    };
    let acknowledged = |stream: &mut dyn BufRead| loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream has ended");
        if line.contains("acknowledged") {
            break;
        }
    };
    let (mut hers, mut his) = (listen(&ada), listen(&bob));
    acknowledged(&mut hers);
    acknowledged(&mut his);
    ada.ask("tools/call", json!({"name": "touch", "arguments": {}})).is(200);
    assert!(heard(&mut hers).contains("secret://plan"));
    assert!(heard(&mut hers).contains("open://plan"));
    assert!(heard(&mut his).contains("open://plan"));
}
