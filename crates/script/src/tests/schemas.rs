//! Schemas from signatures.

use super::*;
use expect_test::{Expect, expect};

#[track_caller]
fn check(source: &str, expected: Expect) {
    let shown = match load(source) {
        Err(fault) => fault.one_line(),
        Ok(script) => {
            let tool = &script.tools[0].tool;
            let output = tool.output.as_ref().map_or(String::new(), |o| format!("\n-> {o}"));
            format!("{}\n{}\n{}{output}", tool.signature(), tool.description, tool.input.to_json())
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn everything_at_once() {
    check(
        r#"
Point = record(x = int, y = field(float, 0.5))
Color = enum("red", "green")
Level = one_of(1, 2)
def greet(ctx, name: str, times: int = 1, ratio: float = 0.5, loud: bool = False, tags: list[str] = ["a"],
          counts: dict[str, int] = {}, nick: str | None = None, pt: Point | None = None, color: Color = Color("red"),
          level: Level = 1, anything = None, *, rows: list[dict[str, int | str]] = []) -> dict[str, typing.Any]:
    """Greet somebody.

    More about it.

    Args:
        name: Who to greet.
        times: How often,
            at the most.

    Returns:
        A structure.
    """
    return {}
tool(greet, params = {"times": param(minimum = 1, maximum = 10)})
"#,
        expect![[r#"
            greet(name: str, times: int = 1, ratio: number = 0.5, loud?: bool, tags: list[str] = ["a"], counts?: dict[str, int], nick?: str, pt?: Point, color: "red"|"green" = "red", level: 1|2 = 1, anything?: any, rows?: list[dict[str, int | str]]) -> dict
            Greet somebody.

            More about it.
            {"type":"object","properties":{"name":{"type":"string","description":"Who to greet."},"times":{"type":"integer","description":"How often, at the most.","default":1,"minimum":1,"maximum":10},"ratio":{"type":"number","default":0.5},"loud":{"type":"boolean","default":false},"tags":{"type":"array","items":{"type":"string"},"default":["a"]},"counts":{"type":"object","additionalProperties":{"type":"integer"},"default":{}},"nick":{"type":["string","null"],"default":null},"pt":{"anyOf":[{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"number","default":0.5}},"required":["x"],"additionalProperties":false},{"type":"null"}],"default":null},"color":{"type":"string","enum":["red","green"],"default":"red"},"level":{"type":"integer","enum":[1,2],"default":1},"anything":{"default":null},"rows":{"type":"array","items":{"type":"object","additionalProperties":{"type":["integer","string"]}},"default":[]}},"required":["name"],"additionalProperties":false}
            -> {"type":"object"}"#]],
    );
}

#[test]
fn the_return_type_is_the_output_schema() {
    check(
        "def f() -> list[dict]:\n    return []\ntool(f)",
        expect![[r#"
        f() -> list[dict]

        {"type":"object","properties":{},"additionalProperties":false}
        -> {"type":"array","items":{"type":"object"}}"#]],
    );
    check(
        "R = record(a = int)\ndef f() -> R:\n    return R(a = 1)\ntool(f, description = 'D', name = 'g')",
        expect![[r#"
        g() -> {a}
        D
        {"type":"object","properties":{},"additionalProperties":false}
        -> {"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}"#]],
    );
}

#[test]
fn a_schema_by_hand_stays_as_it_is() {
    check(
        "def f(**kwargs):\n    return 1\ntool(f, input_schema = {'type': 'object', '$defs': {'a': {'$anchor': 'x'}}, 'properties': {'n': {'$ref': '#/$defs/a'}}})",
        expect![[r##"
            f(n?: any)

            {"type":"object","$defs":{"a":{"$anchor":"x"}},"properties":{"n":{"$ref":"#/$defs/a"}}}"##]],
    );
}

#[test]
fn mistakes_are_named_at_their_place() {
    check(
        "\ndef f(x: int = 'a'):\n    return x\ntool(f)",
        expect![
            "a.star:2 Value `a` of type `string` does not match the type annotation `int` for argument `x`"
        ],
    );
    check(
        "S = one_of('a')\ndef f(s: S = 'b'):\n    return s\ntool(f)",
        expect![[
            r#"a.star:2 tool `f`: the default of `s` does not fit its type: expected one of "a", got the string "b""#
        ]],
    );
    check(
        "def f(*args):\n    return 1\ntool(f)",
        expect!["a.star:1 tool `f`: a tool cannot take *args; give every parameter a name"],
    );
    check(
        "def f():\n    return 1\ntool(f, readonly = True)",
        expect!["a.star:3 tool() has no `readonly`; did you mean `read_only`?"],
    );
    check(
        "def f(limit: int):\n    return 1\ntool(f, params = {'limt': param(minimum = 1)})",
        expect![
            "a.star:3 tool `f`: params names `limt`, which is not a parameter; did you mean `limit`?"
        ],
    );
    check(
        "def f():\n    return 1\ntool(f, name = 'a b')",
        expect!["a.star:1 tool name `a b` may hold only letters, digits, `_` and `-`"],
    );
    check(
        "tool(3)",
        expect!["a.star:1 tool() takes a function, not a int; write `tool(my_function)`"],
    );
    check(
        "tool(lambda: 1)",
        expect![[r#"a.star:1 a lambda has no name; write tool(fn, name = "my_tool")"#]],
    );
    check("x = htpp", expect!["a.star:1 there is no `htpp`"]);
}

#[test]
fn reads_belong_to_read_only_tools() {
    let declared = |options: &str| {
        let source = format!("def f():\n    return 1\ntool(f, {options})");
        load(&source).map(|script| script.tools[0].tool.reads.len())
    };
    let reads = "reads = [\"POST a.org/v1/search\", \"exec git\"]";
    assert_eq!(declared(&format!("read_only = True, {reads}")).unwrap(), 2);
    for (options, expected) in [
        (reads, "`reads` belongs to read-only tools; add read_only = True"),
        (
            "read_only = True, reads = [\"git\"]",
            "`git` in reads is neither a request nor a command",
        ),
        ("read_only = True, reads = \"exec git\"", "takes a list of texts"),
    ] {
        let fault = declared(options).unwrap_err();
        assert!(fault.message.contains(expected), "{options}: {fault}");
    }
}
