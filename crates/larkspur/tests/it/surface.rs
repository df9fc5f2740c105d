//! What `tools/list` shows: every tool, or the meta tools; both roads work in either case.

use crate::client::{Client, DOORS};
use crate::fixture::{Opening, Server, ada, described, greeting, saying};
use crate::folder::manifest;
use crate::room::Room;
use serde_json::{Value, json};

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
fn what_was_asked_for_is_shown() {
    let mut flat = server("[server]\nsurface = 'flat'\n");
    assert_eq!(flat.tools().len(), 51);
    assert_eq!(surface_of(&mut flat), "flat (51 tools)");
    let mut modules = server("[server]\nsurface = 'modules'\n");
    modules.lists(&META);
    let listed = modules.room.run(&["list", "--tokens", "--format", "json"]);
    let cost = &listed.exits(0).json()["modules"];
    let why = modules.status()["surface"].as_str().unwrap().to_owned();
    let expected = format!("modules (51 tools, {cost} tokens instead of ");
    assert!(why.starts_with(&expected), "{why}");
    let mut few = server("[server]\nsurface_tokens = 30_000\n");
    assert_eq!(few.tools().len(), 51);
    // What is typed wins over the file.
    let mut typed = server("[server]\nsurface = 'modules'\n");
    typed.flags = vec!["--surface".into(), "flat".into()];
    assert_eq!(typed.tools().len(), 51);
}

#[test]
fn both_roads_work_behind_either_surface_and_by_either_door() {
    for (surface, shown) in [("flat", 51), ("modules", 4)] {
        for door in DOORS {
            let mut room = server(&format!("[server]\nsurface = '{surface}'\n"));
            let mut client = Client::start(room.leave_room(), door, json!({}));
            let mut ask = |method: &str, params: Value| {
                let (answer, _) = client.talk(method, params, |_| json!({}));
                answer["result"].clone()
            };
            let what = format!("{surface} {door:?}");
            let listed = ask("tools/list", json!({}));
            let listed = listed["tools"].as_array().unwrap();
            assert_eq!(listed.len(), shown, "{what}");
            for (name, arguments) in [
                ("hello", ada()),
                ("greet.hello", ada()),
                ("call", json!({"module": "greet", "tool": "hello", "params": ada()})),
            ] {
                let result = ask("tools/call", json!({"name": name, "arguments": arguments}));
                assert_eq!(result["content"][0]["text"], "hello ada", "{what} {name}");
            }
        }
    }
}

#[test]
fn the_meta_tools_say_which_modules_there_are() {
    let mut server = server("[server]\nsurface = 'modules'\n");
    let listed = server.request("tools/list", json!({})).result();
    let about = listed["tools"][3]["description"].as_str().unwrap().to_owned();
    let (_, modules) = about.split_once("Modules:").unwrap();
    assert_eq!(modules, "\ngreet\nhub: All of the hub");
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

#[test]
fn names_can_be_given_a_beginning() {
    let mut server = Server::start();
    server
        .module("hub", &saying("list", "from the hub"))
        .module("lab", &saying("list", "from the lab"));
    server.room.project("[module.hub]\nprefix = 'hub_'\n[module.lab]\nprefix = 'l-'\n");
    server
        .lists(&["hub_list", "l-list"])
        .call("hub_list", json!({}))
        .text("from the hub")
        .call("l-list", json!({}))
        .text("from the lab")
        // Declared names hold wherever modules are named.
        .call("hub.list", json!({}))
        .text("from the hub")
        .call("call", json!({"module": "lab", "tool": "list"}))
        .text("from the lab")
        .call("list", json!({}))
        .refused(-32602, "there is no tool `list`; did you mean `l-list` or `hub_list`?");
    server.room.project("[module.hub]\nprefix = 'x_'\n[module.lab]\nprefix = 'x_'\n");
    server
        .changed()
        .lists(&["x_list"])
        .call("x_list", json!({}))
        .text("from the hub")
        .call("lab.list", json!({}))
        .text("from the lab")
        .warned("`lab.list` is not listed: the name `x_list` belongs to `hub.list`");
    // An empty one takes a folder's own away.
    let mut server = Server::start();
    server.folder_module("hub", &manifest("hub", ""), &saying("list", "from the hub"));
    server.room.project("[module.hub]\nprefix = ''\n");
    server.lists(&["list"]);
    let bad = Room::new();
    bad.project("[module.hub]\nprefix = 'hub.'\n");
    bad.run(&["list"])
        .exits(6)
        .notes("`hub.` cannot begin the name of a tool")
        .notes("larkspur.toml:2");
}

#[test]
fn a_prefix_can_make_no_name_of_ours() {
    let mut server = Server::start_as(Opening::Modern);
    server.module("hub", &saying("ch", "mine"));
    server.room.project("[module.hub]\nprefix = 'bat'\n");
    server.lists(&["hub_ch"]).call("hub_ch", json!({})).text("mine");
}
