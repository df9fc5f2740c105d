//! Who may do what: what roles keep from somebody is not there, in no list and by no road; what a token
//! is not for is told.

use crate::issuer::{Issuer, claims};
use crate::room::Room;
use crate::web::{MODERN, Reply, Stream, Web, modern};
use crate::wire::PATIENCE;
use serde_json::{Value, json};
use std::time::Instant;

const NAME: &str = "https://login.example.org";

/// Three modules with everything that can be asked for.
const SHOP: &str = r#"
def get_price(item: str = "tea") -> str:
    """What something costs."""
    return item + " costs 3"

def delete_item(item: str = "tea") -> str:
    """Take something out of the shop."""
    return item + " is gone"

def prices() -> str:
    return "tea 3"

def price_of(item: str) -> str:
    return item + " 3"

def items(value):
    return ["tea", "a secret kind of tea"]

def offer() -> str:
    """An offer to write."""
    return "write an offer"

tool(get_price, read_only = True)
tool(delete_item, destructive = True)
resource("shop://prices", prices)
resource("shop://of/{item}", price_of, complete = {"item": items})
prompt(offer)
"#;

const OFFICE: &str = r#"
permissions(calls = ["shop.*"])

def read_mail() -> str:
    """Read the mail."""
    return "no mail"

def through(ctx, tool: str) -> str:
    """Call another tool."""
    answer = attempt(ctx.call, tool, {})
    return str(answer.value) if answer.ok else answer.error

def letters() -> str:
    return "a letter"

tool(read_mail)
tool(through)
resource("office://letters", letters)
"#;

const ROLES: &str = r#"
[role.clerk]
users = ["ada"]
allow = ["shop.*", "office.through"]
deny = ["*.delete_*"]

[role.boss]
users = ["bob"]
allow = ["*"]
"#;

fn issuer(people: &[(&str, &str)]) -> Issuer {
    let token = |(name, scope): &(&str, &str)| {
        let said = claims(NAME, json!({"sub": name, "scope": scope}));
        ((*name).to_owned(), json!({"key": "main", "claims": said}))
    };
    let tokens: serde_json::Map<String, Value> = people.iter().map(token).collect();
    Issuer::new(json!({"main": "RS256"}), Value::Object(tokens))
}

fn serve(issuer: &Issuer, policy: &str) -> Web {
    let room = Room::new();
    room.write("shop.star", SHOP);
    room.write("office.star", OFFICE);
    room.project(&format!("{}{policy}", issuer.trusted(NAME)));
    Web::start(room, &[])
}

/// One who asks, in one era.
pub(crate) struct Client<'w> {
    web: &'w Web,
    token: &'w str,
    is_modern: bool,
}

impl<'w> Client<'w> {
    fn both(web: &'w Web, token: &'w str) -> [Self; 2] {
        [true, false].map(|is_modern| Client { web, token, is_modern })
    }

    #[track_caller]
    fn ask(&self, method: &str, params: Value) -> Reply {
        let authorization = format!("Bearer {}", self.token);
        if !self.is_modern {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            return self.web.post(&[("Authorization", &authorization)], &message);
        }
        let message = modern(method, params);
        let name = message["params"]["name"].as_str();
        let name = name.or_else(|| message["params"]["uri"].as_str());
        let name = name.unwrap_or_default().to_owned();
        let mut headers = vec![
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", method),
            ("Authorization", &authorization),
        ];
        if !name.is_empty() {
            headers.push(("Mcp-Name", &name));
        }
        self.web.post(&headers, &message)
    }

    #[track_caller]
    fn result(&self, method: &str, params: Value) -> Value {
        self.ask(method, params).is(200).json()["result"].clone()
    }

    /// The text of a call, or the error of it.
    #[track_caller]
    fn call(&self, tool: &str, args: Value) -> String {
        let reply = self.ask("tools/call", json!({"name": tool, "arguments": args}));
        let said = reply.json();
        match said["result"]["content"][0]["text"].as_str() {
            Some(text) => text.to_owned(),
            None => said["error"]["message"].as_str().unwrap_or_default().to_owned(),
        }
    }

