//! Assertions, and which functions are tests.

use super::*;

/// Loads `a.star` among the files as a test, then runs its functions `test_*` in order.
fn outcomes(files: &[(&'static str, &str)]) -> Vec<(String, Result<(), String>)> {
    let sources = Files(
        files
            .iter()
            .map(|(name, source)| (*name, (*source).to_owned()))
            .collect(),
    );
    let host = Notebook::default();
    let turn = Turn::new(&host, &QUICK);
    let mut script = None;
    Engine::for_tests(quick()).load_all(&["a.star".to_owned()], &sources, &host, |_, s, _| {
        script = Some(s);
    });
    let script = script.unwrap().unwrap_or_else(|fault| panic!("{fault}"));
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
    assert_eq!(
        outcomes(&[("a.star", &source)]),
        [("test_it".to_owned(), expected)]
    );
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
    check(
        "testing.eq('1', 1)",
        Err("Assertion failed: \"1\" is not equal to 1"),
    );
    check(
        "testing.eq(1, 2, 'the sum')",
        Err("Assertion failed: the sum: 1 is not equal to 2"),
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
    check(
        "testing.contains([1, 2], 3)",
        Err("Assertion failed: 3 not in [1, 2]"),
    );
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
    assert_eq!(
        names,
        ["test_zebra", "test_apple", "test_lambda", "test_below"]
    );
}

#[test]
fn a_parameter_is_named() {
    let lib = "x = 1\ndef test_t():\n    pass";
    let source = "load('lib', 'x')\ndef test_t(t):\n    pass\ndef test_two(a = 1, *, b):\n    x()";
    let expected = [
        (
            "test_t",
            "a.star:2 `test_t` takes `t`, which comes with a later version",
        ),
        (
            "test_two",
            "a.star:4 `test_two` takes `b`; a test is called without arguments",
        ),
    ]
    .map(|(test, why)| (test.to_owned(), Err(why.to_owned())));
    assert_eq!(outcomes(&[("a.star", source), ("lib.star", lib)]), expected);
}

#[test]
fn nothing_is_asserted_outside_of_tests() {
    let fault = load("testing.eq(1, 1)").map(|_| ()).unwrap_err();
    assert_eq!(fault.one_line(), "a.star:1 there is no `testing`");
}
