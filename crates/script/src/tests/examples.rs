//! Every example in a native's documentation is run, in a world that pretends (`pretend`).
//!
//! In a block fenced as `python`, a line `>>> expression` is evaluated, and the lines up to the next
//! one are what `repr` gives, or `error: …`. A block without such a line is a file: it loads, and its
//! tools that need no arguments are called.

use super::*;
use crate::docs::{Entry, LibraryKind, reference};

/// Functions of Starlark's own, of which the engine tells in its own way, without examples of ours.
const STARLARKS: [&str; 1] = ["builtins"];

/// Of what the engine brings along, this comes without a word.
const UNTOLD: [&str; 3] = ["set", "struct", "set.clear"];

/// Functions without an example, and why.
const NOT_SHOWN: [(&str, &str); 0] = [];

fn entries() -> impl Iterator<Item = Entry> {
    reference().into_iter().flat_map(|library| library.entries)
}

/// All but what the engine documents.
fn ours() -> impl Iterator<Item = Entry> {
    let libraries = reference().into_iter();
    libraries
        .filter(|library| library.kind != LibraryKind::Type)
        .filter(|library| !STARLARKS.contains(&library.name.as_str()))
        .flat_map(|library| library.entries)
}

fn blocks(entry: &Entry) -> Vec<String> {
    let all = format!("{}\n{}", entry.details, entry.examples);
    let blocks = all.split("```python\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split("```").next());
    blocks.map(str::to_owned).collect()
}

struct Example {
    of: String,
    expression: String,
    expected: String,
}

fn examples(entry: &Entry) -> Vec<Example> {
    let blocks = blocks(entry);
    let steps = blocks.iter().flat_map(|block| block.split(">>> ").skip(1));
    let steps = steps.map(|step| {
        let (expression, expected) = step.split_once('\n').unwrap_or((step, ""));
        Example {
            of: entry.name.clone(),
            expression: expression.to_owned(),
            expected: expected.trim_end().to_owned(),
        }
    });
    steps.collect()
}

/// As a test's file loads, which can name everything.
fn load_all(source: &str) -> Result<Script, Fault> {
    let sources = Files([("a.star", source.to_owned())].into());
    load_with(Engine::for_tests(quick()), sources, "a.star")
}

/// All in one file, so that the engine is made once.
#[test]
fn every_documented_expression_gives_what_it_says() {
    let examples: Vec<Example> = entries().flat_map(|entry| examples(&entry)).collect();
    let functions = examples.iter().enumerate().map(|(i, example)| {
        let expression = &example.expression;
        format!("def f{i}(ctx):\n    return repr({expression})\ntool(f{i})")
    });
    let functions: Vec<String> = functions.collect();
    let script = load_all(&functions.join("\n")).unwrap_or_else(|fault| panic!("{fault}"));
    let host = pretend::host();
    let mut wrong = Vec::new();
    for (i, example) in examples.iter().enumerate() {
        let got = call_script(&script, &format!("f{i}"), json!({}), &host)
            .unwrap_or_else(|error| format!("error: {error}"));
        if got != example.expected {
            let Example { of, expression, expected } = example;
            wrong.push(format!("{of}: {expression}\n  expected {expected}\n  got      {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(examples.len() > 180, "only {} were found", examples.len());
}

#[test]
fn every_documented_file_loads_and_its_tools_answer() {
    let mut files = 0;
    for entry in ours() {
        let of = &entry.name;
        let blocks = blocks(&entry).into_iter();
        for block in blocks.filter(|block| !block.contains(">>> ")) {
            let script = load_all(&block).unwrap_or_else(|fault| panic!("{of}: {fault}"));
            for tool in &script.tools {
                let name = tool.tool.name.as_str();
                if tool.tool.input.accept(serde_json::Map::new()).is_ok() {
                    let answer = call_script(&script, name, json!({}), &pretend::host());
                    assert!(answer.is_ok(), "{of}: {name}: {answer:?}");
                }
            }
            files += 1;
        }
    }
    assert!(files >= 8, "only {files} were found");
}

#[test]
fn every_function_of_ours_shows_itself_at_work() {
    let functions = ours().filter(Entry::is_function);
    let silent = functions.filter(|function| {
        blocks(function).is_empty() && NOT_SHOWN.iter().all(|(name, _)| *name != function.name)
    });
    let silent: Vec<String> = silent.map(|function| function.name).collect();
    assert!(
        silent.is_empty(),
        "without an example, or a reason in NOT_SHOWN: {}",
        silent.join(", ")
    );
}

#[test]
fn every_library_and_function_says_what_it_is_for() {
    let libraries = reference();
    let names = libraries.iter().filter(|library| library.about.is_empty());
    let names = names.map(|library| library.name.as_str());
    let entries = libraries.iter().flat_map(|library| &library.entries);
    let silent = entries
        .filter(|entry| entry.summary.is_empty())
        .filter(|entry| entry.is_function() || entry.name.starts_with("ctx."))
        .filter(|entry| !UNTOLD.contains(&entry.name.as_str()));
    let silent: Vec<&str> = names.chain(silent.map(|entry| entry.name.as_str())).collect();
    assert!(silent.is_empty(), "without a word: {}", silent.join(", "));
    let known: Vec<&str> = libraries.iter().map(|library| library.name.as_str()).collect();
    for library in ["http", "hash", "text", "ctx.state", "declarations", "answers", "testing"] {
        assert!(known.contains(&library), "{library} is not in {known:?}");
    }
}

/// In a list of functions, what each does has one line.
#[test]
fn what_a_function_of_ours_does_fits_on_a_line() {
    let libraries = reference().into_iter();
    let ours = libraries.filter(|library| library.kind == LibraryKind::Library);
    let entries = ours.flat_map(|library| library.entries);
    let long = entries.filter(|entry| entry.summary.chars().count() > 110);
    let long: Vec<String> = long.map(|entry| entry.name).collect();
    assert!(long.is_empty(), "too long: {}", long.join(", "));
}
