//! Databases as scripts use them: who may, what comes back, and that nobody waits for a slow one.

use crate::fixture::Server;
use crate::room::Room;
use cluster::{Cluster, PASSWORD, PASSWORD_IN_URL};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;

/// Every function of a library, each as a tool.
fn tools(library: &str) -> String {
    r#"
def query(db: str, sql: str, params: list[typing.Any] = []):
    return LIBRARY.query(db, sql, params)
def execute(db: str, sql: str, params: list[typing.Any] = []):
    return LIBRARY.execute(db, sql, params)
def transaction(db: str, statements: list[typing.Any]):
    return LIBRARY.transaction(db, statements)
def list_tables(db: str):
    return LIBRARY.list_tables(db)
def describe_table(db: str, table: str):
    return LIBRARY.describe_table(db, table)
def hasty(db: str, sql: str):
    return LIBRARY.query(db, sql)
[tool(fn) for fn in [query, execute, transaction, list_tables, describe_table]]
tool(hasty, timeout = "500ms")
"#
    .replace("LIBRARY", library)
}

/// The same as a single file that may write files beside it and in another folder.
fn lite(other: &Path) -> String {
    let other = other.display();
    format!("permissions(sqlite_write = ['**', '{other}/**'])\n{}", tools("sqlite"))
}

fn ask(db: &str, sql: &str) -> Value {
    json!({"db": db, "sql": sql})
}

fn bound(db: &str, sql: &str, params: Value) -> Value {
    json!({"db": db, "sql": sql, "params": params})
}

/// Never ends by itself.
const ENDLESS: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
const OVER: &str = "stopped after 500 ms, the time one call may take (limit `timeout`)";
const BIG: i64 = 9_007_199_254_740_993;

