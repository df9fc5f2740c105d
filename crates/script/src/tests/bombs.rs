//! Expressions that would take the machine: each is stopped, with a sentence.

use super::*;
use std::time::Instant;

/// With the size as a constant in a function nobody calls (the compiler folds constants), and as an argument.
#[track_caller]
fn check(expression: &str, n: i64, expected: &str) {
    let constant = expression.replace('N', &n.to_string());
    let started = Instant::now();
    let loaded =
        load(&format!("def never():\n    return {constant}\ndef f():\n    return 1\ntool(f)"));
    assert!(loaded.is_ok(), "{constant}: {}", loaded.map(|_| ()).unwrap_err());
    let with_argument =
        format!("def f(n: int):\n    return {}\ntool(f)", expression.replace('N', "n"));
    let got = call(&with_argument, "f", json!({"n": n})).unwrap_err();
    assert!(got.contains(expected), "{expression}: {got}");
    assert!(
        started.elapsed() < 2 * quick().time + Duration::from_secs(3),
        "{expression} took {:?}",
        started.elapsed()
    );
}

const HUGE: i64 = 2_000_000_000;

#[test]
fn repetition() {
    check("'a' * N", HUGE, "a text of 2000000000 bytes");
    check("N * 'a'", HUGE, "a text of 2000000000 bytes");
    check("[0] * N", HUGE, "a repetition of 2000000000 elements");
    check("(0,) * N", HUGE, "a repetition of 2000000000 elements");
    check("[0] * N * N", 10_000_000, "a repetition of 10000000 elements");
}

#[test]
fn ranges_made_real() {
    check("list(range(N))", HUGE, "a list of 2000000000 elements");
    check("tuple(range(N))", HUGE, "a tuple of 2000000000 elements");
    check("set(range(N))", HUGE, "a set of 2000000000 elements");
    check("sorted(range(N))", HUGE, "sorted of 2000000000 elements");
    check("reversed(range(N))", HUGE, "reversed of 2000000000 elements");
    check("max(range(N))", HUGE, "max of 2000000000 elements");
    check("min(range(N))", HUGE, "min of 2000000000 elements");
    check("all(range(1, N))", HUGE, "all of 1999999999 elements");
    check("any(range(N))", HUGE, "any of 2000000000 elements");
    check("zip(range(N), range(N))", HUGE, "zip of 2000000000 elements");
    check("enumerate(range(N))", HUGE, "enumerate of 2000000000 elements");
    check("map(lambda x: x, range(N))", HUGE, "map of 2000000000 elements");
    check("[x for x in range(N)]", HUGE, "stopped at 256 MiB of memory");
    check("{x: x for x in range(N)}", HUGE, "stopped");
    check("tuple(range(-2147483647 - 1, N, N))", 2_147_483_647, "the engine gave up on this call");
}

#[test]
fn blow_ups_of_text() {
    check("','.join(['a' * 1000000] * N)", 1_000, "a text of 1000001000 bytes");
    check("('a' * N).replace('a', 'b' * N)", 1_000_000, "bytes");
    check("('{0}' * N).format('a' * N)", 1_000_000, "bytes");
    check("('%s' * N) % tuple(['a' * N] * N)", 1_000_000, "bytes");
    check("'-'.join(('x' * N).elems())", 100_000_000, "a text of 100000000 bytes");
    check("int('9' * N)", 1_000_000, "a number of 1000000 digits");
}

#[test]
fn copies_and_sequences_taken_whole() {
    check("(lambda *a: len(a))(*range(N))", HUGE, "a list of 2000000000 elements");
    check("map(list, [range(N)])", HUGE, "a sequence of 2000000000 elements");
    check("map(set, [range(N)])", HUGE, "a sequence of 2000000000 elements");
    check("[1].extend(range(N))", HUGE, "extend of 2000000000 elements");
    check("set().union(range(N))", HUGE, "union of 2000000000 elements");
    check("set().update(range(N))", HUGE, "update of 2000000000 elements");
    check("[[0] * N][0][:] and [a[:] for a in [[0] * N] * 900]", 8_000_000, "stopped at 256 MiB");
    check("[a[1:] for a in ['a' * N] * 900]", 60_000_000, "stopped at 256 MiB");
    check("('b' * N).join(set([str(i) for i in range(900)]))", 60_000_000, "a text of");
    check("1 << 100000 << N", 100_000, "a shift to");
    check("range(N)", HUGE, "a range of 2000000000 elements is too long");
    check("fail(*(['a' * N] * 100))", 60_000_000, "the text is longer than");
    check("json.encode_indent([[]] * 1000, indent = ' ' * N)", 1_000_000, "an indent may have 16");
    check("text('a' * N)", 60_000_000, "longer than");
}

