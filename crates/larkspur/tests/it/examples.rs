//! The folders in `examples/modules`, as whoever copies them runs them.

use crate::clients::{installed, run};
use crate::documents::workspace;
use crate::fixture::{Opening, Server};
use crate::room::Room;
use expect_test::expect;
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;

const TOOLS: [&str; 13] = [
    "api-client_get_order",
    "api-client_list_orders",
    "auth_whoami",
    "crypto-tools_digest",
    "crypto-tools_hmac",
    "dashboard_overview",
    "hello",
    "open-library_find_books",
    "open-library_get_book",
    "primes_count_primes",
    "shopping-list_put_on_list",
    "shopping-list_take_off_list",
    "table-booking_book_table",
];

const UNTRACKED: &str =
    r#"{"title":"Shop","seen_by":"ada","orders":3,"unpaid":51.5,"tracked":false}"#;
const TRACKED: &str = r#"{"title":"Shop","seen_by":"ada","orders":3,"unpaid":51.5,"tracked":true}"#;

/// The optional dependency of `dashboard`, which the examples do without.
const ANALYTICS: [(&str, &str); 2] = [
    ("module.toml", "name = \"analytics\"\nversion = \"1.0.0\"\ndescription = \"Who did what\"\n"),
    (
        "main.star",
        r#"
def start(deps, config):
    log.info("starting")
    return struct(track = lambda event, **fields: log.info("tracked " + event, **fields))
"#,
    ),
];

fn room() -> Room {
    let room = Room::without("modules");
    room.copy(&workspace().join("examples/modules"));
    room
}

fn servers() -> impl Iterator<Item = Server> {
    let eras = [Opening::Legacy, Opening::Modern].into_iter();
    eras.map(|era| Server::start_in(room(), era))
}

/// The modules that say when they start and stop.
const LIVING: [&str; 5] = ["api-client", "auth", "dashboard", "hello", "http-utils"];

/// The modules that logged this word, in the order of their lines.
fn logged(server: &mut Server, word: &str) -> Vec<String> {
    let end = format!(": {word}");
    let stderr = server.wire().stderr();
    let modules = stderr.lines().filter_map(|line| {
        let (before, _) = line.split_once(&end)?;
        before.split_whitespace().next_back()
    });
    modules.map(str::to_owned).collect()
}

#[track_caller]
fn in_order(modules: &[String], first: &str, then: &str) {
    let place = |name: &str| modules.iter().position(|module| module == name);
    let (first_at, then_at) = (place(first), place(then));
    assert!(first_at.is_some() && first_at < then_at, "{first} before {then}: {modules:?}");
}

