//! Integers of too many digits are refused before they are read, whose time grows with the square.

use super::*;

const REFUSAL: &str = "4000000 digits are too many for an integer; it may have 20000";

#[test]
fn arguments_have_integers_of_20000_digits_at_most() {
    let digits = "9".repeat(4_000_000);
    for parameter in [
        "n: int",
        "n",
        "n: float",
        "n: int | str",
        "n: list[int]",
        "n: dict[str, int]",
    ] {
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
    assert_eq!(
        call("def f(n: int):\n    return str(n)\ntool(f)", "f", args),
        Ok(longest)
    );
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
        (
            "fail(attempt(int, '9' * n).error.message)",
            "a number of 4000000 digits",
        ),
        ("sorted(['9' * n], key = int)", "a number of 4000000 digits"),
    ] {
        let source = format!("def f(n):\n    return {expression}\ntool(f)");
        let got = call(&source, "f", json!({"n": 4_000_000})).unwrap_err();
        assert!(got.contains(expected), "{expression}: {got}");
        assert!(got.len() < 300, "{expression}");
    }
    // Fractions of many digits are read at once, as the nearest float.
    let source = "def f(n):\n    return json.decode('0.' + '0' * n + '1') + json.decode('1.' + '3' * n)\ntool(f)";
    assert_eq!(
        call(source, "f", json!({"n": 4_000_000})).unwrap(),
        "1.3333333333333333"
    );
}
