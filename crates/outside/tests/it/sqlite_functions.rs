//! Functions of `SQLite`: as they are documented, and none longer than its call.

use crate::asking::{IN_TIME, PATIENCE, leash, query};
use crate::sqlite::File;
use serde_json::json;
use std::sync::mpsc;
use std::time::Duration;

/// Never reached, unless a thread does not come back.
const STUCK: Duration = Duration::from_mins(2);
const SHORT: Duration = Duration::from_millis(300);

/// Text of `count` times the letter.
fn many(count: u32, letter: char) -> String {
    format!("printf('%.*c', {count}, '{letter}')")
}

/// A JSON object of `count` members, each with a key of its own.
fn object(count: u32) -> String {
    format!(
        "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {count}) \
         SELECT json_group_object(i, 1) FROM n)"
    )
}

/// A thread that does not come back fails the test.
#[track_caller]
fn ends(expression: &str, time: Duration) -> Result<(), String> {
    let sql = format!("SELECT {expression} AS value");
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let request = query(&sql, json!([]));
        let file = File::new();
        let answer = file.ask(&request, &leash(time));
        let _ = send.send(answer.map(drop));
    });
    let answer = receive.recv_timeout(STUCK);
    answer.unwrap_or_else(|_| panic!("the thread did not come back: {expression}"))
}

#[test]
fn quadratic_calls_are_refused_before_they_begin() {
    let (text, half) = (many(8_000_000, 'a'), many(4_000_000, 'a'));
    for (name, call) in [
        ("instr", format!("instr({text}, {half} || 'b')")),
        ("instr", "instr(zeroblob(16000000), zeroblob(8000000) || x'01')".into()),
        ("replace", format!("length(replace({text}, {half} || 'b', ''))")),
        ("trim", format!("length(trim({text}, {} || 'a'))", many(1_000_000, 'b'))),
        ("ltrim", format!("length(ltrim({text}, {} || 'a'))", many(1_000_000, 'b'))),
        ("rtrim", format!("length(rtrim({text}, {} || 'a'))", many(1_000_000, 'b'))),
        (
            "unhex",
            format!("length(unhex({}, {} || 'x'))", many(8_000_000, 'x'), many(4_000_000, 'y')),
        ),
        ("json_patch", format!("length(json_patch('{{}}', {}))", object(200_000))),
        ("jsonb_patch", format!("length(jsonb_patch({0}, {0}))", object(100_000))),
    ] {
        let why = ends(&call, PATIENCE).unwrap_err();
        assert!(why.starts_with(&format!("{name}() of ")), "{call}: {why}");
        assert!(why.ends_with("takes too long: shorten one of them"), "{why}");
    }
}

#[test]
fn like_and_glob_end_with_their_call() {
    let text = many(8_000_000, 'a');
    for call in [
        format!("{text} LIKE '%a' || {} || 'b'", many(49_000, '_')),
        format!("{text} LIKE '%a' || {} || 'b' ESCAPE '!'", many(49_000, '_')),
        format!("{text} LIKE '%a' || {} || 'b'", many(49_000, 'A')),
        format!("{text} GLOB '*a' || {} || 'b'", many(49_000, '?')),
        format!("{text} GLOB '*[' || {} || ']b'", many(49_000, 'c')),
    ] {
        assert_eq!(ends(&call, SHORT), Err(IN_TIME.into()), "{call}");
    }
    for call in
        [format!("'a' LIKE {}", many(50_001, '%')), format!("'a' GLOB {}", many(50_001, '*'))]
    {
        assert_eq!(ends(&call, SHORT), Err("LIKE or GLOB pattern too complex".into()), "{call}");
    }
}

/// Linear in a value of at most 16 MiB, or interrupted between two rows.
#[test]
fn other_functions_come_back() {
    let text = many(8_000_000, 'a');
    let array = "'[' || substr(replace(printf('%.*c', 4000000, 'x'), 'x', ',1'), 2) || ']'";
    for call in [
        format!("length(replace({text}, 'a', 'bbbb'))"),
        format!("length(substr({text}, -7000000, 6000000))"),
        format!("length(upper({text})) + length(lower({text})) + length(soundex({text}))"),
        format!("length(json({array}))"),
        format!("length(json_set({array}, '$[0]', 'x', '$[3999999]', 1))"),
        format!("(SELECT count(*) FROM json_each({array}))"),
        format!("(SELECT count(*) FROM json_tree({array}))"),
        "length(hex(zeroblob(8000000))) + length(quote(zeroblob(8000000)))".into(),
        "length(randomblob(16000000))".into(),
        "length(printf('%.16000000f', 1.0 / 3))".into(),
        "length(printf('%.*c', 2000000000, 'a'))".into(),
        "length(zeroblob(2000000000))".into(),
        "length(strftime(replace(printf('%.*c', 4000000, 'x'), 'x', '%Y'), 'now'))".into(),
        "(WITH RECURSIVE n(i, s) AS (SELECT 1, zeroblob(16000000) UNION ALL \
          SELECT i + 1, s || '' FROM n) SELECT count(*) FROM n)"
            .into(),
        "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
          SELECT count(DISTINCT randomblob(1000000)) FROM n)"
            .into(),
        "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
          SELECT length(group_concat(i, 'aaaaaaaa')) FROM n)"
            .into(),
    ] {
        if let Err(why) = ends(&call, SHORT) {
            let is_known = [IN_TIME, "a value is larger than 16 MiB"].contains(&why.as_str());
            assert!(is_known, "{call}: {why}");
        }
    }
}