#[test]
fn every_example_answers_in_both_eras() {
    for mut server in servers() {
        server
            .lists(&TOOLS)
            .call("hello", json!({"name": "Ada"}))
            .text("Hello, Ada!")
            .call("crypto-tools_digest", json!({"text": "abc"}))
            .text(
                r#"{"algorithm":"sha256","hex":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}"#,
            )
            .call(
                "crypto-tools_hmac",
                json!({"key": "Jefe", "text": "what do ya want for nothing?"}),
            )
            .text(
                r#"{"algorithm":"hmac-sha256","hex":"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"}"#,
            )
            .call("auth_whoami", json!({}))
            .text("ada")
            .call("api-client_get_order", json!({"id": 2}))
            .text(r#"{"id":2,"customer":"Linus","total":19.5,"paid":false}"#)
            .call("api-client_get_order", json!({"id": 9}))
            .fails("GET /orders/9: 404 Not Found")
            .call("dashboard_overview", json!({}))
            .text(UNTRACKED)
            .call("shopping-list_put_on_list", json!({"item": "screws", "pieces": 12}))
            .text("- 12 screws")
            .call("shopping-list_take_off_list", json!({"item": "screws"}))
            .text("nothing")
            .call("primes_count_primes", json!({"up_to": 1000}))
            .text(r#"{"up_to":1000,"primes":168}"#)
            .call("table-booking_book_table", json!({"day": "Friday", "guests": 4}))
            .text("A table for 4 on Friday is booked.");
    }
}

#[test]
fn the_environment_configures_them() {
    for mut server in servers() {
        server
            .room
            .set_env("HELLO__GREETING", "Hi")
            .set_env("CRYPTO_TOOLS__ALGORITHM", "sha1")
            .set_env("AUTH__USER", "grace");
        server
            .call("hello", json!({"name": "Ada"}))
            .text("Hi, Ada!")
            .call("crypto-tools_digest", json!({"text": "abc"}))
            .text(r#"{"algorithm":"sha1","hex":"a9993e364706816aba3e25717850c26c9cd0d89d"}"#)
            .call("dashboard_overview", json!({}))
            .text(&UNTRACKED.replace("ada", "grace"));
    }
}

#[test]
fn the_command_line_wins_over_the_environment() {
    let mut room = room();
    room.set_env("CRYPTO_TOOLS__ALGORITHM", "sha512");
    let call = ["call", "crypto-tools.digest", "text=abc"];
    room.run(&call).exits(0).says(r#""algorithm":"sha512""#);
    let set = [&call[..], &["--set", "crypto-tools.algorithm=md5"]].concat();
    room.run(&set)
        .exits(0)
        .says_only(r#"{"algorithm":"md5","hex":"900150983cd24fb0d6963f7d28e17f72"}"#);
    let wrong = [&call[..], &["--set", "crypto-tools.algorithm=md6"]].concat();
    room.run(&wrong).exits(2).notes(r#""md6" is not one of "sha256", "sha512", "sha1" or "md5""#);
}

#[test]
fn status_shows_what_a_module_says_of_itself() {
    let mut server = Server::start_in(room(), Opening::Legacy);
    let status = server.up().status();
    let says = |name: &str| -> Value {
        let mut modules = status["modules"].as_array().unwrap().iter();
        modules.find(|module| module["name"] == name).unwrap()["status"].clone()
    };
    assert_eq!(
        says("hello"),
        json!({"status": "ok", "tools": ["hello"], "config": {"greeting": "Hello"}})
    );
    assert_eq!(says("auth"), json!({"status": "ok", "user": "ada"}));
    assert_eq!(says("dashboard"), json!({"status": "ok", "analytics": false}));
}

#[test]
fn dependencies_start_first_and_stop_last() {
    for mut server in servers() {
        server.up();
        for module in LIVING {
            server.warned(&format!("{module}: starting"));
        }
        let started = logged(&mut server, "starting");
        for needed in ["auth", "http-utils"] {
            in_order(&started, needed, "api-client");
        }
        in_order(&started, "api-client", "dashboard");

        server.leave_within(Duration::from_secs(10));
        for module in &started {
            server.warned(&format!("{module}: stopping"));
        }
        let stopped = logged(&mut server, "stopping");
        assert_eq!(started.len(), stopped.len());
        in_order(&stopped, "dashboard", "api-client");
        for needed in ["auth", "http-utils"] {
            in_order(&stopped, "api-client", needed);
        }
    }
}

/// Also when the one who calls had nothing to call.
#[test]
fn a_call_that_comes_to_nothing_stops_what_it_started() {
    for words in ["hello.helo", "hello.hello Ada", "hello.hello nam=Ada"] {
        let args: Vec<&str> = ["call"].into_iter().chain(words.split(' ')).collect();
        let ran = room().run(&args);
        ran.exits(2).notes("hello: starting").notes("hello: stopping");
    }
}

#[test]
fn analytics_is_used_as_soon_as_it_is_there() {
    for mut server in servers() {
        server.call("dashboard_overview", json!({})).text(UNTRACKED);
        for (file, text) in ANALYTICS {
            server.file(&format!(".aside/{file}"), text);
        }
        server
            .rename(".aside", "analytics")
            .until("overview", json!({}), TRACKED)
            .warned("dashboard: stopping")
            .warned("dashboard: tracked module-started")
            .warned("dashboard: tracked overview-shown");
        let started = logged(&mut server, "starting");
        assert_eq!(&started[started.len() - 2..], ["analytics", "dashboard"]);
        let others = ["api-client", "auth", "http-utils"];
        for other in others {
            assert_eq!(started.iter().filter(|name| *name == other).count(), 1);
        }
        server.rename("analytics", ".aside").until("overview", json!({}), UNTRACKED);
    }
}

#[test]
fn the_examples_are_sound() {
    let room = room();
    room.run(&["check", "-e", "modules"]).exits(0).says_only("").notes("nothing wrong in 22 files");
    room.run(&["test", "-e", "modules"]).exits(0).says("Total: 45 | Passed: 45 | Failed: 0");
}

/// Python's client sees what ours sees.
#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn python_calls_every_example() {
    let facts = expect![[r#"
        tools: api-client_get_order, api-client_list_orders, auth_whoami, crypto-tools_digest, crypto-tools_hmac, dashboard_overview, hello, open-library_find_books, open-library_get_book, primes_count_primes, shopping-list_put_on_list, shopping-list_take_off_list, table-booking_book_table
        hello: Hi, Ada!
        crypto-tools_digest: {"algorithm":"sha256","hex":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
        crypto-tools_hmac: {"algorithm":"hmac-sha256","hex":"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"}
        auth_whoami: ada
        api-client_list_orders: [3]{id,customer,total,paid}:
        api-client_get_order: {"id":2,"customer":"Linus","total":19.5,"paid":false}
        dashboard_overview: {"title":"Shop","seen_by":"ada","orders":3,"unpaid":51.5,"tracked":false}
    "#]];
    let program = workspace().join("crates/larkspur/tests/it/examples.py");
    for era in ["legacy", "2026-07-28"] {
        let room = room();
        let mut python = Command::new(installed("py/bin/python"));
        python.arg(&program).args([era, env!("CARGO_BIN_EXE_larkspur")]).arg(room.modules());
        let (code, printed) = run(&room, &mut python);
        facts.assert_eq(&printed);
        assert_eq!(code, Some(0), "{era}");
    }
}
