//! Integers of too many digits are refused before they are read, whose time grows with the square.

use super::*;

const REFUSAL: &str = "4000000 digits are too many for an integer; it may have 20000";

#[test]
fn arguments_have_integers_of_20000_digits_at_most() {
    let digits = "9".repeat(4_000_000);
    for parameter in
        ["n: int", "n", "n: float", "n: int | str", "n: list[int]", "n: dict[str, int]"]
    {
        let source = format!("def f({parameter}):\n    return 1\ntool(f)");
        let given = match parameter {
            "n: list[int]" => format!("[{digits}]"),
            "n: dict[str, int]" => format!("{{\"a\": {digits}}}"),
            _ => digits.clone(),
        };
        let args = serde_json::from_str(&format!("{{\"n\": {given}}}")).unwrap();
        let got = call(&source, "f", args).unwrap_err();
        assert!(got.contains("`n"), "{parameter}: {}", &got[..80]);
        assert!(got.contains(REFUSAL), "{parameter}: {}", &got[..80]);
    }
    let longest = "9".repeat(20_000);
    let args = serde_json::from_str(&format!("{{\"n\": {longest}}}")).unwrap();
    assert_eq!(call("def f(n: int):\n    return str(n)\ntool(f)", "f", args), Ok(longest));
}

#[test]
fn decoders_read_20000_digits_at_most() {
    for (expression, expected) in [
        ("json.decode('[' + '9' * n + ']')", REFUSAL),
        ("json.decode('-' + '9' * n)", REFUSAL),
        ("yaml.decode('9' * n)", "a number of 4000000 digits"),
        ("yaml.decode('0x' + 'f' * n)", "a number of 4000002 digits"),
        ("toml.decode('a = ' + '9' * n)", "toml.decode: "),
        ("int('9' * n)", "a number of 4000000 digits"),
        ("map(int, ['9' * n])", "a number of 4000000 digits"),
        ("fail(attempt(int, '9' * n).error.message)", "a number of 4000000 digits"),
        ("sorted(['9' * n], key = int)", "a number of 4000000 digits"),
        ("{'int': int}['int']('9' * n)", "a number of 4000000 digits"),
        ("(lambda f: f('9' * n))(int)", "a number of 4000000 digits"),
        ("partial(int, '9' * n)()", "a number of 4000000 digits"),
        ("int('9' * n, 10)", "a number of 4000000 digits"),
    ] {
        let source = format!("def f(n):\n    return {expression}\ntool(f)");
        let got = call(&source, "f", json!({"n": 4_000_000})).unwrap_err();
        assert!(got.contains(expected), "{expression}: {got}");
        assert!(got.len() < 300, "{expression}");
    }
    // Fractions of many digits are read at once, as the nearest float.
    let source = "def f(n):\n    return json.decode('0.' + '0' * n + '1') + json.decode('1.' + '3' * n)\ntool(f)";
    assert_eq!(call(source, "f", json!({"n": 4_000_000})).unwrap(), "1.3333333333333333");
}

#[test]
fn int_is_still_a_type() {
    let source = "T = int | str\nPoint = record(x = int, y = field(int, 3))\n\
                  def g(x: int, xs: list[int], d: dict[str, int | None], t: T) -> int:\n    \
                  y: int = x + len(xs)\n    return y\n\
                  def f(x: int, t: T = 1) -> str:\n    \
                  return repr([int(' 7 '.strip()), int(1.5), int(), int('ff', base = 16), str(int), type(int), \
                  Point(x = g(x, [1], {}, t)).y, map(int, ['4'])])\ntool(f)";
    assert_eq!(
        call(source, "f", json!({"x": 1})).unwrap(),
        "[7, 1, 0, 255, \"int\", \"function\", 3, [4]]"
    );
    let wrong = "def g(x: int) -> int:\n    return x\ndef f():\n    return g('a')\ntool(f)";
    assert_eq!(
        call(wrong, "f", json!({})).unwrap_err(),
        "Value `a` of type `string` does not match the type annotation `int` for argument `x`"
    );
}
