//! `larkspur new` and `larkspur doc --readme`: what is written works, and nothing is overwritten.

use crate::room::Room;
use expect_test::expect;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Every file below a folder, hidden ones too, with its text.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

fn names(room: &Room) -> Vec<String> {
    files(room.path()).into_keys().collect()
}

/// A single file with what a module can have, and its test.
const SINGLE: &str = "\"\"\"greet: greets.\"\"\"

permissions(env = [\"GREETING\"])

def hello(name: str) -> str:
    return (env.get(\"GREETING\") or \"Hello\") + \" \" + name
tool(hello)
";
const SINGLE_TEST: &str = "load(\"greet.star\", \"hello\")

def test_it_greets(t):
    testing.eq(t.call(\"greet.hello\", {\"name\": \"Ada\"}).value, \"Hello Ada\")
";

#[test]
fn a_single_file_becomes_a_folder_with_the_same_names() {
    let room = Room::new();
    room.write("greet.star", SINGLE);
    room.write("greet_test.star", SINGLE_TEST);
    expect![[r"
        created modules/greet/module.toml
        created modules/greet/main.star
        created modules/greet/main_test.star
        created modules/greet/README.md
        removed modules/greet.star
        removed modules/greet_test.star
    "]]
    .assert_eq(&room.run(&["new", "--from", "modules/greet.star"]).exits(0).stdout);
    let manifest = &files(room.path())["modules/greet/module.toml"];
    assert!(manifest.contains("\nprefix = \"\"\n"), "{manifest}");
    assert!(manifest.contains("[permissions]\nenv = [\"GREETING\"]"), "{manifest}");
    let main = &files(room.path())["modules/greet/main.star"];
    assert!(!main.contains("permissions"), "{main}");
    let listed = room.run(&["list", "--format", "json"]).exits(0).json();
    assert_eq!(listed["modules"][0]["tools"][0]["listed"], "hello");
    room.run_told(&[("GREETING", "Hi")], &["call", "greet.hello", "name=Ada"])
        .exits(0)
        .says_only("Hi Ada");
    room.run(&["test"]).exits(0).says("Passed: 1");
    room.run(&["new", "--from", "modules/greet.star"])
        .exits(1)
        .notes("is not a module: name a single file");
}

#[test]
fn a_file_that_cannot_become_a_folder_stays() {
    let extension = "def describe_extension():\n    return Extension(name = \"m\", version = \"1.0.0\", \
                     description = \"d\", tools = [Tool(name = \"x\", description = \"d\", \
                     parameters = [], handler = lambda p: 1)])\n";
    let tool = "def x():\n    return 1\ntool(x)\n";
    for (file, source, part) in [
        ("m.star", "def f(:\n", "cannot be loaded"),
        ("m.star", "x = 1\n", "declares no tools"),
        ("m.star", extension, "starlark-mcp's form"),
        ("Some_name.star", tool, "rename modules/Some_name.star first"),
        ("m_test.star", tool, "is not a module"),
        (
            "m.star",
            &format!("load(\"other.star\", \"y\")\n{tool}"),
            "does not load from a folder of its own",
        ),
    ] {
        let room = Room::new();
        room.write("other.star", "y = 1\n");
        room.write(file, source);
        let before = files(room.path());
        room.run(&["new", "--from", &format!("modules/{file}")]).exits(1).notes(part);
        assert_eq!(files(room.path()), before, "{file}");
    }
}

#[test]
fn a_new_module_is_a_folder_that_works() {
    let room = Room::without("modules");
    expect![[r"
        created modules/first-one/module.toml
        created modules/first-one/main.star
        created modules/first-one/main_test.star
        created modules/first-one/README.md

        Next
          larkspur call first-one.hello name=Ada   call its tool
          larkspur test                            3 tests
          larkspur dev                             watch while you write
          larkspur config show --origin            what modules are told, and by whom
    "]]
    .assert_eq(&room.run(&["new", "first-one"]).exits(0).stdout);
    assert_eq!(
        names(&room),
        ["README.md", "main.star", "main_test.star", "module.toml"]
            .map(|file| format!("modules/first-one/{file}"))
    );
    room.run(&["call", "first-one.hello", "name=Ada"]).exits(0).says_only("Hello, Ada!");
    let told = [("FIRST_ONE__GREETING", "Good morning")];
    room.run_told(&told, &["call", "hello", "name=Ada", "style=loud"])
        .exits(0)
        .says_only("GOOD MORNING, ADA!");
    room.run(&["test"]).exits(0).says("Total: 3 | Passed: 3 | Failed: 0");
    room.run(&["check"]).exits(0).notes("nothing wrong in 2 files");
    room.run(&["list"]).exits(0).says("first-one  0.1.0  Greets people");
    room.run(&["new", "second"]).exits(0);
    room.run(&["list"]).exits(0).notes("2 tools in 2 modules");
}

#[test]
fn its_readme_is_made_from_its_schemas() {
    let room = Room::new();
    room.run(&["new", "hello"]).exits(0);
    expect![[r#"
        # hello

        <!-- larkspur: what follows, down to the end mark, is made by `larkspur doc --readme hello` -->

        Greets people; say here what your module does

        Version 0.1.0

        ## Installation

        Copy the folder to `modules/hello`, and have your client serve `modules`:

        ```json
        {
          "mcpServers": {
            "larkspur": {
              "command": "larkspur",
              "args": [
                "serve",
                "--modules",
                "/path/to/modules"
              ]
            }
          }
        }
        ```

        ## Configuration

        Set a key under `[module.hello.config]` in `larkspur.toml`, by its variable in the environment, or with `--set hello.KEY=VALUE`; the later of these wins.

        | key | type | default | description | environment variable |
        |---|---|---|---|---|
        | `greeting` | string | `"Hello"` | What to say before the name | `HELLO__GREETING` |

        ## Tools

        ### hello

        Greet somebody by name.

        Parameters:

        - `name` (string, required): Who to greet.
        - `style` (`"plain"` or `"loud"`, default `"plain"`): How to say it.

        Example:

        ```json
        {"name": "hello", "arguments": {"name": "Ada"}}
        ```

        ```sh
        larkspur call hello.hello name=Ada
        ```

        Questions:

        - say hi to Ada

        <!-- larkspur: end -->
    "#]].assert_eq(&fs::read_to_string(room.at("hello/README.md")).unwrap());
}

#[test]
fn a_single_file_is_written_when_asked_for() {
    let room = Room::without("modules");
    room.run(&["new", "My_first", "--single"])
        .exits(0)
        .says("created modules/My_first.star\ncreated modules/My_first_test.star\n")
        .says("larkspur call My_first.hello name=Ada");
    assert_eq!(names(&room).len(), 2);
    room.run(&["call", "My_first.hello", "name=Ada"]).exits(0).says_only("Hello, Ada!");
    room.run(&["test"]).exits(0).says("Total: 2 | Passed: 2 | Failed: 0");
    room.run(&["check"]).exits(0);
}

#[test]
fn what_is_there_stays_as_it_is() {
    let check = |there: &str, args: &[&str], taken: &str| {
        let room = Room::new();
        let path = room.path().join(there);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "mine").unwrap();
        room.run(&[&["new"], args].concat())
            .exits(1)
            .says_only("")
            .notes(&format!("error: {taken} is already there; nothing was written"));
        assert_eq!(files(room.path()), BTreeMap::from([(there.into(), "mine".into())]));
    };
    check("modules/a/notes.txt", &["a"], "modules/a");
    check("modules/a", &["a"], "modules/a");
    check("modules/a.star", &["a"], "modules/a.star");
    check("modules/a/main.star", &["a", "--single"], "modules/a");
    check("modules/a_test.star", &["a", "--single"], "modules/a_test.star");
    check("larkspur.toml", &["--project"], "larkspur.toml");
    check("larkspur.toml", &["a", "--project"], "larkspur.toml");
    check("modules/a.star", &["a", "--project"], "modules/a.star");
    check("x.toml", &["--project", "--config", "x.toml"], "x.toml");
    let room = Room::new();
    room.run(&["new", "twice"]).exits(0);
    let first = files(room.path());
    room.run(&["new", "twice"]).exits(1).says_only("");
    assert_eq!(files(room.path()), first);
}

#[test]
fn a_name_must_be_one() {
    let check = |args: &[&str], message: &str| {
        let room = Room::new();
        let ran = room.run(&[&["new"], args].concat());
        assert_eq!(ran.exits(2).says_only("").stderr, message);
        assert_eq!(names(&room), Vec::<String>::new());
    };
    let kebab = |given: &str, help: &str| {
        let message = format!("error: name `{given}` is not kebab-case\n  = help: {help}\n");
        check(&[given], &message);
        check(&[given, "--project"], &message);
    };
    kebab("My_Tool", "write `my-tool`");
    kebab("no spaces", "write `no-spaces`");
    kebab("../up", "write `up`");
    kebab("9", "small letters, digits and `-`, such as `http-utils`");
    check(
        &["../up", "--single"],
        "error: module name `../up` may hold only letters, digits, `_` and `-`\n",
    );
    let long = "a".repeat(65);
    check(&[&long], &format!("error: module name `{long}` is longer than 64 characters\n"));
    for args in [&["new"][..], &["new", "--single"], &["new", "--project", "--single"]] {
        Room::new().run(args).exits(2).notes("<NAME>");
    }
}

#[test]
fn a_project_is_a_file_to_start_from() {
    let room = Room::without("modules");
    room.run(&["new", "--project"]).exits(0).says("created larkspur.toml");
    assert_eq!(
        files(room.path()),
        BTreeMap::from([("larkspur.toml".into(), settings::project_template())])
    );
    room.run(&["new", "--project", "--config", "other.toml", "hello"])
        .exits(0)
        .says("created other.toml\ncreated modules/hello/module.toml");
    for args in [&["list"][..], &["list", "--config", "other.toml"]] {
        room.run(args).exits(0).notes("1 tool in 1 module");
    }
    room.run(&["new", "--project", "--config", "no/such/folder.toml"])
        .exits(1)
        .notes("cannot write no/such/folder.toml");
    room.project("enable = [\"hello\"]\n");
    room.run(&["new", "more"])
        .exits(0)
        .notes("note: `enable` in larkspur.toml does not name `more`; add it there");
}

#[test]
fn a_module_goes_where_the_folder_says() {
    let room = Room::without("modules");
    fs::create_dir(room.path().join("extensions")).unwrap();
    room.run(&["new", "a"]).exits(0).says("created extensions/a/module.toml");
    room.run(&["new", "b", "-e", "deep/down"])
        .exits(0)
        .says("created deep/down/b/module.toml")
        .says("larkspur -e deep/down call b.hello name=Ada");
    room.run(&["-e", "deep/down", "call", "b.hello", "name=Ada"]).exits(0).says_only("Hello, Ada!");
    fs::write(room.path().join("flat"), "").unwrap();
    room.run(&["new", "c", "-e", "flat"]).exits(1).notes("cannot make the folder flat/");
}

const MANIFEST: &str = r#"
name = "tickets"
version = "1.2.3"
description = "Tickets of all kinds"
author = "Ada"
license = "MIT"
homepage = "https://example.org"
depends_on = ["gone", "auth"]
optional_deps = ["log"]

[config]
url = { type = "string", required = true, description = "Where | they\nare" }
page-size = { type = "integer" }
"#;

const TICKETS: &str = r#"
Ticket = record(id = int, tags = list[str])
State = one_of("open", "closed")

def add(ctx, title: str, state: State | None = None, at: list[Ticket] = []) -> str:
    """Add a ticket.

    Not more than one at a time.

    Args:
        title: What it is
            about.
    """
    return title

def ping():
    return "pong"

tool(add, examples = [
    {"title": "It's broken"},
    {"title": "7", "state": "open", "at": [{"id": 1, "tags": ["a b"]}]},
])
tool(ping)
tool(ping, name = "raw", input_schema = {
    "type": "object",
    "properties": {"n": {"type": "integer", "default": 2}, "any": {}, "s": {"type": "string"}},
    "required": ["s"],
}, examples = [{"s": "7", "n": 7, "any": None}])
"#;

/// A module that cannot start, for want of a dependency and of a value, still says what it offers.
#[test]
fn a_readme_says_all_that_schemas_say() {
    let room = Room::new();
    room.write("tickets/module.toml", MANIFEST).write("tickets/main.star", TICKETS);
    expect![[r#"
        # tickets

        <!-- larkspur: what follows, down to the end mark, is made by `larkspur doc --readme tickets` -->

        Tickets of all kinds

        Version 1.2.3, by Ada, MIT, <https://example.org>

        ## Installation

        Copy the folder to `modules/tickets`, and have your client serve `modules`:

        ```json
        {
          "mcpServers": {
            "larkspur": {
              "command": "larkspur",
              "args": [
                "serve",
                "--modules",
                "/path/to/modules"
              ]
            }
          }
        }
        ```

        It depends on `gone` and `auth`.

        It can use `log`.

        ## Configuration

        Set a key under `[module.tickets.config]` in `larkspur.toml`, by its variable in the environment, or with `--set tickets.KEY=VALUE`; the later of these wins.

        | key | type | default | description | environment variable |
        |---|---|---|---|---|
        | `url` | string | none, must be set | Where \| they are | `TICKETS__URL` |
        | `page-size` | integer | none |  | `TICKETS__PAGE_SIZE` |

        ## Tools

        ### add

        Add a ticket.

        Not more than one at a time.

        Parameters:

        - `title` (string, required): What it is about.
        - `state` (`"open"` or `"closed"` or null, default `null`)
        - `at` (array of object, default `[]`)

        Examples:

        ```json
        {"name": "add", "arguments": {"title": "It's broken"}}
        ```

        ```sh
        larkspur call tickets.add 'title=It'\''s broken'
        ```

        ```json
        {"name": "add", "arguments": {"title": "7", "state": "open", "at": [{"id": 1, "tags": ["a b"]}]}}
        ```

        ```sh
        larkspur call tickets.add title=7 state=open 'at=[{"id":1,"tags":["a b"]}]'
        ```

        ### ping

        It takes no parameters.

        ### raw

        Parameters:

        - `n` (integer, default `2`)
        - `any` (any, optional)
        - `s` (string, required)

        Example:

        ```json
        {"name": "raw", "arguments": {"s": "7", "n": 7, "any": null}}
        ```

        ```sh
        larkspur call tickets.raw s=7 n=7 any=null
        ```

        <!-- larkspur: end -->
    "#]].assert_eq(&room.run(&["readme", "tickets"]).exits(0).stdout);
}

#[test]
fn a_readme_is_renewed_between_its_marks() {
    let room = Room::new();
    room.run(&["new", "hello"]).exits(0);
    let readme = || fs::read_to_string(room.at("hello/README.md")).unwrap();
    let refresh = |code| {
        let ran = room.run(&["readme", "hello", "--write"]);
        ran.exits(code);
        ran
    };
    refresh(0).says_only("").notes("modules/hello/README.md is up to date");
    assert_eq!(room.run(&["readme", "hello"]).exits(0).stdout, readme());
    let source = fs::read_to_string(room.at("hello/main.star")).unwrap();
    room.write("hello/main.star", &source.replace("Who to greet.", "Whom."));
    let mine = readme().replacen("# hello", "# My hello", 1);
    room.write("hello/README.md", &format!("{mine}\nThanks.\n"));
    refresh(0).says_only("wrote modules/hello/README.md");
    let next = mine.replace("Who to greet.", "Whom.");
    assert_eq!(readme(), format!("{next}\nThanks.\n"));
    room.write("hello/README.md", "all mine");
    refresh(1).notes("modules/hello/README.md has no marks");
    assert_eq!(readme(), "all mine");
    room.remove("hello/README.md");
    refresh(0).says_only("wrote modules/hello/README.md");
    assert!(readme().starts_with("# hello\n"));
}

#[test]
fn a_readme_needs_a_module_that_loads() {
    let room = Room::new();
    room.run(&["readme", "hello"]).exits(2).notes("there is no module `hello`; there are none");
    room.run(&["new", "hello"]).exits(0);
    room.run(&["new", "alone", "--single"]).exits(0);
    room.run(&["readme", "helo"])
        .exits(2)
        .says_only("")
        .notes("there is no module `helo`; did you mean `hello`?");
    room.run(&["readme", "alone"])
        .exits(0)
        .says("# alone\n")
        .says("larkspur call alone.hello name=Ada");
    room.run(&["readme", "alone", "--write"]).exits(1).notes("modules/alone.star is a single file");
    room.write("hello/main.star", "def f(:\n");
    room.run(&["readme", "hello"]).exits(1).says_only("").notes("hello/main.star:1:7");
}
