//! Calling tools: arguments in, results out.

use super::*;

#[track_caller]
fn check(source: &str, args: Value, expected: Result<&str, &str>) {
    assert_eq!(call(source, "f", args), expected.map(str::to_owned).map_err(str::to_owned));
}

#[track_caller]
fn returns(expression: &str, expected: &str) {
    assert_eq!(eval(expression, json!(null)), Ok(expected.to_owned()), "{expression}");
}

#[test]
fn every_kind_of_result() {
    returns("'text'", "text");
    returns("None", "null");
    returns("True", "true");
    returns("3", "3");
    returns("1.0", "1.0");
    returns("[1, 'a', None]", r#"[1,"a",null]"#);
    returns("{'a': {'b': [1]}}", r#"{"a":{"b":[1]}}"#);
    returns("(1, 2)", "[1,2]");
    returns("struct(a = 1)", r#"{"a":1}"#);
    returns("range(3)", "[0,1,2]");
    returns("{1: 'a', True: 'b'}", r#"{"1":"a","true":"b"}"#);
    returns("text('hi')", "hi");
    returns("{'content': [{'type': 'text', 'text': 'hi'}]}", "hi");
    returns("{'content': 'mine'}", r#"{"content":"mine"}"#);
    returns("[text('a'), text('b')]", "a\nb");
    returns("map(','.join, [['a', 'b'], ['c']])", r#"["a,b","c"]"#);
    returns("[1, 2, 3][1:] + list('ab'.elems())", r#"[2,3,"a","b"]"#);
    returns("sorted({'b': 1} | {'a': 2})", r#"["a","b"]"#);
    returns("'-'.join({'a': 1, 'b': 2})", "a-b");
}

#[test]
fn numbers_keep_every_digit() {
    let echo = "def f(x):\n    return x\ntool(f)";
    for digits in [
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "123456789012345678901234567890",
        "0.1",
        "-1.5e-7",
    ] {
        check(echo, json!({"x": serde_json::from_str::<Value>(digits).unwrap()}), Ok(digits));
    }
    check(
        echo,
        json!({"x": serde_json::from_str::<Value>("1e999").unwrap()}),
        Err("`x` 1e+999 is too large for a number"),
    );
    assert_eq!(
        eval("json.decode('[1e999]')", json!(null)),
        Err("json.decode: 1e+999 is too large for a number".into())
    );
    assert_eq!(eval("json.decode('[1e999]', default = 0)", json!(null)), Ok("0".into()));
    assert_eq!(eval("float('inf')", json!(null)), Err("inf cannot be written as JSON".into()));
    check(echo, json!({"x": "ünïcödé 🦀 \u{7}\" \\ \n"}), Ok("ünïcödé 🦀 \u{7}\" \\ \n"));
    assert_eq!(
        eval("json.encode(x)", json!("🦀\u{7}\"\\\n")),
        Ok("\"🦀\\u0007\\\"\\\\\\n\"".into())
    );
    assert_eq!(eval("json.encode_indent([1], ' ')", json!(null)), Ok("[\n 1\n]".into()));
}

#[test]
fn arguments_take_the_form_of_their_types() {
    let source = r#"
Point = record(x = int, y = field(float, 0.5))
Color = enum("red", "green")
State = one_of("open", "closed")

def f(ratio: float = 1.0, pt: Point | None = None, color: Color = Color("red"), state: State = "open",
      points: list[Point] = [], *, names: dict[str, Color] = {}):
    return [type(ratio), pt.y if pt else None, color.value, type(color), state, [p.x for p in points],
            [type(v) for v in names.values()]]
tool(f)
"#;
    check(source, json!({}), Ok(r#"["float",null,"red","enum","open",[],[]]"#));
    check(
        source,
        json!({"ratio": 2, "pt": {"x": 1, "y": 3}, "color": "green", "state": "closed", "points": [{"x": 7}], "names": {"a": "red"}}),
        Ok(r#"["float",3.0,"green","enum","closed",[7],["enum"]]"#),
    );
    check(
        source,
        json!({"color": "gren", "pt": {"y": "a"}, "nams": 1}),
        Err("`pt.x` is required; `pt.y` expected a number, got the string \"a\"; \
             `color` expected one of \"red\", \"green\", got the string \"gren\"; did you mean \"green\"?; \
             `nams` is not a parameter; did you mean `names`?"),
    );
}

#[test]
fn handlers_of_every_sort() {
    check(
        "def g(x):\n    def inner(y: int):\n        return x + y\n    return inner\ntool(g(40), name = 'f')",
        json!({"y": 2}),
        Ok("42"),
    );
    check("tool(lambda a: a, name = 'f')", json!({"a": 1}), Ok("1"));
    check("def f(a, /, b):\n    return [a, b]\ntool(f)", json!({"b": 2, "a": 1}), Ok("[1,2]"));
    check("def f(**kwargs):\n    return kwargs\ntool(f)", json!({"b": 2}), Ok(r#"{"b":2}"#));
    check(
        "def f(ctx, n: int):\n    return [n, ctx.cancelled]\ntool(f)",
        json!({"n": 2}),
        Ok("[2,false]"),
    );
}

#[test]
fn failures_are_one_sentence() {
    check("def f():\n    fail('no', 'such page')\ntool(f)", json!({}), Err("no such page"));
    check(
        "def f():\n    error('not-found', 'no such page', id = 3)\ntool(f)",
        json!({}),
        Err("no such page"),
    );
    check(
        "def f():\n    return 1 + 'a'\ntool(f)",
        json!({}),
        Err("Operation `+` not supported for types `int` and `string`"),
    );
    check("def f():\n    return {}['a']\ntool(f)", json!({}), Err("Key `\"a\"` was not found"));
    check(
        "def f() -> int:\n    return 'a'\ntool(f)",
        json!({}),
        Err("Value `a` of type `string` does not match the type annotation `int` for return type"),
    );
    check(
        "def f():\n    return f\ntool(f)",
        json!({}),
        Err("a function cannot be written as JSON"),
    );
    check(
        "def f():\n    return {'content': [{'type': 'image'}]}\ntool(f)",
        json!({}),
        Err("content[0] is not a content block: missing field `data`"),
    );
}

#[test]
fn attempt_goes_on_after_a_failure() {
    let source = r#"
def broken(x):
    error("config-error", "missing key", missing = [x])

def f():
    r = attempt(broken, "api-key")
    s = attempt(lambda: fail("plain"))
    t = attempt(lambda a, b: a + b, 1, b = 2)
    return [r.ok, r.error.kind, r.error.message, r.error.data, s.error.kind, s.error.message, t.ok, t.value]
tool(f)
"#;
    check(
        source,
        json!({}),
        Ok(
            r#"[false,"config-error","missing key",{"missing":["api-key"]},"error","plain",true,3]"#,
        ),
    );
}

#[test]
fn the_world_is_reached_through_the_host() {
    let source = "
DATA = data.load_json('data.json')
def f(ctx):
    ctx.progress(1, 2, 'half')
    ctx.log.info('seen', n = 1)
    log.warn('careful')
    print('a', 1)
    return DATA['answer']
tool(f)
";
    let host = Notebook::default();
    let script = load(source).unwrap();
    assert_eq!(call_script(&script, "f", json!({}), &host), Ok("42".into()));
    // Once, although the call was first tried on the spot.
    assert_eq!(
        *host.lines.lock().unwrap(),
        ["1/Some(2.0) Some(\"half\")", "Info seen {\"n\":1}", "Warn careful {}", "Info a 1 null"]
    );
}

#[test]
fn state_of_a_module_cannot_change() {
    let script = load("SEEN = []\ndef f():\n    SEEN.append(1)\ntool(f)").unwrap();
    let error = call_script(&script, "f", json!({}), &Notebook::default()).unwrap_err();
    assert!(error.contains("is frozen"), "{error}");
}

#[test]
fn the_author_gets_the_place() {
    let source = "def f(x):\n    y = ','.join(x)\n    return y.replace('a', 'b') + missing(x)\n\ndef missing(x):\n    print(x)\n    return {}[x[0]]\ntool(f)";
    let script = load(source).unwrap();
    let tool = &script.tools[0];
    let args: Args = serde_json::from_value(json!({"x": ["q"]})).unwrap();
    let host = Notebook::default();
    let turn = Turn::new(&host, &QUICK);
    let Err(CallFailure::Failed { fault, .. }) = script.call(tool, &args, &turn) else {
        panic!("it must fail")
    };
    expect_test::expect![[r#"
        Key `"q"` was not found
          ┌ a.star:7:12
        7 │     return {}[x[0]]
          │            ^^^^^^^^"#]]
    .assert_eq(&fault.to_string());
}

#[test]
fn a_number_of_two_types_keeps_its_own() {
    let source = "
def f(n: int | float, all: list[int | float | None] = []) -> str:
    return repr(n) + ' ' + repr(all)
tool(f)
";
    for (args, answer) in [
        (json!({"n": 3}), "3 []"),
        (json!({"n": 9_007_199_254_740_993_i64}), "9007199254740993 []"),
        (json!({"n": 2.5, "all": [1, 1.5, null]}), "2.5 [1, 1.5, None]"),
        (json!({"n": 3.0}), "3.0 []"),
    ] {
        assert_eq!(call(source, "f", args.clone()).as_deref(), Ok(answer), "{args}");
    }
}

#[test]
fn large_values_of_the_wrong_type_are_shown_in_part() {
    let source = "def f(v = None) -> str:\n    return v\ntool(f)";
    let got = call(source, "f", json!({"v": vec!["é"; 100_000]})).unwrap_err();
    assert!(got.len() < 500, "{} bytes", got.len());
    assert!(
        got.contains("…` of type `list` does not match the type annotation `str` for return type"),
        "{got}"
    );
}
