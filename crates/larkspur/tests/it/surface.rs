//! What `tools/list` shows: every tool, or the meta tools; both roads work in either case.

use crate::fixture::{Server, ada, described, greeting, saying};
use serde_json::json;

const META: [&str; 4] = ["batch", "call", "call_readonly", "get_module_schema"];

/// So many tools in one module.
fn many(count: usize) -> String {
    format!(
        "def one(name: str, times: int = 1) -> str:\n    \"\"\"Says it.\"\"\"\n    return name\n\n\
         [tool(one, name = \"tool_%d\" % i) for i in range(10, {count} + 10)]\n"
    )
}

fn server(project: &str) -> Server {
    let mut server = Server::start();
    server
        .file(
            "hub/module.toml",
            "name = 'hub'\nversion = '1.0.0'\ndescription = 'All of the hub. And more.'\n",
        )
        .file("hub/main.star", &many(50))
        .module("greet", &greeting("hello"));
    server.room.project(project);
    server
}

/// What `status` says of the surface, with the tokens left out.
fn surface_of(server: &mut Server) -> String {
    let surface = server.status()["surface"].as_str().unwrap().to_owned();
    let (before, after) = surface.split_once(" tools, ").unwrap();
    let (_, after) = after.split_once(" tokens").unwrap();
    format!("{before} tools{after}")
}

#[test]
fn auto_chooses_at_the_start_by_what_the_list_costs() {
    let mut server = server("");
    let surface = "modules (51 tools > 2,000); surface = \"flat\" lists them all";
    server.lists(&META);
    assert_eq!(surface_of(&mut server), surface);
    let why = server.status()["surface"].as_str().unwrap().to_owned();
    server.warned(&format!("surface: {why}\n"));
    let room = &server.room;
    room.run(&["status"]).says(&format!("  surface: {why}\n"));
}

/// Crossing the threshold changes nothing for a session, in either direction.
#[test]
fn the_surface_stays_while_modules_come_and_go() {
    let call = json!({"module": "greet", "tool": "hello", "params": ada()});
    let mut modules = server("");
    modules
        .lists(&META)
        .file("hub/main.star", &many(3))
        .warned("tokens < 2,000); a restart would list every tool\n")
        .lists(&META)
        .call("call", call.clone())
        .text("hello ada");
    let surface = "modules (4 tools < 2,000); a restart would list every tool";
    assert_eq!(surface_of(&mut modules), surface);
    let mut flat = server("");
    flat.file("hub/main.star", &many(1))
        .lists(&["hello", "hub_tool_10"])
        .file("hub/main.star", &many(50))
        .changed()
        .warned("tokens > 2,000); a restart would show the meta tools\n");
    assert_eq!(flat.tools().len(), 51);
    let surface = "flat (51 tools > 2,000); a restart would show the meta tools";
    assert_eq!(surface_of(&mut flat), surface);
}

#[test]
fn the_cost_of_a_surface_is_said_and_what_is_typed_wins() {
    let mut modules = server("[server]\nsurface = 'modules'\n");
    modules.up();
    let listed = modules.room.run(&["list", "--tokens", "--format", "json"]);
    let cost = &listed.exits(0).json()["modules"];
    let why = modules.status()["surface"].as_str().unwrap().to_owned();
    let expected = format!("modules (51 tools, {cost} tokens instead of ");
    assert!(why.starts_with(&expected), "{why}");
    let mut typed = server("[server]\nsurface = 'modules'\n");
    typed.flags = vec!["--surface".into(), "flat".into()];
    assert_eq!(typed.tools().len(), 51);
}

/// Clients that keep a list hear of what it says beside declarations, too.
#[test]
fn other_words_for_searches_are_another_list() {
    let mut server = server("[server]\nsurface = 'flat'\n");
    let manifest = std::fs::read_to_string(server.room.at("hub/module.toml")).unwrap();
    server.up().file("hub/module.toml", &format!("{manifest}keywords = ['tickets']\n")).changed();
}

#[test]
fn a_list_that_stays_the_same_is_not_told_of() {
    let mut server = server("[server]\nsurface = 'modules'\n");
    let call = json!({"module": "greet", "tool": "hello", "params": ada()});
    server
        .up()
        .edit("greet", &described("howdy", "Another way."))
        .until("call", call.clone(), "howdy ada")
        .not_told()
        // Another module is another line.
        .module("more", &saying("bye", "good bye"))
        .changed();
}
