//! A run as programs read it.

use super::*;
use crate::{Format, Report};

const TESTS: &str = "
def test_fine():
    pass

def test_awkward():
    print('<b> & \\x07')
    testing.eq('<a> & \"b\" # é', 'c')
";

fn reported(format: Format) -> String {
    let dir = folder(&[("a_test.star", TESTS), ("b_test.star", "oops")]);
    let options = Options::new(vec![Folder::new(dir.path())]);
    let mut report = Report::new(format);
    let mut lines = Vec::new();
    let summary = run(&options, &mut |event| {
        lines.extend(report.tell(timeless(event)));
    });
    lines.extend(report.end(&summary));
    lines.join("\n") + "\n"
}

#[test]
fn as_xml() {
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="larkspur" tests="3" failures="2" errors="0" time="0.000">
          <testsuite name="a_test.star" tests="2" failures="1" errors="0" skipped="0" time="0.000">
            <testcase classname="a_test" name="test_fine" time="0.000"/>
            <testcase classname="a_test" name="test_awkward" time="0.000">
              <failure message="Assertion failed: &quot;&lt;a&gt; &amp; \&quot;b\&quot; # é&quot; is not equal to &quot;c&quot;" type="failure">Assertion failed: &quot;&lt;a&gt; &amp; \&quot;b\&quot; # é&quot; is not equal to &quot;c&quot;
          ┌ a_test.star:7:5
        7 │     testing.eq('&lt;a&gt; &amp; &quot;b&quot; # é', 'c')
          │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^</failure>
              <system-out>&lt;b&gt; &amp; �</system-out>
            </testcase>
          </testsuite>
          <testsuite name="b_test.star" tests="1" failures="1" errors="0" skipped="0" time="0.000">
            <testcase classname="b_test" name="(load)" time="0.000">
              <failure message="there is no `oops`" type="failure">there is no `oops`
          ┌ b_test.star:1:1
        1 │ oops
          │ ^^^^</failure>
            </testcase>
          </testsuite>
        </testsuites>
    "#]].assert_eq(&reported(Format::Junit));
}

#[test]
fn as_json() {
    expect![[r#"
        {
          "total": 3,
          "passed": 1,
          "failed": 2,
          "tests": [
            {
              "file": "a_test.star",
              "test": "test_fine",
              "passed": true,
              "ms": 0.0
            },
            {
              "file": "a_test.star",
              "test": "test_awkward",
              "passed": false,
              "ms": 0.0,
              "failure": {
                "message": "Assertion failed: \"<a> & \\\"b\\\" # é\" is not equal to \"c\"",
                "place": {
                  "file": "a_test.star",
                  "line": 7,
                  "column": 5,
                  "width": 32,
                  "excerpt": "    testing.eq('<a> & \"b\" # é', 'c')"
                }
              },
              "report": "Assertion failed: \"<a> & \\\"b\\\" # é\" is not equal to \"c\"\n  ┌ a_test.star:7:5\n7 │     testing.eq('<a> & \"b\" # é', 'c')\n  │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
              "printed": [
                "<b> & \u0007"
              ]
            },
            {
              "file": "b_test.star",
              "test": "(load)",
              "passed": false,
              "ms": 0.0,
              "failure": {
                "code": "E0201",
                "message": "there is no `oops`",
                "place": {
                  "file": "b_test.star",
                  "line": 1,
                  "column": 1,
                  "width": 4,
                  "excerpt": "oops"
                }
              },
              "report": "there is no `oops`\n  ┌ b_test.star:1:1\n1 │ oops\n  │ ^^^^",
              "printed": []
            }
          ],
          "notes": []
        }
    "#]].assert_eq(&reported(Format::Json));
}

#[test]
fn what_the_one_call_of_a_test_costs() {
    let main = "
permissions(http = ['api.example.org'])
def items(ctx) -> list[dict]:
    return http.get('https://api.example.org/items')['json']
tool(items, select = ['name'])
";
    let test = "
def _call(t):
    t.http.on('GET', 'https://api.example.org/items', body = '[ {\"name\": \"screws\", \"pieces\": 3} ]')
    return t.call('shop.items')
def test_one(t):
    _call(t)
def test_two(t):
    _call(t)
    t.call('shop.items')
def test_none(t):
    pass
";
    let dir = folder(&[("shop.star", main), ("shop_test.star", test)]);
    let mut options = Options::new(vec![Folder::new(dir.path())]);
    options.tokens = true;
    let ended = |format| {
        let mut report = Report::new(format);
        let summary = run(&options, &mut |event| {
            assert_eq!(report.tell(timeless(event)), None);
        });
        report.end(&summary).unwrap() + "\n"
    };
    expect![[r"
        | characters / tokens | sent by the service | as JSON | as read | of sent | of JSON |
        |---|---:|---:|---:|---:|---:|
        | `shop.items` | 30 / 10 | 30 / 10 | 28 / 11 | 110.0 % | 110.0 % |
    "]]
    .assert_eq(&ended(Format::Tokens));
    let json: serde_json::Value = serde_json::from_str(&ended(Format::Json)).unwrap();
    assert_eq!(json["tokens"].as_array().unwrap().len(), 1);
    assert_eq!(json["tokens"][0]["sent"]["characters"], 30);
    assert_eq!(json["tokens"][0]["test"], "test_one");
}