#[test]
fn bounded_functions_give_what_sqlite_documents() {
    let file = File::new();
    for (call, expected) in [
        ("instr('grün', 'n')", json!(4)),
        ("instr(x'c3bc6e', x'6e')", json!(3)),
        ("instr('grün', x'6e')", json!(4)),
        ("instr(12345, 34)", json!(3)),
        ("instr(1.5, '.')", json!(2)),
        ("instr('a', '')", json!(1)),
        ("instr('a', NULL)", json!(null)),
        ("replace('a.b.c', '.', '::')", json!("a::b::c")),
        ("replace(1.5, '.', ',')", json!("1,5")),
        ("replace(7, '', 'x')", json!("7")),
        ("replace('a', 'a', NULL)", json!(null)),
        ("trim('xxäax', 'xä')", json!("a")),
        ("ltrim('xax', 'x') || rtrim('xax', 'x')", json!("axxa")),
        ("trim('  a ')", json!("a")),
        ("hex(unhex('ab-cd', '-'))", json!("ABCD")),
        ("unhex('ab cd', '-')", json!(null)),
        (
            r#"json_patch('{"a":1,"b":{"c":2}}', '{"a":null,"b":{"d":3}}')"#,
            json!(r#"{"b":{"c":2,"d":3}}"#),
        ),
        (r#"json_array(json_patch('{"a":1}', '{"b":2}'))"#, json!(r#"[{"a":1,"b":2}]"#)),
        (r#"json(jsonb_patch('{"a":1}', '{"b":2}'))"#, json!(r#"{"a":1,"b":2}"#)),
        ("'Äpfel' LIKE 'ä%'", json!(0)),
        ("'APPLE' LIKE 'app_e'", json!(1)),
        ("'50%' LIKE '50!%' ESCAPE '!'", json!(1)),
        ("1.5 LIKE '1._'", json!(1)),
        ("123 LIKE '12%'", json!(1)),
        ("1e300 LIKE '1.0e+300'", json!(1)),
        ("x'4142' LIKE 'ab'", json!(1)),
        ("NULL LIKE 'a'", json!(null)),
        ("'a' LIKE NULL", json!(null)),
        ("'a' LIKE 'a' ESCAPE NULL", json!(null)),
        ("'main.rs' GLOB '*.[a-r]?'", json!(1)),
        ("'a' NOT GLOB 'A'", json!(1)),
    ] {
        let sql = format!("SELECT {call} AS value");
        assert_eq!(file.value(&sql, json!([])), expected, "{call}");
    }
    for (call, why) in [
        ("json_patch('{', '{}')", "malformed JSON"),
        ("'a' LIKE 'a' ESCAPE 'ab'", "ESCAPE expression must be a single character"),
        ("instr('a')", "wrong number of arguments to function instr()"),
    ] {
        let sql = format!("SELECT {call} AS value");
        assert_eq!(file.query(&sql, json!([])), Err(why.into()), "{call}");
    }
}

#[test]
fn views_indexes_and_triggers_use_bounded_functions() {
    let file = File::new();
    for sql in [
        "CREATE TABLE t (name TEXT CHECK (name LIKE '%'), \
         short TEXT GENERATED ALWAYS AS (replace(name, ' ', '')) STORED)",
        "CREATE INDEX i ON t (instr(name, 'b'))",
        "CREATE VIEW v AS SELECT trim(name, 'a') AS name FROM t WHERE name GLOB 'a*'",
        "CREATE TRIGGER g AFTER DELETE ON t WHEN old.name LIKE 'z%' BEGIN SELECT RAISE(FAIL, 'kept'); END",
        "INSERT INTO t (name) VALUES ('a b'), ('zz')",
    ] {
        file.execute(sql, json!([])).unwrap();
    }
    assert_eq!(file.value("SELECT name FROM v", json!([])), json!(" b"));
    assert_eq!(
        file.value("SELECT short FROM t WHERE instr(name, 'b') = 3", json!([])),
        json!("ab")
    );
    let kept = file.execute("DELETE FROM t", json!([]));
    assert_eq!(kept, Err("kept".into()));
}
