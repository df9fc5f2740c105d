//! `larkspur test --coverage`, as its users type it, and as a reader of the lcov format sees it.

use crate::room::Room;
use crate::testing::read_report;
use expect_test::expect;
use std::fs;

const MAIN: &str = "\
def greet(name):
    if name == 'nobody':
        return ''
    return 'hello ' + name

def hello(name: str) -> str:
    return greet(name)

tool(hello)
";
const TESTS: &str = "\
load('greet.star', 'greet')

def test_greet(t):
    testing.eq(greet('ada'), 'hello ada')
    testing.eq(t.call('greet.hello', {'name': 'eve'}).value, 'hello eve')
";

fn greeting() -> Room {
    let room = Room::new();
    room.write("greet.star", MAIN)
        .write("greet_test.star", TESTS)
        .write("other.star", "X = 1\n\ndef f():\n    return X\n");
    room
}

const TABLE: &str = "\
greet_test.star: 1 test
  ✓ test_greet
coverage    lines     %  uncovered
greet.star    4/5  80.0  3
other.star    1/2  50.0  4
all files     5/7  71.4
Total: 1 | Passed: 1 | Failed: 0
";

#[test]
fn a_table_tells_what_no_test_runs() {
    let room = greeting();
    let ran = room.run(&["test", "--coverage"]);
    ran.exits(0);
    assert_eq!(ran.stdout, TABLE);
    let plain = room.run(&["test"]);
    assert!(!plain.stdout.contains("coverage"), "{}", plain.stdout);
}

#[test]
fn too_few_lines_fail_the_run() {
    let room = greeting();
    for (min, code) in [("71.4", 0), ("71%", 0), ("71.5", 1), ("100", 1)] {
        let ran = room.run(&["test", "--coverage-min", min]);
        ran.exits(code).says("all files     5/7  71.4");
    }
    room.run(&["test", "--coverage-min", "90"])
        .exits(1)
        .says("Passed: 1 | Failed: 0")
        .notes("71.4 % of the lines ran, and --coverage-min asks for 90 %");
    room.run(&["test", "--coverage-min", "101"]).exits(2).notes("a number from 0 to 100");
}

#[test]
fn other_formats_carry_it_or_leave_stdout_alone() {
    let room = greeting();
    let json = room.run(&["test", "--coverage", "--format", "json"]).json();
    assert_eq!(json["coverage"]["covered"], 5);
    assert_eq!(json["coverage"]["files"][0]["uncovered"][0], 3);
    let plain = room.run(&["test", "--format", "junit"]);
    let ran = room.run(&["test", "--coverage", "--format", "junit"]);
    ran.exits(0).notes("greet.star    4/5  80.0  3");
    assert_eq!(ran.stdout.lines().count(), plain.stdout.lines().count());
}

#[test]
fn lcov_lists_the_lines_that_ran() {
    let room = greeting();
    room.run(&["test", "--coverage-lcov", "lcov.info"]).exits(0);
    let lcov = fs::read_to_string(room.path().join("lcov.info")).unwrap();
    assert_eq!(
        lcov,
        "TN:\nSF:modules/greet.star\nDA:2,2\nDA:3,0\nDA:4,2\nDA:7,1\nDA:9,2\nLF:5\nLH:4\nend_of_record\n\
         TN:\nSF:modules/other.star\nDA:1,1\nDA:4,0\nLF:2\nLH:1\nend_of_record\n"
    );
}

#[test]
#[ignore = "needs Node.js packages: cargo xtask test"]
fn lcov_is_read_by_its_parser() {
    let room = greeting();
    room.run(&["test", "--coverage-lcov", "lcov.info"]).exits(0);
    expect![[r"
        modules/greet.star: 4 of 5 lines, not 3
        modules/other.star: 1 of 2 lines, not 4
    "]]
    .assert_eq(&read_report(&room, "lcov", "lcov.info"));
}

#[test]
fn a_file_that_cannot_be_written_is_told() {
    greeting()
        .run(&["test", "--coverage-lcov", "no/such/lcov.info"])
        .exits(1)
        .notes("cannot write no/such/lcov.info");
}
