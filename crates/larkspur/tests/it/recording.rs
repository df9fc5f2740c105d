//! `larkspur test --record`: the world once, and from then on what it answered.

use crate::room::Room;
use crate::transcript::timeless;
use crate::upstream::{Asked, Web, answer};
use cluster::Cluster;
use expect_test::{Expect, expect};
use std::fs;
use std::path::{Path, PathBuf};

const CANARY: &str = "canary/7 \"f3a9\"";
const VARIABLE: &str = "canary-of-the-environment";
const ATTENDED: [(&str, &str); 2] = [("CI", ""), ("SHOP_KEY", VARIABLE)];

const MODULE: &str = "
name = 'shop'
version = '1.0.0'
description = 'A shop'
[permissions]
http = ['SITE']
exec = ['printenv', 'cat', 'bin/tool']
env = ['SHOP_*']
sqlite_write = ['data/*.db']
postgres = ['main']
[secrets]
token = { description = 'of the stock service', hosts = ['SITE'] }
";
const MAIN: &str = "
def stock(ctx, name: str = 'screws') -> dict:
    return http.get('http://SITE/stock', params = {'name': name}, auth = ctx.secret('token'))['json']

def order(ctx, name: str, pieces: int) -> dict:
    sent = {'name': name, 'pieces': pieces, 'key': env.get('SHOP_KEY')}
    return http.post('http://SITE/orders', json = sent)['json']

def echo(ctx) -> str:
    return http.get('http://SITE/echo', params = {'key': env.get('SHOP_KEY')}, auth = ctx.secret('token'))['body']

def child(ctx) -> str:
    return exec.run('printenv', ['SHOP_KEY'])['stdout'] + exec.run('bin/tool', [], stdin = 'x')['stdout']

def rows(ctx, n: int = 7) -> list[dict]:
    sqlite.transaction('data/a.db', ['CREATE TABLE t (n INTEGER, b BLOB, f REAL)', ['INSERT INTO t VALUES (?, ?, ?)', [n, None, 1.0]]])
    return sqlite.query('data/a.db', 'SELECT n, b, f FROM t') + sqlite.list_tables('data/a.db')

def prices(ctx) -> list[dict]:
    return postgres.query('main', 'SELECT 9007199254740993::int8 AS n, 1.10::numeric AS price, $1::text AS name', ['ada'])

def now(ctx) -> int:
    return http.get('http://SITE/at', params = {'t': str(time.now_ms())})['status']

[tool(fn) for fn in [stock, order, echo, child, rows, prices, now]]
";

/// Tells what it was told, in all the forms that servers do.
fn answered(asked: &Asked) -> String {
    let volatile = "date: now\r\nset-cookie: s=canary-of-a-cookie\r\netag: e1\r\nserver: s\r\nx-request-id: r1\r\ncf-ray: c1\r\nx-ratelimit-remaining: 9\r\nx-total-count: 3\r\n";
    let head = |kind: &str| format!("content-type: {kind}\r\n{volatile}");
    let path = asked.path.as_str();
    if path.starts_with("/stock") {
        let body = format!(r#"{{"at":"{path}","access_token":"canary-given-out"}}"#);
        return answer(200, &head("application/json"), &body);
    }
    if path.starts_with("/orders") {
        return answer(201, &head("application/json"), &asked.body);
    }
    let who = asked.header("authorization").unwrap_or_default();
    answer(200, &head("text/plain"), &format!("{path}\n{who}\n"))
}

fn shop(web: &Web, tests: &str) -> Room {
    let room = Room::new();
    let own = |text: &str| text.replace("SITE", &web.site());
    room.write("shop/module.toml", &own(MODULE))
        .write("shop/main.star", &own(MAIN))
        .write("shop/main_test.star", &own(tests))
        .write("shop/data/.keep", "")
        .write("shop/bin/tool", "#!/bin/sh\ncat\n");
    let tool = room.at("shop/bin/tool");
    let mut rights = fs::metadata(&tool).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o755);
    fs::set_permissions(&tool, rights).unwrap();
    room
}

