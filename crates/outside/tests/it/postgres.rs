//! `PostgreSQL` servers: what is done, what is refused, and when it ends.

use crate::asking::{Asked, EQUAL_NAMES, IN_TIME, PATIENCE, leash, query, statement};
use cluster::Cluster;
use model::{Source, SqlRequest};
use outside::Outside;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(crate) fn asked(url: &str) -> Asked {
    let source = Source::Postgres { url: url.into() };
    Asked { world: Outside::default(), reading: source.clone(), writing: source }
}

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn requests_are_answered_or_refused() {
    let cluster = Cluster::start();
    let server = asked(&cluster.url("sslmode=disable"));
    changes_are_counted(&server);
    a_transaction_is_all_or_none(&server);
    a_query_changes_nothing(&server);
    tables_and_columns_are_found_by_any_name(&server);
    an_answer_has_bounds(&server);
    columns_of_equal_names_keep_all_values(&server);
    max_rows_ends_a_query_early(&server);
    nothing_is_left_behind_in_a_connection(&server);
    the_servers_own_bound_holds(&cluster);
}

fn names(server: &Asked) -> Value {
    server.value("SELECT string_agg(name, ',' ORDER BY id) FROM t", json!([]))
}

fn changes_are_counted(server: &Asked) {
    for (sql, params, changed) in [
        ("CREATE TABLE t (id int PRIMARY KEY, name varchar(20) DEFAULT 'x')", json!([]), 0),
        ("INSERT INTO t VALUES ($1, $2), (2, 'b')", json!([1, "a"]), 2),
        ("INSERT INTO t VALUES (3, NULL) RETURNING id", json!([]), 1),
        ("UPDATE t SET name = 'c' WHERE id = $1", json!([99]), 0),
        ("DELETE FROM t WHERE name IS NULL", json!([]), 1),
        ("VACUUM t", json!([]), 0),
    ] {
        assert_eq!(server.execute(sql, params), Ok(changed), "{sql}");
    }
    for (sql, expected) in [
        ("SELEC 1", "syntax error at or near \"SELEC\""),
        ("DELETE FROM nobody", "relation \"nobody\" does not exist"),
        ("SELECT 1; SELECT 2", "cannot insert multiple commands into a prepared statement"),
        (
            "INSERT INTO t VALUES (1, 'again')",
            "duplicate key value violates unique constraint \"t_pkey\": Key (id)=(1) already exists",
        ),
        (
            "-- at last\n; commit",
            "COMMIT cannot be used here: postgres.transaction([...]) runs statements all or none",
        ),
        (
            "PREPARE TRANSACTION 'half'",
            "PREPARE cannot be used here: a connection keeps nothing for the next statement",
        ),
    ] {
        assert_eq!(server.execute(sql, json!([])), Err(expected.into()), "{sql}");
    }
}

fn a_transaction_is_all_or_none(server: &Asked) {
    let insert = "INSERT INTO t VALUES ($1, $2)";
    let done =
        server.all(&[(insert, json!([10, "x"])), ("DELETE FROM t WHERE id = 10", json!([]))]);
    assert_eq!(done, Ok(vec![1, 1]));
    for (second, params, why) in [
        (insert, json!([1, "again"]), "statement 2: duplicate key"),
        (insert, json!([true, "x"]), "statement 2: parameter 1: a bool"),
        ("COMMIT", json!([]), "statement 2: COMMIT cannot be used here"),
        ("/* /**/ */ end", json!([]), "statement 2: END cannot be used here"),
    ] {
        let failed = server.all(&[(insert, json!([11, "y"])), (second, params)]);
        let said = failed.unwrap_err();
        assert!(said.starts_with(why), "{said}");
    }
    assert_eq!(names(server), json!("a,b"));
}

fn a_query_changes_nothing(server: &Asked) {
    let function = "CREATE FUNCTION sneak() RETURNS int LANGUAGE sql AS \
                    'INSERT INTO t VALUES (50, ''sneaked'') RETURNING id'";
    assert_eq!(server.execute(function, json!([])), Ok(0));
    for sql in [
        "INSERT INTO t VALUES (20, 'x')",
        "UPDATE t SET name = 'x' RETURNING id",
        "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
        "SELECT sneak()",
        "DO $$ BEGIN SET TRANSACTION READ WRITE; INSERT INTO t VALUES (21, 'x'); END $$",
        "SET TRANSACTION READ WRITE",
        "SELECT set_config('transaction_read_only', 'off', false), sneak()",
        "CREATE TABLE u (a int)",
        "COPY t FROM STDIN",
        "COMMIT AND CHAIN",
        "BEGIN READ WRITE",
        "SELECT 1; DELETE FROM t",
    ] {
        let _ = server.query(sql, json!([]));
        assert_eq!(names(server), json!("a,b"), "{sql}");
    }
    let said = server.query("DELETE FROM t", json!([]));
    let why = |first: &str| {
        format!(
            "{first} is no query, as SELECT, WITH, VALUES, TABLE, SHOW and EXPLAIN are; \
             postgres.execute runs other statements"
        )
    };
    assert_eq!(said, Err(why("DELETE")));
    // A transaction that only reads lets these through.
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("mark");
    for sql in [
        format!("COPY (SELECT 1) TO PROGRAM 'touch {}'", mark.display()),
        format!("-- harmless\n/* SELECT */ copy t TO '{}'", mark.display()),
    ] {
        assert_eq!(server.query(&sql, json!([])), Err(why("COPY")), "{sql}");
        assert!(!mark.exists(), "{sql}");
    }
    assert_eq!(server.value("(SELECT 1)", json!([])), json!(1));
    let said =
        server.query("WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone", json!([]));
    let why = "cannot execute DELETE in a read-only transaction \
               (a query changes nothing: use postgres.execute)";
    let why_with = why.replace("DELETE", "SELECT");
    assert!(said == Err(why.into()) || said == Err(why_with), "{said:?}");
}