#[test]
fn a_file_is_written_read_and_described() {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, v)";
    let values = json!([i64::MAX, BIG, 0.1, 1.0, "ü\"'", null, {"base64": "AP+A"}]);
    let row =
        format!("[1]{{a,b,c,d,e,f,g{{base64}}}}:\n  {},{BIG},0.1,1,\"ü\\\"'\",null,AP+A", i64::MAX);
    let all = "SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, ? AS f, ? AS g";
    let insert = "INSERT INTO t (v) VALUES (?)";
    Server::start()
        .module("lite", &lite(Path::new("/nowhere")))
        .call("execute", ask("a.db", table))
        .text("0")
        .call("execute", bound("a.db", insert, json!(["x"])))
        .text("1")
        .call("transaction", json!({"db": "a.db", "statements": [[insert, ["y"]], "DELETE FROM t"]}))
        .text("[1,2]")
        .call("transaction", json!({"db": "a.db", "statements": [[insert, ["y"]], "DELETE FROM u"]}))
        .fails("a.db: statement 2: no such table: u")
        .call("query", bound("a.db", all, values))
        .text(&row)
        .call("query", ask("a.db", "SELECT * FROM t"))
        .text("[]")
        .call("list_tables", json!({"db": "a.db"}))
        .text(r#"[{"name":"t"}]"#)
        .call("describe_table", json!({"db": "a.db", "table": "t"}))
        .text(r#"[{"cid":0,"name":"id","type":"INTEGER","notnull":0,"dflt_value":null,"pk":1},{"cid":1,"name":"v","type":"","notnull":0,"dflt_value":null,"pk":0}]"#)
        .call("query", ask("a.db", "DELETE FROM t"))
        .fails("a.db: a query changes nothing: use sqlite.execute for this statement")
        .call("query", ask("b.db", "SELECT 1"))
        .fails("b.db: there is no such file")
        .call("hasty", ask("a.db", ENDLESS))
        .fails(OVER);
}

#[test]
fn file_and_folder_reach_the_databases_they_declare() {
    let mut server = Server::start();
    let lite = lite(server.room.path());
    server
        .module("lite", &lite)
        .folder("own", "sqlite = ['data/*.db']\nsqlite_write = ['out/*.db']", &tools("sqlite"))
        .file("own/data/.keep", "")
        .file("own/out/.keep", "")
        .file("other/.keep", "");
    let absolute = server.room.path().join("far.db").display().to_string();
    let make = "CREATE TABLE t AS SELECT 'found' AS v";
    let read = "SELECT v FROM t";
    let found = r#"[{"v":"found"}]"#;
    for path in ["near.db", &absolute, "own/data/a.db", "other/b.db"] {
        server
            .call("lite.execute", ask(path, make))
            .text("0")
            .call("lite.query", ask(path, read))
            .text(found);
    }
    assert!(server.room.at("near.db").exists(), "it is not beside its module");
    let at = |file: &str| server.room.at(file);
    symlink(at("other/b.db"), at("own/data/out.db")).unwrap();
    symlink(at("own/data/a.db"), at("own/data/in.db")).unwrap();
    symlink(at("other"), at("own/out/folder.db")).unwrap();
    let whole = at("own/data/a.db").display().to_string();
    server
        .call("own.query", ask("data/a.db", read))
        .text(found)
        .call("own.query", ask("data/in.db", read))
        .text(found)
        .call("own.execute", ask("out/new.db", make))
        .text("0")
        .call("own.query", ask("out/new.db", read))
        .text(found);
    for path in
        ["near.db", "data/../a.db", "../other/b.db", &absolute, "data/out.db", "out/folder.db/b.db"]
    {
        server
            .call("own.query", ask(path, read))
            .fails("is not among the databases module `own` may read");
    }
    for path in ["data/a.db", "data/out.db"] {
        server
            .call("own.execute", ask(path, "DELETE FROM t"))
            .fails("is not among the databases module `own` may write; add \"");
    }
    server
        .call("own.query", ask(&whole, read))
        .text(found)
        .call("lite.query", ask("../larkspur.toml", read))
        .fails("the server's own");
}

#[test]
fn a_folder_without_permission_is_told_the_line_and_where_it_asked() {
    let mut server = Server::start();
    server.folder("lite", "", &tools("sqlite")).folder("post", "", &tools("postgres"));
    let modules = server.room.modules().display().to_string();
    for (tool, key, place, line, marker) in [
        (
            "lite.query",
            "sqlite",
            "┌ lite/main.star:3:12",
            "3 │     return sqlite.query(db, sql, params)",
            "^^^^^^^^^^^^",
        ),
        (
            "post.execute",
            "postgres",
            "┌ post/main.star:5:12",
            "5 │     return postgres.execute(db, sql, params)",
            "^^^^^^^^^^^^^^^^",
        ),
    ] {
        let call = ["call", "--modules", &modules, tool, "db=main", "sql=SELECT 1"];
        let advice = format!("add {key} = [\"main\"] to [permissions] in module.toml");
        server.room.run(&call).exits(5).notes(&advice).notes(place).notes(line).notes(marker);
    }
}

/// Even where a word is wrong, and it is none at all.
#[test]
fn a_folders_connection_string_is_refused_and_not_repeated() {
    let mut server = Server::start();
    server.folder("post", "postgres = ['main']", &tools("postgres"));
    for url in [
        "postgres://tester:hunter2@localhost/postgres",
        "host=localhost password=hunter2",
        "postgres:/tester:hunter2@localhost/postgres",
    ] {
        let said = server.call("query", ask(url, "SELECT 1")).message;
        assert_eq!(said["result"]["isError"], true, "{said:#}");
        let said = said.to_string();
        assert!(said.contains("module `post` uses connections by name"), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
        assert!(!server.wire().stderr().contains("hunter2"));
    }
    server
        .call("query", ask("main", "SELECT 1"))
        .fails("there is no connection `main`; add [postgres.main] with a `url` to larkspur.toml");
}

impl Server {
    /// Waits until so many statements with this in them run on the server.
    #[track_caller]
    fn until_running(&mut self, what: &str, count: usize) -> &mut Self {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' \
                   AND pid <> pg_backend_pid() AND position($1 in query) > 0";
        let seen = format!(r#"[{{"count":{count}}}]"#);
        self.until("post.query", bound("watch", sql, json!([what])), &seen)
    }

    fn cancel(&mut self, id: i64) -> &mut Self {
        self.notify("notifications/cancelled", json!({"requestId": id}))
    }
}

fn connections(cluster: &Cluster, database: &str) -> String {
    let url = cluster.url("sslmode=require");
    let main = url.replace("/postgres?", &format!("/{database}?"));
    format!(
        "[postgres.main]\nurl = '{main}'\n[postgres.watch]\nurl = '{url}&application_name=watch'\n"
    )
}

/// One server for all, as each takes seconds to start.
#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn a_server_is_asked_by_name() {
    let cluster = Cluster::start();
    let mut server = Server::start();
    server
        .folder("post", "postgres = ['main', 'watch', 'late']", &tools("postgres"))
        .project(&connections(&cluster, "postgres"));
    it_answers(&mut server);
    what_is_slow_delays_nobody(&mut server);
    a_call_that_is_taken_back_ends_its_statement(&mut server);
    a_call_that_runs_out_of_time_ends_its_statement(&mut server);
    a_changed_connection_is_used_at_once(&mut server, &cluster);
    no_word_of_a_password(&mut server, &cluster);
}

fn it_answers(server: &mut Server) {
    let insert = "INSERT INTO t VALUES ($1, $2)";
    let every = "SELECT id, v, now() > '2020-01-01' AS late, NULL::int8[] AS none FROM t";
    server
        .call("execute", ask("main", "CREATE TABLE t (id int8, v numeric)"))
        .text("0")
        .call("execute", bound("main", insert, json!([BIG, "1.50"])))
        .text("1")
        .call("query", ask("main", every))
        .text(&format!(r#"[{{"id":{BIG},"v":"1.50","late":true,"none":null}}]"#))
        .call("transaction", json!({"db": "main", "statements": [[insert, [2, null]], "DELETE FROM t WHERE id = 2"]}))
        .text("[1,1]")
        .call("transaction", json!({"db": "main", "statements": [[insert, [3, null]], "DELETE FROM u"]}))
        .fails("main: statement 2: relation \"u\" does not exist")
        .call("query", ask("main", "SELECT count(*) FROM t"))
        .text(r#"[{"count":1}]"#)
        .call("list_tables", json!({"db": "main"}))
        .text(r#"[{"tablename":"t"}]"#)
        .call("describe_table", json!({"db": "main", "table": "t"}))
        .text(r#"[{"column_name":"id","data_type":"bigint","is_nullable":"YES","column_default":null,"character_maximum_length":null},{"column_name":"v","data_type":"numeric","is_nullable":"YES","column_default":null,"character_maximum_length":null}]"#)
        .call("query", ask("main", "DELETE FROM t"))
        .fails("main: DELETE is no query")
        .call("query", ask("main", "WITH gone AS (DELETE FROM t RETURNING id) SELECT * FROM gone"))
        .fails("a query changes nothing: use postgres.execute");
}

fn what_is_slow_delays_nobody(server: &mut Server) {
    server.module("lite", &lite(Path::new("/nowhere"))).until(
        "lite.execute",
        ask("slow.db", "CREATE TABLE IF NOT EXISTS t (v)"),
        "0",
    );
    let sleep = "SELECT pg_sleep(600)";
    let slow: Vec<i64> = (0..4)
        .flat_map(|_| {
            [
                server.send_call("post.query", ask("main", sleep)),
                server.send_call("lite.query", ask("slow.db", ENDLESS)),
            ]
        })
        .collect();
    server
        .until_running("pg_sleep(600)", 4)
        .call("post.query", ask("main", "SELECT 1 AS v"))
        .text(r#"[{"v":1}]"#)
        .call("lite.query", ask("slow.db", "SELECT 1 AS v"))
        .text(r#"[{"v":1}]"#)
        .call("lite.execute", ask("other.db", "CREATE TABLE t (v)"))
        .text("0");
    for id in slow {
        let early = server.wire().answered(&id.to_string());
        assert_eq!(early, None, "it did not wait");
        server.cancel(id);
    }
    server.until_running("pg_sleep(600)", 0);
}

fn a_call_that_is_taken_back_ends_its_statement(server: &mut Server) {
    let statements = json!(["INSERT INTO t VALUES (7)", "SELECT pg_sleep(600)"]);
    let args = json!({"db": "main", "statements": statements});
    let id = server.send_call("post.transaction", args);
    server.until_running("pg_sleep(600)", 1).cancel(id);
    server
        .until_running("pg_sleep(600)", 0)
        // Its locks are gone with it, and what it did.
        .call("post.execute", ask("main", "LOCK TABLE t"))
        .fails("LOCK TABLE can only be used in transaction blocks")
        .call("post.transaction", json!({"db": "main", "statements": ["LOCK TABLE t NOWAIT"]}))
        .text("[0]")
        .call("post.query", ask("main", "SELECT count(*) FROM t WHERE id = 7"))
        .text(r#"[{"count":0}]"#);
}

fn a_call_that_runs_out_of_time_ends_its_statement(server: &mut Server) {
    server
        .call("post.hasty", ask("main", "SELECT pg_sleep(601)"))
        .fails(OVER)
        .until_running("pg_sleep(601)", 0);
}

fn a_changed_connection_is_used_at_once(server: &mut Server, cluster: &Cluster) {
    let which = ask("main", "SELECT current_database() AS v");
    let late = ask("late", "SELECT 1 AS v");
    server
        .call("post.query", which.clone())
        .text(r#"[{"v":"postgres"}]"#)
        .call("post.query", late.clone())
        .fails("there is no connection `late`; add [postgres.late]");
    let pid = server.wire().pid();
    let more = format!("[postgres.late]\nurl = \"{}\"\n", cluster.socket());
    server
        .project(&(connections(cluster, "template1") + &more))
        .until("post.query", which, r#"[{"v":"template1"}]"#)
        .call("post.query", late)
        .text(r#"[{"v":1}]"#);
    assert_eq!(server.wire().pid(), pid);
}

fn no_word_of_a_password(server: &mut Server, cluster: &Cluster) {
    let wrong = connections(cluster, "postgres").replace(PASSWORD_IN_URL, "hunter2");
    let why = format!(
        "main: no connection to localhost:{}: password authentication failed for user \"tester\"",
        cluster.port
    );
    server.project(&wrong);
    server.until("post.query", ask("main", "SELECT 1"), &why);
    let said = server.call("post.query", ask("main", "SELECT 1")).message;
    let said = said.to_string();
    let all = said + &server.wire().stderr();
    for password in ["hunter2", PASSWORD, PASSWORD_IN_URL] {
        assert!(!all.contains(password), "{all}");
    }
}

#[test]
fn a_call_that_is_taken_back_frees_its_file() {
    let mut server = Server::start();
    server
        .module("lite", &lite(Path::new("/nowhere")))
        .call("execute", ask("a.db", "CREATE TABLE t (v)"))
        .text("0");
    let endless = format!("INSERT INTO t {ENDLESS}");
    let statements = json!({"db": "a.db", "statements": ["INSERT INTO t VALUES (1)", endless]});
    let id = server.send_call("transaction", statements);
    let journal = server.room.at("a.db-journal");
    server.wait_until("written", || journal.exists().then_some(()));
    server
        .cancel(id)
        .call("execute", ask("a.db", "INSERT INTO t VALUES (2)"))
        .text("1")
        .call("query", ask("a.db", "SELECT * FROM t"))
        .text(r#"[{"v":2}]"#);
    assert!(!journal.exists());
}

#[test]
fn the_sqlite_module_keeps_columns_of_equal_names() {
    let room = Room::without("modules");
    let file = room.path().join("shop.db").display().to_string();
    let config = format!("databases = ['{file}']\nallow_write = ['{file}']\n");
    room.project(&format!("[module.sqlite.config]\n{config}"));
    shipped_module_keeps_columns(&room, "sqlite");
}

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn the_postgres_module_keeps_columns_of_equal_names() {
    let cluster = Cluster::start();
    let room = Room::without("modules");
    let url = cluster.url("sslmode=disable");
    room.project(&format!(
        "[module.postgres.config]\nconnections = ['shop']\nallow_write = ['shop']\n\
         [postgres.shop]\nurl = '{url}'\n"
    ));
    shipped_module_keeps_columns(&room, "postgres");
}

fn shipped_module_keeps_columns(room: &Room, module: &str) {
    room.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../modules"));
    let call = |tool: &str, sql: &str| {
        let (tool, sql) = (format!("{module}.{tool}"), format!("sql={sql}"));
        let called = room.run(&["call", &tool, &sql, "--format", "json"]);
        called.exits(0).json()["structuredContent"].take()
    };
    // A file that is not there is made by the first change.
    call("execute", "CREATE TABLE t (id int)");
    let sql = "SELECT * FROM (SELECT 1 AS id) a, (SELECT 2 AS id, 'x' AS name) b";
    let result = call("query", sql);
    assert_eq!(result["columns"], json!(["id", "id_2", "name"]));
    let row = json!({"id": 1, "id_2": 2, "name": "x"});
    assert_eq!(result["results"], json!([row]));
}
