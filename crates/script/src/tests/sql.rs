//! What `sqlite` and `postgres` ask of the host, and what they make of its answers.

use super::{Notebook, call_script, load};
use expect_test::{Expect, expect};
use serde_json::json;

/// The value of an expression, and what the host was asked for it.
#[track_caller]
fn check(expression: &str, expected: &Expect) {
    let source = format!("def f():\n    return {expression}\ntool(f)");
    let host = Notebook::default();
    let answer = call_script(&load(&source).unwrap(), "f", json!({}), &host);
    let answer = answer.unwrap_or_else(|error| error);
    let asked = host.lines.lock().unwrap().join("\n");
    expected.assert_eq(format!("{answer}\n{asked}").trim_end());
}

#[test]
fn a_query_gives_dicts() {
    check(r#"sqlite.query("a.db", "SELECT 1")"#, &expect![[]]);
    check(
        r#"sqlite.query(db_path = "a.db", query = "SELECT ?", params = [None, True, 1.5, {"base64": ""}])"#,
        &expect![[]],
    );
    check(
        r#"postgres.query("main", "SELECT $1", (9007199254740993,))[0]["n"] + 1"#,
        &expect![[]],
    );
    check(
        r#"postgres.query(connection_string = "main", query = "SELECT 1", params = None)"#,
        &expect![[]],
    );
}

#[test]
fn execute_gives_a_number() {
    check(
        r#"sqlite.execute("a.db", statement = "DELETE FROM t")"#,
        &expect![[]],
    );
    check(
        r#"postgres.execute("main", "DELETE FROM t", [])"#,
        &expect![[]],
    );
}

#[test]
fn a_transaction_takes_pairs_and_texts() {
    check(
        r#"sqlite.transaction("a.db", [("INSERT INTO t VALUES (?)", [1]), "DELETE FROM u"])"#,
        &expect![[]],
    );
    check(
        r#"postgres.transaction("main", [["A", None], ("B",)])"#,
        &expect![[]],
    );
    check(r#"sqlite.transaction("a.db", [1])"#, &expect![[]]);
    check(
        r#"sqlite.transaction("a.db", "DELETE FROM t")"#,
        &expect![[]],
    );
}

#[test]
fn tables_and_their_columns() {
    check(r#"sqlite.list_tables("a.db")"#, &expect![[]]);
    check(r#"sqlite.describe_table("a.db", "t")"#, &expect![[]]);
    check(r#"postgres.list_tables("main")"#, &expect![[]]);
    check(
        r#"postgres.describe_table("main", "t", schema = "s")"#,
        &expect![[]],
    );
}

#[test]
fn what_is_wrong_is_said() {
    check(r#"sqlite.query("a.db", "SELECT ?", 1)"#, &expect![[]]);
    check(r#"sqlite.query("a.db", "SELECT ?", [len])"#, &expect![[]]);
    check(r#"postgres.query("broken", "SELECT 1")"#, &expect![[]]);
}