fn tables_and_columns_are_found_by_any_name(server: &Asked) {
    let odd = r#"a"b'c; DROP TABLE t; --"#;
    let create = r#"CREATE TABLE "a""b'c; DROP TABLE t; --" (x int)"#;
    assert_eq!(server.execute(create, json!([])), Ok(0));
    let tables = |schema: Option<&str>| {
        server.rows(&SqlRequest::Tables { schema: schema.map(str::to_owned) })
    };
    let expected = json!([{"tablename": odd}, {"tablename": "t"}]);
    assert_eq!(tables(None), Ok(expected.clone()));
    assert_eq!(tables(Some("public")), Ok(expected));
    assert_eq!(tables(Some("'; DROP TABLE t; --")), Ok(json!([])));
    let describe =
        |table: &str| server.rows(&SqlRequest::Describe { table: table.to_owned(), schema: None });
    let columns = json!([
        {"column_name": "id", "data_type": "integer", "is_nullable": "NO",
         "column_default": null, "character_maximum_length": null},
        {"column_name": "name", "data_type": "character varying", "is_nullable": "YES",
         "column_default": "'x'::character varying", "character_maximum_length": 20},
    ]);
    assert_eq!(describe("t"), Ok(columns));
    assert_eq!(describe(odd).unwrap()[0]["column_name"], "x");
    assert_eq!(describe("t'; DROP TABLE t; --"), Ok(json!([])));
    assert_eq!(names(server), json!("a,b"));
}

fn an_answer_has_bounds(server: &Asked) {
    let count = "SELECT generate_series(1, $1::int) AS i";
    let most = server.query(count, json!([10_000])).unwrap();
    assert_eq!(most[9_999], json!({"i": 10_000}));
    let rows = "the answer has more than 10000 rows (limit `sql_rows`): add a LIMIT, and read it in \
                parts";
    assert_eq!(server.query(count, json!([2_000_000_000])), Err(rows.into()));
    let bytes = "the answer is larger than 8 MiB (limit `sql_bytes`): add a LIMIT, or select fewer \
                 columns";
    let long = "SELECT repeat('x', $1::int) FROM generate_series(1, 100)";
    assert_eq!(server.query(long, json!([1 << 20])), Err(bytes.into()));
    gone(server, "AS i");
}

fn columns_of_equal_names_keep_all_values(server: &Asked) {
    for (sql, names) in EQUAL_NAMES {
        let (columns, rows) = server.first(sql, 9);
        assert_eq!(columns, *names, "{sql}");
        assert_eq!(rows[0][..2], [json!(1), json!(2)], "{sql}");
        assert_eq!(rows[0].len(), names.len(), "{sql}");
    }
    // `xid8` has no form in JSON, so the statement is asked in another one.
    let row = server.query("SELECT NULL, 2, '1'::xid8 AS a, '2'::xid8 AS a", json!([]));
    let named = json!([{"?column?": null, "?column?_2": 2, "a": "1", "a_2": "2"}]);
    assert_eq!(row, Ok(named));
}

fn max_rows_ends_a_query_early(server: &Asked) {
    let (_, rows) = server.first("SELECT generate_series(1, 2000000000) AS s", 2);
    assert_eq!(rows, [[json!(1)], [json!(2)]]);
    gone(server, "AS s");
    assert_eq!(names(server), json!("a,b"));
}

/// Whatever one request sets, the next one does not find.
fn nothing_is_left_behind_in_a_connection(server: &Asked) {
    for sql in [
        "SET search_path = nowhere",
        "SET statement_timeout = 1",
        "CREATE TEMP TABLE t (secret text)",
        "SELECT pg_advisory_lock(7)",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        "SET ROLE pg_monitor",
        "SET SESSION AUTHORIZATION pg_monitor",
        "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
        "LISTEN something",
    ] {
        server.execute(sql, json!([])).unwrap();
        assert_eq!(names(server), json!("a,b"), "{sql}");
        let write = server.execute("UPDATE t SET name = name", json!([]));
        assert_eq!(write, Ok(2), "{sql}");
    }
    for sql in [
        "SELECT set_config('search_path', 'nowhere', false)",
        "SELECT set_config('statement_timeout', '1', false)",
        "SELECT set_config('role', 'pg_monitor', false)",
        "SET SESSION AUTHORIZATION pg_monitor",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        "SELECT pg_advisory_lock(8)",
        "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
    ] {
        let is_query = sql.starts_with("SELECT");
        assert_eq!(server.query(sql, json!([])).is_ok(), is_query, "{sql}");
        assert_eq!(names(server), json!("a,b"), "{sql}");
        let write = server.execute("UPDATE t SET name = name", json!([]));
        assert_eq!(write, Ok(2), "{sql}");
        let cursor = server.query("FETCH c", json!([]));
        assert_eq!(cursor, Err("cursor \"c\" does not exist".into()), "{sql}");
    }
    let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
    assert_eq!(server.value(locks, json!([])), json!(0));
}

