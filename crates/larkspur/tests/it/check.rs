//! `larkspur check`, `explain` and `check --fix`: every lesson's own examples, the report, and what is
//! mended.

use crate::room::Room;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

const LESSONS: &str = include_str!("../../../check/src/lessons.md");

/// The files that an example stands for; one without names is a module of its own.
fn files(example: &str) -> Vec<(String, String)> {
    let mut files = vec![("m.star".to_owned(), String::new())];
    for line in example.lines() {
        if let Some(name) = line.strip_prefix("# file: ") {
            files.push((name.to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files.retain(|(name, text)| name != "m.star" || !text.is_empty());
    files
}

fn room(example: &str) -> Room {
    let room = Room::new();
    for (name, text) in files(example) {
        room.write(&name, &text);
    }
    room
}

fn codes(room: &Room) -> BTreeSet<String> {
    let said = room.run(&["check", "--format", "json"]);
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    let faults = said["faults"].as_array().unwrap().iter();
    faults.map(|one| one["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_examples_of_every_lesson_are_what_they_say() {
    let mut tried = 0;
    for part in LESSONS.split("\n## ").skip(1) {
        let code = part.split(' ').next().unwrap();
        let mut blocks = part.split("```");
        while let (Some(_), Some(block)) = (blocks.next(), blocks.next()) {
            let (kind, example) = block.split_once('\n').unwrap();
            let wrong = kind.ends_with(" wrong");
            if !wrong && !kind.ends_with(" right") {
                continue;
            }
            let found = codes(&room(example));
            assert_eq!(found.contains(code), wrong, "{code}: {found:?} in {example}");
            tried += 1;
        }
    }
    assert!(tried >= 45, "{tried} examples were tried");
}

#[test]
fn each_code_in_the_source_has_a_lesson() {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut seen = BTreeSet::new();
    for folder in ["../check/src", "../script/src", "../runtime/src"] {
        for file in fs::read_dir(format!("{root}/{folder}")).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|kind| kind == "rs") {
                seen.extend(quoted_codes(&fs::read_to_string(path).unwrap()));
            }
        }
    }
    assert!(seen.len() > 25, "{seen:?}");
    let known = LESSONS.split("\n## ").skip(1).map(|part| part[..5].to_owned());
    assert_eq!(seen, known.collect::<BTreeSet<_>>());
}

/// `"E0301"` and the like.
fn quoted_codes(source: &str) -> Vec<String> {
    let parts = source.split('"').filter(|part| part.len() == 5);
    let parts = parts.filter(|part| part.starts_with(['E', 'W']));
    let parts = parts.filter(|part| part[1..].bytes().all(|byte| byte.is_ascii_digit()));
    parts.map(str::to_owned).collect()
}

const WRONG: &str = r#"import json
load("other.star", "one", "two")

@tool(read_only = True)
def read(text: str):
    """Read a text as JSON, whatever it holds.

    Args:
        text: The text.
    """
    return [json.loads(text), htpp.get("x"), one()]
"#;

const RIGHT: &str = r#"load("other.star", "one")

def read(text: str):
    """Read a text as JSON, whatever it holds.

    Args:
        text: The text.
    """
    return [json.decode(text), http.get("x"), one()]

tool(read, read_only = True)
"#;

#[test]
fn what_can_be_mended_is() {
    let room = Room::new();
    let manifest = "name = 'm'\nversion = '1.0.0'\ndescription = 'Reads'\n\
                    [permissions]\nhttp = ['x.org']\nexec = ['git']\n";
    room.write("m/module.toml", manifest)
        .write("m/main.star", WRONG)
        .write("m/other.star", "def one():\n    return 1\n\ndef two():\n    return 2\n");
    room.run(&["check", "--fix"]).exits(0).notes("mended").notes("E0101 Starlark has no `import`");
    assert_eq!(fs::read_to_string(room.at("m/main.star")).unwrap(), RIGHT);
    let manifest = fs::read_to_string(room.at("m/module.toml")).unwrap();
    assert!(!manifest.contains("exec"), "{manifest}");
    assert!(room.at("m/README.md").exists());
    let before = fs::read_to_string(room.at("m/main.star")).unwrap();
    room.run(&["check", "--fix"]).exits(0);
    assert_eq!(fs::read_to_string(room.at("m/main.star")).unwrap(), before);
}

#[test]
fn a_report_has_level_code_place_and_help() {
    let room = Room::new();
    room.write("m.star", "def f(x) -> int:\n    return \"a\"\n\ntool(f)\n");
    room.run(&["check"])
        .exits(1)
        .says(
            "error[E0202]: Expected type `int` but got `str`\n  ┌ modules/m.star:2:5\n\
             2 │     return \"a\"\n  │     ^^^^^^^^^^\n",
        )
        .says("warning[W0107]: `x` of `f` has no type: a model may send anything")
        .says("  = help: write `x: str`")
        .notes("1 error and 5 warnings in 1 file")
        .notes("`larkspur explain W0601` tells more");
    room.write("m.star", "def f():\n    return 1\n\ntool(f)\n");
    room.run(&["check"]).exits(0).notes("2 warnings in 1 file");
    room.run(&["check", "--strict"]).exits(1);
    room.remove("m.star");
    room.run(&["check", "--strict"]).exits(0).notes("nothing wrong in 0 files");
}

#[test]
fn codes_are_explained() {
    let room = Room::new();
    room.run(&["explain", "E0301"])
        .exits(0)
        .says("E0301 the module does what it does not declare\n\nA module may do");
    room.run(&["explain", "w0601"]).exits(0).says("W0601 a tool has no description");
    room.run(&["explain"]).exits(0).says("E0101  Starlark has no `import`\n");
    room.run(&["explain", "E0302"]).exits(2).notes("there is no code `E0302`; did you mean E0");
}

#[test]
fn each_kind_of_permission_is_looked_for() {
    let manifest = "name = 'm'\nversion = '1.0.0'\ndescription = 'Does'\n";
    for (line, permissions, expected) in [
        ("exec.run('git')", "", "`git` is not among the commands module `m` may run\n"),
        ("exec.run('git')", "exec = ['git']", ""),
        ("exec.run('hg')", "exec = ['git']", "hg"),
        ("env.get('HOME')", "env = ['GITHUB_*']", "HOME"),
        ("http.get(url)", "", "its manifest grants no `http`"),
        (
            "files.write('a', 'b')",
            "files = ['**']",
            "`a` is not among the files module `m` may write\n",
        ),
        ("files.write(url, 'b')", "files = ['**']", "no `files_write`"),
        ("files.read('./out/a')", "files_write = ['out/**']", ""),
        ("files.read('a')", "files_write = ['out/**']", "may read\n"),
        ("files.read('../a')", "files = ['out/**']", ""),
        ("sqlite.query('a.db', 'x')", "", "may read\n"),
        ("sqlite.query(url, 'x')", "", "no `sqlite`"),
        ("attempt(http.get, url)", "", "its manifest grants no `http`"),
        ("http.get('https://a.org/' + url)", "http = ['b.org']", "`a.org` is not among the hosts"),
        ("postgres.query('main', 'x')", "postgres = ['main']", ""),
        ("ctx.secret('token')", "", "asks for the secret `token`"),
    ] {
        let room = Room::new();
        let main = format!("def f(ctx, url: str):\n    return {line}\n\ntool(f)\n");
        room.write("m/module.toml", &format!("{manifest}[permissions]\n{permissions}\n"))
            .write("m/main.star", &main);
        let said = room.run(&["check"]).stdout;
        let told = said.contains("error[E0301]");
        assert_eq!(told, !expected.is_empty(), "{line} {permissions}: {said}");
        assert!(said.contains(expected), "{line} {permissions}: {said}");
    }
}

/// Names that are too long with their module before them, and words that cost too much.
#[test]
fn what_a_list_cannot_carry_is_told() {
    let room = Room::new();
    let long = "a".repeat(60);
    let about = "very ".repeat(1_200);
    let module =
        format!("def {long}():\n    \"\"\"{about}long.\"\"\"\n    return 1\n\ntool({long})\n");
    room.write("module.star", &module);
    room.run(&["check"])
        .exits(0)
        .says("has 67 characters; clients take names of 64")
        .says("costs 1")
        .says("tokens in every list it is in");
    let found = codes(&room);
    assert!(found.contains("W0606") && found.contains("W0607"), "{found:?}");
}

/// What is handed on is used as well, and what was named wrongly is not nothing.
#[test]
fn what_is_used_in_a_roundabout_way_stays() {
    let room = Room::new();
    let manifest = "name = 'm'\nversion = '1.0.0'\ndescription = 'Asks'\n[permissions]\n\
                    http = ['api.example.org']\nexec = ['git']\n[secrets]\n\
                    token = { hosts = ['api.example.org'] }\n";
    let main = "def f(ctx, q: str):\n    \
                secret = attempt(ctx.secret, \"token\").value\n    \
                e = exec\n    e.run(\"git\", [\"status\"])\n    \
                return attempt(http.get, \"https://api.example.org/\" + q, auth = secret)\n\ntool(f)\n";
    room.write("m/module.toml", manifest).write("m/main.star", main);
    room.run(&["check", "--fix"]).exits(0);
    assert_eq!(fs::read_to_string(room.at("m/module.toml")).unwrap(), manifest);
    room.run(&["check", "-e", "nowhere"]).exits(2).notes("there is no folder nowhere");
    room.run(&["test", "-e", "nowhere"]).exits(2);
    room.run(&["test", "-k", "nothing"]).exits(1);
}

#[test]
fn the_folder_that_commands_run_in_is_a_use_of_files() {
    let manifest = "name = 'm'\nversion = '1.0.0'\ndescription = 'd'\n[permissions]\n\
                    exec = ['git']\nfiles = ['**']\n";
    for (call, unused) in
        [("exec.run('git', ['log'], cwd = 'work')", false), ("exec.run('git', ['log'])", true)]
    {
        let room = Room::new();
        room.write("m/module.toml", manifest)
            .write("m/main.star", &format!("def log():\n    return {call}\ntool(log)\n"));
        assert_eq!(codes(&room).contains("W0302"), unused, "{call}");
    }
}

#[test]
fn names_are_alike_only_where_they_are_read_together() {
    let tool = |name: &str| {
        format!(
            "def {name}():\n    \"\"\"List the issues there are.\"\"\"\n    return []\ntool({name})\n"
        )
    };
    for (files, surface, alike) in [
        (&[("a", "list_issue"), ("b", "list_issues")][..], "flat", true),
        (&[("a", "list_issue"), ("b", "list_issues")], "modules", false),
        (&[("a", "list_issue"), ("a", "list_issues")], "modules", false),
    ] {
        let room = Room::new();
        room.project(&format!("[server]\nsurface = \"{surface}\"\n"));
        for name in ["a", "b"] {
            let tools = files.iter().filter(|(file, _)| *file == name);
            let source: String = tools.map(|(_, name)| tool(name)).collect();
            room.write(&format!("{name}.star"), &source);
        }
        assert_eq!(codes(&room).contains("W0605"), alike, "{files:?} {surface}");
    }
}

#[test]
fn undeclared_calls_are_reported_and_added_to_the_manifest() {
    let room = Room::new();
    let manifest = "name = 'm' # the caller\nversion = '1.0.0'\ndescription = 'Calls'\n";
    let main = "def f(ctx) -> list:\n    \"\"\"Reads both.\"\"\"\n    \
                ctx.call(\"batch\", {\"tasks\": [{\"id\": \"a\", \"module\": \"o\", \"tool\": \"two\"}]})\n    \
                return [ctx.call(\"o.one\")]\n\ntool(f)\n";
    let other = "def one() -> int:\n    \"\"\"One.\"\"\"\n    return 1\n\n\
                 def two() -> int:\n    \"\"\"Two.\"\"\"\n    return 2\n\ntool(one)\ntool(two)\n";
    room.write("m/module.toml", manifest).write("m/main.star", main).write("o.star", other);
    let report = room.run(&["check"]);
    for part in [
        "`o.two` is not among the tools module `m` may call",
        "`o.one` is not among the tools module `m` may call",
        "add calls = [\"o.one\"] to [permissions] in module.toml",
    ] {
        assert!(report.stdout.contains(part), "{}", report.stdout);
    }
    room.run(&["check", "--fix"]).exits(0);
    let fixed = fs::read_to_string(room.at("m/module.toml")).unwrap();
    let expected = format!("{manifest}\n[permissions]\ncalls = [\"o.two\", \"o.one\"]\n");
    assert_eq!(fixed, expected);
    room.run(&["check", "--fix"]).exits(0);
    assert_eq!(fs::read_to_string(room.at("m/module.toml")).unwrap(), expected);
    room.run(&["call", "m.f"]).exits(0);
}