#[test]
fn growth_by_statements() {
    let sixty = |statement: &str, start: &str| {
        format!(
            "def f(x):\n    x = {start}\n    for i in range(60):\n        {statement}\n    return 1\ntool(f)"
        )
    };
    let check = |statement: &str, start: &str, expected: &str| {
        let got = call(&sixty(statement, start), "f", json!({"x": 1})).unwrap_err();
        assert!(got.contains(expected), "{statement}: {got}");
        // The same unrolled in a function that nobody calls.
        let unrolled = format!(
            "def never():\n    x = {start}\n{}    return x\ndef f():\n    return 1\ntool(f)",
            format!("    {statement}\n").repeat(60)
        );
        assert!(load(&unrolled).is_ok(), "{statement}");
    };
    check("x = x + x", "'a'", "a text of");
    check("x = x + x", "[1]", "a sequence of");
    check("x += x", "'a'", "a text of");
    check("x *= 2", "[1]", "a repetition of");
    check("x = x * x", "3", "a product of");
    check("x *= x", "3", "a product of");
    check("x = f'{x}{x}'", "'a'", "of");
    check("x = '%s%s' % (x, x)", "'a'", "longer than");
    check("x = '{}{}'.format(x, x)", "'a'", "longer than");
    check("x.extend(x)", "[1]", "extend of");
    check("x = x << 100000", "1", "a shift to");
}

#[test]
fn values_that_hold_themselves_twice() {
    let dag = |use_it: &str| {
        format!(
            "def f():\n    x = []\n    for i in range(40):\n        x = [x, x]\n    return {use_it}\ntool(f)"
        )
    };
    for (use_it, expected) in [
        ("x", "longer than"),
        ("json.encode(x)", "longer than"),
        ("str(x)", "longer than"),
        ("repr(x)", "longer than"),
        ("f'{x}'", "longer than"),
        ("'%s' % (x,)", "longer than"),
        ("'{}'.format(x)", "longer than"),
        ("print(x)", "longer than"),
        ("text.template('{x}', x = x)", "longer than"),
        ("time.format(x)", "is no number of seconds"),
        ("fail(partial(len, x))", "partial(...)"),
        ("fail(x)", "longer than"),
        ("x == [x[0], x[1]]", "longer than"),
        ("x != [x[0], x[1]]", "longer than"),
        ("x < [x[0], x[1]]", "longer than"),
        ("x in [x]", "longer than"),
        ("sorted([x, x])", "longer than"),
        ("max([x, x])", "longer than"),
    ] {
        let got = call(&dag(use_it), "f", json!({})).unwrap_err();
        // An unoptimized build may run out of time before it runs out of bytes.
        assert!(got.contains(expected) || got.contains("stopped after"), "{use_it}: {got}");
    }
}

