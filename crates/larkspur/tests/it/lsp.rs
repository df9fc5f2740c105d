//! `larkspur lsp`, spoken to by the library that VS Code's own clients are made of. `cargo xtask
//! tools` installs it.

use crate::clients::{installed, node, run};
use crate::room::Room;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const LIB: &str = r#"
def other():
    return 1

def greeting(name: str) -> str:
    """How somebody is greeted.

    Args:
        name: Who it is.
    """
    return "hello " + name
"#;

const MAIN: &str = r#"load("lib.star", "greeting")

def hello(ctx, name: str) -> str:
    """Greet somebody by name.

    Args:
        name: Who it is.
    """
    return greeting(name)

tool(hello, examples = [{"name": "Ada"}], questions = ["say hello to Ada"])
"#;

/// Six findings.
const NEWS: &str = r#"
def news(topic):
    return http.get("https://api.example.org/𝄞/" + topic)["body"]

tool(news)
"#;

fn room() -> Room {
    let room = Room::new();
    room.write("lib.star", LIB);
    room.write("main.star", MAIN);
    room
}

/// What an editor is told, step by step; at the end it leaves, and so does the server.
#[track_caller]
fn edit(room: &Room, flags: &[&str], steps: &Value) -> Vec<Value> {
    let file = room.path().join("steps.json");
    fs::write(&file, steps.to_string()).unwrap();
    let mut command = node();
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/lsp.mjs"))
        .arg(installed("js"))
        .arg(env!("CARGO_BIN_EXE_larkspur"))
        .args([room.path(), &file])
        .args(flags);
    let (code, printed) = run(room, &mut command);
    assert_eq!(code, Some(0), "{printed}");
    let mut told: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(told["code"], 0);
    assert_eq!(told["capabilities"]["hoverProvider"], true);
    match told["answers"].take() {
        Value::Array(answers) => answers,
        other => panic!("{other}"),
    }
}

