//! What `sqlite` and `postgres` ask of the host, and what they make of its answers.

use super::{Notebook, call_script, load};
use expect_test::{Expect, expect};
use model::{Database, SqlAnswer, SqlRequest};
use serde_json::json;

/// Answers for databases.
pub(crate) type Databases = Box<dyn Fn(&Database, &SqlRequest) -> SqlAnswer + Send + Sync>;

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
    check(
        r#"sqlite.query("a.db", "SELECT 1")"#,
        &expect![[r#"
        [{"n":9007199254740993}]
        Sqlite("a.db") Query { statement: Statement { sql: "SELECT 1", params: [] }, max_rows: None }"#]],
    );
    check(
        r#"sqlite.query(db_path = "a.db", query = "SELECT ?", params = [None, True, 1.5, {"base64": ""}])"#,
        &expect![[r#"
            [{"n":9007199254740993}]
            Sqlite("a.db") Query { statement: Statement { sql: "SELECT ?", params: [Null, Bool(true), Number(1.5), Object {"base64": String("")}] }, max_rows: None }"#]],
    );
    check(
        r#"postgres.query("main", "SELECT $1", (9007199254740993,))[0]["n"] + 1"#,
        &expect![[r#"
            9007199254740994
            Postgres("main") Query { statement: Statement { sql: "SELECT $1", params: [Number(9007199254740993)] }, max_rows: None }"#]],
    );
    check(
        r#"postgres.query(connection_string = "main", query = "SELECT 1", params = None)"#,
        &expect![[r#"
            [{"n":9007199254740993}]
            Postgres("main") Query { statement: Statement { sql: "SELECT 1", params: [] }, max_rows: None }"#]],
    );
}

#[test]
fn max_rows_is_an_integer_greater_than_zero() {
    check(
        r#"sqlite.query("a.db", "SELECT 1", max_rows = 5)"#,
        &expect![[r#"
            [{"n":9007199254740993}]
            Sqlite("a.db") Query { statement: Statement { sql: "SELECT 1", params: [] }, max_rows: Some(5) }"#]],
    );
    for wrong in ["0", "-1", "1.5", "'5'", "1 << 40"] {
        check(
            &format!("postgres.query('main', 'SELECT 1', max_rows = {wrong})"),
            &expect!["max_rows must be an integer greater than zero"],
        );
    }
}

#[test]
fn execute_gives_a_number() {
    check(
        r#"sqlite.execute("a.db", statement = "DELETE FROM t")"#,
        &expect![[r#"
            3
            Sqlite("a.db") Execute(Statement { sql: "DELETE FROM t", params: [] })"#]],
    );
    check(
        r#"postgres.execute("main", "DELETE FROM t", [])"#,
        &expect![[r#"
            3
            Postgres("main") Execute(Statement { sql: "DELETE FROM t", params: [] })"#]],
    );
}

#[test]
fn a_transaction_takes_pairs_and_texts() {
    check(
        r#"sqlite.transaction("a.db", [("INSERT INTO t VALUES (?)", [1]), "DELETE FROM u"])"#,
        &expect![[r#"
            [2,1]
            Sqlite("a.db") Transaction([Statement { sql: "INSERT INTO t VALUES (?)", params: [Number(1)] }, Statement { sql: "DELETE FROM u", params: [] }])"#]],
    );
    check(
        r#"postgres.transaction("main", [["A", None], ("B",)])"#,
        &expect![[r#"
            [2,1]
            Postgres("main") Transaction([Statement { sql: "A", params: [] }, Statement { sql: "B", params: [] }])"#]],
    );
    check(
        r#"sqlite.transaction("a.db", [1])"#,
        &expect!["a statement is a string, or a pair (sql, params)"],
    );
    check(
        r#"sqlite.transaction("a.db", "DELETE FROM t")"#,
        &expect!["statements must be a list, not a string"],
    );
}

#[test]
fn tables_and_their_columns() {
    check(
        r#"sqlite.list_tables("a.db")"#,
        &expect![[r#"
        [{"n":9007199254740993}]
        Sqlite("a.db") Tables { schema: None }"#]],
    );
    check(
        r#"sqlite.describe_table("a.db", "t")"#,
        &expect![[r#"
        [{"n":9007199254740993}]
        Sqlite("a.db") Describe { table: "t", schema: None }"#]],
    );
    check(
        r#"postgres.list_tables("main")"#,
        &expect![[r#"
        [{"n":9007199254740993}]
        Postgres("main") Tables { schema: Some("public") }"#]],
    );
    check(
        r#"postgres.describe_table("main", "t", schema = "s")"#,
        &expect![[r#"
            [{"n":9007199254740993}]
            Postgres("main") Describe { table: "t", schema: Some("s") }"#]],
    );
}

#[test]
fn what_is_wrong_is_said() {
    check(r#"sqlite.query("a.db", "SELECT ?", 1)"#, &expect!["params must be a list, not a int"]);
    check(
        r#"sqlite.query("a.db", "SELECT ?", [len])"#,
        &expect!["a function cannot be written as JSON"],
    );
    check(r#"postgres.query("broken", "SELECT 1")"#, &expect!["it is broken"]);
}
