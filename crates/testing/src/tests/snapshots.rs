//! Snapshots: written, held against, renewed, and found to be nobody's.

use super::*;
use crate::Keeping;
use std::path::Path;

const LIST: &str = "
def items(ctx) -> list[dict]:
    return [{'name': 'screws', 'pieces': 3}, {'name': 'nuts', 'pieces': 4}]
tool(items)
";
const TESTS: &str = "
def test_items(t):
    testing.snapshot(t.call('shop.items'))
    testing.snapshot({'b': [1], 'a': 'x'}, name = 'data')
    testing.snapshot('two\\nlines')

def test_other():
    testing.snapshot([])
";

fn run_with(dir: &Path, keeping: Keeping) -> String {
    let mut options = Options::new(vec![Folder::new(dir)]);
    options.snapshots = keeping;
    let (text, summary) = told(&options);
    format!("{text}{summary}\n")
}

fn kept(dir: &Path) -> String {
    fs::read_to_string(dir.join("__snapshots__/shop_test.snap")).unwrap_or_default()
}

/// How tokens are counted is not this crate's to say.
fn uncounted(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_suffix(" tokens") {
        Some(before) => {
            format!("{}N tokens\n", before.trim_end_matches(|c: char| c.is_numeric() || c == '~'))
        }
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// What the answers cost that are kept.
fn costs(dir: &Path) -> usize {
    let kept = kept(dir);
    let mut costs = kept.lines().filter_map(|line| line.strip_suffix(" tokens"));
    costs.next().unwrap().trim_matches('~').parse().unwrap()
}

#[test]
fn what_is_new_is_written_and_stays() {
    let dir = folder(&[("shop.star", LIST), ("shop_test.star", TESTS)]);
    let first = run_with(dir.path(), Keeping::New);
    expect![[r"
        shop_test.star: 2 tests
          ✓ test_items
          ✓ test_other
          (4 snapshots written)
        Total: 2 | Passed: 2 | Failed: 0
    "]]
    .assert_eq(&first);
    expect![[r#"
        === test_items
        N tokens
        [{"name":"screws","pieces":3},{"name":"nuts","pieces":4}]

        === test_items 2
        two
        lines

        === test_items: data
        {
          "b": [
            1
          ],
          "a": "x"
        }

        === test_other
        []
    "#]]
    .assert_eq(&uncounted(&kept(dir.path())));
    for keeping in [Keeping::New, Keeping::Nothing, Keeping::All] {
        let again = run_with(dir.path(), keeping);
        assert!(again.ends_with("Passed: 2 | Failed: 0\n"), "{again}");
        assert!(!again.contains("written"), "{again}");
    }
}

#[test]
fn what_costs_more_is_seen() {
    let dir = folder(&[("shop.star", LIST), ("shop_test.star", TESTS)]);
    run_with(dir.path(), Keeping::New);
    fs::write(
        dir.path().join("shop.star"),
        LIST.replace("'pieces': 4", "'pieces': 4, 'maker': 'Ada and Grace'"),
    )
    .unwrap();
    let (told, before) = (run_with(dir.path(), Keeping::New), costs(dir.path()));
    expect![[r#"
        shop_test.star: 2 tests
          ✗ test_items
            Assertion failed: not what is kept as `test_items` (- kept, + now; `larkspur test --update` keeps it)
            - N tokens
            - [{"name":"screws","pieces":3},{"name":"nuts","pieces":4}]
            + N tokens
            + [{"name":"screws","pieces":3},{"name":"nuts","pieces":4,"maker":"Ada and Grace"}]
              ┌ shop_test.star:3:5
            3 │     testing.snapshot(t.call('shop.items'))
              │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          ✓ test_other
        Total: 2 | Passed: 1 | Failed: 1
    "#]].assert_eq(&uncounted(&told));
    let told = run_with(dir.path(), Keeping::All);
    assert!(told.contains("(1 snapshot written)"), "{told}");
    assert!(costs(dir.path()) > before);
    let told = run_with(dir.path(), Keeping::Nothing);
    assert!(told.ends_with("Passed: 2 | Failed: 0\n"), "{told}");
}

#[test]
fn where_nobody_looks_nothing_is_written() {
    let dir = folder(&[("shop.star", LIST), ("shop_test.star", TESTS)]);
    let told = run_with(dir.path(), Keeping::Nothing);
    assert!(
        told.contains(
            "there is no snapshot `test_items`; run `larkspur test` where `CI` is not set"
        ),
        "{told}"
    );
    assert_eq!(kept(dir.path()), "");
}

#[test]
fn what_nobody_asks_for_is_told_and_removed() {
    let dir = folder(&[
        ("shop.star", LIST),
        ("shop_test.star", TESTS),
        ("__snapshots__/gone_test.snap", "=== test_x\n1\n"),
    ]);
    run_with(dir.path(), Keeping::New);
    let fewer = TESTS
        .replace("test_other", "test_another")
        .replace("testing.snapshot('two\\nlines')", "pass");
    fs::write(dir.path().join("shop_test.star"), fewer).unwrap();
    let told = run_with(dir.path(), Keeping::New);
    expect![[r"
        shop_test.star: 2 tests
          ✓ test_items
          ✓ test_another
          (1 snapshot written)
          (no test asks for the snapshot `test_items 2`: --update removes it)
          (no test asks for the snapshot `test_other`: --update removes it)
          (snapshots of `gone_test.star`, which is gone: remove `gone_test.snap`)
        Total: 2 | Passed: 2 | Failed: 0
    "]]
    .assert_eq(&told);
    let told = run_with(dir.path(), Keeping::All);
    assert!(told.contains("(2 snapshots removed)"), "{told}");
    let names: Vec<String> = kept(dir.path())
        .lines()
        .filter_map(|line| line.strip_prefix("=== ").map(str::to_owned))
        .collect();
    assert_eq!(names, ["test_another", "test_items", "test_items: data"]);
}

/// What a failing test saw is not what is right.
#[test]
fn a_test_that_fails_writes_nothing() {
    let test = "
def test_bad():
    testing.snapshot('seen')
    fail('no')

def test_twice():
    testing.snapshot('a', name = 'x')
    testing.snapshot('b', name = 'x')

def test_ends():
    testing.snapshot('a\\r\\nb')
";
    let dir = folder(&[("shop_test.star", test)]);
    let first = run_with(dir.path(), Keeping::New);
    assert!(first.contains("Passed: 1 | Failed: 2"), "{first}");
    assert!(first.contains("`test_twice: x` is asked for twice"), "{first}");
    assert!(!kept(dir.path()).contains("seen"), "{first}");
    let second = run_with(dir.path(), Keeping::New);
    assert!(second.contains("✓ test_ends"), "{second}");
}

#[test]
fn what_cannot_be_kept_fails_the_run() {
    let dir = folder(&[("shop_test.star", "def test_a():\n    testing.snapshot('a')")]);
    fs::create_dir_all(dir.path().join("__snapshots__/shop_test.snap.new")).unwrap();
    let told = run_with(dir.path(), Keeping::New);
    assert!(told.contains("✗ (snapshots)") && told.contains("cannot write"), "{told}");
}
