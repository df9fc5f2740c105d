//! Values that a loop nests level by level are stopped before the engine, which recurses without a
//! limit, works through one: each of these ended the process with a stack overflow.

use super::*;

/// Links in a chain, from a caller: enough for the engine's stack to overflow.
const LINKS: usize = 1_600_000;
const STOPPED: &str = "is nested deeper than 500";

#[track_caller]
fn stopped(source: &str, links: usize) {
    let got = call(source, "f", json!({"n": links})).unwrap_err();
    assert!(got.contains(STOPPED), "{source}: {got}");
}

#[test]
fn chains_are_stopped_before_they_are_used() {
    for use_it in [
        "{x: 1}",
        "{k: 1 for k in [x]}",
        "set([x])",
        "{}.get(x)",
        "{}.pop(x, 1)",
        "{}.setdefault(x, 1)",
        "set().union([x])",
        "[x].remove((1, x))",
        "[x].index((1, x))",
        "[][x]",
        "str(partial(len, x))",
        "x in {}",
        "x == (1, x)",
        "str(x)",
        "''.startswith(x)",
        "json.encode(x)",
        "range(x)",
        "x()",
        "fail(x)",
    ] {
        let source = format!(
            "def f(n):\n    x = None\n    for i in range(n):\n        x = (i, x)\n    return [{use_it}]\ntool(f)"
        );
        stopped(&source, LINKS);
    }
}

#[test]
fn every_container_is_looked_into() {
    for nest in [
        "(x, i)",
        "[i, x]",
        "{'next': x, 'value': [i]}",
        "struct(value = i, next = x)",
        "Link(next = x)",
        "wrap(x)",
        "tuple([x])",
        "[x] + [i]",
        "zip([x], [x])[0]",
    ] {
        let source = format!(
            "Link = record(next = typing.Any)\ndef wrap(*all):\n    return all\n\
             def f(n) -> int:\n    x = None\n    for i in range(n):\n        x = {nest}\n    return x\ntool(f)"
        );
        stopped(&source, 500_000);
    }
}

#[test]
fn chains_are_found_wherever_they_are_kept() {
    for body in [
        "s = [None]\n    for i in range(n):\n        s[0] = (i, s[0])\n    return {s[0]: 1}",
        "s = {}\n    for i in range(n):\n        push(s, i)\n    return {s['top']: 1}",
        "s = {}\n    [push(s, i) for i in range(n)]\n    return {s['top']: 1}",
        "s = [()]\n    [s.append((s.pop(), i)) for i in range(n)]\n    return {s[0]: 1}",
        "a, b, c = rows(), rows(), rows()\n    x = None\n    for i in range(n):\n        x = (i, x)\n        noted(i)\n    return {x: 1}",
    ] {
        let source = format!(
            "def push(s, i):\n    s['top'] = (i, s.get('top'))\n\
             def noted(i):\n    j = i\n    return j\n\
             def rows():\n    return [{{'k': [i]}} for i in range(5000)]\n\
             def f(n):\n    {body}\ntool(f)"
        );
        stopped(&source, 500_000);
    }
}

/// Forty levels of a value that holds itself twice have a million million parts.
#[test]
fn keys_are_measured_before_they_are_hashed() {
    for use_it in [
        "{x: 1}",
        "{k: 1 for k in [x]}",
        "set([x])",
        "dict([(x, 1)])",
        "set().union([x])",
        "set().update([x])",
        "enum(x)",
    ] {
        let twice = format!(
            "def f(n):\n    x = (1,)\n    for i in range(n):\n        x = (x, x)\n    return [{use_it}]\ntool(f)"
        );
        let got = call(&twice, "f", json!({"n": 40})).unwrap_err();
        // An unoptimized build may run out of time before it runs out of bytes.
        assert!(got.contains("longer than") || got.contains("stopped after"), "{use_it}: {got}");
        // An inner function holds the variable, so that only the key itself shows its depth.
        let captured = format!(
            "def f(n):\n    x = None\n    def top():\n        return x\n    for i in range(n):\n        x = (i, x)\n    return [{use_it}]\ntool(f)"
        );
        let got = call(&captured, "f", json!({"n": LINKS})).unwrap_err();
        assert!(got.contains("nested deeper than 500"), "{use_it}: {got}");
    }
}

#[test]
fn wide_values_and_long_loops_are_not_stopped() {
    let source = "def f(n):\n    rows = []\n    for i in range(n):\n        row = {'id': i, 'tags': [{'a': (i, [i])}]}\n        rows.append(row)\n    x = 1\n    for i in range(400):\n        x = [x]\n    for i in range(n):\n        y = [x, rows]\n    return len(rows)\ntool(f)";
    assert_eq!(call(source, "f", json!({"n": 20_000})).unwrap(), "20000");
}
