//! Assertions, and which functions are tests.

use super::*;

/// Loads `a.star` among the files as a test, then runs its functions `test_*` in order.
fn outcomes(files: &[(&'static str, &str)]) -> Vec<(String, Result<(), String>)> {
    let sources = Files(files.iter().map(|(name, source)| (*name, (*source).to_owned())).collect());
    let host = Notebook::default();
    let turn = Turn::new(&host, &QUICK);
    let script = load_with(Engine::for_tests(quick()), sources, "a.star");
    let script = script.unwrap_or_else(|fault| panic!("{fault}"));
    let run = |name: String| {
        let outcome = script.run_test(&name, &turn).map_err(|f| f.one_line());
        (name, outcome)
    };
    script.tests().into_iter().map(run).collect()
}

#[track_caller]
fn check(assertion: &str, expected: Result<(), &str>) {
    let source = format!("def test_it():\n    {assertion}");
    let expected = expected.map_err(|message| format!("a.star:2 {message}"));
    assert_eq!(outcomes(&[("a.star", &source)]), [("test_it".to_owned(), expected)]);
}

#[test]
fn assertions_that_hold_say_nothing() {
    for holds in [
        "testing.eq([1, {'a': 2}], [1, {'a': 2}])",
        "testing.eq(1, 1.0, 'numbers')",
        "testing.eq(expected = 'a', actual = 'a', message = 'by name')",
        "testing.ne(1, '1')",
        "testing.is_true([0])",
        "testing.is_false('')",
        "testing.contains([1, 2], 2)",
        "testing.contains((1, 2), 2)",
        "testing.contains('concatenate', 'cat')",
        "testing.contains({'a': 1}, 'a')",
    ] {
        check(holds, Ok(()));
    }
}

#[test]
fn a_failed_assertion_shows_the_values() {
    check("testing.eq('1', 1)", Err("Assertion failed: \"1\" is not equal to 1"));
    check("testing.eq(1, 2, 'the sum')", Err("Assertion failed: the sum: 1 is not equal to 2"));
    check(
        "testing.eq(9999999.9, [9999999.9])",
        Err("Assertion failed: 9999999.9 is not equal to [9999999.9]"),
    );
    check(
        "testing.contains(set([1e6]), 1e7)",
        Err("Assertion failed: 10000000.0 not in set([1000000.0])"),
    );
    check(
        "testing.near(9999999.9, 1e7)",
        Err(
            "Assertion failed: 9999999.9 and 10000000.0 are 0.09999999962747097 apart, which is more than 0.000000001",
        ),
    );
    check(
        "testing.ne([1], [1])",
        Err("Assertion failed: expected values to be different, but both are [1]"),
    );
    check(
        "testing.is_true(None, 'found')",
        Err("Assertion failed: found: expected truthy value, got None"),
    );
    check(
        "testing.is_false({'a': 1})",
        Err("Assertion failed: expected falsy value, got {\"a\": 1}"),
    );
    check("testing.contains([1, 2], 3)", Err("Assertion failed: 3 not in [1, 2]"));
    check(
        "testing.contains({'a': 1}, 1, message = 'keys')",
        Err("Assertion failed: keys: 1 not in {\"a\": 1}"),
    );
    check("testing.fail('not {yet}')", Err("not {yet}"));
}

#[test]
fn values_without_end_are_refused() {
    let source = "
def huge():
    x = []
    for _ in range(40):
        x = [x, x]
    return x

def test_eq():
    testing.eq(huge(), huge())

def test_is_false():
    testing.is_false(huge())
";
    for (test, outcome) in outcomes(&[("a.star", source)]) {
        let why = outcome.unwrap_err();
        assert!(why.contains("longer than 67108864 bytes"), "{test}: {why}");
    }
}

#[test]
fn tests_are_the_files_own_functions_in_order() {
    let lib = "def test_theirs():\n    pass\ndef helper():\n    pass";
    let source = "
load('lib', 'test_theirs', 'helper')

def test_zebra():
    test_theirs()

test_data = [1, 2]

def test_apple():
    helper()

def _test_private():
    pass

test_lambda = lambda: testing.eq(1, 1)

if True:
    def test_below(x = 1):
        pass
";
    let names: Vec<String> = outcomes(&[("a.star", source), ("lib.star", lib)])
        .into_iter()
        .map(|(name, outcome)| {
            assert_eq!(outcome, Ok(()), "{name}");
            name
        })
        .collect();
    assert_eq!(names, ["test_zebra", "test_apple", "test_lambda", "test_below"]);
}

#[test]
fn a_parameter_is_named() {
    let lib = "x = 1\ndef test_t():\n    pass";
    let source = "load('lib', 'x')\ndef test_two(a = 1, *, b):\n    x()";
    let why = "a.star:2 `test_two` takes `b`; a test is given `t`, or nothing";
    assert_eq!(
        outcomes(&[("a.star", source), ("lib.star", lib)]),
        [("test_two".to_owned(), Err(why.to_owned()))]
    );
}

#[test]
fn long_values_are_told_line_by_line() {
    let source = "
def test_it():
    a = {'name': 'screws', 'sizes': [3, 4, 5], 'maker': {'name': 'Ada', 'town': 'London'}}
    b = {'name': 'screws', 'sizes': [3, 5], 'maker': {'name': 'Ada', 'town': 'Lyon'}}
    testing.eq(a, b)

def test_text():
    testing.eq('one\\ntwo\\nthree', 'one\\ntwo and a half\\nthree', 'the lines')
";
    let told = outcomes(&[("a.star", source)]).into_iter();
    let told: Vec<String> = told.map(|(_, outcome)| outcome.unwrap_err()).collect();
    expect_test::expect![[r#"
        a.star:5 Assertion failed: the dicts differ (- the first, + the second)
          {
            "name": "screws",
            "sizes": [
              3,
        -     4,
              5,
            ],
            "maker": {
              "name": "Ada",
        -     "town": "London",
        +     "town": "Lyon",
                        ^
            },
          }
        a.star:8 Assertion failed: the lines: the texts differ (- the first, + the second)
          one
        - two
        + two and a half
             ^^^^^^^^^^^
          three"#]]
    .assert_eq(&told.join("\n"));
}

#[test]
fn a_failure_elsewhere_is_told_with_the_line_of_the_test() {
    let lib = "def check(x):\n    if x > 1:\n        fail('too large')";
    let source = "load('lib', 'check')\n\ndef test_it():\n    check(1)\n    check(2)";
    let sources = Files([("a.star", source.to_owned()), ("lib.star", lib.to_owned())].into());
    let host = Notebook::default();
    let script = load_with(Engine::for_tests(quick()), sources, "a.star").unwrap();
    let fault = script.run_test("test_it", &Turn::new(&host, &QUICK)).unwrap_err();
    assert_eq!(fault.one_line(), "lib.star:3 too large");
    assert_eq!(fault.help.as_deref(), Some("called at a.star:5: check(2)"));
}

#[test]
fn failures_patterns_and_numbers() {
    for holds in [
        "testing.raises(lambda: fail('no'))",
        "testing.eq(testing.raises(fail, 'no', contains = 'n'), 'no')",
        "testing.matches('a1', '[0-9]')",
        "testing.near(0.1 + 0.2, 0.3)",
        "testing.near(3, 2, 1)",
        "testing.near(2, 3, tolerance = 1.0)",
    ] {
        check(holds, Ok(()));
    }
    check(
        "testing.raises(lambda: 1, message = 'it')",
        Err("Assertion failed: it: expected a failure, got 1"),
    );
    check(
        "testing.raises(lambda: fail('no'), contains = 'yes')",
        Err("Assertion failed: \"yes\" not in the failure \"no\""),
    );
    check(
        "testing.matches('a', '[0-9]')",
        Err("Assertion failed: the pattern \"[0-9]\" is not found in \"a\""),
    );
    check(
        "testing.near(1.5, 1)",
        Err("Assertion failed: 1.5 and 1 are 0.5 apart, which is more than 0.000000001"),
    );
    check("testing.near('1', 1)", Err("testing.near takes numbers, not a string"));
}

#[test]
fn nothing_is_asserted_outside_of_tests() {
    let fault = load("testing.eq(1, 1)").map(|_| ()).unwrap_err();
    assert_eq!(fault.one_line(), "a.star:1 there is no `testing`");
}
