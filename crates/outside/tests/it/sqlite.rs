//! `SQLite` files: what is done, what is refused, and when it ends.

use crate::asking::{Asked, EQUAL_NAMES, IN_TIME, PATIENCE, leash, query, statement};
use model::{Source, SqlRequest};
use outside::Outside;
use serde_json::json;
use std::fs;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Barrier;
use std::time::Duration;
use tempfile::TempDir;

/// Never ends by itself.
const ENDLESS: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

/// An empty database in a folder of its own.
pub(crate) struct File {
    folder: TempDir,
    asked: Asked,
}

impl Deref for File {
    type Target = Asked;

    fn deref(&self) -> &Asked {
        &self.asked
    }
}

impl File {
    pub(crate) fn new() -> Self {
        let file = Self::absent("a.db");
        assert_eq!(file.execute("VACUUM", json!([])), Ok(0));
        file
    }

    fn absent(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(folder.path()).unwrap().join(name);
        let source = |writable| Source::Sqlite { path: path.clone(), writable };
        Self {
            asked: Asked {
                world: Outside::default(),
                reading: source(false),
                writing: source(true),
            },
            folder,
        }
    }

    fn with_table() -> Self {
        let file = Self::new();
        let create = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)";
        assert_eq!(file.execute(create, json!([])), Ok(0));
        let insert = "INSERT INTO t (name) VALUES ('a'), ('b')";
        assert_eq!(file.execute(insert, json!([])), Ok(2));
        file
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn names(&self) -> serde_json::Value {
        self.value("SELECT group_concat(name) FROM t", json!([]))
    }
}

#[test]
fn a_file_is_made_by_the_first_change() {
    let file = File::absent("new.db");
    let missing = file.query("SELECT 1", json!([]));
    assert_eq!(missing, Err("there is no such file".into()));
    assert!(!file.path("new.db").exists());
    assert_eq!(file.execute("CREATE TABLE t (a)", json!([])), Ok(0));
    assert_eq!(file.query("SELECT * FROM t", json!([])), Ok(json!([])));
}

#[test]
fn rows_are_counted_as_they_change() {
    let file = File::with_table();
    for (sql, params, changed) in [
        ("INSERT INTO t (name) VALUES (?)", json!(["c"]), 1),
        ("UPDATE t SET name = upper(name)", json!([]), 3),
        ("UPDATE t SET name = 'x' WHERE id = 99", json!([]), 0),
        ("DELETE FROM t WHERE id < ?", json!([3]), 2),
        ("INSERT INTO t (name) VALUES ('d') RETURNING id", json!([]), 1),
        ("CREATE INDEX i ON t (name)", json!([]), 0),
        ("SELECT * FROM t", json!([]), 0),
        ("VACUUM", json!([]), 0),
        ("PRAGMA user_version = 7", json!([]), 0),
    ] {
        assert_eq!(file.execute(sql, params), Ok(changed), "{sql}");
    }
    assert_eq!(file.value("PRAGMA user_version", json!([])), json!(7));
}

#[test]
fn a_transaction_is_all_or_none() {
    let file = File::with_table();
    let insert = "INSERT INTO t (id, name) VALUES (?, ?)";
    let done = file.all(&[
        (insert, json!([10, "x"])),
        ("CREATE TABLE u (a)", json!([])),
        ("DELETE FROM t WHERE id < 10", json!([])),
    ]);
    assert_eq!(done, Ok(vec![1, 0, 2]));
    let failed = file.all(&[(insert, json!([11, "y"])), (insert, json!([10, "again"]))]);
    let why = "statement 2: UNIQUE constraint failed: t.id";
    assert_eq!(failed, Err(why.into()));
    for end in ["COMMIT", "/* */ end", "ROLLBACK"] {
        let ended = file.all(&[(insert, json!([12, "z"])), (end, json!([]))]);
        let why = "statement 2: a transaction cannot be ended here: \
                   sqlite.transaction([...]) runs statements all or none";
        assert_eq!(ended, Err(why.into()), "{end}");
    }
    assert_eq!(file.names(), json!("x"));
    let open = file.execute("BEGIN", json!([]));
    let why = "a transaction that one statement opens is lost: \
               sqlite.transaction([...]) runs statements all or none";
    assert_eq!(open, Err(why.into()));
}

