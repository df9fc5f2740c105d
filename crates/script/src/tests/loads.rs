//! `load()` and libraries.

use super::*;

#[track_caller]
fn check(files: &[(&'static str, &str)], entry: &str, expected: Result<&str, &str>) {
    let got = load_files(files, entry, quick())
        .map_err(|fault| fault.one_line())
        .and_then(|script| call_script(&script, "f", json!({}), &Notebook::default()));
    assert_eq!(got, expected.map(str::to_owned).map_err(str::to_owned));
}

const USE: &str = "def f():\n    return helper()\ntool(f)";

#[test]
fn siblings_are_found_in_every_spelling() {
    let lib = "def helper():\n    return 'helped'";
    for spelling in ["lib.star", "lib", "./lib.star", "./lib"] {
        let main = format!("load(\"{spelling}\", \"helper\")\n{USE}");
        check(&[("main.star", &main), ("lib.star", lib)], "main.star", Ok("helped"));
        check(&[("sub/main.star", &main), ("sub/lib.star", lib)], "sub/main.star", Ok("helped"));
    }
    let main = format!("load(\"../lib\", \"helper\")\n{USE}");
    check(&[("sub/main.star", &main), ("lib.star", lib)], "sub/main.star", Ok("helped"));
}

#[test]
fn loaded_functions_are_handlers() {
    check(
        &[("main.star", "load('lib', 'f')\ntool(f)"), ("lib.star", "def f():\n    return 1")],
        "main.star",
        Ok("1"),
    );
}

#[test]
fn types_come_along() {
    let main = "load('lib', 'Point')\ndef f(p: Point = Point(x = 1)):\n    return p.x\ntool(f)";
    check(&[("main.star", main), ("lib.star", "Point = record(x = int)")], "main.star", Ok("1"));
}

#[test]
fn what_goes_wrong_is_said() {
    check(
        &[("a.star", "load('b', 'x')"), ("b.star", "load('c', 'x')"), ("c.star", "load('a', 'x')")],
        "a.star",
        Err("c.star:1 circular load detected: a.star -> b.star -> c.star -> a.star"),
    );
    check(
        &[("a.star", "load('a.star', 'x')")],
        "a.star",
        Err("a.star:1 circular load detected: a.star -> a.star"),
    );
    check(
        &[("a.star", "\nload('gone', 'x')")],
        "a.star",
        Err("a.star:2 cannot load \"gone\": there is no gone.star"),
    );
    check(
        &[("a.star", "load('../x', 'x')")],
        "a.star",
        Err("a.star:1 cannot load \"../x\": `../x` leads out of the folder"),
    );
    check(
        &[("a.star", "load('b', 'x')"), ("b.star", "y = nowhere")],
        "a.star",
        Err("b.star:1 there is no `nowhere`"),
    );
    check(
        &[("a.star", "load('b', '_x')"), ("b.star", "_x = 1")],
        "a.star",
        Err("a.star:1 Cannot import private symbol `_x`"),
    );
}

#[test]
fn a_file_without_declarations_is_a_library() {
    let script = load("def helper():\n    return 1").unwrap();
    assert!(!script.declared.is_module && script.tools.is_empty());
}

#[test]
fn pythonisms_get_an_answer() {
    let check = |source: &str, help: &str| {
        let fault = load(source).map(|_| ()).unwrap_err();
        assert!(fault.to_string().contains(help), "{fault}");
    };
    check("import json", "already there");
    check("def f():\n    try:\n        pass", "attempt(fn, arg)");
    check("def f():\n    while True:\n        pass", "for i in range");
    check("class A:\n    pass", "struct(a = 1)");
    check("@tool\ndef f():\n    pass", "tool(my_function)");
    check("def f(x: one_of('a')):\n    pass", "name it first");
    check("def f(x):\n    raise x", "fail(");
}
