//! Extensions written as starlark-mcp's are, unmodified: every tool of every one is called.
//!
//! What they need of the world is put beside them, or is the operator's to grant: a `gh` that
//! pretends, variables, and a server on this machine, which a single file reaches only if
//! `larkspur.toml` says so.

use crate::fixture::{Opening, Server};
use crate::room::Room;
use crate::upstream::{Asked, Web, answer, ok};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Stands in for GitHub's program: it knows one repository.
const GH: &str = r#"#!/bin/sh
case "$*" in
"pr list --repo acme/web --state open --json number,title")
    echo '[{"number": 7, "title": "Mend the door"}, {"number": 9, "title": "Paint it"}]' ;;
"pr view 7 --repo acme/web --json title,body")
    echo '{"title": "Mend the door", "body": "It does not close."}' ;;
*)
    echo "could not resolve: $*" >&2
    exit 1 ;;
esac
"#;

/// A room with the extensions in it.
fn room() -> Room {
    let room = Room::without("starlark-mcp");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/starlark-mcp");
    room.copy(&fixtures);
    room
}

fn start(room: Room) -> Server {
    Server::start_in(room, Opening::Legacy)
}

#[test]
fn one_wraps_commands_that_are_everywhere() {
    let mut server = start(room());
    let lines = "one\ntwo\nthree\n";
    server
        .file("lines.txt", lines)
        .call("count_lines", json!({"path": "lines.txt"}))
        .text("3 lines")
        .call("first_lines", json!({"path": "lines.txt"}))
        .text("one\n")
        .call("first_lines", json!({"path": "lines.txt", "count": 2}))
        .text("one\ntwo\n")
        .call("count_lines", json!({"path": "none.txt"}))
        .fails("wc failed (1): wc: none.txt: No such file or directory")
        .call("erase", json!({"path": "lines.txt"}))
        .fails(r#"Command 'rm' is not in the allowed exec whitelist. Allowed commands: ["wc", "head"]"#);
    let left = fs::read_to_string(server.room.at("lines.txt")).unwrap();
    assert_eq!(left, lines);
}

/// The data of a result, which stands below its text.
fn data(result: &Value) -> Value {
    let text = result["content"][1]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{result:#}"));
    serde_json::from_str(text).unwrap()
}

#[test]
fn one_wraps_a_program_that_prints_json() {
    let mut room = room();
    let bin = room.path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("gh"), GH).unwrap();
    fs::set_permissions(bin.join("gh"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    room.set_env("PATH", &path);
    let mut server = start(room);
    server
        .call("github_list_prs", json!({}))
        .fails("say which repository: `repo`, or GITHUB_DEFAULT_REPO in the environment")
        .call("github_list_prs", json!({"repo": "acme/web"}))
        .text("#7 Mend the door\n#9 Paint it")
        .call("github_list_prs", json!({"repo": "acme/shop"}))
        .fails("gh: could not resolve: pr list --repo acme/shop --state open");
    let mut room = server.leave_room();
    room.set_env("GITHUB_DEFAULT_REPO", "acme/web");
    let mut server = start(room);
    let listed = server.call("github_list_prs", json!({})).result();
    assert_eq!(
        listed["structuredContent"],
        json!({"pull_requests": [
            {"number": 7, "title": "Mend the door"},
            {"number": 9, "title": "Paint it"},
        ], "count": 2})
    );
    let details = server.call("github_pr_details", json!({"number": 7}));
    assert_eq!(
        details.result()["content"],
        json!([
            {"type": "text", "text": "Mend the door"},
            {"type": "text", "text": "It does not close."},
        ])
    );
}

#[test]
fn others_ask_a_server() {
    let web = Web::answering(|asked| Some(facts(asked)));
    let (site, base) = (web.site(), web.url(""));
    let mut room = room();
    room.set_env("FACTS_BASE_URL", &base).set_env("FORECAST_BASE_URL", &base);
    let place = json!({"latitude": 48.1, "longitude": 11.6});
    let mut server = start(room);
    server
        .call("get_fact", json!({}))
        .fails(&format!("the operator can add http = [\"*\", \"{site}\"] to [module.facts.grant]"));
    let grant = format!("http = ['*', '{site}']");
    server
        .project(&format!(
            "[module.facts.grant]\n{grant}\n[module.forecast.grant]\n{grant}"
        ))
        .until("get_fact", json!({}), "cats sleep")
        .call("get_fact", json!({"max_length": 3}))
        .fails("the server answered 404")
        .call("suggest_fact", json!({"fact": "dogs bark"}))
        .text(
            r#"Basic YWRhOnNlY3JldA== | application/json | starlark | {"fact":"dogs bark","weight":0.5,"tags":["new"]}"#,
        );
    let forecast = server.call("get_forecast", place).result();
    assert_eq!(data(&forecast), json!({"place": "Munich", "warmest": 21.0, "asked_at": true}));
    assert_eq!(forecast["content"][0]["text"], "Today: 17°\nTomorrow: 21.4°");
    server
        .call("get_forecast", json!({"latitude": 0, "longitude": 0}))
        .fails("there is no forecast for this place");
}

#[test]
fn one_reads_variables() {
    let mut room = room();
    room.set_env("KUBECONFIG", "/srv/kube").set_env("K8S_CONTEXT", "test");
    start(room)
        .call("cluster_settings", json!({}))
        .text("config=/srv/kube\ncontext=test\nnamespace=default")
        .call("kubectl_line", json!({"kind": "pods"}))
        .text("kubectl --kubeconfig /srv/kube --context test -n default get pods")
        .call("kubectl_line", json!({"kind": "pods", "namespace": "web", "wide": true}))
        .text("kubectl --kubeconfig /srv/kube --context test -n web get pods -o wide");
}

#[test]
fn one_searches_a_data_file_and_follows_its_changes() {
    let mut server = start(room());
    server
        .call("fuzzy_search", json!({"query": "oil"}))
        .text("Olive oil, Sunflower oil")
        .call("fuzzy_search", json!({"query": "oil", "limit": 1}))
        .text("Olive oil")
        .call("fuzzy_search", json!({"query": "btmsplit", "with_scores": true}))
        .text("nothing like it")
        .call("fuzzy_search", json!({"query": "xyz"}))
        .text("nothing like it");
    let found = server.call("fuzzy_search", json!({"query": "lntl", "with_scores": true}));
    assert_eq!(data(&found.result()), json!({"count": 1, "best": "Lentils (sure)"}));
    server.file("pantry.json", r#"[{"name": "Salt", "shelf": "top"}]"#).until(
        "fuzzy_search",
        json!({"query": "slt"}),
        "Salt",
    );
}

/// All of them at once, as a folder of starlark-mcp's is. One tries what it may not do.
#[test]
fn all_of_them_load_and_one_is_caught() {
    let room = room();
    let checked = room.run(&["check", "-e", "starlark-mcp", "--format", "json"]);
    let checked = checked.exits(1).json();
    let faults = checked["faults"].as_array().unwrap().iter();
    let errors: Vec<&Value> = faults.filter(|fault| fault["level"] == "error").collect();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!(errors[0]["code"], "E0301");
    assert_eq!(errors[0]["fault"]["place"]["line"], 26);
    let listed = room.run(&["list", "-e", "starlark-mcp", "--format", "json"]);
    let listed = listed.exits(0).json();
    let modules = listed["modules"].as_array().unwrap();
    let names: Vec<&str> =
        modules.iter().map(|module| module["module"].as_str().unwrap()).collect();
    for name in ["cluster", "facts", "forecast", "pantry", "pull_requests", "tally"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    assert_eq!(listed["broken"], json!([]));
    let notes = listed["notes"].as_array().unwrap();
    let said = notes[0].as_str().unwrap();
    assert_eq!(notes.len(), 1);
    assert!(
        said.ends_with(
            "sqlite_explorer, tally are in starlark-mcp's form: they may reach every public host, \
             variable and database, and are not loaded on other addresses than loopback without \
             --trust-folder, unless they declare `permissions(…)`"
        ),
        "{said}"
    );
}

/// A server of facts and forecasts.
fn facts(asked: &Asked) -> String {
    let header = |name: &str| asked.header(name).unwrap_or("none").to_owned();
    match (asked.method.as_str(), asked.path.as_str()) {
        ("GET", "/fact") => ok(r#"{"fact": "cats sleep"}"#),
        ("GET", "/points/48.1,11.6") => ok(r#"{"name": "Munich", "forecast": "/forecasts/1"}"#),
        ("GET", "/forecasts/1") => ok(FORECAST),
        ("POST", "/facts") => {
            let [auth, kind, from] = ["authorization", "content-type", "x-from"].map(header);
            ok(&format!("{auth} | {kind} | {from} | {}", asked.body))
        }
        _ => answer(404, "", "nothing here"),
    }
}

const FORECAST: &str = r#"{"periods": [
    {"name": "Today", "temperature": 17},
    {"name": "Tomorrow", "temperature": 21.4}
]}"#;
