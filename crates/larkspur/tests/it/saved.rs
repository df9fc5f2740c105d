//! `larkspur call … --save-test`: a call that was made becomes a test that needs nobody.

use crate::room::{Ran, Room};
use crate::upstream::{Web, answer, ok};
use expect_test::expect;
use std::fs;

const CANARY: &str = "canary-f3a9-of-the-environment";

const MODULE: &str = "
name = 'shop'
version = '1.0.0'
description = 'A shop'
[config]
unit = { type = 'string', default = 'pieces' }
api_key = { type = 'string' }
[permissions]
http = ['SITE']
env = ['SHOP_*']
";
const MAIN: &str = "
def stock(ctx, name: str, below: int = 10) -> dict:
    answer = http.get('http://SITE/stock', params = {'name': name, 'key': env.get('SHOP_KEY')}, check = True)
    return {'name': name, 'left': answer['json']['left'], 'unit': ctx.config['unit'], 'at': answer['json']['at']}

def all_of_it(ctx) -> list[dict]:
    return http.get('http://SITE/all', params = {'key': ctx.config.get('api_key')})['json']

def lucky(ctx) -> int:
    return random.int(1, 1000000000)

def now(ctx) -> int:
    return time.now_ms()

tool(stock)
tool(all_of_it, select = ['name'])
tool(lucky)
tool(now)
";
const TESTS: &str = "# mine
def test_stock_1():
    pass";

fn web() -> Web {
    Web::answering(|asked| {
        let path = asked.path.as_str();
        Some(if path.contains("name=none") {
            answer(404, "", "nothing")
        } else if path.starts_with("/all") {
            let one = |n: u32| format!(r#"{{"name":"n{n}","key":"{path}"}}"#);
            ok(&format!("[{}]", (0..40).map(one).collect::<Vec<_>>().join(",")))
        } else {
            ok(&format!(r#"{{"left":3,"at":"{path}"}}"#))
        })
    })
}

fn shop(web: &Web) -> Room {
    let room = Room::new();
    let own = |text: &str| text.replace("SITE", &web.site());
    room.write("shop/module.toml", &own(MODULE))
        .write("shop/main.star", &own(MAIN))
        .write("shop/main_test.star", TESTS);
    room
}

fn told(room: &Room, args: &[&str]) -> Ran {
    let env = [("CI", ""), ("SHOP_KEY", CANARY), ("SHOP__API_KEY", CANARY)];
    room.run_told(&env, args)
}

fn tests(room: &Room) -> String {
    fs::read_to_string(room.at("shop/main_test.star")).unwrap()
}

#[test]
fn a_call_becomes_a_test_that_needs_nobody() {
    let web = web();
    let room = shop(&web);
    let call = ["call", "shop.stock", "name=nuts", "--save-test", "--set", "shop.unit=boxes"];
    told(&room, &call)
        .exits(0)
        .says(r#""left":3"#)
        .notes("saved as test_stock_2 in modules/shop/main_test.star; run it with: larkspur test -k test_stock_2");
    told(&room, &["call", "shop.stock", "name=none", "--save-test=nothing"])
        .exits(5)
        .notes("saved as test_nothing in");
    told(&room, &["call", "shop.stock", "nme=nuts", "--save-test=wrong"])
        .exits(2)
        .notes("saved as test_wrong in");
    told(&room, &["call", "shop.all_of_it", "--save-test"])
        .exits(0)
        .notes("saved as test_all_of_it_1 in");
    told(&room, &["call", "shop.now", "--save-test"]).exits(0).notes("saved as test_now_1 in");
    web.go();
    let written = tests(&room);
    let mine = written.strip_prefix(TESTS).unwrap().replace(&web.site(), "SITE");
    let mine = mine.split("\ndef test_now_1").next().unwrap();
    expect![[r#"


        def test_stock_2(t):
            t.config("shop.unit", "boxes")
            t.config("shop.api_key", "REDACTED-env-SHOP_KEY-")
            answer = t.call("shop.stock", {"name": "nuts"})
            testing.eq(answer.value, {
                "name": "nuts",
                "left": 3,
                "unit": "boxes",
                "at": "/stock?name=nuts&key=REDACTED-env-SHOP_KEY-",
            })

        def test_nothing(t):
            t.config("shop.api_key", "REDACTED-env-SHOP_KEY-")
            answer = t.call("shop.stock", {"name": "none"})
            testing.eq(answer.error, "GET http://SITE/stock answered 404: nothing")

        def test_wrong(t):
            t.config("shop.api_key", "REDACTED-env-api_key-")
            answer = t.call("shop.stock", {"nme": "nuts"})
            testing.eq(answer.error, "`name` is required; `nme` is not a parameter; did you mean `name`?")

        def test_all_of_it_1(t):
            t.config("shop.api_key", "REDACTED-env-api_key-")
            answer = t.call("shop.all_of_it")
            testing.snapshot(answer)
    "#]]
    .assert_eq(mine);
    room.run_told(&[("CI", "true")], &["test"]).exits(0).says("Total: 6 | Passed: 6 | Failed: 0");
    for file in ["main_test.star", "__recordings__/main_test.json", "__snapshots__/main_test.snap"]
    {
        let text = fs::read_to_string(room.at("shop").join(file)).unwrap();
        assert!(!text.contains("canary"), "{file}: {text}");
    }
    let main = fs::read_to_string(room.at("shop/main.star")).unwrap();
    room.write("shop/main.star", &main.replace("'left': answer", "'leftover': answer"));
    room.run_told(&[("CI", "true")], &["test", "-k", "test_stock_2"])
        .exits(1)
        .says("✗ test_stock_2");
}

#[test]
fn what_would_not_pass_is_not_saved() {
    let web = web();
    let room = shop(&web);
    told(&room, &["call", "shop.lucky", "--save-test"])
        .exits(1)
        .notes("no test was saved: without the world `test_lucky_1` does not pass");
    assert_eq!(tests(&room), TESTS);
    assert!(!room.at("shop/__recordings__").exists());
    told(&room, &["call", "shop.stock", "name=a", "--save-test=stock_1"])
        .exits(2)
        .notes("there is a `test_stock_1` already in modules/shop/main_test.star");
    told(&room, &["call", "shop.stock", "name=a", "--save-test=a b"])
        .exits(2)
        .notes("`a b` is no name for a test");
    told(&room, &["call", "get_module_schema", "--save-test"])
        .exits(2)
        .notes("--save-test is for tools of modules");
    assert_eq!(web.asked().len(), 0);
}

#[test]
fn a_single_file_gets_a_test_beside_it() {
    let room = Room::without("extensions");
    let hello = "
def hello(name: str) -> str:
    \"\"\"Greet somebody.\"\"\"
    return exec.run('echo', ['hello ' + name])['stdout']

def describe_extension():
    return Extension(name = 'hello', version = '1', description = 'x', tools = [], allowed_exec = ['echo'])

tool(hello)
";
    room.write("hello.star", hello);
    told(&room, &["call", "-e", "extensions", "hello.hello", "name=Ada", "--save-test"])
        .exits(0)
        .notes("saved as test_hello_1 in extensions/hello_test.star; run it with: larkspur test -e extensions -k test_hello_1");
    let written = fs::read_to_string(room.at("hello_test.star")).unwrap();
    assert_eq!(
        written,
        "def test_hello_1(t):\n    answer = t.call(\"hello.hello\", {\"name\": \"Ada\"})\n    testing.eq(answer.value, \"hello Ada\\n\")\n"
    );
    told(&room, &["test", "-e", "extensions", "-k", "test_hello_1"])
        .exits(0)
        .says("✓ test_hello_1");
}
