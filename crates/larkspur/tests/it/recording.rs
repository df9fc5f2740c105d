//! `larkspur test --record` of databases. All else that is recorded is in `cmd/recording.md`.

use crate::room::Room;
use cluster::Cluster;
use std::fs;

const MODULE: &str = "
name = 'shop'
version = '1.0.0'
description = 'A shop'
[permissions]
sqlite_write = ['data/*.db']
postgres = ['main']
";
const MAIN: &str = "
def rows(ctx, n: int = 7) -> list[dict]:
    sqlite.transaction('data/a.db', ['CREATE TABLE t (n INTEGER, b BLOB, f REAL)', ['INSERT INTO t VALUES (?, ?, ?)', [n, None, 1.0]]])
    return sqlite.query('data/a.db', 'SELECT n, b, f FROM t') + sqlite.list_tables('data/a.db')

def prices(ctx) -> list[dict]:
    return postgres.query('main', 'SELECT 9007199254740993::int8 AS n, 1.10::numeric AS price, $1::text AS name', ['ada'])

tool(rows)
tool(prices)
";
const TESTS: &str = "
def test_rows(t):
    testing.eq(t.call('shop.rows').value, [{'n': 7, 'b': None, 'f': 1.0}, {'name': 't'}])

def test_again(t):
    testing.contains(t.call('shop.rows', {'n': 8}).error, 'already exists')

def test_prices(t):
    testing.eq(t.call('shop.prices').value, [{'n': 9007199254740993, 'price': '1.10', 'name': 'ada'}])
";

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn databases_are_recorded() {
    let room = Room::new();
    room.write("shop/module.toml", MODULE)
        .write("shop/main.star", MAIN)
        .write("shop/main_test.star", TESTS)
        .write("shop/data/.keep", "");
    let cluster = Cluster::start();
    room.project(&format!("[postgres.main]\nurl = \"{}\"\n", cluster.url("sslmode=disable")));
    room.run_told(&[("CI", "")], &["test", "--record"]).exits(0).says("(3 recordings written)");
    let kept = fs::read_to_string(room.at("shop/__recordings__/main_test.json")).unwrap();
    assert!(!kept.contains(room.path().to_str().unwrap()));
    drop(cluster);
    fs::remove_file(room.at("shop/data/a.db")).unwrap();
    fs::remove_file(room.path().join("larkspur.toml")).unwrap();
    room.run_told(&[("CI", "true")], &["test", "-j", "4"])
        .exits(0)
        .says("Total: 3 | Passed: 3 | Failed: 0");
    assert!(!room.at("shop/data/a.db").exists());
}