#[test]
fn a_query_changes_nothing() {
    let file = File::with_table();
    let other = file.path("other.db");
    let into = format!("VACUUM INTO '{}'", other.display());
    for sql in [
        "INSERT INTO t (name) VALUES ('c')",
        "UPDATE t SET name = 'c' RETURNING id",
        "DELETE FROM t",
        "DROP TABLE t",
        "CREATE TABLE u (a)",
        "PRAGMA user_version = 1",
        "PRAGMA journal_mode = wal",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT 5, 'c' FROM x",
        "VACUUM",
        &into,
    ] {
        let refused = file.query(sql, json!([]));
        let why = "a query changes nothing: use sqlite.execute for this statement";
        assert_eq!(refused, Err(why.into()), "{sql}");
    }
    assert_eq!(file.names(), json!("a,b"));
    assert!(!other.exists());
}

#[test]
fn no_statement_reaches_another_file() {
    let file = File::with_table();
    let other = file.path("other.db");
    let other_path = other.display();
    let one_file = "a statement can use the file it is given, and no other";
    for (sql, params, expected) in [
        (format!("ATTACH '{other_path}' AS o"), json!([]), one_file),
        ("ATTACH ? AS o".into(), json!([other.to_str()]), one_file),
        (format!("VACUUM INTO '{other_path}'"), json!([]), one_file),
        ("VACUUM INTO ?".into(), json!([other.to_str()]), one_file),
        ("PRAGMA database_list".into(), json!([]), "PRAGMA database_list cannot be used here"),
        (
            "SELECT * FROM pragma_database_list".into(),
            json!([]),
            "PRAGMA database_list cannot be used here",
        ),
        (
            "PRAGMA temp_store_directory = '/'".into(),
            json!([]),
            "PRAGMA temp_store_directory cannot be used here",
        ),
        (
            "PRAGMA hard_heap_limit = 1".into(),
            json!([]),
            "PRAGMA hard_heap_limit cannot be used here",
        ),
        (
            "PRAGMA main.Busy_Timeout = 1000000".into(),
            json!([]),
            "PRAGMA Busy_Timeout cannot be used here",
        ),
        ("SELECT load_extension('x')".into(), json!([]), "extensions cannot be loaded"),
    ] {
        let refused = file.execute(&sql, params.clone()).map(drop);
        assert_eq!(refused, Err(expected.into()), "{sql}");
        assert!(file.query(&sql, params).is_err(), "{sql}");
        let within = file.all(&[(sql.as_str(), json!([]))]);
        assert!(within.is_err(), "{sql}");
    }
    assert!(!other.exists());
    let link = file.path("link.db");
    std::os::unix::fs::symlink(file.path("a.db"), &link).unwrap();
    let linked = Source::Sqlite { path: link, writable: false };
    let asked = Asked { world: Outside::default(), writing: linked.clone(), reading: linked };
    let swapped = asked.query("SELECT 1", json!([]));
    assert_eq!(swapped, Err("it cannot be opened".into()));
}

#[test]
fn tables_and_columns_are_found_by_any_name() {
    let file = File::with_table();
    let odd = r#"a"b'c]; DROP TABLE t; --"#;
    let create = r#"CREATE TABLE "a""b'c]; DROP TABLE t; --" (x REAL NOT NULL DEFAULT 1.5)"#;
    assert_eq!(file.execute(create, json!([])), Ok(0));
    let tables = file.rows(&SqlRequest::Tables { schema: None });
    assert_eq!(tables, Ok(json!([{"name": odd}, {"name": "t"}])));
    let describe =
        |table: &str| file.rows(&SqlRequest::Describe { table: table.to_owned(), schema: None });
    let column = json!({"cid": 0, "name": "x", "type": "REAL", "notnull": 1,
        "dflt_value": "1.5", "pk": 0});
    assert_eq!(describe(odd), Ok(json!([column])));
    assert_eq!(describe("t").unwrap().as_array().unwrap().len(), 2);
    for table in ["t); DROP TABLE t; --", "t'", "", "\"t\"", "nobody"] {
        assert_eq!(describe(table), Ok(json!([])), "{table}");
    }
    assert_eq!(file.names(), json!("a,b"));
}

#[test]
fn columns_of_equal_names_keep_all_values() {
    let file = File::new();
    for (sql, names) in EQUAL_NAMES {
        let (columns, rows) = file.first(sql, 9);
        assert_eq!(columns, *names, "{sql}");
        assert_eq!(rows[0][..2], [json!(1), json!(2)], "{sql}");
        assert_eq!(rows[0].len(), names.len(), "{sql}");
    }
    let row = file.query("SELECT 1 AS id, 2 AS id, NULL, NULL", json!([]));
    let named = json!([{"id": 1, "id_2": 2, "NULL": null, "NULL_2": null}]);
    assert_eq!(row, Ok(named));
}

#[test]
fn max_rows_ends_a_query_early() {
    let file = File::new();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let (_, rows) = file.first(endless, 2);
    assert_eq!(rows, [[json!(1)], [json!(2)]]);
}