    #[track_caller]
    fn instructions(&self) -> String {
        let result = if self.is_modern {
            self.result("server/discover", json!({}))
        } else {
            let who = json!({"name": "it", "version": "1"});
            let params =
                json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who});
            self.result("initialize", params)
        };
        result["instructions"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn names(&self, method: &str, list: &str, key: &str) -> Vec<String> {
        let listed = self.result(method, json!({}));
        let items = listed[list].as_array().unwrap().iter();
        items.map(|item| item[key].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn what_is_masked_is_not_there() {
    let issuer = issuer(&[("ada", ""), ("bob", ""), ("eve", "")]);
    let web = serve(&issuer, ROLES);
    for ada in Client::both(&web, issuer.token("ada")) {
        assert_eq!(ada.names("tools/list", "tools", "name"), ["get_price", "through"]);
        assert_eq!(ada.names("resources/list", "resources", "uri"), ["shop://prices"]);
        assert_eq!(ada.names("prompts/list", "prompts", "name"), ["offer"]);
        assert_eq!(ada.call("get_price", json!({})), "tea costs 3");
        // Masked and never there are told alike, by every road.
        for (masked, never) in
            [("delete_item", "delete_thing"), ("office.read_mail", "office.read_tape")]
        {
            let said = |tool: &str| ada.call(tool, json!({})).replace(tool, "X");
            assert_eq!(said(masked), said(never));
            assert!(said(masked).contains("there is no tool `X`"), "{}", said(masked));
            let inner = |tool: &str| ada.call("through", json!({"tool": tool})).replace(tool, "X");
            assert_eq!(inner(masked), inner(never));
        }
        let by_call = |tool: &str| {
            let args = json!({"module": "shop", "tool": tool, "params": {}});
            ada.call("call", args).replace(tool, "X")
        };
        assert_eq!(by_call("delete_item"), by_call("delete_thing"));
        let schema = ada.call("get_module_schema", json!({"modules": ["shop", "office"]}));
        assert!(schema.contains("get_price") && schema.contains("through"), "{schema}");
        for hidden in ["delete_item", "read_mail", "letters"] {
            assert!(!schema.contains(hidden), "{schema}");
        }
        let found = ada.call("get_module_schema", json!({"query": "mail or delete something"}));
        assert!(!found.contains("read_mail") && !found.contains("delete_item"), "{found}");
        let read = |uri: &str| {
            let said = ada.ask("resources/read", json!({"uri": uri})).json();
            said["error"]["message"].as_str().unwrap().replace(uri, "X")
        };
        assert_eq!(read("office://letters"), read("office://letterz"));
        // One step that is not there, and nothing runs.
        let tasks = json!([
            {"id": "a", "module": "shop", "tool": "get_price", "params": {}, "output": true},
            {"id": "b", "module": "shop", "tool": "delete_item", "params": {}},
        ]);
        let refused = ada.call("batch", json!({"tasks": tasks}));
        assert!(refused.starts_with("nothing was called"), "{refused}");
    }
    for bob in Client::both(&web, issuer.token("bob")) {
        assert_eq!(
            bob.names("tools/list", "tools", "name"),
            ["delete_item", "get_price", "read_mail", "through"]
        );
        assert_eq!(bob.call("delete_item", json!({})), "tea is gone");
        let told = bob.instructions();
        assert!(told.starts_with("Modules:\n- office\n- shop\n"), "{told}");
        let args = json!({"tool": "office.read_mail"});
        assert_eq!(bob.call("through", args), "no mail");
    }
    // Who has no role has nothing.
    for eve in Client::both(&web, issuer.token("eve")) {
        assert_eq!(eve.names("tools/list", "tools", "name"), [""; 0]);
        assert_eq!(eve.instructions(), "This server has no modules yet.");
        assert_eq!(eve.names("resources/list", "resources", "uri"), [""; 0]);
        let said = eve.call("get_price", json!({}));
        assert!(said.contains("there is no tool `get_price`"), "{said}");
        let modules = eve.call("get_module_schema", json!({"modules": ["shop"]}));
        assert!(!modules.contains("get_price"), "{modules}");
    }
}

/// T17: an answer that depends on who asks is not for others.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn lists_are_private() {
    let issuer = issuer(&[("ada", "")]);
    let web = serve(&issuer, ROLES);
    let [ada, _] = Client::both(&web, issuer.token("ada"));
    for list in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "server/discover",
    ] {
        assert_eq!(ada.result(list, json!({}))["cacheScope"], "private", "{list}");
    }
    let open = Web::start(Room::new(), &[]);
    let listed = open.modern("tools/list", json!({})).is(200).json();
    assert_eq!(listed["result"]["cacheScope"], "public");
}

/// A8, A9: what is missing is named all at once, and a broader scope is enough.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn a_missing_scope_is_asked_for() {
    let scopes = r#"
[scope."shop:read"]
tools = ["shop.get_*", "shop.prices", "shop.price_of", "shop.offer"]
[scope."shop:write"]
tools = ["shop.delete_*"]
implies = ["shop:read"]
[scope."office"]
tools = ["office.read_*"]
"#;
    let people = [("ada", "other"), ("bob", "shop:write"), ("eve", "shop:read")];
    let issuer = issuer(&people);
    let web = serve(&issuer, scopes);
    let metadata = "https://mcp.example.org/.well-known/oauth-protected-resource/mcp";
    let step = |reply: &Reply, scope: &str| {
        reply.is(403);
        let expected = format!(
            "Bearer resource_metadata=\"{metadata}\", error=\"insufficient_scope\", scope=\"{scope}\""
        );
        assert_eq!(reply.header("www-authenticate"), Some(expected.as_str()));
        assert_eq!(reply.json()["id"], 1);
    };
    let tasks = json!([
        {"id": "a", "module": "shop", "tool": "get_price", "params": {}},
        {"id": "b", "module": "shop", "tool": "delete_item", "params": {}},
        {"id": "c", "module": "office", "tool": "read_mail", "params": {}},
        {"id": "d", "module": "office", "tool": "through", "params": {"tool": "x"}},
    ]);
    for ada in Client::both(&web, issuer.token("ada")) {
        let call = |tool: &str| ada.ask("tools/call", json!({"name": tool, "arguments": {}}));
        step(&call("get_price"), "shop:read");
        step(&call("shop.get_price"), "shop:read");
        let bare = json!({"name": "get_price", "arguments": null});
        step(&ada.ask("tools/call", bare), "shop:read");
        let by = json!({"module": "shop", "tool": "delete_item", "params": {}});
        step(&ada.ask("tools/call", json!({"name": "call", "arguments": by})), "shop:write");
        let batch = json!({"name": "batch", "arguments": {"tasks": tasks}});
        step(&ada.ask("tools/call", batch), "office shop:read shop:write");
        step(&ada.ask("resources/read", json!({"uri": "shop://prices"})), "shop:read");
        step(&ada.ask("prompts/get", json!({"name": "offer"})), "shop:read");
        let of = json!({"type": "ref/resource", "uri": "shop://of/{item}"});
        let typed = json!({"ref": of, "argument": {"name": "item", "value": ""}});
        step(&ada.ask("completion/complete", typed), "shop:read");
        // A scope can be asked for, so that what needs it is listed; what needs none is free.
        assert!(ada.names("tools/list", "tools", "name").contains(&"get_price".to_owned()));
        let inner = ada.call("through", json!({"tool": "shop.get_price"}));
        assert!(inner.contains("needs the scope `shop:read`"), "{inner}");
    }
    for bob in Client::both(&web, issuer.token("bob")) {
        assert_eq!(bob.call("get_price", json!({})), "tea costs 3");
        assert_eq!(bob.call("delete_item", json!({})), "tea is gone");
        step(&bob.ask("tools/call", json!({"name": "read_mail", "arguments": {}})), "office");
    }
    for eve in Client::both(&web, issuer.token("eve")) {
        assert_eq!(eve.call("get_price", json!({})), "tea costs 3");
        step(&eve.ask("tools/call", json!({"name": "delete_item", "arguments": {}})), "shop:write");
    }
}