const FILE: &str = "modules/main.star";

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}})
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn a_diagnostic_comes_with_a_typo_and_goes_when_it_is_mended() {
    let typo = MAIN.replace("return greeting(name)", "return \"𝄞\" + greting(name)");
    let steps = json!([
        ["open", FILE, MAIN],
        ["type", FILE, typo],
        ["type", FILE, "def f(:\n"],
        ["type", FILE, MAIN],
    ]);
    let told = edit(&room(), &[], &steps);
    assert_eq!(told[0], json!([]));
    // The load is not used then, which is told as well.
    assert_eq!(told[1][0]["range"]["start"]["line"], 0);
    assert_eq!(told[1][1]["range"], range(8, 18, 25));
    let message = told[1][1]["message"].as_str().unwrap();
    assert!(message.contains("greting"), "{message}");
    assert_eq!(told[1][1]["source"], "larkspur");
    assert_eq!(told[2][0]["range"]["start"], json!({"line": 0, "character": 6}));
    assert_eq!(told[3], json!([]));
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn an_editor_shows_what_check_finds() {
    let room = room();
    room.write("news.star", "def f(:\n");
    let told = edit(&room, &[], &json!([["open", "modules/news.star", NEWS]]));
    room.write("news.star", NEWS);
    let found = room.run(&["check", "--format", "json"]).exits(1).json();
    let found = found["faults"].as_array().unwrap().iter();
    let found: Vec<Value> = found
        .map(|one| {
            assert_eq!(one["file"], "modules/news.star");
            let (fault, place) = (&one["fault"], &one["fault"]["place"]);
            let help = fault["help"].as_str().map(|help| format!("\n{help}"));
            let message = fault["message"].as_str().unwrap();
            json!({
                "severity": if one["level"] == "error" { 1 } else { 2 },
                "code": one["code"],
                "source": "larkspur",
                "message": format!("{message}{}", help.unwrap_or_default()),
                "range": range_of(place),
            })
        })
        .collect();
    assert_eq!(found.len(), 6);
    assert_eq!(told[0], json!(found));
}

/// Of these places, none has a character of two units before its end.
fn range_of(place: &Value) -> Value {
    let number = |key: &str| u32::try_from(place[key].as_u64().unwrap()).unwrap();
    let (line, start) = (number("line") - 1, number("column") - 1);
    range(line, start, start + number("width"))
}

/// What only loading shows, told of texts that nobody has saved; also of files that are not open.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn the_loader_is_asked_as_well() {
    let unknown = MAIN.replace("lib.star", "gone.star");
    let untyped = MAIN.replace("tool(hello,", "tool(hello, name = \"not a name\",");
    let broken = LIB.replace("def greeting", "def renamed");
    let steps = json!([
        ["open", FILE, unknown],
        ["type", FILE, untyped],
        ["type", FILE, MAIN],
        ["open", "modules/lib.star", broken],
        ["told", FILE],
        ["type", "modules/lib.star", LIB],
        ["told", FILE],
        ["open", "modules/main_test.star", "def test_x():\n    testing.eq(1, 1)\n"],
    ]);
    let room = room();
    // Broken on disk, mended in the editor.
    room.write("other.star", "def f(:\n");
    let told = edit(&room, &[], &steps);
    assert_eq!(told[0][0]["range"], range(0, 5, 16));
    assert!(told[0].to_string().contains("there is no gone.star"), "{}", told[0]);
    assert!(told[1].to_string().contains("not a name"), "{}", told[1]);
    assert_eq!(told[2], json!([]));
    assert!(told[4].to_string().contains("greeting"), "{}", told[4]);
    assert_eq!((&told[5], &told[6]), (&json!([]), &json!([])));
    assert_eq!(told[7], json!([]));
    let steps = json!([["open", FILE, MAIN], ["told", "modules/other.star"]]);
    let told = edit(&room, &[], &steps);
    assert_eq!(told[1][0]["range"]["start"], json!({"line": 0, "character": 6}));
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn completion_lists_what_can_be_written() {
    let typing = |text: &str| MAIN.replace("return greeting(name)", text);
    let steps = json!([
        ["open", FILE, typing("http.")],
        ["complete", FILE, 8, 9],
        ["type", FILE, typing("ctx.state.g")],
        ["complete", FILE, 8, 15],
        ["type", FILE, typing("ctx.")],
        ["complete", FILE, 8, 8],
        ["type", FILE, typing("gree")],
        ["complete", FILE, 8, 8],
        ["type", FILE, typing("\"http.\"")],
        ["complete", FILE, 8, 10],
    ]);
    let room = room();
    let told = edit(&room, &[], &steps);
    let documented = room.run(&["doc", "http", "--format", "json"]).json();
    let names = documented["entries"].as_array().unwrap().iter();
    let names = names.map(|entry| entry["name"].as_str().unwrap().trim_start_matches("http."));
    assert_eq!(told[1], json!(names.collect::<Vec<_>>()));
    assert!(told[1].as_array().unwrap().contains(&json!("get")));
    assert_eq!(told[3], json!(["get"]));
    for name in ["config", "secret", "progress", "state"] {
        let is_there = told[5].as_array().unwrap().contains(&json!(name));
        assert!(is_there || name == "secret", "no {name} in {}", told[5]);
    }
    assert_eq!(told[7], json!(["greeting"]));
    assert_eq!(told[9], json!([]));
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn hover_shows_what_is_known() {
    let text = MAIN.replace("return greeting(name)", "http.get(name)\n    return greeting(name)");
    let steps = json!([
        ["open", FILE, text],
        ["hover", FILE, 8, 10],
        ["hover", FILE, 8, 5],
        ["hover", FILE, 9, 14],
        ["hover", FILE, 2, 5],
        ["hover", FILE, 3, 10],
    ]);
    let room = room();
    let told = edit(&room, &[], &steps);
    let shown = |at: usize| told[at]["contents"]["value"].as_str().unwrap_or_default();
    let entry = room.run(&["doc", "http.get", "--format", "json"]).json();
    for part in ["signature", "summary"] {
        let part = entry[part].as_str().unwrap();
        assert!(shown(1).contains(part), "no {part} in {}", shown(1));
    }
    assert!(shown(2).starts_with("**http**: "), "{}", shown(2));
    assert_eq!(
        shown(3),
        "```python\ndef greeting(name: str) -> str\n```\n\nHow somebody is greeted.\n\nArgs:\n    name: Who it is."
    );
    assert!(shown(4).contains("Greet somebody by name."), "{}", shown(4));
    assert_eq!(told[5], Value::Null);
}

const DEP: &str = "name = \"dep\"\nversion = \"1.0.0\"\ndescription = \"a dependency\"\n";
const APP: &str =
    "name = \"app\"\nversion = \"1.0.0\"\ndescription = \"a module\"\ndepends_on = [\"dep\"]\n";

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn a_definition_leads_through_load() {
    let room = room();
    room.write("dep/module.toml", DEP).write("dep/main.star", LIB);
    room.write("app/module.toml", APP);
    let app = MAIN.replace("lib.star\", ", "@dep\", my = ").replace("greeting(name)", "my(name)");
    room.write("app/main.star", &app);
    let steps = json!([
        ["open", FILE, MAIN],
        ["define", FILE, 8, 14],
        ["define", FILE, 0, 10],
        ["define", FILE, 10, 6],
        ["define", FILE, 8, 20],
        ["open", "modules/app/main.star", app],
        ["define", "modules/app/main.star", 8, 12],
    ]);
    let told = edit(&room, &[], &steps);
    let uri = |file: &str| format!("file://{}", room.at(file).display());
    assert_eq!(told[1], json!({"uri": uri("lib.star"), "range": range(4, 4, 12)}));
    assert_eq!(told[2]["uri"], uri("lib.star"));
    assert_eq!(told[3], json!({"uri": uri("main.star"), "range": range(2, 4, 9)}));
    assert_eq!(told[4], Value::Null);
    assert_eq!(told[5], json!([]));
    assert_eq!(told[6], json!({"uri": uri("dep/main.star"), "range": range(4, 4, 12)}));
}

/// The folder may be another than the editor's.
#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn folders_can_be_named() {
    let room = room();
    let modules = room.modules().to_str().unwrap().to_owned();
    let told =
        edit(&room, &["-e", &modules], &json!([["open", FILE, MAIN], ["define", FILE, 8, 14]]));
    assert_eq!(told[0], json!([]));
    assert_eq!(told[1]["range"], range(4, 4, 12));
}
