//! What models pay: for the list of tools by either surface, and for an answer in each form.

use crate::corpus;
use crate::room::Room;
use serde_json::{Value, json};

/// A server's tools as a module, each with its own schema.
fn module(server: &Value) -> String {
    let tools = server["tools"].as_array().unwrap().iter();
    let declared = tools.map(|tool| {
        let (name, about) = (&tool["name"], &tool["description"]);
        let schema = json!(tool["inputSchema"].to_string());
        format!(
            "tool(_any, name = {name}, description = {about}, input_schema = json.decode({schema}))"
        )
    });
    let head = "def _any(**args):\n    return {}\n".to_owned();
    let lines: Vec<String> = [head].into_iter().chain(declared).collect();
    lines.join("\n")
}

#[test]
fn fourteen_servers_cost_few_tokens_behind_the_meta_tools() {
    let room = Room::new();
    let servers = corpus::read_all("tools");
    assert_eq!(servers.len(), 14);
    for (_, server) in servers {
        let (name, about) = (&server["server"], &server["description"]);
        let folder = name.as_str().unwrap();
        let manifest = format!("name = {name}\nversion = '1.0.0'\ndescription = {about}\n");
        room.write(&format!("{folder}/module.toml"), &manifest)
            .write(&format!("{folder}/main.star"), &module(&server));
    }
    let costs = room.run(&["list", "--tokens", "--format", "json"]);
    let costs = costs.exits(0).json();
    let tokens = |value: &Value| value.as_u64().unwrap();
    assert_eq!(costs["shown"], "modules");
    assert!(tokens(&costs["modules"]) <= 700, "{costs:#}");
    assert!(tokens(&costs["flat"]) > 60_000, "{costs:#}");
    let by_module = costs["by_module"].as_array().unwrap();
    let signatures: u64 = by_module.iter().map(|one| tokens(&one["signatures"])).sum();
    assert!(signatures * 5 <= tokens(&costs["flat"]), "{costs:#}");
    let flat: u64 = by_module.iter().map(|one| tokens(&one["flat"])).sum();
    assert_eq!(flat, tokens(&costs["flat"]));
}

const SHOP: &str = r#"
def stock(count: int = 12) -> list[dict]:
    """What is there."""
    return [{"id": i, "name": "part %d" % i, "bin": "b", "note": None} for i in range(count)]

def picture():
    return image("AAAA", "image/png")

def refuse():
    fail("closed")

tool(stock, select = ["id", "name"])
tool(picture)
tool(refuse)
"#;

#[test]
fn what_a_list_costs_is_shown() {
    let room = Room::new();
    room.write("shop.star", SHOP);
    room.run(&["list", "--tokens"])
        .exits(0)
        .says("shop       3 tools        103 tokens  30 as signatures\n")
        .says("flat       3 tools        103 tokens  shown\n")
        .says("modules    4 tools")
        .notes("surface: flat (3 tools, 103 tokens < 2,000)\n");
}

#[test]
fn an_answer_is_shown_in_each_form_with_what_it_costs() {
    let room = Room::new();
    room.write("shop.star", SHOP);
    let call = |words: &[&str]| room.run(&[&["call", "shop.stock", "count=3"], words].concat());
    let toon = "[3]{id,name}:\n  0,part 0\n  1,part 1\n  2,part 2";
    let few = "(toon; 2 of 4 fields left out, all with --format json)";
    call(&["--format", "compact"])
        .exits(0)
        .says_only(toon)
        .notes(few)
        .notes("58 tokens as json, 47 as toon\n");
    call(&["--format", "toon", "--select", "name,bin"])
        .exits(0)
        .says_only("[3]{name,bin}:\n  part 0,b\n  part 1,b\n  part 2,b");
    call(&["--format", "markdown", "--select", "name"]).exits(0).says("part 0");
    // For people the tool's own choice; for programs the whole result, as ever.
    call(&[]).exits(0).says_only(toon).notes(few);
    let whole = call(&["--format", "json"]);
    let whole = whole.exits(0).json();
    assert_eq!(whole["structuredContent"][1]["bin"], "b");
    assert_eq!(whole["isError"], false);
    call(&["--select", "a..b"])
        .exits(2)
        .notes("`a..b` in `select` has a dot that no field follows");
    room.run(&["call", "shop.picture", "--format", "compact"])
        .exits(0)
        .says_only("[image/png, 4 bytes of base64]");
    room.run(&["call", "shop.refuse", "--format", "compact"])
        .exits(5)
        .says_only("")
        .notes("closed");
}

#[test]
fn the_meta_tools_can_be_called_from_the_shell() {
    let room = Room::new();
    room.write("shop.star", SHOP);
    room.run(&["call", "get_module_schema", "modules=shop", "detail=names"])
        .exits(0)
        .says_only("shop (3 tools)\nstock, picture, refuse");
    room.run(&[
        "call",
        "call",
        "module=shop",
        "tool=stock",
        "params:={\"count\": 2}",
        "output=json",
    ])
    .exits(0)
    .says("[{\"id\":0,\"name\":\"part 0\",\"bin\":\"b\",\"note\":null}");
    room.run(&["call", "call", "module=shop", "tool=stok"])
        .exits(2)
        .notes("there is no tool `shop.stok`; did you mean `stock`?");
    room.run(&["call", "call", "module=shop"])
        .exits(2)
        .notes("`tool` is required\n  = help: call(module: str, tool: str");
}
