//! Lines that ran, held against files in which each line says for itself what becomes of it.

use super::*;
use crate::{Coverage, Covered, Format, Report};
use std::sync::Arc;

/// A line that counts and runs ends in `# +`, one that counts and does not in `# -`; all others do
/// not count.
const SHOP: &str = r#""""A shop."""

load("prices.star", "price")

# The largest order.
MOST = 10  # +

Kind = one_of("a", "b")  # +

def inlined(x):
    return x == "a"  # +

def never(x):
    """Nobody calls it."""
    return x  # -

def one_line(x): return x  # +

def branches(n):
    if n > MOST:  # +
        return "many"  # -
    elif n == 0:  # +
        pass  # +
    elif (n ==  # -
          1):
        return "unseen"  # -
    else:
        n = 2  # -
    (a, b) = (1, 2)  # +
    (  # +
        # Parentheses are part of it.
        [a].append
    )(b)
    for i in range(3):  # +
        if i == 1:  # +
            continue  # +
        if i == 2: break  # +
        n += i  # +
    for unused in []:  # +
        n = 0  # -
    if False:  # +
        n = 1  # -
    "a text by itself"
    text = ",".join([  # +
        "a",
        "b",
    ])
    return f"{text}{n}"  # +

def start(deps, config):
    return {"price": price}  # +

def order(ctx, n: int) -> str:
    """Order something."""
    double = lambda x: x * 2  # +
    return branches(n) + str(double(n))  # +

def stop(instance):
    log.info("closed")  # +

def item(x):
    if x > 1:  # +
        return "large"  # +
    return "small"  # -

def all_items(ctx) -> list[str]:
    return parallel(item, [2, 3])  # +

tool(order)  # +
tool(all_items)  # +
"#;

const TESTS: &str = r#"
load("main.star", "inlined", "one_line")

def test_plain():
    testing.is_true(inlined("a"))
    one_line(1)

def test_called(t):
    testing.eq(t.call("shop.order", {"n": 0}).value, "a,b00")
    t.call("shop.all_items")
"#;

const FILES: [(&str, &str); 6] = [
    ("shop/module.toml", "name = 'shop'\nversion = '1.0.0'\ndescription = 'A shop'\n"),
    ("shop/main.star", SHOP),
    ("shop/prices.star", "def price(x):\n    return x\n"),
    ("shop/main_test.star", TESTS),
    ("alone.star", "X = 1\n\ndef f():\n    pass\n"),
    ("broken.star", "# no\ndef f(:\n\n  x\n"),
];

/// Runs the tests of a folder and tells what they covered.
fn covered(files: &[(&str, &str)], change: impl FnOnce(&mut Options)) -> (Covered, Summary) {
    let dir = folder(files);
    let coverage = Arc::new(Coverage::default());
    let mut options = Options::new(vec![Folder::new(dir.path())]);
    options.coverage = Some(Arc::clone(&coverage));
    change(&mut options);
    let (_, summary) = told(&options);
    (Covered::of(&options.folders, &coverage), summary)
}

/// The lines of a source that say so.
fn marked(source: &str, mark: &str) -> Vec<usize> {
    let lines = (1..).zip(source.lines());
    let marked = lines.filter(|(_, line)| line.ends_with(mark));
    marked.map(|(line, _)| line).collect()
}

#[test]
fn figures_are_those_counted_by_hand() {
    for jobs in [1, 2] {
        let (covered, summary) = covered(&FILES, |options| options.jobs = jobs);
        assert_eq!(summary.failed, 0);
        let mut files = covered.files.iter();
        let shop = files.find(|file| file.name == "shop/main.star").unwrap();
        let ran = shop.lines.iter().filter(|(_, ran)| **ran > 0);
        let ran: Vec<usize> = ran.map(|(line, _)| *line).collect();
        assert_eq!(ran, marked(SHOP, "# +"));
        let uncovered: Vec<usize> = shop.uncovered().collect();
        assert_eq!(uncovered, marked(SHOP, "# -"));
        expect![[r"
            coverage          lines     %  uncovered
            alone.star          1/2  50.0  4
            broken.star         0/2   0.0  2-4
            shop/main.star    27/35  77.1  15, 21, 24-28, 40, 42, 64
            shop/prices.star    0/1   0.0  2
            all files         28/40  70.0
        "]]
        .assert_eq(&format!("{covered}\n"));
    }
}

#[test]
fn what_nothing_loads_is_not_covered() {
    let (covered, _) = covered(&FILES, |options| options.filter = Some("plain".into()));
    let alone = &covered.files[0];
    assert_eq!(alone.name, "alone.star");
    assert_eq!((alone.covered(), alone.lines.len()), (0, 2));
}

/// Counting changes neither what tests see nor where they fail.
#[test]
fn counting_changes_nothing_else() {
    let main = "def f(x):\n    y = x\n    if y[0] > 1:\n        return y['a'] + 1\n    return 0\n";
    let test = "load('main.star', 'f')\ndef test_if():\n    f(None)\ndef test_then():\n    f({0: 2})\ndef test_fine():\n    testing.eq(f([1]), 0)";
    let files = [("main.star", main), ("main_test.star", test)];
    let dir = folder(&files);
    let mut options = Options::new(vec![Folder::new(dir.path())]);
    let plain = told(&options);
    assert_eq!(plain.1.failed, 2);
    options.coverage = Some(Arc::default());
    assert_eq!(told(&options), plain);
}

#[test]
fn programs_read_the_same_figures() {
    let (covered, summary) = covered(&FILES, |_| {});
    let mut report = Report::new(Format::Json);
    report.cover(covered.clone());
    let json: serde_json::Value = serde_json::from_str(&report.end(&summary).unwrap()).unwrap();
    assert_eq!(json["coverage"]["percent"], 70.0);
    assert_eq!(
        json["coverage"]["files"][2],
        serde_json::json!({
            "file": "shop/main.star",
            "covered": 27,
            "total": 35,
            "percent": 77.1,
            "uncovered": [15, 21, 24, 26, 28, 40, 42, 64],
        })
    );
    let lcov = covered.to_lcov();
    let alone = lcov.split_inclusive("end_of_record\n").next().unwrap();
    let (_, lines) = alone.split_once("alone.star\n").unwrap();
    assert_eq!(lines, "DA:1,1\nDA:4,0\nLF:2\nLH:1\nend_of_record\n");
}

#[test]
fn all_of_it_is_less_than_a_tenth_away_from_nothing_missing() {
    let lines = |covered: u64, total: u64| {
        let lines =
            (1..=total).map(|line| (usize::try_from(line).unwrap(), u64::from(line <= covered)));
        let file =
            crate::CoveredFile { name: String::new(), path: String::new(), lines: lines.collect() };
        file.percent().to_string()
    };
    assert_eq!(lines(9999, 10000), "99.9");
    assert_eq!(lines(3, 3), "100");
    assert_eq!(lines(0, 0), "100");
}