#[test]
fn values_nested_deeply() {
    let deep = |use_it: &str| {
        format!(
            "def f():\n    x = []\n    for i in range(700):\n        x = [x]\n    return {use_it}\ntool(f)"
        )
    };
    for (use_it, expected) in [
        ("x", "nested deeper than 128"),
        ("json.encode(x)", "nested deeper than 128"),
        ("str(x)", "nested deeper than 500"),
        ("x == [x]", "nested deeper than 500"),
    ] {
        let got = call(&deep(use_it), "f", json!({})).unwrap_err();
        assert!(got.contains(expected), "{use_it}: {got}");
    }
    for around in ["[x]", "(x,)", "{1: x}", "struct(a = x)", "[{1: (x,)}]"] {
        let levels = if around == "[{1: (x,)}]" { 160 } else { 490 };
        let source = format!(
            "def f():\n    x = 1\n    for i in range({levels}):\n        x = {around}\n    return len(str(x))\ntool(f)"
        );
        let length = call(&source, "f", json!({})).unwrap();
        assert!(length.parse::<usize>().unwrap() > levels, "{around}");
    }
    let at_load = "x = []\nfor i in range(200000):\n    x = [x]\ndef f():\n    return 1\ntool(f)";
    let got = load(at_load).map(|_| ()).unwrap_err();
    assert!(got.message.contains("`x` is nested deeper than 500"), "{got}");
    assert_eq!(
        eval("json.decode('[' * 100000)", json!(1)).unwrap_err(),
        "json.decode: recursion limit exceeded at line 1 column 128"
    );
}

#[test]
fn endless_ones() {
    let check = |source: &str, expected: &str| {
        let got = call(source, "f", json!({})).unwrap_err();
        assert!(got.contains(expected), "{source}: {got}");
    };
    check("def f():\n    for i in range(2000000000):\n        pass\ntool(f)", "stopped after");
    check("def f():\n    return f()\ntool(f)", "call each other too deeply");
    check(
        "def f():\n    return g()\ndef g():\n    return f()\ntool(f)",
        "call each other too deeply",
    );
    check(
        "def f():\n    return attempt(lambda: [0 for i in range(2000000000)])\ntool(f)",
        "stopped",
    );
    let got = load("for i in range(2000000000):\n    pass").map(|_| ()).unwrap_err();
    assert!(got.message.starts_with("loading was stopped after"), "{got}");
    let got = load("x = [i for i in range(2000000000)]").map(|_| ()).unwrap_err();
    assert_eq!(
        got.message,
        "loading was stopped at 64 MiB of memory, the most one call may use (limit `heap`)"
    );
}

#[test]
fn sources_too_deep_to_parse() {
    let parens = format!("x = {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(load(&parens).map(|_| ()).unwrap_err().message, "brackets nested deeper than 100");
    let at_the_limit = format!("x = {}1{}", "[".repeat(100), "]".repeat(100));
    assert!(load(&at_the_limit).is_ok());
    let long = format!("x = 1{}", " + 1".repeat(900));
    assert!(load(&long).is_ok());
}

#[test]
fn cancelling_ends_a_running_call() {
    let script = load("def f():\n    for i in range(2000000000):\n        pass\ntool(f)").unwrap();
    let cancel = Cancel::default();
    let started = Instant::now();
    let result = std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let host = Notebook::default();
            let turn = Turn { cancel: cancel.clone(), ..Turn::new(&host, &QUICK) };
            script.call(&script.tools[0], &Args::new(), &turn)
        });
        cancel.cancel();
        running.join().unwrap()
    });
    assert!(
        matches!(result, Err(CallFailure::Stopped { stop: model::Stop::Cancelled, .. })),
        "{result:?}"
    );
    assert!(started.elapsed() < quick().time);
}

#[test]
fn tables_of_dicts_and_sets_count_as_memory() {
    for copy in [
        "d = d | {str(x): x}",
        "d = dict(d)",
        "s = s | set([x])",
        "s = s ^ set([x])",
        "s = set(s)",
        "s = s.union([x])",
    ] {
        let source = format!(
            "def f(n: int):\n    d = {{str(i): i for i in range(n)}}\n    s = set(range(n))\n    \
             for x in range(n):\n        {copy}\n    return len(d)\ntool(f)"
        );
        let got = call(&source, "f", json!({"n": 100_000})).unwrap_err();
        assert!(got.contains("MiB of memory"), "{copy}: {got}");
    }
}

#[test]
fn types_are_still_written_with_a_bar() {
    let source = "T = int | str\ndef g(x: T | None, y: dict[str, int | None] = {}) -> int | str:\n    \
                  z: int | str = 5 | 2\n    return z\ndef f(x: T) -> T:\n    return g(x)\ntool(f)";
    assert_eq!(call(source, "f", json!({"x": "a"})).unwrap(), "7");
}