/// A11: a scope alone is not enough; and what roles mask is no matter of scopes.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn a_scope_does_not_open_what_a_role_keeps() {
    let issuer = issuer(&[("ada", "everything"), ("bob", "")]);
    let policy = "[scope.everything]\ntools = ['*']\n[role.none]\nusers = ['ada', 'bob']\nallow = ['office.through']\n";
    let web = serve(&issuer, policy);
    for name in ["ada", "bob"] {
        for client in Client::both(&web, issuer.token(name)) {
            let said = client.call("delete_item", json!({}));
            assert!(said.contains("there is no tool `delete_item`"), "{name}: {said}");
        }
    }
}

/// T5: who says one thing in a header and another in the body gets neither.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn headers_that_differ_are_told_first() {
    let issuer = issuer(&[("ada", "other")]);
    let web = serve(&issuer, "[scope.s]\ntools = ['shop.delete_*']\n");
    let authorization = format!("Bearer {}", issuer.token("ada"));
    for (said, meant) in [("get_price", "delete_item"), ("delete_item", "get_price")] {
        let headers = [
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", said),
            ("Authorization", &authorization),
        ];
        let message = modern("tools/call", json!({"name": meant, "arguments": {}}));
        let reply = web.post(&headers, &message);
        assert_eq!(reply.is(400).json()["error"]["code"], -32020);
    }
}