fn web() -> Web {
    Web::answering(|asked| Some(answered(asked)))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

fn kept(room: &Room) -> String {
    fs::read_to_string(room.at("shop/__recordings__/main_test.json")).unwrap()
}

/// What was typed, what was said, and how it ended.
#[track_caller]
fn transcript(room: &Room, web: &Web, args: &[&str], code: i32, expected: &Expect) {
    let ran = room.run_told(&ATTENDED, args);
    ran.exits(code);
    let said: Vec<&str> = ran.stdout.lines().map(timeless).collect();
    let said = said.join("\n") + "\n";
    let said = format!("$ larkspur {}\n{said}[exit {code}]\n", args.join(" "));
    expected.assert_eq(&said.replace(&web.site(), "SITE"));
}

const STOCK: &str = "
def test_stock(t):
    t.secret('token', 'abc')
    testing.eq(t.call('shop.stock').value['at'], '/stock?name=screws')
    testing.eq(t.call('shop.stock', {'name': 'nuts'}).value['at'], '/stock?name=nuts')

def test_alone(t):
    testing.eq(1, 1)
";

#[test]
fn a_test_runs_once_with_the_server_and_then_without() {
    let web = web();
    let room = shop(&web, STOCK);
    transcript(
        &room,
        &web,
        &["test", "--record"],
        0,
        &expect![[r"
            $ larkspur test --record
            shop/main_test.star: 2 tests
              ✓ test_stock
              ✓ test_alone
              (1 recording written)
            Total: 2 | Passed: 2 | Failed: 0
            [exit 0]
        "]],
    );
    assert_eq!(web.asked().len(), 2);
    web.go();
    transcript(
        &room,
        &web,
        &["test"],
        0,
        &expect![[r"
            $ larkspur test
            shop/main_test.star: 2 tests
              ✓ test_stock
              ✓ test_alone
            Total: 2 | Passed: 2 | Failed: 0
            [exit 0]
        "]],
    );
    // The same requests, in any order.
    let turned = STOCK
        .replace("    testing.eq(t.call('shop.stock').value['at'], '/stock?name=screws')\n", "")
        + "\n";
    let turned = turned.replace(
        "'/stock?name=nuts')\n",
        "'/stock?name=nuts')\n    testing.eq(t.call('shop.stock').value['at'], '/stock?name=screws')\n",
    );
    room.write("shop/main_test.star", &turned);
    room.run_told(&[("CI", "true")], &["test"]).exits(0);
}

#[test]
fn the_file_is_for_people_to_read() {
    let web = web();
    let tests = "
def test_order(t):
    t.secret('token', 'abc')
    testing.eq(t.call('shop.order', {'name': 'nuts', 'pieces': 3}).value['pieces'], 3)
    testing.contains(t.call('shop.echo').value, 'Bearer')
";
    let room = shop(&web, tests);
    room.run_told(&ATTENDED, &["test", "--record"]).exits(0);
    expect![[r#"
        {
          "test_order": {
            "env": {
              "SHOP_KEY": "REDACTED-env-SHOP_KEY-"
            },
            "exchanges": [
              {
                "request": {
                  "http": {
                    "method": "POST",
                    "url": "http://SITE/orders",
                    "body": {
                      "json": {
                        "name": "nuts",
                        "pieces": 3,
                        "key": "REDACTED-env-SHOP_KEY-"
                      }
                    }
                  }
                },
                "answer": {
                  "http": {
                    "status": 201,
                    "headers": [
                      [
                        "content-type",
                        "application/json"
                      ],
                      [
                        "x-total-count",
                        "3"
                      ]
                    ],
                    "body": {
                      "json": {
                        "name": "nuts",
                        "pieces": 3,
                        "key": "REDACTED-env-SHOP_KEY-"
                      }
                    }
                  }
                }
              },
              {
                "request": {
                  "http": {
                    "method": "GET",
                    "url": "http://SITE/echo?key=REDACTED-env-SHOP_KEY-"
                  }
                },
                "answer": {
                  "http": {
                    "status": 200,
                    "headers": [
                      [
                        "content-type",
                        "text/plain"
                      ],
                      [
                        "x-total-count",
                        "3"
                      ]
                    ],
                    "body": {
                      "lines": [
                        "/echo?key=REDACTED-env-SHOP_KEY-",
                        "Bearer REDACTED-secret-token-",
                        ""
                      ]
                    }
                  }
                }
              }
            ]
          }
        }
    "#]]
    .assert_eq(&kept(&room).replace(&web.site(), "SITE"));
}

#[test]
fn what_nobody_may_read_is_in_no_file() {
    let web = web();
    let tests = format!(
        "
def test_all(t):
    t.secret('token', json.decode(files.read('data/canary.json')))
    testing.contains(t.call('shop.echo').value, 'Bearer')
    testing.contains(t.call('shop.stock').value['access_token'], '-given')
    testing.eq(t.call('shop.order', {{'name': 'a', 'pieces': 1}}).value['name'], 'a')
    testing.is_true(len(t.call('shop.child').value) > 10)
    testing.snapshot(t.call('shop.echo').value)
    http.get('http://{0}/basic', auth = ('ada', env.get('SHOP_KEY')))
    http.get('http://{0}/path/' + url.encode(env.get('SHOP_KEY')))
    http.get('http://{0}/b64/' + base64.encode('ada:' + env.get('SHOP_KEY')))
",
        web.site()
    );
    let room = shop(&web, &tests);
    let canary = serde_json::to_string(CANARY).unwrap();
    room.write("shop/data/canary.json", &canary);
    let manifest = fs::read_to_string(room.at("shop/module.toml")).unwrap();
    let granted = manifest.replace("[secrets]", "files = ['data/*']\n[secrets]");
    room.write("shop/module.toml", &granted);
    room.run_told(&ATTENDED, &["test", "--record"]).exits(0);
    web.go();
    let written: Vec<PathBuf> = files(room.modules())
        .into_iter()
        .filter(|path| {
            path.components().any(|part| part.as_os_str().to_string_lossy().starts_with("__"))
        })
        .collect();
    assert_eq!(written.len(), 2, "{written:?}");
    let encoded = ["Y2FuYXJ5", "Fubm", "%22f3a9", "canary/7", "canary%2F7", "f3a9"];
    for path in written {
        let text = fs::read_to_string(&path).unwrap();
        for part in ["canary", VARIABLE].iter().chain(&encoded) {
            assert!(!text.contains(part), "{part} is in {}: {text}", path.display());
        }
        assert!(text.contains("REDACTED-env-SHOP_KEY-"), "{text}");
    }
    for gone in ["etag", "x-request-id", "cf-ray", "ratelimit", "date", "\"server\""] {
        assert!(!kept(&room).contains(gone), "{gone}");
    }
    assert!(kept(&room).contains("x-total-count"));
    room.run_told(&[("CI", "1")], &["test"]).exits(0);
}

#[test]
fn a_request_that_was_not_recorded_fails_and_so_does_a_recording_that_is_not_asked_for() {
    let web = web();
    let room = shop(&web, STOCK);
    room.run_told(&ATTENDED, &["test", "--record"]).exits(0);
    room.write("shop/main_test.star", &STOCK.replace("nuts", "bolts"));
    web.go();
    transcript(
        &room,
        &web,
        &["test"],
        1,
        &expect![[r"
            $ larkspur test
            shop/main_test.star: 2 tests
              ✗ test_stock
                `shop.stock` failed: the recording does not answer `GET http://SITE/stock?name=bolts`; the nearest is `GET http://SITE/stock?name=nuts`; `larkspur test --record -k test_stock` records anew (shop/main.star:3)
                  ┌ shop/main_test.star:5:16
                5 │     testing.eq(t.call('shop.stock', {'name': 'bolts'}).value['at'], '/stock?name=bolts')
                  │                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              ✓ test_alone
            Total: 2 | Passed: 1 | Failed: 1
            [exit 1]
        "]],
    );
    let less = "
def test_stock(t):
    t.secret('token', 'abc')
    t.call('shop.stock')
";
    room.write("shop/main_test.star", less);
    transcript(
        &room,
        &web,
        &["test"],
        1,
        &expect![[r"
            $ larkspur test
            shop/main_test.star: 1 test
              ✗ test_stock
                the recorded `GET http://SITE/stock?name=nuts` was never asked for
                  = help: `larkspur test --record -k test_stock` records anew
            Total: 1 | Passed: 0 | Failed: 1
            [exit 1]
        "]],
    );
    room.write("shop/main_test.star", "def test_other():\n    pass\n");
    transcript(
        &room,
        &web,
        &["test"],
        0,
        &expect![[r"
            $ larkspur test
            shop/main_test.star: 1 test
              ✓ test_other
              (no test asks for the recording `test_stock`: --record removes it)
            Total: 1 | Passed: 1 | Failed: 0
            [exit 0]
        "]],
    );
}

#[test]
fn recording_again_writes_anew_and_a_test_that_fails_keeps_what_it_had() {
    let web = web();
    let room = shop(&web, STOCK);
    room.run_told(&ATTENDED, &["test", "--record"]).exits(0);
    let first = kept(&room);
    room.write("shop/main_test.star", &STOCK.replace("'/stock?name=nuts'", "'other'"));
    transcript(
        &room,
        &web,
        &["test", "--record"],
        1,
        &expect![[r#"
            $ larkspur test --record
            shop/main_test.star: 2 tests
              ✗ test_stock
                Assertion failed: "/stock?name=nuts" is not equal to "other"
                  ┌ shop/main_test.star:5:5
                5 │     testing.eq(t.call('shop.stock', {'name': 'nuts'}).value['at'], 'other')
                  │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              ✓ test_alone
              (`test_stock` failed: nothing of it was recorded)
            Total: 2 | Passed: 1 | Failed: 1
            [exit 1]
        "#]],
    );
    assert_eq!(kept(&room), first);
    let other = "
def test_stock(t):
    t.secret('token', 'abc')
    testing.eq(t.call('shop.stock', {'name': 'bolts'}).value['at'], '/stock?name=bolts')

def test_more(t):
    t.secret('token', 'abc')
    t.call('shop.stock')
";
    room.write("shop/main_test.star", other);
    room.run_told(&ATTENDED, &["test", "--record", "-k", "test_stock"])
        .exits(0)
        .says("(1 recording written)");
    assert!(kept(&room).contains("name=bolts") && !kept(&room).contains("name=nuts"));
    assert!(!kept(&room).contains("test_more"));
    room.write("shop/main_test.star", "def test_stock():\n    pass\n");
    room.run_told(&ATTENDED, &["test", "--record"]).exits(0).says("(1 recording removed)");
    assert!(!room.at("shop/__recordings__/main_test.json").exists());
}

#[test]
fn nothing_is_recorded_where_nobody_looks() {
    let web = web();
    let room = shop(&web, STOCK);
    room.run_told(&[("CI", "true")], &["test", "--record"])
        .exits(1)
        .notes("--record writes files, and nobody looks at them where CI is set");
    assert_eq!(web.asked().len(), 0);
    assert!(!room.at("shop/__recordings__").exists());
    room.write("shop/__recordings__/main_test.json", "{\"test_stock\": 3}");
    room.run_told(&ATTENDED, &["test"])
        .exits(1)
        .says("cannot read")
        .says("main_test.json: invalid type")
        .says("record anew with --record");
}

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn commands_databases_and_the_clock_are_recorded() {
    let web = web();
    let tests = "
def test_child(t):
    testing.is_true(t.call('shop.child').value.endswith('x'))

def test_rows(t):
    testing.eq(t.call('shop.rows').value, [{'n': 7, 'b': None, 'f': 1.0}, {'name': 't'}])

def test_again(t):
    testing.contains(t.call('shop.rows', {'n': 8}).error, 'already exists')

def test_prices(t):
    testing.eq(t.call('shop.prices').value, [{'n': 9007199254740993, 'price': '1.10', 'name': 'ada'}])

def test_now(t):
    testing.eq(t.call('shop.now').value, 200)
";
    let room = shop(&web, tests);
    let cluster = Cluster::start();
    room.project(&format!("[postgres.main]\nurl = \"{}\"\n", cluster.url("sslmode=disable")));
    room.run_told(&ATTENDED, &["test", "--record"]).exits(0).says("(5 recordings written)");
    assert!(!kept(&room).contains(room.path().to_str().unwrap()));
    web.go();
    drop(cluster);
    fs::remove_file(room.at("shop/data/a.db")).unwrap();
    fs::remove_file(room.at("shop/bin/tool")).unwrap();
    fs::remove_file(room.path().join("larkspur.toml")).unwrap();
    room.run_told(&[("CI", "true")], &["test", "-j", "4"])
        .exits(0)
        .says("Total: 5 | Passed: 5 | Failed: 0");
    assert!(!room.at("shop/data/a.db").exists());
}
