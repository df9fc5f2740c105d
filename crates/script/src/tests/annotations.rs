//! Values are checked against type annotations without being printed whole: the engine's own message
//! took gigabytes for a large value, and overflowed the stack for a deep one.

use super::*;

/// Enough copies of a megabyte for the engine's message to take a minute and gigabytes.
const COPIES: usize = 20_000;

#[track_caller]
fn rejected(source: &str, expected: &str) {
    let text = "x".repeat(1_000_000);
    let got = call(source, "f", json!({"v": [text], "n": COPIES})).unwrap_err();
    assert!(got.contains(expected), "{source}: {got}");
    assert!(got.len() < 500, "{source}: {} bytes", got.len());
}

#[test]
fn a_large_value_of_the_wrong_type_is_not_printed() {
    for (body, expected) in [
        (
            "def f(v, n) -> str:\n    return [v for _ in range(n)]",
            "…` of type `list` does not match the type annotation `str` for return type",
        ),
        (
            "def g(x: int):\n    return 1\ndef f(v, n):\n    return g([v for _ in range(n)])",
            "of type `list` does not match the type annotation `int` for argument `x`",
        ),
        (
            "def g(a, *, x: dict[str, int | None] = {}):\n    if a:\n        return 1\n\
             def f(v, n):\n    return g(1, x = {str(i): v for i in range(n)})",
            "does not match the type annotation `dict[str, None | int]` for argument `x`",
        ),
        (
            "def f(v, n):\n    def g(x: list[int]) -> int:\n        \"\"\"Inner.\"\"\"\n        return 1\n    \
             return map(g, [[[v for _ in range(n)]]])",
            "does not match the type annotation `list[int]` for argument `x`",
        ),
        (
            "def f(v, n):\n    x: int = tuple([v for _ in range(n)])\n    return x",
            "of type `tuple` does not match the type annotation `int` for variable `x`",
        ),
        (
            "def g(x: str):\n    return x\ndef f(v, n):\n    return g(struct(a = [v for _ in range(n)]))",
            "of type `struct` does not match the type annotation `str` for argument `x`",
        ),
        (
            "R = record(a = typing.Any)\ndef g(x: str):\n    return x\n\
             def f(v, n):\n    return g(R(a = [v for _ in range(n)]))",
            "of type `record` does not match the type annotation `str` for argument `x`",
        ),
        (
            "def g(x: str):\n    return x\ndef f(v, n):\n    return g(partial(len, [v for _ in range(n)]))",
            "of type `function` does not match the type annotation `str` for argument `x`",
        ),
        (
            "def f(v, n) -> list[str]:\n    return v if n == 0 else [[v] for _ in range(n)]",
            "of type `list` does not match the type annotation `list[str]` for return type",
        ),
    ] {
        rejected(&format!("{body}\ntool(f)"), expected);
    }
}

#[test]
fn a_deep_value_of_the_wrong_type_does_not_overflow_the_stack() {
    for (types, use_it) in [("", "g(x)"), (" -> str", "x")] {
        let source = format!(
            "def g(x: str):\n    return x\n\
             def f(n){types}:\n    x = None\n    def top():\n        return x\n    \
             for i in range(n):\n        x = (i, x)\n    return {use_it}\ntool(f)"
        );
        let got = call(&source, "f", json!({"n": 1_600_000})).unwrap_err();
        assert!(got.contains("of type `tuple` does not match the type annotation `str`"), "{got}");
    }
}

#[test]
fn a_small_value_is_shown_with_the_type_its_author_wrote() {
    for (types, value, expected) in [
        (
            "x: int",
            "'a'",
            "Value `a` of type `string` does not match the type annotation `int` for argument `x`",
        ),
        (
            "x: None | str",
            "1",
            "Value `1` of type `int` does not match the type annotation `None | str` for argument `x`",
        ),
        (
            "x: list[dict[str, int]]",
            "[{'a': 'b'}]",
            "Value `[{\"a\": \"b\"}]` of type `list` does not match the type annotation \
             `list[dict[str, int]]` for argument `x`",
        ),
        (
            "x: typing.Callable[[int], str]",
            "None",
            "Value `None` of type `NoneType` does not match the type annotation \
             `typing.Callable[[int], str]` for argument `x`",
        ),
    ] {
        let source =
            format!("def g({types}):\n    return x\ndef f():\n    return g({value})\ntool(f)");
        assert_eq!(call(&source, "f", json!({})).unwrap_err(), expected);
    }
    let nothing = "def f(a) -> int:\n    if a:\n        return 1\ntool(f)";
    assert_eq!(
        call(nothing, "f", json!({"a": false})).unwrap_err(),
        "Value `None` of type `NoneType` does not match the type annotation `int` for return type"
    );
}

#[test]
fn values_of_the_right_type_pass_in_every_form_of_function() {
    for source in [
        "def f(x: list[int]) -> int: return len(x)",
        "def f(x: list[int]) -> int:\n    \"\"\"Counts.\"\"\"\n    return (len(x))",
        "def f(x: list[int]) -> int:\n    \"\"\"Counts.\n\n    Args:\n        x: numbers\n    \"\"\"\n    # A remark.\n    \
         if x:\n        return len(x)\n    return 0",
        "def f(x: (\n    list[int]\n  ) ) -> int:\n    for _ in range(1):\n        pass\n    return len(x)",
        "def f(x: typing.Iterable, *, y: struct | None = None) -> int | None:\n    return len(x) if True else 0",
        "R = record(xs = list[int])\ndef g(r: R | None, **kwargs: dict) -> R:\n    return r\n\
         def f(x: list[int]) -> int:\n    a: R = g(R(xs = x), b = 2)\n    return len(a.xs)",
        "def f(x: list[int]) -> int:\n    def g(y: tuple[int, ...]) -> (int, list[int]):\n        return y[0], list(y)\n    \
         return len(g(tuple(x))[1])",
    ] {
        let source = format!("{source}\ntool(f)");
        let got = call(&source, "f", json!({"x": [1, 2, 3]}));
        assert_eq!(got, Ok("3".to_owned()), "{source}");
    }
}

#[test]
fn a_wrong_argument_is_reported_where_the_call_stands() {
    let source = "def g(x: int):\n    return x\n\ndef f():\n    return g([1])\ntool(f)";
    let script = load(source).unwrap();
    let host = Notebook::default();
    let failure = script.call(&script.tools[0], &Args::new(), &Turn::new(&host, &QUICK));
    let Err(CallFailure::Failed { fault, .. }) = failure else {
        panic!("{failure:?}");
    };
    assert_eq!(fault.place.map(|place| place.line), Some(5));
    let unknown = load("x = 1\ndef f(a, b: list[Unknown]):\n    return a\ntool(f)");
    let place = unknown.map(|_| ()).unwrap_err().place.unwrap();
    assert_eq!((place.line, place.column), (2, 18));
}
