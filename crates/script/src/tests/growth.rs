//! What a library makes of something small, or needs while it works, is bounded before it is made.
//!
//! Each of these took gigabytes, or minutes, without the bound that its sentence names.

use super::*;
use std::time::Instant;

/// The sentence that ends `def f(): BODY`, which comes soon.
#[track_caller]
fn check(body: &str, expected: &str) {
    let body = body.replace('\n', "\n    ");
    let started = Instant::now();
    let got = call(&format!("def f():\n    {body}\ntool(f)"), "f", json!({}));
    let got = got.unwrap_err();
    assert!(got.contains(expected), "{body}: {got}");
    let took = started.elapsed();
    assert!(took < Duration::from_secs(15), "{body}: {took:?}");
}

/// Given half a second, it ends by itself or is ended soon after.
#[track_caller]
fn interrupted(expression: &str) {
    let script = load(&format!("def f():\n    x = {expression}\ntool(f)")).unwrap();
    let limits = Limits { time: Duration::from_millis(500), ..quick() };
    let host = Notebook::default();
    let started = Instant::now();
    let result = script.call(&script.tools[0], &Args::new(), &Turn::new(&host, &limits));
    let stop = match result {
        Ok(_) => None,
        Err(CallFailure::Stopped { stop, .. }) => Some(stop),
        Err(other) => panic!("{expression}: {other:?}"),
    };
    assert!(matches!(stop, None | Some(model::Stop::Deadline)), "{expression}: {stop:?}");
    let took = started.elapsed();
    assert!(took < Duration::from_secs(5), "{expression}: {took:?}");
}

#[test]
fn json_in_and_out() {
    // A digit and a comma become a hundred bytes.
    check("return len(json.decode('[' + '1,' * 30000000 + '1]'))", "stopped at 256 MiB");
    check("return json.decode('[' + '1,' * 30000000 + '1]', default = 0)", "stopped at 256 MiB");
    check(
        "x = [1] * 1000000\nfor i in range(120):\n    x = [x]\nreturn json.encode_indent(x, indent = ' ' * 16)",
        "json.encode_indent: the text is longer than 67108864 bytes",
    );
    check(
        "x = [1] * 3000000\nreturn json.encode_indent(x)",
        "the value has more than 2000000 parts",
    );
    // One dict with a long key, a million times.
    for encode in ["json.encode", "json.encode_indent", "yaml.encode"] {
        let body = format!("return {encode}([{{'k' * 1000000: 1}}] * 1000000)");
        check(&body, "longer than 67108864 bytes");
    }
    check("return [{'k' * 1000000: 1}] * 1000000", "longer than 16777216 bytes");
}

#[test]
fn tables_under_long_paths() {
    check(
        "x = {}\nfor i in range(100):\n    x = {'k' * 500000: x, 'v': i}\nreturn toml.encode(x)",
        "toml.encode: the text is longer than 67108864 bytes",
    );
    for open in ["[' + 'a.' * 100000 + 'a]", "' + 'a.' * 100000 + 'a = 1"] {
        check(&format!("return toml.decode('{open}')"), "toml.decode: line 1");
    }
    check("return toml.decode('a = ' + '{a=' * 100000)", "toml.decode: line 1");
    check("return toml.decode('[a]\\n' * 1000000)", "duplicate key");
}

#[test]
fn texts_of_nothing_but_ends() {
    interrupted("text.dedent('\\n' * 60000000)");
    interrupted("text.wrap('\\n' * 30000000, 10)");
    interrupted("text.template('{{' * 30000000)");
    interrupted("csv.decode('\\n' * 8000000)");
    check("return csv.decode(',' * 60000000)", "CSV of 60000000 elements");
    check("return text.table([['x'] * 1000] * 2000)", "text.table: more than 1000000 cells");
    check("return time.format(0, '%c' * 1000000)", "a format of 2000000 bytes");
    check("return time.parse('2' * 1000000)", "a time may have 1000");
}

#[test]
fn pages_that_grow() {
    // Every line inside sixteen lists begins with their blanks.
    check(
        "return text.html_to_markdown('<ul><li>' * 16 + '<pre>' + 'x\\n' * 5000000)",
        "Markdown of",
    );
    check(
        "return text.html_to_markdown('<table>' + '<tr><td>' * 3000000)",
        "a table of more than 200000 cells",
    );
    check(
        "return text.html_to_markdown('<table>' + '<tr>' * 3000000)",
        "a table of more than 200000 cells",
    );
    check("x = text.html_to_markdown('<a ' + 'b ' * 20000000 + '>c')\nfail('done')", "done");
}

#[test]
fn candidates_with_many_texts() {
    check(
        "big = 'a' * 65000\nx = fuzzy.search('b', [{str(i): big for i in range(100000)}])\nfail('done')",
        "done",
    );
}

#[test]
fn documents_that_are_hard_to_read() {
    for text in [
        "'\\n' * 8000000",
        "' ' * 8000000",
        "'a: ' * 1000000",
        "'- - - a\\n' * 100000",
        "'\\t' * 1000000",
        "'#\\n' * 2000000",
        "'a\\n' * 1000000",
        "'!' * 1000000",
        "'!!a ' * 1000000",
        "'%' * 1000000",
        "'%YAML 1.2\\n' * 100000",
        "'---\\n' * 1000000",
        "'|' + '\\n' * 1000000 + ' a'",
        "'> \\n' + ' a\\n' * 1000000",
        "'[' + 'a,' * 900000 + ']'",
        "'{' + 'a' * 1000000 + ': 1}'",
        "'&' + 'a' * 1000000 + ' b'",
        "'\\'' + '\\'\\'' * 1000000 + '\\''",
        "'\\\"' + '\\\\x41' * 1000000 + '\\\"'",
    ] {
        let body = format!("x = attempt(yaml.decode_all, {text})\nfail('done')");
        check(&body, "done");
    }
}