#[test]
fn an_answer_has_bounds() {
    let file = File::new();
    let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?) \
                 SELECT i FROM n";
    let most = file.query(count, json!([10_000])).unwrap();
    assert_eq!(most[9_999], json!({"i": 10_000}));
    let rows = "the answer has more than 10000 rows (limit `sql_rows`): add a LIMIT, and read it in \
                parts";
    assert_eq!(file.query(count, json!([10_001])), Err(rows.into()));
    let bytes = "the answer is larger than 8 MiB (limit `sql_bytes`): add a LIMIT, or select fewer \
                 columns";
    let blob = "SELECT zeroblob(?) AS b";
    assert_eq!(file.query(blob, json!([7 << 20])), Err(bytes.into()));
    assert!(file.query(blob, json!([5 << 20])).is_ok());
    let value = file.query("SELECT length(zeroblob(?))", json!([100 << 20]));
    assert_eq!(value, Err("a value is larger than 16 MiB".into()));
}

#[test]
fn what_is_wrong_is_said_without_a_path() {
    let file = File::with_table();
    for (sql, expected) in [
        ("SELEC 1", "near \"SELEC\": syntax error"),
        ("SELECT * FROM nobody", "no such table: nobody"),
        ("SELECT 1; SELECT 2", "one statement at a time: sqlite.transaction([...]) takes several"),
    ] {
        assert_eq!(file.query(sql, json!([])), Err(expected.into()), "{sql}");
    }
    fs::write(file.path("text.db"), "no database at all, but long enough").unwrap();
    fs::create_dir(file.path("folder")).unwrap();
    for (name, reading, writing) in [
        ("text.db", "it is not an SQLite database", "it is not an SQLite database"),
        ("folder", "this is a folder", "this is a folder"),
        ("none/a.db", "there is no such file", "there is no folder to put it in"),
    ] {
        let other = File::absent("unused");
        let source = |writable| Source::Sqlite {
            path: fs::canonicalize(file.folder.path()).unwrap().join(name),
            writable,
        };
        let asked =
            Asked { world: other.asked.world, reading: source(false), writing: source(true) };
        let read = asked.query("SELECT * FROM t", json!([]));
        assert_eq!(read, Err(reading.into()), "{name}");
        let written = asked.execute("CREATE TABLE x (a)", json!([]));
        assert_eq!(written, Err(writing.into()), "{name}");
    }
}

#[test]
fn a_query_ends_with_its_time() {
    let file = File::new();
    let endless = query(ENDLESS, json!([]));
    let ended = file.ask(&endless, &leash(Duration::from_millis(50)));
    assert_eq!(ended, Err(IN_TIME.into()));
    let late = file.ask(&endless, &leash(Duration::ZERO));
    assert_eq!(late, Err(IN_TIME.into()));
}

#[test]
fn a_query_ends_when_it_is_cancelled() {
    let file = File::new();
    let endless = query(ENDLESS, json!([]));
    let (held, both) = (leash(PATIENCE), Barrier::new(2));
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            both.wait();
            file.ask(&endless, &held)
        });
        both.wait();
        held.cancel.cancel();
        let ended = asking.join().unwrap();
        assert_eq!(ended, Err("the call was cancelled".into()));
    });
    assert!(!held.left().is_zero(), "it was not the cancelling that ended it");
}

#[test]
fn a_locked_file_is_waited_for_as_long_as_the_call_does() {
    let file = File::with_table();
    let holder = rusqlite::Connection::open(file.path("a.db")).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let insert = SqlRequest::Execute(statement("INSERT INTO t (name) VALUES ('c')", json!([])));
    let ended = file.ask(&insert, &leash(Duration::from_millis(50)));
    assert_eq!(ended, Err(IN_TIME.into()));
    let cancelled = leash(PATIENCE);
    cancelled.cancel.cancel();
    let ended = file.ask(&insert, &cancelled);
    assert_eq!(ended, Err("the call was cancelled".into()));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| file.ask(&insert, &leash(PATIENCE)).unwrap().changed);
        holder.execute_batch("ROLLBACK").unwrap();
        assert_eq!(waiting.join().unwrap(), [1]);
    });
}

#[test]
fn twenty_write_and_read_at_once() {
    let file = File::with_table();
    std::thread::scope(|scope| {
        for i in 0..20 {
            let file = &file;
            scope.spawn(move || {
                let insert = "INSERT INTO t (name) VALUES (?)";
                let done = file.all(&[(insert, json!([i])), (insert, json!([i]))]);
                assert_eq!(done, Ok(vec![1, 1]));
                let found =
                    file.value("SELECT count(*) FROM t WHERE name = ?", json!([i.to_string()]));
                assert_eq!(found, json!(2));
            });
        }
    });
    assert_eq!(file.value("SELECT count(*) FROM t", json!([])), json!(42));
}

