//! `larkspur test`, as its users type it, and as build servers read it.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::clients::{installed, node, run};
use crate::room::Room;
use crate::upstream::{Web, ok};
use crate::wire::PATIENCE;
use expect_test::{Expect, expect};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const MODULE: &str = "
name = 'shop'
version = '1.0.0'
description = 'A shop'
[permissions]
http = ['127.0.0.1:PORT']
exec = ['echo']
files = ['data/**']
sqlite_write = ['data/*.db']
";
const MAIN: &str = "
def stock(ctx) -> dict:
    return http.get('http://127.0.0.1:PORT/stock', check = True)['json']

def words(ctx) -> str:
    return exec.run('echo', ['a', 'b'])['stdout']

def notes(ctx) -> str:
    return files.read('data/notes.txt')

def rows(ctx) -> list[dict]:
    sqlite.execute('data/a.db', 'CREATE TABLE IF NOT EXISTS t (n INTEGER)')
    sqlite.execute('data/a.db', 'INSERT INTO t VALUES (7)')
    return sqlite.query('data/a.db', 'SELECT n FROM t')

tool(stock)
tool(words)
tool(notes)
tool(rows)
";
const TESTS: &str = "
def test_played(t):
    t.http.on('GET', 'http://127.0.0.1:PORT/stock', json = {'screws': 3})
    testing.eq(t.call('shop.stock').value, {'screws': 3})

def test_diff(t):
    want = {'screws': 3, 'nuts': [1, 2, 3], 'bolts': {'long': True, 'short': False}}
    got = {'screws': 3, 'nuts': [1, 3], 'bolts': {'long': True, 'short': True}}
    testing.eq(want, got)

def test_unplayed(t):
    attempt(t.call, 'shop.stock')

def test_unused(t):
    t.http.on('GET', 'http://127.0.0.1:PORT/stock', json = {})
";

fn shop(port: &str, tests: &str) -> Room {
    let room = Room::new();
    room.write("shop/module.toml", &MODULE.replace("PORT", port))
        .write("shop/main.star", &MAIN.replace("PORT", port))
        .write("shop/main_test.star", &tests.replace("PORT", port))
        .write("shop/data/notes.txt", "remember");
    room
}

#[test]
fn a_folder_or_a_file_chooses_tests_and_the_lines_that_count() {
    let room = Room::new();
    let half = "def f(x):\n    if x:\n        return 1\n    return 2\n";
    let test = |x| format!("load('main.star', 'f')\ndef test_f():\n    f({x})\n");
    for name in ["a", "b"] {
        let manifest = format!("name = '{name}'\nversion = '1.0.0'\ndescription = 'x'\n");
        room.write(&format!("{name}/module.toml"), &manifest)
            .write(&format!("{name}/main.star"), half)
            .write(&format!("{name}/main_test.star"), &test("True"))
            .write(&format!("{name}/more_test.star"), &test("False"));
    }
    fs::rename(room.at("b"), room.path().join("b")).unwrap();
    for (path, ran) in [
        ("modules/a", &["a/main_test.star", "a/more_test.star"][..]),
        ("modules", &["a/main_test.star", "a/more_test.star"]),
        ("modules/a/more_test.star", &["a/more_test.star"]),
        ("modules/a/main.star", &["a/main_test.star"]),
        ("b", &["main_test.star", "more_test.star"]),
        ("b/more_test.star", &["more_test.star"]),
    ] {
        let said = room.run(&["test", path]);
        said.exits(0);
        let files: Vec<&str> =
            said.stdout.lines().filter_map(|line| line.strip_suffix(": 1 test")).collect();
        assert_eq!(files, ran, "{path}");
    }
    room.run(&["test", "gone"]).exits(2).notes("there is no gone");
    room.write("c.star", "x = 1\ndef g():\n    return 2\n");
    room.run(&["test", "modules/a", "--coverage-min", "100"]).exits(0);
    room.run(&["test", "--coverage-min", "100"]).exits(1);
    room.write("a/main.star", &format!("{half}print(gone)\n")).write("c.star", "print(gone)");
    let said = room.run(&["check", "modules/a"]);
    assert!(said.exits(1).stdout.contains("a/main.star"), "{}", said.stdout);
    assert!(!said.stdout.contains("c.star"), "{}", said.stdout);
}

