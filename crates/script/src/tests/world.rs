//! What reaches the host from `exec`, `env`, `files` and `time`, and what comes back.

use super::{Notebook, call_script, eval, load};
use expect_test::expect;
use serde_json::{Value, json};

#[track_caller]
fn check(expression: &str, expected: &str) {
    assert_eq!(eval(expression, Value::Null).as_deref(), Ok(expected), "{expression}");
}

#[track_caller]
fn fails(expression: &str, expected: &str) {
    assert_eq!(eval(expression, Value::Null), Err(expected.to_owned()), "{expression}");
}

/// What the host was told on the way.
fn told(expression: &str) -> Vec<String> {
    let source = format!("def f():\n    return {expression}\ntool(f)");
    let notebook = Notebook::default();
    call_script(&load(&source).unwrap(), "f", json!({}), &notebook).unwrap();
    notebook.lines.into_inner().unwrap()
}

#[test]
fn exec_asks_and_answers() {
    check(
        r#"exec.run("echo", ["a", 1, 2.5, True], stdin = "in")"#,
        r#"{"stdout":"a 1 2.5 True","stderr":"in","exit_code":0,"success":true}"#,
    );
    check(r#"exec.run(command = "false", args = None)["success"]"#, "false");
    check(r#"exec.run("echo", ("a",))["stdout"]"#, "a");
    let request = r#"exec.run("echo", [], "in", cwd = "sub", env = {"A": 1}, timeout = "500ms")"#;
    expect![[r#"
        ExecRequest { command: "echo", args: [], stdin: "in", cwd: Some("sub"), env: [("A", "1")], secret_env: [], timeout: Some(500ms) }"#]]
    .assert_eq(&told(request).join("\n"));
    assert!(told(r#"exec.run("echo", timeout = 2)"#)[0].contains("Some(2s)"));
    fails(r#"exec.run("git")"#, "there is no `git` here");
    for (given, why) in [
        (
            r#"exec.run("echo", "a b")"#,
            r#"exec.run: args must be a list, not a string; write ["a", "b"]"#,
        ),
        (r#"exec.run("echo", [None])"#, "exec.run: args[0] must be a string, not a NoneType"),
        (r#"exec.run("echo", env = ["A"])"#, "exec.run: env must be a dict, not a list"),
        (
            r#"exec.run("echo", env = {"A": []})"#,
            r#"exec.run: env["A"] must be a string, not a list"#,
        ),
        (r#"exec.run("echo", timeout = 0)"#, "timeout must be longer than nothing"),
        (
            r#"exec.run("echo", timeout = "soon")"#,
            "timeout: `soon` is not a duration; write `500ms`, `30s` or `2m`",
        ),
    ] {
        fails(given, why);
    }
}

#[test]
fn env_has_a_default() {
    check(r#"env.get("HOME")"#, "/srv/ada");
    check(r#"env.get(name = "HOME", default = "x")"#, "/srv/ada");
    check(r#"env.get("NO") == """#, "true");
    check(r#"env.get("NO", "x")"#, "x");
    check(r#"env.get("NO", None) == None"#, "true");
    fails(r#"env.get("SECRET", "x")"#, "`SECRET` is not yours");
}

#[test]
fn a_script_can_wait() {
    assert_eq!(told("time.sleep(1.5)"), ["slept 1.5s"]);
    assert_eq!(told(r#"time.sleep("20ms")"#), ["slept 20ms"]);
    assert_eq!(told("time.sleep(0)"), ["slept 0ns"]);
    fails("time.sleep(-1)", "time.sleep: `-1` is not a duration; write `500ms`, `30s` or `2m`");
    fails(
        "time.sleep([])",
        "time.sleep must be a number of seconds or a text such as \"30s\", not a list",
    );
}

#[test]
fn files_are_read_listed_and_written() {
    check(r#"files.read("a.txt")"#, "text");
    check(r#"files.read_json("a.json")["big"]"#, "12345678901234567890");
    check("files.list()", r#"["a.txt","sub/"]"#);
    check(r#"[files.exists("a.txt"), files.exists("b")]"#, "[true,false]");
    assert_eq!(told(r#"files.write("out/a", "x")"#), ["out/a <- x"]);
    fails(r#"files.read("b")"#, "there is no b");
    fails(r#"files.read_json("a.txt")"#, "a.txt is not JSON: expected ident at line 1 column 2");
}

#[test]
fn times_are_told_read_and_written() {
    for (expression, expected) in [
        ("time.now()", "1785240000"),
        ("time.now_ms()", "1785240000999"),
        (r#"time.parse("2026-07-28T12:00:00Z")"#, "1785240000"),
        (r#"time.parse("2026-07-28T12:00:00+02:00")"#, "1785232800"),
        (r#"time.parse("2026-07-28 12:00:00")"#, "1785240000"),
        (r#"time.parse("2026-07-28")"#, "1785196800"),
        (r#"time.parse("1969-12-31T23:59:59.5Z")"#, "-0.5"),
        (r#"time.parse("28.07.2026", "%d.%m.%Y")"#, "1785196800"),
        (r#"time.parse("28.07.2026 12:00", format = "%d.%m.%Y %H:%M")"#, "1785240000"),
        (r#"time.parse("28.07.2026 12:00 +0200", "%d.%m.%Y %H:%M %z")"#, "1785232800"),
        (r#"time.parse("1785240000", "%s")"#, "1785240000"),
        ("time.format(0)", "1970-01-01T00:00:00Z"),
        ("time.format(1785240000)", "2026-07-28T12:00:00Z"),
        ("time.format(-0.5)", "1969-12-31T23:59:59.5Z"),
        (r#"time.format(1785240000, "%A %d %B %Y, %H:%M %Z")"#, "Tuesday 28 July 2026, 12:00 UTC"),
        ("time.format(1785240000, None)", "2026-07-28T12:00:00Z"),
        ("time.add(0, days = 1, hours = -1, minutes = 2, seconds = 3)", "82923"),
        ("time.add(9007199254740993, seconds = 1)", "9007199254740994"),
        ("time.add(1, minutes = 0.5)", "31.0"),
    ] {
        check(expression, expected);
    }
}

#[test]
fn times_that_are_none_are_refused() {
    for (expression, part) in [
        (r#"time.parse("tomorrow")"#, "time.parse: `tomorrow`: "),
        (r#"time.parse("2026-13-01")"#, "time.parse: `2026-13-01`: "),
        (r#"time.parse("2026", "%d.%m.%Y")"#, "time.parse: `2026` by `%d.%m.%Y`: "),
        (r#"time.parse("x", 3)"#, "format must be a string such as \"%Y-%m-%d\", not a int"),
        ("time.format(9007199254740993)", "lies outside the years that have dates"),
        ("time.format(1e300)", "lies outside the years that have dates"),
        ("time.format(1 << 70)", "is too large for a time"),
        (r#"time.format("0")"#, "time.format: \"0\" is no number of seconds"),
        (r#"time.format(0, "%!")"#, "time.format: `%!`: "),
        ("time.add(9223372036854775807, days = 1)", "time.add: the time is too far away"),
        ("time.add(True)", "time.add: True is no number of seconds"),
    ] {
        let why = eval(expression, Value::Null).unwrap_err();
        assert!(why.contains(part), "{expression}: {why}");
    }
}
