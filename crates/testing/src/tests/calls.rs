//! `t.call`: the whole road.

use super::*;

const NOTES: &str = "
def start(deps, config):
    return config['greeting']

def greet(ctx, name: str, times: int = 1) -> list[dict]:
    print('greeting', name)
    return [{'said': ctx.instance + ' ' + name, 'by': 'notes'}] * times

def count(ctx) -> int:
    return ctx.state.update('n', lambda n: n + 1, default = 0)

def broken(ctx):
    fail('it is broken')

def forever(ctx):
    for i in range(1000000000):
        pass

tool(greet, select = ['said'])
tool(count)
tool(broken)
tool(forever)
";
const MANIFEST: &str = "
name = 'notes'
version = '1.0.0'
description = 'Notes'
[config]
greeting = { type = 'string', default = 'hello' }
";

#[track_caller]
fn check_notes(test: &str, expected: &Expect) {
    let files = [
        ("notes/module.toml", MANIFEST),
        ("notes/main.star", NOTES),
        ("notes/main_test.star", test),
    ];
    check(&files, expected);
}

#[test]
fn an_answer_is_data_and_text() {
    check_notes(
        "
def test_answer(t):
    answer = t.call('notes.greet', {'name': 'ada', 'times': 9})
    testing.eq(answer.value, [{'said': 'hello ada', 'by': 'notes'}] * 9)
    testing.is_false('notes' in answer.text, answer.text)
    testing.contains(answer.text, 'hello ada')
    testing.is_true(answer.tokens > 3)
    testing.eq([answer.is_error, answer.error], [False, None])

def test_refused(t):
    answer = t.call('notes.greet', {'nme': 'ada'})
    testing.is_true(answer.is_error)
    testing.contains(answer.error, 'did you mean `name`')

def test_config(t):
    t.config('greeting', 'good day')
    testing.eq(t.call('notes.greet', {'name': 'ada'}).value[0]['said'], 'good day ada')

def test_state_is_kept(t):
    testing.eq([t.call('notes.count').value, t.call('notes.count').value], [1, 2])

def test_and_forgotten(t):
    testing.eq(t.call('notes.count').value, 1)

def test_meta(t):
    testing.contains(t.call('call', {'module': 'notes', 'tool': 'count'}).text, '1')
",
        &expect![[r"
            notes/main_test.star: 6 tests
              ✓ test_answer
              ✓ test_refused
              ✓ test_config
              ✓ test_state_is_kept
              ✓ test_and_forgotten
              ✓ test_meta
            Total: 6 | Passed: 6 | Failed: 0
        "]],
    );
}

#[test]
fn what_goes_wrong_is_told_with_its_place() {
    check_notes(
        "
def test_value_of_nothing(t):
    t.call('notes.greet', {'name': 'ada'})
    t.call('notes.broken').value

def test_no_such_tool(t):
    t.call('notes.gret').value

def test_late_config(t):
    t.call('notes.count')
    t.config('greeting', 'hi')

def test_bad_config(t):
    t.config('greting', 'hi')
    t.call('notes.count').value

def test_wrong_parameter(x):
    pass
",
        &expect![[r#"
            notes/main_test.star: 5 tests
              ✗ test_value_of_nothing
                `notes.broken` failed: it is broken (notes/main.star:13)
                  ┌ notes/main_test.star:4:5
                4 │     t.call('notes.broken').value
                  │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
                printed:
                  greeting ada
              ✗ test_no_such_tool
                `notes.gret` failed: there is no tool `notes.gret`; did you mean `notes.greet`?
                  ┌ notes/main_test.star:7:5
                7 │     t.call('notes.gret').value
                  │     ^^^^^^^^^^^^^^^^^^^^^^^^^^
              ✗ test_late_config
                t.config comes before the first t.call, with which modules start
                   ┌ notes/main_test.star:11:5
                11 │     t.config('greeting', 'hi')
                   │     ^^^^^^^^^^^^^^^^^^^^^^^^^^
              ✗ test_bad_config
                `notes.count` failed: module `notes` does not run: configuration of module `notes` is not right
                  greting = "hi" (t.config): is not a key; did you mean `greeting`?
                   ┌ notes/main_test.star:15:5
                15 │     t.call('notes.count').value
                   │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
              ✗ test_wrong_parameter
                `test_wrong_parameter` takes `x`; a test is given `t`, or nothing
                   ┌ notes/main_test.star:17:1
                17 │ def test_wrong_parameter(x):
                   │ ^^^^^^^^^^^^^^^^^^^^^^^^
            Total: 5 | Passed: 0 | Failed: 5
        "#]],
    );
}

#[test]
fn a_tool_that_does_not_end_ends_with_its_test() {
    let dir = folder(&[
        ("notes/module.toml", MANIFEST),
        ("notes/main.star", NOTES),
        ("notes/main_test.star", "def test_forever(t):\n    t.call('notes.forever')"),
    ]);
    let mut options = Options::new(vec![Folder::new(dir.path())]);
    options.limits.time = Duration::from_millis(300);
    let (text, _) = told(&options);
    expect![[r"
        notes/main_test.star: 1 test
          ✗ test_forever
            stopped after 300 ms, the time one call may take (limit `timeout`)
              ┌ notes/main_test.star:2:5
            2 │     t.call('notes.forever')
              │     ^^^^^^^^^^^^^^^^^^^^^^^
    "]]
    .assert_eq(&text);
}

#[test]
fn a_module_that_does_not_run_says_why() {
    check(
        &[
            ("notes/module.toml", MANIFEST),
            (
                "notes/main.star",
                "def start(deps, config):\n    fail('no disk')\ndef f(ctx):\n    pass\ntool(f)",
            ),
            (
                "notes/main_test.star",
                "def test_f(t):\n    t.call('notes.f').value\ndef test_own():\n    env.get('A')",
            ),
        ],
        &expect![[r"
            notes/main_test.star: 2 tests
              ✗ test_f
                `notes.f` failed: module `notes` does not run: `start` of module `notes` failed: no disk (notes/main.star:2)
                  ┌ notes/main_test.star:2:5
                2 │     t.call('notes.f').value
                  │     ^^^^^^^^^^^^^^^^^^^^^^^
              ✗ test_own
                module `notes` does not run: `start` of module `notes` failed: no disk
                  ┌ notes/main_test.star:4:5
                4 │     env.get('A')
                  │     ^^^^^^^^^^^^
            Total: 2 | Passed: 0 | Failed: 2
        "]],
    );
}

/// Both parts of an answer are what a client gets that calls the tool.
#[test]
fn the_text_is_what_a_client_reads() {
    let test = "def test_it(t):\n    print(t.call('notes.greet', {'name': 'ada', 'times': 9}).text)\n    fail('')";
    let dir = folder(&[
        ("notes/module.toml", MANIFEST),
        ("notes/main.star", NOTES),
        ("notes/main_test.star", test),
    ]);
    let options = Options::new(vec![Folder::new(dir.path())]);
    let mut printed = Vec::new();
    run(&options, &mut |event| {
        if let Event::Failed { output, .. } = event {
            printed = output;
        }
    });
    let runtime = runtime::Runtime::open(runtime::Settings {
        folders: vec![dir.path().to_owned()],
        forgets: true,
        ..runtime::Settings::default()
    });
    let args = serde_json::json!({"name": "ada", "times": 9});
    let call = runtime::Call {
        shape: runtime::Shape::Declared,
        ..runtime::Call::new("notes.greet", args.as_object().unwrap().clone())
    };
    let executor = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let output = executor.block_on(runtime.call(call)).unwrap();
    assert_eq!(printed, ["greeting ada", output.plain_text().as_str()]);
}

/// A value is what it is: one of another kind is refused, as from a file.
#[test]
fn configuration_keeps_its_kinds() {
    check_notes(
        "
def test_text(t):
    t.config('greeting', 'true')
    testing.eq(t.call('notes.greet', {'name': 'ada'}).value[0]['said'], 'true ada')

def test_other(t):
    t.config('greeting', True)
    testing.contains(t.call('notes.greet', {'name': 'ada'}).error, 'does not run: configuration')
",
        &expect![[r"
            notes/main_test.star: 2 tests
              ✓ test_text
              ✓ test_other
            Total: 2 | Passed: 2 | Failed: 0
        "]],
    );
}

/// What a module may do is in its manifest: where that cannot be read, nobody knows.
#[test]
fn a_manifest_that_cannot_be_read_grants_nothing() {
    check(
        &[
            ("shop/module.toml", "name = 'shop'\nversion = 1\n"),
            ("shop/main.star", "def f(ctx):\n    pass\ntool(f)"),
            (
                "shop/main_test.star",
                "def test_http(t):\n    t.http.on('GET', '*', body = 'x')\n    http.get('https://a.org/')",
            ),
        ],
        &expect![[r"
            shop/main_test.star: 1 test
              ✗ test_http
                shop/module.toml cannot be used: `version` must be a string, got integer `1`
                  ┌ shop/main_test.star:3:5
                3 │     http.get('https://a.org/')
                  │     ^^^^^^^^^^^^^^^^^^^^^^^^^^
            Total: 1 | Passed: 0 | Failed: 1
        "]],
    );
}

#[test]
fn a_tool_that_is_not_there_fails_its_test() {
    check(
        &[
            ("foo.star", "def foo(ctx):\n    return 'x' +\ntool(foo)"),
            ("foo_test.star", "def test_it(t):\n    testing.is_true(t.call('foo.foo').is_error)"),
        ],
        &expect![[r"
            foo_test.star: 1 test
              ✗ test_it
                `foo.foo` failed: module `foo` does not run: unexpected new line, expected expression
            Total: 1 | Passed: 0 | Failed: 1
        "]],
    );
}

#[test]
fn resources_and_prompts_go_the_whole_road() {
    let main = "
def stock(ctx, item: str) -> dict:
    return {'item': item, 'said': ctx.config['greeting']}

def hours() -> str:
    return '# Hours\\n'

def order(item: str, pieces: int = 1) -> str:
    return 'order %d %s' % (pieces, item)

resource('shop://{item}/stock', stock)
resource('shop://hours', hours, mime = 'text/markdown')
prompt(order)
";
    let manifest = "name = 'shop'\nversion = '1.0.0'\ndescription = 'd'\n[config]\ngreeting = { type = 'string', default = 'hi' }\n";
    let test = "
def test_read(t):
    t.config('greeting', 'hello')
    testing.eq(t.read('shop://screws/stock').value, {'item': 'screws', 'said': 'hello'})
    answer = t.read('shop://hours')
    testing.eq(answer.text, '# Hours\\n')
    testing.eq(answer.contents[0]['mimeType'], 'text/markdown')
    testing.is_false(answer.is_error)

def test_prompt(t):
    answer = t.prompt('shop.order', {'item': 'screws', 'pieces': '3'})
    testing.eq(answer.text, 'order 3 screws')
    testing.eq(answer.messages, [{'role': 'user', 'content': {'type': 'text', 'text': 'order 3 screws'}}])

def test_refused(t):
    testing.contains(t.prompt('shop.order', {}).error, 'item')
    testing.contains(t.read('shop://gone').error, 'there is no resource')
    testing.contains(t.call('shop.gone').error, 'there is no tool')

def test_not_there(t):
    testing.is_true(t.read('shop://gone').is_error)

def test_no_contents(t):
    t.prompt('shop.order', {'item': 'x'}).contents
";
    check(
        &[("shop/module.toml", manifest), ("shop/main.star", main), ("shop/main_test.star", test)],
        &expect![[r"
            shop/main_test.star: 5 tests
              ✓ test_read
              ✓ test_prompt
              ✓ test_refused
              ✗ test_not_there
                `shop://gone` failed: there is no resource `shop://gone`; did you mean `shop://hours`?
              ✗ test_no_contents
                `shop.order` has no contents
                   ┌ shop/main_test.star:24:5
                24 │     t.prompt('shop.order', {'item': 'x'}).contents
                   │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            Total: 5 | Passed: 3 | Failed: 2
        "]],
    );
}

#[test]
fn a_result_must_match_what_its_tool_declares() {
    let main = "
Row = record(number = int)
Rows = record(results = list[Row])

def rows(number: str) -> dict:
    return {'results': [{'number': int(number) if number.isdigit() else number, 'more': True}]}

tool(rows, output_schema = Rows, select = ['number'])
";
    let test = "
def test_match(t):
    testing.eq(t.call('shop.rows', {'number': '7'}).value['results'][0]['number'], 7)

def test_mismatch(t):
    answer = t.call('shop.rows', {'number': 'x'})
    testing.contains(answer.error, 'declares: `results.0.number`: value is not of type')
    answer.value
";
    check(
        &[("shop.star", main), ("shop_test.star", test)],
        &expect![[r#"
            shop_test.star: 2 tests
              ✓ test_match
              ✗ test_mismatch
                `shop.rows` failed: the result is not what `shop.rows` declares: `results.0.number`: value is not of type "integer"
                  ┌ shop_test.star:8:5
                8 │     answer.value
                  │     ^^^^^^^^^^^^
            Total: 2 | Passed: 1 | Failed: 1
        "#]],
    );
}
