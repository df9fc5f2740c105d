//! Folders of tests, run and told.
#![expect(clippy::disallowed_methods, reason = "the folders under test are written to disk")]

mod affected;
mod calls;
mod coverage;
mod credentials;
mod fakes;
mod reports;
mod runner;
mod snapshots;

use crate::{Event, Options, Summary, pretty, run};
use expect_test::{Expect, expect};
use runtime::Folder;
use std::fs;
use std::time::Duration;
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn timeless(mut event: Event) -> Event {
    if let Event::Passed { time, .. } | Event::Failed { time, .. } = &mut event {
        *time = Duration::ZERO;
    }
    event
}

fn told(options: &Options) -> (String, Summary) {
    let mut text = String::new();
    let summary = run(options, &mut |event| {
        if !matches!(event, Event::Begin { .. }) {
            text += &pretty(&timeless(event));
            text.push('\n');
        }
    });
    (text, summary)
}

#[track_caller]
fn check_filtered(files: &[(&str, &str)], filter: Option<&str>, expected: &Expect) {
    let dir = folder(files);
    let mut options = Options::new(vec![Folder::new(dir.path())]);
    options.filter = filter.map(str::to_owned);
    let (text, summary) = told(&options);
    expected.assert_eq(&format!("{text}{summary}\n"));
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &Expect) {
    check_filtered(files, None, expected);
}