/// A role's own timeout is shorter than the call's, and is not stretched.
fn the_servers_own_bound_holds(cluster: &Cluster) {
    let role = |change: &str| {
        let server = asked(&cluster.url("sslmode=disable"));
        let alter = format!("ALTER ROLE tester {change}");
        assert_eq!(server.execute(&alter, json!([])), Ok(0));
    };
    role("SET statement_timeout = '1500ms'");
    let server = asked(&cluster.url("sslmode=disable"));
    let time = "SELECT current_setting('statement_timeout')";
    assert_eq!(server.value(time, json!([])), json!("1500ms"));
    role("RESET statement_timeout");
}

/// Waits until the server does nothing that looks like this.
#[track_caller]
fn gone(server: &Asked, what: &str) {
    until(server, what, 0);
}

#[track_caller]
fn until(server: &Asked, what: &str, count: u64) {
    let running = "SELECT count(*) FROM pg_stat_activity \
                   WHERE state = 'active' AND pid <> pg_backend_pid() AND position($1 in query) > 0";
    let end = Instant::now() + PATIENCE;
    while server.value(running, json!([what])) != json!(count) {
        assert!(Instant::now() < end, "{what} is not seen {count} times");
    }
}

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn work_ends_on_the_server_too() {
    let cluster = Cluster::start();
    let server = asked(&cluster.url("sslmode=require"));
    let sleep = query("SELECT pg_sleep(600)", json!([]));
    let busy = SqlRequest::Execute(statement("DO 'BEGIN PERFORM pg_sleep(600); END'", json!([])));
    let waiting = SqlRequest::Transaction(vec![statement("SELECT pg_sleep(600)", json!([]))]);
    for request in [&sleep, &busy, &waiting] {
        let ended = server.ask(request, &leash(Duration::from_millis(300)));
        assert_eq!(ended, Err(IN_TIME.into()));
        gone(&server, "pg_sleep(600)");

        let held = leash(PATIENCE);
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| server.ask(request, &held));
            until(&server, "pg_sleep(600)", 1);
            held.cancel.cancel();
            let ended = asking.join().unwrap();
            assert_eq!(ended, Err("the call was cancelled".into()));
        });
        assert!(!held.left().is_zero(), "it was not the cancelling that ended it");
        gone(&server, "pg_sleep(600)");
    }
}

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn twenty_ask_at_once_over_few_connections() {
    let cluster = Cluster::start();
    let server = asked(&cluster.url("sslmode=disable"));
    let create = "CREATE TABLE t (n int)";
    assert_eq!(server.execute(create, json!([])), Ok(0));
    std::thread::scope(|scope| {
        for i in 0..20 {
            let server = &server;
            scope.spawn(move || {
                for _ in 0..5 {
                    let insert = "INSERT INTO t VALUES ($1)";
                    assert_eq!(server.execute(insert, json!([i])), Ok(1));
                }
                let count = "SELECT count(*) FROM t WHERE n = $1";
                assert_eq!(server.value(count, json!([i])), json!(5));
            });
        }
    });
    assert_eq!(server.value("SELECT count(*) FROM t", json!([])), json!(100));
    let open = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'larkspur'";
    let open = server.value(open, json!([])).as_u64().unwrap();
    assert!((1..=8).contains(&open), "{open} connections");
    a_connection_that_died_is_replaced(&server);
}

fn a_connection_that_died_is_replaced(server: &Asked) {
    let end_others = "WITH other AS MATERIALIZED (SELECT pid FROM pg_stat_activity \
                      WHERE application_name = 'larkspur' AND pid <> pg_backend_pid()) \
                      SELECT array_agg(pid) FROM other WHERE pg_terminate_backend(pid)";
    let others = server.value(end_others, json!([]));
    let left = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY($1)";
    let end = Instant::now() + PATIENCE;
    while server.value(left, json!([others])) != json!(0) {
        assert!(Instant::now() < end, "they do not end");
    }
    // Those that are gone lie in the pool still, and nobody is told of one.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(server.value("SELECT 1", json!([])), json!(1)));
        }
    });
    let end_me = server.query("SELECT pg_terminate_backend(pg_backend_pid())", json!([]));
    let why = "terminating connection due to administrator command";
    assert_eq!(end_me, Err(why.into()));
    assert_eq!(server.execute("DELETE FROM t", json!([])), Ok(100));
}