/// What was typed, what was said, and how it ended.
#[track_caller]
fn transcript(room: &Room, args: &[&str], code: i32, expected: &Expect) {
    let ran = room.run_told(&[("CI", "")], args);
    ran.exits(code);
    let typed = args.join(" ");
    expected.assert_eq(&format!("$ larkspur {typed}\n{}[exit {code}]\n", ran.stdout));
}

#[test]
fn a_run_that_fails() {
    transcript(
        &shop("1", TESTS),
        &["test"],
        1,
        &expect![[r#"
        $ larkspur test
        shop/main_test.star: 4 tests
          ✓ test_played
          ✗ test_diff
            Assertion failed: the dicts differ (- the first, + the second)
              {
                "screws": 3,
                "nuts": [
                  1,
            -     2,
                  3,
                ],
                "bolts": {
                  "long": True,
            -     "short": False,
            +     "short": True,
                           ^^^
                },
              }
              ┌ shop/main_test.star:9:5
            9 │     testing.eq(want, got)
              │     ^^^^^^^^^^^^^^^^^^^^^
          ✗ test_unplayed
            nothing answers `GET http://127.0.0.1:1/stock`: the network is closed in tests; play the server with `t.http.on`, or say --live
          ✗ test_unused
            t.http.on("GET", "http://127.0.0.1:1/stock") was never used
               ┌ shop/main_test.star:15:5
            15 │     t.http.on('GET', 'http://127.0.0.1:1/stock', json = {})
               │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = help: take it out, or say `optional = True` where it need not be asked
        Total: 4 | Passed: 1 | Failed: 3
        [exit 1]
    "#]],
    );
}

#[test]
fn a_run_that_passes() {
    let room = shop("1", TESTS);
    transcript(
        &room,
        &["test", "-k", "test_played"],
        0,
        &expect![[r"
        $ larkspur test -k test_played
        shop/main_test.star: 1 test
          ✓ test_played
        Total: 1 | Passed: 1 | Failed: 0
        [exit 0]
    "]],
    );
    transcript(
        &room,
        &["test", "--fail-fast", "-k", "diff", "-j", "2"],
        1,
        &expect![[r#"
            $ larkspur test --fail-fast -k diff -j 2
            shop/main_test.star: 1 test
              ✗ test_diff
                Assertion failed: the dicts differ (- the first, + the second)
                  {
                    "screws": 3,
                    "nuts": [
                      1,
                -     2,
                      3,
                    ],
                    "bolts": {
                      "long": True,
                -     "short": False,
                +     "short": True,
                               ^^^
                    },
                  }
                  ┌ shop/main_test.star:9:5
                9 │     testing.eq(want, got)
                  │     ^^^^^^^^^^^^^^^^^^^^^
            Total: 1 | Passed: 0 | Failed: 1
            [exit 1]
        "#]],
    );
}

#[test]
fn help_tells_all_of_it() {
    let help = Room::new().run(&["test", "--help"]);
    help.exits(0);
    for word in [
        "-k",
        "-j",
        "--fail-fast",
        "--timeout",
        "--update",
        "--watch",
        "--coverage",
        "--coverage-lcov",
        "--coverage-min",
        "--live",
        "--format",
        "pretty",
        "json",
        "junit",
        "Exit code",
        "Examples",
    ] {
        help.says(word);
    }
}

/// What a test does not play, and its module may do, is done: files, commands, databases in files.
#[test]
fn what_a_module_may_do_it_does_in_tests() {
    let tests = "
def test_words(t):
    testing.eq(t.call('shop.words').value, 'a b\\n')
    testing.eq(exec.run('echo', ['c'])['stdout'], 'c\\n')

def test_files(t):
    testing.eq(t.call('shop.notes').value, 'remember')

def test_rows(t):
    testing.eq(t.call('shop.rows').value, [{'n': 7}])

def test_not_granted(t):
    testing.raises(exec.run, 'rm', contains = 'add \"rm\" to `exec`')
";
    shop("1", tests).run(&["test"]).exits(0).says("Total: 4 | Passed: 4 | Failed: 0");
}

#[test]
fn the_network_is_closed_unless_the_run_is_live() {
    let web = Web::answering(|_| Some(ok(r#"{"screws": 9}"#)));
    let port = web.site().rsplit_once(':').unwrap().1.to_owned();
    let tests = "def test_stock(t):\n    testing.eq(t.call('shop.stock').value, {'screws': 9})";
    let room = shop(&port, tests);
    room.run(&["test"])
        .exits(1)
        .says("nothing answers `GET http://127.0.0.1:")
        .says("the network is closed in tests");
    assert_eq!(web.asked().len(), 0);
    room.run(&["test", "--live"]).exits(0);
    assert_eq!(web.asked().len(), 1);
    let played = "def test_stock(t):\n    t.http.on('GET', 'http://other/', json = 1, optional = True)\n    testing.eq(t.call('shop.stock').value, {'screws': 9})";
    room.write("shop/main_test.star", played);
    room.run(&["test", "--live"]).exits(0);
    assert_eq!(web.asked().len(), 2);
}

#[test]
fn a_test_that_loops_is_ended_and_named() {
    let loops = "def test_loops():\n    for i in range(1000000000):\n        pass\n\ndef test_next():\n    pass";
    let room = Room::new();
    room.write("a_test.star", loops);
    room.run(&["test", "--timeout", "200ms"])
        .exits(1)
        .says("✗ test_loops")
        .says("stopped")
        .says("✓ test_next");
}

#[test]
fn snapshots_are_written_once_and_never_where_nobody_looks() {
    let tests = "def test_it(t):\n    testing.snapshot(t.call('shop.notes'))";
    let room = shop("1", tests);
    let file = room.at("shop/__snapshots__/main_test.snap");
    room.run_told(&[("CI", "true")], &["test"]).exits(1).says("there is no snapshot `test_it`");
    assert!(!file.exists());
    let attended = [("CI", "")];
    room.run_told(&attended, &["test"]).exits(0).says("(1 snapshot written)");
    let first = fs::read_to_string(&file).unwrap();
    let kept = first.strip_prefix("=== test_it\n").unwrap();
    assert!(kept.ends_with(" tokens\nremember\n"), "{kept}");
    room.write("shop/data/notes.txt", "remember the milk");
    room.run_told(&attended, &["test"]).exits(1).says("+ remember the milk");
    assert_eq!(fs::read_to_string(&file).unwrap(), first);
    room.run_told(&attended, &["test", "--update"]).exits(0);
    room.run_told(&[("CI", "1")], &["test"]).exits(0);
}

#[track_caller]
fn read_by(format: &str, expected: &Expect) {
    let room = shop("1", TESTS);
    let ran = room.run(&["test", "--format", format]);
    ran.exits(1).notes("Total: 4 | Passed: 1 | Failed: 3");
    fs::write(room.path().join("report"), &ran.stdout).unwrap();
    expected.assert_eq(&read_report(&room, format, "report"));
}

/// What a parser of the format finds in a report.
#[track_caller]
pub(crate) fn read_report(room: &Room, format: &str, file: &str) -> String {
    let mut command = node();
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/reports.mjs"))
        .arg(installed("js"))
        .args([format, file]);
    let (code, printed) = run(room, &mut command);
    assert_eq!(code, Some(0), "{printed}");
    printed
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn junit_is_read_by_its_parser() {
    read_by(
        "junit",
        &expect![[r#"
        shop/main_test.star: 4 tests, 3 failures
          shop/main_test test_played
          shop/main_test test_diff "Assertion failed: the dicts differ (- the first, + the second)"
          shop/main_test test_unplayed "nothing answers `GET http://127.0.0.1:1/stock`: the network is closed in tests; play the server with `t.http.on`, or say --live"
          shop/main_test test_unused "t.http.on(\"GET\", \"http://127.0.0.1:1/stock\") was never used"
        4 tests, 3 failures
    "#]],
    );
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn junit_is_xml() {
    let room = shop("1", TESTS);
    let ran = room.run(&["test", "--format", "junit"]);
    let file = room.path().join("junit.xml");
    fs::write(&file, &ran.stdout).unwrap();
    let count = "import sys, xml.etree.ElementTree as t; print(len(t.parse(sys.argv[1]).findall('.//testcase')))";
    let mut python = Command::new(installed("py/bin/python"));
    python.args(["-c", count]).arg(&file);
    assert_eq!(run(&room, &mut python), (Some(0), "4\n".to_owned()));
}

#[test]
fn json_is_one_document() {
    let report = shop("1", TESTS).run(&["test", "--format", "json"]).json();
    assert_eq!(report["total"], 4);
    assert_eq!(report["tests"][0]["test"], "test_played");
    assert_eq!(report["tests"][1]["failure"]["place"]["line"], 9);
}

/// Files as users of starlark-mcp have them: by stem or by name, both orders of arguments, messages,
/// exec by `allowed_exec`, and `testing` in tests alone.
#[test]
fn files_in_the_forms_of_the_original_run_unmodified() {
    let extension = r#"
def get_greeting(name):
    return "Hello, " + name

def greet_handler(params):
    return {"content": [{"type": "text", "text": get_greeting(params.get("name", "World"))}], "isError": False}

def describe_extension():
    return Extension(
        name = "greeter",
        version = "1.0.0",
        description = "Greets",
        allowed_exec = ["echo"],
        tools = [Tool(
            name = "greet",
            description = "Greet somebody",
            parameters = [ToolParameter(name = "name", param_type = "string", required = False, description = "Who")],
            handler = greet_handler,
        )],
    )
"#;
    let tests = r#"
load("greeter", "get_greeting", "greet_handler", "describe_extension")

def test_equality():
    testing.eq("Hello, Ada", get_greeting("Ada"))
    testing.eq(get_greeting("Ada"), "Hello, Ada", "the other order")
    testing.eq(expected = 1, actual = 1, message = "by name")
    testing.ne(1, 2, "differ")

def test_truth():
    testing.is_true(True)
    testing.is_true([1], "a list")
    testing.is_false("")
    testing.is_false(None, "nothing")

def test_contains():
    testing.contains(["a", "b"], "a")
    testing.contains("hello world", "world", "a part")
    testing.contains({"key": 1}, "key")

def test_handler():
    result = greet_handler({"name": "Ada"})
    testing.eq(result["content"][0]["text"], "Hello, Ada")
    testing.is_false(result.get("isError", False))

def test_description():
    ext = describe_extension()
    testing.eq(ext["name"], "greeter")
    testing.eq(len(ext["tools"]), 1)

def test_modules_are_there():
    testing.eq(json.decode(json.encode({"a": [1, 2]})), {"a": [1, 2]})
    testing.is_true(time.now() > 0)
    testing.eq(env.get("NO_SUCH_VARIABLE", "default"), "default")
    testing.eq(math.pow(2, 3), 8.0)
    testing.eq(exec.run("echo", ["hi"])["stdout"], "hi\n")
"#;
    let room = Room::without("extensions");
    room.write("greeter.star", extension)
        .write("greeter_test.star", tests)
        .write(
            "other_test.star",
            "load(\"greeter.star\", \"get_greeting\")\n\ndef test_by_name():\n    testing.eq(get_greeting(\"x\"), \"Hello, x\")\n",
        )
        .write(
            "failing_test.star",
            "def test_told():\n    testing.fail(\"told so\")\n",
        );
    for args in [&["-t", "-e", "extensions"][..], &["--test", "--extensions-dir", "extensions"]] {
        room.run(args)
            .exits(1)
            .says("✓ test_modules_are_there")
            .says("told so")
            .says("Total: 8 | Passed: 7 | Failed: 1");
    }
    room.write("greeter.star", &format!("{extension}\ntesting.eq(1, 1)\n"));
    room.run(&["list"]).notes("there is no `testing`");
}

/// Is there a command that waits so many seconds?
fn sleeps(seconds: &str) -> bool {
    let wanted = format!("sleep\0{seconds}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|one| fs::read_to_string(one.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line == wanted)
}

fn soon(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_run_leaves_no_command_behind() {
    let seconds = format!("98{}", std::process::id());
    let room = Room::new();
    room.write(
        "nap.star",
        &format!(
            "def nap(params):\n    return exec.run('sleep', ['{seconds}'])\n\
             def describe_extension():\n    return Extension(name = 'nap', version = '1.0.0', \
             description = 'Naps', allowed_exec = ['sleep'], tools = [\n        \
             Tool(name = 'nap', description = 'Naps', handler = nap)])\n"
        ),
    )
    .write("nap_test.star", "def test_nap(t):\n    t.call('nap.nap')\n");
    let mut command = room.larkspur(&["test", "--timeout", "5m"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    soon("it never ran", || sleeps(&seconds));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    soon("it is still there", || !sleeps(&seconds));
}
