//! TOON as we write it, beside the notation's own implementation. `cargo xtask tools` installs it.

use crate::clients::{installed, node, run};
use crate::corpus;
use crate::room::Room;
use compact::{Format, Ways, Wish, compact};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Texts that a notation could take for something else. A whole number is not among them: as a key,
/// JavaScript puts it before all others.
const AWKWARD: [&str; 35] = [
    "",
    " ",
    " a",
    "a ",
    "\t",
    "a\nb",
    "\r",
    "\"",
    "a\"b",
    "\\",
    "a\\nb",
    "true",
    "false",
    "null",
    "-1",
    "1.5",
    "1e5",
    "01",
    "0x1",
    "+1",
    "-",
    "- a",
    "a,b",
    "a:b",
    "a: b",
    "#",
    "# a",
    "[",
    "[2]",
    "{a}",
    "|",
    "設計,API",
    "é",
    "\u{1}",
    "\u{feff}a",
];

/// A text as a value, as a key, in a list, in a table, and as a key of a table.
fn places_of(text: &str) -> Value {
    let (one, two) = (json!({"a": text, "b": 1}), json!({"b": [2], "a": text}));
    json!([
        text,
        {"value": text, text: 1},
        {text: [text, text, 1, null]},
        {"table": [one.clone(), one.clone()], "list": [one.clone(), two]},
        {"nested": [{"in": one.clone(), "c": text}, {"in": one.clone(), "c": null}]},
        {text: {"a": text}, "other": {"a": 1}},
        [[text], [], [text, 2]],
        [[[text, {}], []]],
    ])
}

fn cases() -> Vec<(String, Value)> {
    let mut cases = corpus::read_all("payloads");
    cases.extend(corpus::read_all("tools"));
    for text in AWKWARD {
        let Value::Array(places) = places_of(text) else { unreachable!() };
        let named = places.into_iter().enumerate();
        cases.extend(named.map(|(i, value)| (format!("{text:?}, {i}"), value)));
    }
    // Beyond these JavaScript writes exponents, where we write all digits; either is read by both.
    let numbers = ["0", "1.0", "1.50", "1e5", "0.000001", "1e20", "123456789.125"];
    for number in numbers.into_iter().chain(["9007199254740991"]) {
        cases.push((number.to_owned(), serde_json::from_str(number).unwrap()));
    }
    cases
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn toon_is_what_its_own_implementation_writes() {
    let wish = Wish {
        format: Some(Format::Toon),
        select: None,
        declared: None,
        budget: usize::MAX,
        ways: Ways::CALL,
    };
    let cases: Vec<_> = cases()
        .into_iter()
        .map(|(name, value)| {
            let toon = compact(&value, None, &wish);
            assert_eq!(toon.format, Format::Toon, "{name}: {:?}", toon.note);
            (name, value.to_string(), toon.body)
        })
        .collect();
    let room = Room::new();
    let file = room.path().join("cases.json");
    fs::write(&file, serde_json::to_string(&cases).unwrap()).unwrap();
    let mut command = node();
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/toon.mjs"))
        .arg(installed("js"))
        .arg(file);
    let (code, printed) = run(&room, &mut command);
    assert_eq!(printed, format!("{} the same\n", cases.len()));
    assert_eq!(code, Some(0));
}
