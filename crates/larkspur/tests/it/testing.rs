//! Reports of `larkspur test` as build servers read them, and runs that are interrupted.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::clients::{installed, node, run};
use crate::room::Room;
use crate::wire::PATIENCE;
use expect_test::expect;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const MAIN: &str = "
permissions(http = ['127.0.0.1:1'])
def stock() -> dict:
    return http.get('http://127.0.0.1:1/stock', check = True)['json']
def spare():
    return 1
tool(stock)
";
const TESTS: &str = "
def test_played():
    pass

def test_diff():
    testing.eq({'screws': 3, 'bolts': {'long': True, 'short': [1, 2, 3]}, 'nuts': 'n' * 80}, {'screws': 3})

def test_unplayed(t):
    attempt(t.call, 'shop.stock')

def test_unused(t):
    t.http.on('GET', 'http://127.0.0.1:1/stock', json = {})
";

fn shop() -> Room {
    let room = Room::new();
    room.write("shop.star", MAIN).write("shop_test.star", TESTS);
    room
}

/// What a parser of the format finds in a report.
#[track_caller]
fn read_report(room: &Room, format: &str, file: &str) -> String {
    let mut command = node();
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/reports.mjs"))
        .arg(installed("js"))
        .args([format, file]);
    let (code, printed) = run(room, &mut command);
    assert_eq!(code, Some(0), "{printed}");
    printed
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn reports_are_read_by_their_parsers() {
    let room = shop();
    let ran = room.run(&["test", "--format", "junit", "--coverage-lcov", "lcov.info"]);
    ran.exits(1).notes("Total: 4 | Passed: 1 | Failed: 3");
    fs::write(room.path().join("report"), &ran.stdout).unwrap();
    expect![[r#"
        shop_test.star: 4 tests, 3 failures
          shop_test test_played
          shop_test test_diff "Assertion failed: the dicts differ (- the first, + the second)"
          shop_test test_unplayed "nothing answers `GET http://127.0.0.1:1/stock`: the network is closed in tests; play the server with `t.http.on`, or say --live"
          shop_test test_unused "t.http.on(\"GET\", \"http://127.0.0.1:1/stock\") was never used"
        4 tests, 3 failures
    "#]]
    .assert_eq(&read_report(&room, "junit", "report"));
    expect![[r"
        modules/shop.star: 3 of 4 lines, not 6
    "]]
    .assert_eq(&read_report(&room, "lcov", "lcov.info"));
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn junit_is_xml() {
    let room = shop();
    let ran = room.run(&["test", "--format", "junit"]);
    let file = room.path().join("junit.xml");
    fs::write(&file, &ran.stdout).unwrap();
    let count = "import sys, xml.etree.ElementTree as t; print(len(t.parse(sys.argv[1]).findall('.//testcase')))";
    let mut python = Command::new(installed("py/bin/python"));
    python.args(["-c", count]).arg(&file);
    assert_eq!(run(&room, &mut python), (Some(0), "4\n".to_owned()));
}

/// Is there a command that waits so many seconds?
fn sleeps(seconds: &str) -> bool {
    let wanted = format!("sleep\0{seconds}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|one| fs::read_to_string(one.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line == wanted)
}

fn soon(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_run_leaves_no_command_behind() {
    let seconds = format!("98{}", std::process::id());
    let room = Room::new();
    room.write(
        "nap.star",
        &format!(
            "def nap(params):\n    return exec.run('sleep', ['{seconds}'])\n\
             def describe_extension():\n    return Extension(name = 'nap', version = '1.0.0', \
             description = 'Naps', allowed_exec = ['sleep'], tools = [\n        \
             Tool(name = 'nap', description = 'Naps', handler = nap)])\n"
        ),
    )
    .write("nap_test.star", "def test_nap(t):\n    t.call('nap.nap')\n");
    let mut command = room.larkspur(&["test", "--timeout", "5m"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    soon("it never ran", || sleeps(&seconds));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    soon("it is still there", || !sleeps(&seconds));
}
