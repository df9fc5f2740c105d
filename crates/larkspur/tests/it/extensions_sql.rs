//! Extensions for databases, as users of starlark-mcp have them: unmodified, each tool called.

use crate::fixture::{Opening, Server};
use crate::room::Room;
use cluster::{Cluster, PASSWORD};
use serde_json::json;

const SQLITE: &str = include_str!("../fixtures/starlark-mcp/sqlite_explorer.star");
const POSTGRES: &str = include_str!("../fixtures/starlark-mcp/postgres.star");

/// A file to look into.
const MAKE: &str = r#"
permissions(sqlite_write = ["shop.db"])

STATEMENTS = [
    "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL DEFAULT 1.5)",
    'CREATE TABLE "od""d" (a)',
    ("INSERT INTO item VALUES (?, ?, ?)", [3000000000, "pen", 0.25]),
    "INSERT INTO item (name) VALUES ('ink')",
]

def make():
    return sqlite.transaction("shop.db", STATEMENTS)

tool(make)
"#;

#[test]
fn sqlite_explorer_answers() {
    let mut server = Server::start();
    server
        .module("make", MAKE)
        .module("sqlite_explorer", SQLITE)
        .call("make", json!({}))
        .text("[0,0,1,1]");
    let db = server.room.at("shop.db").display().to_string();
    server
        .call("sqlite_list_tables", json!({"db_path": db}))
        .text("2 tables\n- item\n- od\"d")
        .call("sqlite_describe_table", json!({"db_path": db, "table_name": "item"}))
        .text("id INTEGER PRIMARY KEY\nname TEXT NOT NULL\nprice REAL DEFAULT 1.5")
        .call("sqlite_describe_table", json!({"db_path": db, "table_name": "x"}))
        .fails("no table x")
        .call("sqlite_query", json!({"db_path": db, "query": "SELECT id, price FROM item WHERE id = ?", "params": [3_000_000_000_i64]}))
        .text(r#"[{"id":3000000000,"price":0.25}]"#)
        .call("sqlite_query", json!({"db_path": db, "query": "SELECT count(*) AS n FROM item"}))
        .text(r#"[{"n":2}]"#)
        .call("sqlite_query", json!({"db_path": db, "query": "DROP TABLE item"}))
        .fails("a query changes nothing")
        .call("sqlite_analyze", json!({"db_path": db}))
        .text(r#"{"item":{"rows":2,"columns":3},"od\"d":{"rows":0,"columns":1}}"#)
        .call("sqlite_sample_data", json!({"db_path": db, "table_name": "item", "limit": 1}))
        .text("id=3000000000 | name=pen | price=0.25")
        .call("sqlite_sample_data", json!({"db_path": db, "table_name": "item"}))
        .text("id=3000000000 | name=pen | price=0.25\nid=3000000001 | name=ink | price=1.5")
        .lists(&["make", "sqlite_analyze", "sqlite_describe_table", "sqlite_list_tables", "sqlite_query", "sqlite_sample_data"]);
}

fn every_tool(server: &mut Server) {
    server
        .module("postgres", POSTGRES)
        .call("postgres_list_databases", json!({}))
        .text("postgres")
        .call("postgres_execute_sql", json!({"sql": "CREATE TABLE item (id int8, name varchar(9) NOT NULL, at timestamptz)"}))
        .text("0 rows affected")
        .call("postgres_execute_sql", json!({"sql": "INSERT INTO item VALUES ($1, $2, '2024-01-01T00:00:00+01')", "params": [3_000_000_000_i64, "pen"]}))
        .text("1 rows affected")
        .call("postgres_list_tables", json!({}))
        .text(r#"["item"]"#)
        .call("postgres_list_tables", json!({"schema": "none"}))
        .text("[]")
        .call("postgres_describe_table", json!({"table_name": "item"}))
        .text("id bigint YES\nname character varying(9) NO\nat timestamp with time zone YES")
        .call("postgres_describe_table", json!({"table_name": "x"}))
        .fails("no table x")
        .call("postgres_query_table", json!({"table_name": "item", "where_column": "name", "where_value": "pen"}))
        .text(r#"[{"id":3000000000,"name":"pen","at":"2023-12-31T23:00:00Z"}]"#)
        .call("postgres_query_table", json!({"table_name": "item", "limit": 0}))
        .text("[]")
        .call("postgres_table_stats", json!({}))
        .text(r#"[{"relname":"item","counted":true,"last_vacuum":null}]"#)
        .call("postgres_execute_sql", json!({"sql": "SELEC 1"}))
        .fails("syntax error at or near \"SELEC\"");
    let args = json!({"sql": "SELECT id FROM item"});
    let result = server.call("postgres_execute_sql", args).result();
    let rows = json!({"rows": [{"id": 3_000_000_000_i64}], "row_count": 1});
    assert_eq!(result["content"][1]["text"], rows.to_string());
    server.call("postgres_execute_sql", json!({"sql": "DROP TABLE item"})).text("0 rows affected");
}

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn postgres_answers_over_either_way_to_name_it() {
    let cluster = Cluster::start();
    let mut whole = Room::new();
    whole.set_env("POSTGRES_CONNECTION_STRING", &cluster.url("sslmode=disable"));
    every_tool(&mut Server::start_in(whole, Opening::Legacy));
    let mut parts = Room::new();
    parts
        .set_env("POSTGRES_HOST", "localhost")
        .set_env("POSTGRES_PORT", &cluster.port.to_string())
        .set_env("POSTGRES_USER", "tester")
        .set_env("POSTGRES_PASSWORD", PASSWORD)
        .set_env("POSTGRES_DATABASE", "postgres");
    every_tool(&mut Server::start_in(parts, Opening::Modern));
}

#[test]
fn a_server_that_is_not_there_is_named_without_the_password() {
    let mut room = Room::new();
    room.set_env("POSTGRES_HOST", "127.0.0.1")
        .set_env("POSTGRES_PORT", "1")
        .set_env("POSTGRES_PASSWORD", "hunter2");
    let mut server = Server::start_in(room, Opening::Legacy);
    server.module("postgres", POSTGRES);
    let said = server.call("postgres_list_tables", json!({})).message.to_string();
    assert!(said.contains("no connection to 127.0.0.1:1: "), "{said}");
    assert!(!said.contains("hunter2"), "{said}");
}
