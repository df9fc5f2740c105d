//! What models pay for the list of tools by either surface.

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