#[test]
fn a_statement_may_end_in_many_ways() {
    let file = File::with_table();
    for sql in ["SELECT 1;", "SELECT 1;; ", "SELECT 1 -- one;", "/* a */ SELECT 1 ; -- b"] {
        assert_eq!(file.value(sql, json!([])), json!(1), "{sql}");
    }
    for sql in ["", "  ", ";", "-- nothing"] {
        let said = file.query(sql, json!([]));
        assert_eq!(said, Err("there is no statement".into()), "{sql}");
        let said = file.execute(sql, json!([]));
        assert_eq!(said, Err("there is no statement".into()), "{sql}");
    }
    for sql in
        ["SELECT 1; DELETE FROM t", "SELECT 1;-- a\n;DELETE FROM t", "SELECT 1\0; DELETE FROM t"]
    {
        assert!(file.query(sql, json!([])).is_err(), "{sql}");
        assert!(file.execute(sql, json!([])).is_err(), "{sql}");
    }
    assert_eq!(file.names(), json!("a,b"));
}

/// Whoever may read a database may see its tables, and change neither them nor its settings.
#[test]
fn a_file_that_is_read_stays_as_it_is() {
    let file = File::with_table();
    let read = || fs::read(file.path("a.db")).unwrap();
    let before = read();
    for sql in [
        "CREATE TEMP TABLE u (a)",
        "CREATE TEMP TABLE u AS SELECT * FROM t",
        "PRAGMA writable_schema = on",
        "PRAGMA user_version(3)",
        "PRAGMA application_id = 3",
        "PRAGMA journal_mode = delete",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA incremental_vacuum(1)",
        "PRAGMA optimize",
        "SELECT * FROM pragma_journal_mode('wal')",
        "ANALYZE",
        "REINDEX",
        "UPDATE sqlite_schema SET sql = ''",
        "SAVEPOINT s",
        "BEGIN EXCLUSIVE",
        "DETACH main",
        "EXPLAIN DELETE FROM t",
    ] {
        let _ = file.query(sql, json!([]));
        assert_eq!(read(), before, "{sql}");
    }
    let beside = fs::read_dir(file.folder.path()).unwrap().count();
    assert_eq!(beside, 1, "something was left beside it");
}

/// A writer that logs ahead is read too, and what it has not moved into the file yet.
#[test]
fn a_file_with_a_log_beside_it_is_read() {
    let file = File::with_table();
    let writer = rusqlite::Connection::open(file.path("a.db")).unwrap();
    writer.execute_batch("PRAGMA journal_mode = wal; INSERT INTO t (name) VALUES ('c');").unwrap();
    assert_eq!(file.names(), json!("a,b,c"));
    writer.execute_batch("BEGIN IMMEDIATE; INSERT INTO t (name) VALUES ('d');").unwrap();
    assert_eq!(file.names(), json!("a,b,c"));
    drop(writer);
    assert_eq!(file.names(), json!("a,b,c"));
}

/// A writer died half way, and only another writer can undo what it did.
#[test]
fn a_file_that_needs_mending_is_mended_by_the_next_change() {
    let file = File::with_table();
    let writer = rusqlite::Connection::open(file.path("a.db")).unwrap();
    writer.execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN;").unwrap();
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) \
                INSERT INTO t (name) SELECT hex(zeroblob(100)) FROM n";
    writer.execute_batch(many).unwrap();
    let (half, journal) =
        (fs::read(file.path("a.db")).unwrap(), fs::read(file.path("a.db-journal")).unwrap());
    drop(writer);
    fs::write(file.path("a.db"), half).unwrap();
    fs::write(file.path("a.db-journal"), journal).unwrap();
    let said = file.query("SELECT count(*) FROM t", json!([]));
    let why = "somebody stopped in the middle of a change: the next one that may write undoes it";
    assert_eq!(said, Err(why.into()));
    assert_eq!(file.execute("DELETE FROM t WHERE name = 'a'", json!([])), Ok(1));
    assert_eq!(file.names(), json!("b"));
}

#[test]
fn only_a_file_is_opened() {
    let file = File::new();
    let pipe = file.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe, "/dev/zero".into()] {
        for writable in [false, true] {
            let source = Source::Sqlite { path: path.clone(), writable };
            let asked =
                Asked { world: Outside::default(), reading: source.clone(), writing: source };
            let why = Err("this is not a file".into());
            assert_eq!(asked.query("SELECT 1", json!([])), why);
        }
    }
}