/// Changes in larkspur.toml take effect while the server runs.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn a_changed_policy_takes_effect() {
    let issuer = issuer(&[("ada", "")]);
    let web = serve(&issuer, ROLES);
    let [ada, _] = Client::both(&web, issuer.token("ada"));
    let lists = |expected: &[&str]| {
        let deadline = Instant::now() + PATIENCE;
        while ada.names("tools/list", "tools", "name") != expected {
            assert!(Instant::now() < deadline, "never {expected:?}");
        }
    };
    lists(&["get_price", "through"]);
    let wider = ROLES.replace("deny = [\"*.delete_*\"]", "");
    web.room.project(&format!("{}{wider}", issuer.trusted(NAME)));
    lists(&["delete_item", "get_price", "through"]);
    web.room
        .project(&format!("{}[role.x]\nusers = ['bob']\nallow = ['*']\n", issuer.trusted(NAME)));
    lists(&[]);
    // Who is let in is settled with the start, and that is said.
    let trusts =
        issuer.trusted(NAME) + "[auth]\nleeway = '7s'\n[role.x]\nusers = ['bob']\nallow = ['*']\n";
    web.room.project(&trusts);
    let deadline = Instant::now() + PATIENCE;
    while !web.wire.stderr().contains("[auth] in ") {
        assert!(Instant::now() < deadline, "{}", web.wire.stderr());
        lists(&[]);
    }
    assert!(!web.wire.stderr().contains("[limits] in "));
    // What cannot be read changes nothing.
    web.room.project(&format!("{}[role.x]\nusers = ['ada']\nalow = ['*']\n", issuer.trusted(NAME)));
    let deadline = Instant::now() + PATIENCE;
    while !web.wire.stderr().contains("unknown key `alow`") {
        assert!(Instant::now() < deadline, "{}", web.wire.stderr());
        lists(&[]);
    }
}

/// A file that is gone, empty or cut short says no more who may do what: that opens nothing.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn a_policy_that_vanishes_stays() {
    let issuer = issuer(&[("ada", "")]);
    let both = format!("{ROLES}\n[scope.'shop:read']\ntools = ['shop.*']\n");
    let [roles_only, scopes_only] =
        [ROLES.to_owned(), "[scope.'shop:read']\ntools = ['shop.*']\n".to_owned()];
    for (policy, cut, said) in [
        (ROLES, Some(String::new()), "has no roles any more"),
        (&both, Some(scopes_only), "has no roles any more"),
        (&both, Some(roles_only), "has no scopes any more"),
        (ROLES, None, "is gone, and what it said holds on"),
    ] {
        let web = serve(&issuer, policy);
        let [ada, _] = Client::both(&web, issuer.token("ada"));
        let before = ada.names("tools/list", "tools", "name");
        assert_eq!(before, ["get_price", "through"]);
        match cut {
            Some(rest) => {
                web.room.project(&format!("{}{rest}", issuer.trusted(NAME)));
            }
            None => std::fs::remove_file(web.room.path().join("larkspur.toml")).unwrap(),
        }
        let deadline = Instant::now() + PATIENCE;
        while !web.wire.stderr().contains(said) {
            assert!(Instant::now() < deadline, "{said}: {}", web.wire.stderr());
            assert_eq!(ada.names("tools/list", "tools", "name"), before, "{said}");
        }
        assert!(web.wire.stderr().contains("restart the server if that is meant"));
        assert_eq!(ada.names("tools/list", "tools", "name"), before, "{said}");
    }
}

