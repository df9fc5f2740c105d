//! Every example in a native's documentation is run.
//!
//! In a block fenced as `python`, a line `>>> expression` is evaluated, and the lines up to the next
//! one are what `repr` gives, or `error: …`.

use super::*;
use crate::docs::{Entry, reference};

/// Libraries whose every function shows itself at work.
const SHOWN: [&str; 10] = [
    "base64", "csv", "fuzzy", "hex", "json", "math", "re", "toml", "url", "yaml",
];

/// The engine's own, about which it says nothing.
const UNTOLD: [&str; 3] = ["set", "struct", "set.clear"];

struct Example {
    of: String,
    expression: String,
    expected: String,
}

fn examples(entry: &Entry) -> Vec<Example> {
    let all = format!("{}\n{}", entry.details, entry.examples);
    let blocks = all.split("```python\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap_or_default());
    let steps = blocks.flat_map(|block| block.split(">>> ").skip(1));
    steps
        .map(|step| {
            let (expression, expected) = step.split_once('\n').unwrap_or((step, ""));
            Example {
                of: entry.name.clone(),
                expression: expression.to_owned(),
                expected: expected.trim_end().to_owned(),
            }
        })
        .collect()
}

/// All in one file, so that the engine is made once.
#[test]
fn every_documented_example_does_what_it_says() {
    let libraries = reference();
    let entries = libraries.iter().flat_map(|library| &library.entries);
    let examples: Vec<Example> = entries.flat_map(examples).collect();
    let functions = examples.iter().enumerate().map(|(i, example)| {
        let expression = &example.expression;
        format!("def f{i}():\n    return repr({expression})\ntool(f{i})")
    });
    let functions: Vec<String> = functions.collect();
    let script = load(&functions.join("\n")).unwrap();
    let host = Notebook::default();
    let mut wrong = Vec::new();
    for (i, example) in examples.iter().enumerate() {
        let got = call_script(&script, &format!("f{i}"), json!({}), &host)
            .unwrap_or_else(|error| format!("error: {error}"));
        if got != example.expected {
            let Example {
                of,
                expression,
                expected,
            } = example;
            wrong.push(format!(
                "{of}: {expression}\n  expected {expected}\n  got      {got}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        examples.len() > 60,
        "only {} examples were found",
        examples.len()
    );
}

#[test]
fn functions_that_only_compute_show_themselves_at_work() {
    let libraries = reference();
    let shown = libraries
        .iter()
        .filter(|l| SHOWN.contains(&l.name.as_str()));
    let entries = shown.flat_map(|library| &library.entries);
    let silent: Vec<&str> = entries
        .filter(|entry| entry.signature.contains('(') && examples(entry).is_empty())
        .map(|entry| entry.name.as_str())
        .collect();
    assert!(
        silent.is_empty(),
        "without an example: {}",
        silent.join(", ")
    );
}

#[test]
fn everything_of_ours_is_documented() {
    let libraries = reference();
    let entries = libraries.iter().flat_map(|library| &library.entries);
    let silent: Vec<&str> = entries
        .filter(|entry| entry.signature.contains('(') && entry.summary.is_empty())
        .filter(|entry| !UNTOLD.contains(&entry.name.as_str()))
        .map(|entry| entry.name.as_str())
        .collect();
    assert!(silent.is_empty(), "without a word: {}", silent.join(", "));
}
