//! Where permissions are declared, and what may be done while a file loads.

use crate::fixture::{Opening, Server};
use crate::room::Room;
use serde_json::json;

#[test]
fn folder_has_its_permissions_in_its_manifest() {
    let library = "permissions(env = ['X_A'])\ndef f():\n    return 1\n";
    Server::start()
        .folder("x", "", "permissions(env = ['X_A'])\ndef g():\n    return 1\ntool(g)\n")
        .folder("y", "", "load('lib.star', 'f')\ntool(f)\n")
        .file("y/lib.star", library)
        .module("z", "load('beside.star', 'f')\ntool(f)\n")
        .file("beside.star", library)
        .call("f", json!({}))
        .text("1")
        .warned("┌ x/main.star:1:1")
        .warned("┌ y/lib.star:1:1")
        .warned("permissions() is for single files; this module has a module.toml: write them under [permissions] there")
        .warned("permissions() has no effect here: this file offers no tools");
}

#[test]
fn file_reaches_nothing_while_it_loads() {
    let greedy = |what: &str| {
        format!("VALUE = {what}\ndef get() -> str:\n    return str(VALUE)\ntool(get)\n")
    };
    let variable = greedy("env.get(\"X_A\")");
    let extension = "VALUE = env.get(\"X_A\")\n\
                     def describe_extension():\n    return Extension(name = 'e', tools = [])\n";
    let mut room = Room::new();
    room.set_env("X_A", "a");
    Server::start_in(room, Opening::Legacy)
        .folder("x", "env = ['X_A']", &variable)
        .module("z", &format!("permissions(env = ['X_A'])\n{variable}"))
        .module("w", &greedy("exec.run(\"true\")"))
        .module("e", extension)
        .up()
        .warned("┌ x/main.star:1:9")
        .warned("┌ z.star:2:9")
        .warned("`env` works in calls, not while a file loads")
        .warned("`exec` works in calls, not while a file loads")
        // An extension has no name yet, so that every grant holds.
        .project("module.e.grant.env = ['X_B']")
        .warned("`X_A` is not among the variables");
}