/// T20: a session is its caller's, whoever knows its id.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn a_session_belongs_to_its_caller() {
    let issuer = issuer(&[("ada", ""), ("bob", "")]);
    let web = serve(&issuer, "");
    let [ada, bob] = ["ada", "bob"].map(|name| format!("Bearer {}", issuer.token(name)));
    let accept = ("Accept", "application/json, text/event-stream");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let begun = web.post(&[accept, ("Authorization", &ada)], &hello);
    let id = begun.is(200).header("mcp-session-id").unwrap().to_owned();
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let session = ("Mcp-Session-Id", id.as_str());
    let with = |who: &str, message: &Value| {
        web.post(
            &[accept, session, ("Authorization", who), ("MCP-Protocol-Version", "2025-06-18")],
            message,
        )
    };
    with(&ada, &ping).is(200);
    let never = ("Mcp-Session-Id", "00000000-0000-0000-0000-000000000000");
    let unknown = web.post(&[accept, never, ("Authorization", &bob)], &ping);
    let stolen = with(&bob, &ping);
    assert_eq!((stolen.status, &stolen.body), (unknown.status, &unknown.body));
    stolen.is(404);
    web.ask("GET", "/mcp", &[accept, session, ("Authorization", &bob)], "").is(404);
    web.ask("DELETE", "/mcp", &[accept, session, ("Authorization", &bob)], "").is(404);
    web.ask("DELETE", "/mcp", &[accept, session], "").is(401);
    with(&ada, &ping).is(200);
}

/// Who decides, and because of which line.
#[test]
fn a_decision_is_explained() {
    let room = Room::new();
    room.write("shop.star", SHOP);
    room.project(&format!("{ROLES}\n[scope.'shop:read']\ntools = ['shop.get_*']\n"));
    let explain = |args: &[&str]| room.run(&[&["perm", "explain"], args].concat());
    explain(&["ada", "shop.get_price"]).exits(0).says_only(
        "ada may use shop.get_price\n  roles: clerk\n  allowed: `shop.*` in `allow` of [role.clerk]",
    );
    explain(&["ada", "shop.delete_item"]).exits(1).says_only(
        "ada may not use shop.delete_item\n  roles: clerk\n  denied: `*.delete_*` in `deny` of [role.clerk]",
    );
    explain(&["eve", "shop.prices"])
        .exits(1)
        .says_only("eve may not use shop.prices\n  denied: no role of this caller allows it");
    explain(&["local", "shop.delete_item"]).exits(0).says("allowed: no role restricts this caller");
    explain(&["ada", "shop.get_price", "--scope", "x y"])
        .exits(1)
        .says("the token lacks the scope `shop:read`");
    explain(&["ada", "shop.get_price", "--scope", "shop:read"]).exits(0);
    let said = explain(&["bob", "shop.offer", "--format", "json"]).exits(0).json();
    assert_eq!(said["because"], "allowed: `*` in `allow` of [role.boss]");
    assert_eq!(said["roles"], json!(["boss"]));
    explain(&["ada", "shop.get_prize"]).exits(2).notes("did you mean `shop.get_price`?");
    explain(&["ada", "shop.get_price", "--claims", "[]"]).exits(2).notes("claims are an object");
}

/// What tells of everything is for those who may see it.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn numbers_are_for_those_who_see_all() {
    let issuer = issuer(&[("ada", ""), ("bob", "")]);
    let web = serve(&issuer, ROLES);
    let get = |who: &str, path: &str| {
        let authorization = format!("Bearer {}", issuer.token(who));
        web.ask("GET", path, &[("Authorization", &authorization)], "")
    };
    get("bob", "/metrics").is(200);
    assert_eq!(get("bob", "/health").is(200).json()["modules"], 2);
    let refused = get("ada", "/metrics");
    assert!(refused.is(403).body.contains("allow"), "{}", refused.body);
    assert!(!refused.body.contains("office"));
    assert_eq!(get("ada", "/health").is(200).json(), json!({"status": "ok"}));
}

/// What was opened with a token is open as long as that holds, and no longer.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn a_stream_ends_with_its_token() {
    let soon = crate::issuer::now() + 8;
    let said = claims(NAME, json!({"sub": "ada", "exp": soon}));
    let ada = json!({"key": "main", "claims": said});
    let issuer = Issuer::new(json!({"main": "RS256"}), json!({"ada": ada}));
    let web = serve(&issuer, "[auth]\nleeway = '1s'\n");
    let body = modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {MODERN}\r\n\
         Mcp-Method: subscriptions/listen\r\nConnection: close\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{body}",
        issuer.token("ada"),
        body.len()
    );
    let mut events = Stream::open(&web, request.as_bytes());
    // The stream says that it has begun, and then nothing: it ends by itself, or the test does not.
    while events.next().is_some() {}
    assert!(crate::issuer::now() >= soon);
}