#[test]
fn tests_pass_and_fail_with_their_place() {
    let main = "
def double(x):
    return x + x
";
    let test = "
load('main', 'double')

def test_doubles():
    testing.eq(double(2), 4)

def test_adds():
    testing.eq(double(2), 5, 'twice two')

def test_breaks():
    double(None)
";
    check(
        &[("main.star", main), ("main_test.star", test)],
        &expect![[r"
            main_test.star: 3 tests
              ✓ test_doubles
              ✗ test_adds
                Assertion failed: twice two: 4 is not equal to 5
                  ┌ main_test.star:8:5
                8 │     testing.eq(double(2), 5, 'twice two')
                  │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              ✗ test_breaks
                Operation `+` not supported for types `NoneType` and `NoneType`
                  ┌ main.star:3:12
                3 │     return x + x
                  │            ^^^^^
                  = help: called at main_test.star:11: double(None)
            Total: 3 | Passed: 1 | Failed: 2
        "]],
    );
}

#[test]
fn a_file_that_cannot_be_loaded_is_one_failed_test() {
    check(
        &[
            ("a_test.star", "print('so far')\nload('gone', 'x')\ndef test_a():\n    pass"),
            ("b_test.star", "def test_b():\n    pass"),
            ("c_test.star", "print('so far')\nx = 1 // 0"),
        ],
        &expect![[r#"
            a_test.star: 1 test
              ✗ (load)
                cannot load "gone": there is no gone.star
                  ┌ a_test.star:2:6
                2 │ load('gone', 'x')
                  │      ^^^^^^
            b_test.star: 1 test
              ✓ test_b
            c_test.star: 1 test
              ✗ (load)
                Floor division by zero: 1 // 0
                  ┌ c_test.star:2:5
                2 │ x = 1 // 0
                  │     ^^^^^^
                printed:
                  so far
            Total: 3 | Passed: 1 | Failed: 2
        "#]],
    );
}

#[test]
fn a_filter_is_part_of_file_and_test() {
    let files = [
        ("a_test.star", "def test_one():\n    pass\ndef test_two():\n    pass"),
        ("b_test.star", "def test_two():\n    pass"),
        ("c_test.star", "def test_three():\n    oops"),
    ];
    let check = |filter, expected| check_filtered(&files, Some(filter), expected);
    check(
        "test_two",
        &expect![[r"
        a_test.star: 1 test
          ✓ test_two
        b_test.star: 1 test
          ✓ test_two
        Total: 2 | Passed: 2 | Failed: 0
    "]],
    );
    check(
        "a_test.star::test_t",
        &expect![[r"
        a_test.star: 1 test
          ✓ test_two
        Total: 1 | Passed: 1 | Failed: 0
    "]],
    );
    check(
        "test_three",
        &expect![[r"
        c_test.star: 1 test
          ✗ (load)
            there is no `oops`
              ┌ c_test.star:2:5
            2 │     oops
              │     ^^^^
        Total: 1 | Passed: 0 | Failed: 1
    "]],
    );
    check(
        "c_test",
        &expect![[r"
        c_test.star: 1 test
          ✗ (load)
            there is no `oops`
              ┌ c_test.star:2:5
            2 │     oops
              │     ^^^^
        Total: 1 | Passed: 0 | Failed: 1
    "]],
    );
    check(
        "nowhere",
        &expect![[r"
        Total: 0 | Passed: 0 | Failed: 0
    "]],
    );
}

#[test]
fn no_test_leaves_anything_to_the_next() {
    let test = "
load('main.star', 'SEEN', 'add')

MINE = []

def test_first():
    testing.is_false(attempt(SEEN.append, 1).ok)
    testing.is_false(attempt(MINE.append, 1).ok)
    testing.is_false(attempt(add, 1).ok)

def test_second():
    testing.eq(SEEN, [])
    testing.eq(MINE, [])
    MINE.append(2)
";
    let main = "SEEN = []\ndef add(x, to = []):\n    to.append(x)";
    check(
        &[("sub/main.star", main), ("sub/main_test.star", test)],
        &expect![[r"
            sub/main_test.star: 2 tests
              ✓ test_first
              ✗ test_second
                this value cannot change: what a module keeps, and what it is given, is frozen
                   ┌ sub/main_test.star:14:5
                14 │     MINE.append(2)
                   │     ^^^^^^^^^^^^^^
                  = help: make a new value and return it; what must last goes into ctx.state
            Total: 2 | Passed: 1 | Failed: 1
        "]],
    );
}

#[test]
fn only_own_functions_are_tests() {
    check(
        &[
            ("lib.star", "def test_theirs():\n    testing.fail('no')"),
            (
                "a_test.star",
                "load('lib', 'test_theirs')\ntest_data = [1]\ndef test_mine():\n    pass",
            ),
            ("b_test.star", "x = 1"),
        ],
        &expect![[r"
            a_test.star: 1 test
              ✓ test_mine
            b_test.star: 0 tests
            Total: 1 | Passed: 1 | Failed: 0
        "]],
    );
}

#[test]
fn what_a_failed_test_prints_is_shown() {
    let test = "
def test_quiet():
    print('unheard')

def test_loud():
    print('a', 1)
    log.warn('b', n = 2)
    log.info('c')
    testing.fail('told')
";
    check(
        &[("a_test.star", test)],
        &expect![[r#"
        a_test.star: 2 tests
          ✓ test_quiet
          ✗ test_loud
            told
              ┌ a_test.star:9:5
            9 │     testing.fail('told')
              │     ^^^^^^^^^^^^^^^^^^^^
            printed:
              a 1
              warn b {"n":2}
              info c
        Total: 2 | Passed: 1 | Failed: 1
    "#]],
    );
}

#[test]
fn endless_printing_is_cut_short() {
    let dir = folder(&[(
        "a_test.star",
        "def test_a():\n    for i in range(70):\n        print('x' * 1024)\n    fail('end')",
    )]);
    let mut last = String::new();
    run(&Options::new(vec![Folder::new(dir.path())]), &mut |event| {
        if let Event::Failed { mut output, .. } = event {
            last = output.pop().unwrap();
        }
    });
    assert_eq!(last, "… and 6 more lines");
}

#[test]
fn data_beside_a_test_can_be_read() {
    check(
        &[
            ("sub/numbers.json", "[1, 2]"),
            (
                "sub/a_test.star",
                "def test_a():\n    testing.eq(data.load_json('numbers.json'), [1, 2])\n\ndef test_b():\n    data.load_json('gone.json')",
            ),
        ],
        &expect![[r"
            sub/a_test.star: 2 tests
              ✓ test_a
              ✗ test_b
                cannot read sub/gone.json: there is no such file
                  ┌ sub/a_test.star:5:5
                5 │     data.load_json('gone.json')
                  │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
            Total: 2 | Passed: 1 | Failed: 1
        "]],
    );
}

#[test]
fn a_test_that_does_not_end_is_stopped() {
    let dir = folder(&[(
        "a_test.star",
        "def test_endless():\n    for i in range(1000000000):\n        pass\ndef test_next():\n    pass",
    )]);
    let mut options = Options::new(vec![Folder::new(dir.path())]);
    options.limits.time = Duration::from_millis(200);
    options.limits.ticks = u64::MAX;
    let (text, summary) = told(&options);
    expect![[r"
        a_test.star: 2 tests
          ✗ test_endless
            stopped after 200 ms, the time one call may take (limit `timeout`)
              ┌ a_test.star:2:5
            2 │     for i in range(1000000000):
              │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
          ✓ test_next
        Total: 2 | Passed: 1 | Failed: 1
    "]]
    .assert_eq(&format!("{text}{summary}\n"));
}

#[test]
fn functions_that_call_themselves_need_not_end() {
    check(
        &[("a_test.star", "def f(x):\n    return f([x])\n\ndef test_a():\n    f(1)")],
        &expect![[r"
            a_test.star: 1 test
              ✗ test_a
                the functions call each other too deeply (limit `call_depth`)
                  ┌ a_test.star:2:12
                2 │     return f([x])
                  │            ^^^^^^
                  = help: called at a_test.star:5: f(1)
            Total: 1 | Passed: 0 | Failed: 1
        "]],
    );
}

#[test]
fn nothing_to_test_is_no_failure() {
    check(
        &[("main.star", "x = 1")],
        &expect![[r"
        Total: 0 | Passed: 0 | Failed: 0
    "]],
    );
    let missing = Options::new(vec![Folder::new("no/such/folder")]);
    assert_eq!(told(&missing), (String::new(), Summary::default()));
}

#[test]
fn files_of_several_folders_are_told_apart() {
    let (a, b) = (
        folder(&[("x_test.star", "def test_a():\n    pass")]),
        folder(&[("x_test.star", "def test_b():\n    testing.fail('no')")]),
    );
    let options = Options::new(vec![Folder::new(a.path()), Folder::new(b.path())]);
    let (text, _) = told(&options);
    let text = text
        .replace(&a.path().display().to_string(), "A")
        .replace(&b.path().display().to_string(), "B");
    expect![[r"
        A/x_test.star: 1 test
          ✓ test_a
        B/x_test.star: 1 test
          ✗ test_b
            no
              ┌ B/x_test.star:2:5
            2 │     testing.fail('no')
              │     ^^^^^^^^^^^^^^^^^^
    "]]
    .assert_eq(&text);
}

#[test]
fn slow_tests_say_how_long_they_took() {
    let passed = |millis| {
        pretty(&Event::Passed {
            cost: None,
            file: "a_test.star".into(),
            test: "test_a".into(),
            time: Duration::from_millis(millis),
        })
    };
    assert_eq!(passed(99), "  ✓ test_a");
    assert_eq!(passed(1234), "  ✓ test_a (1234 ms)");
}
