//! `select` and `compact` of a tool: read at load, and run on results.

use super::*;
use expect_test::{Expect, expect};

/// A tool with these options, after what stands before it.
fn source(before: &str, options: &str) -> String {
    format!("{before}\ndef stock():\n    return []\n\ntool(stock, {options})\n")
}

#[track_caller]
fn check(before: &str, options: &str, expected: Expect) {
    let fault = load(&source(before, options)).err();
    let fault = fault.expect("this is in order");
    expected.assert_eq(&fault.to_string());
}

#[test]
fn a_selection_is_read_when_the_file_is() {
    for select in [
        r#"["id", "author: user.login", "labels[*].name"]"#,
        r#"("id", "title")"#,
        r#"["*"]"#,
        "None",
    ] {
        let script = load(&source("", &format!("select = {select}"))).unwrap();
        let tool = &script.tools[0];
        assert_eq!(tool.tool.is_compact(), select != "None", "{select}");
    }
    check(
        "",
        r#"select = ["user.[login"]"#,
        expect![[r#"
            tool `stock`: `user.[login` in `select` has a dot that no field follows
              ┌ a.star:5:1
            5 │ tool(stock, select = ["user.[login"])
              │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    check(
        "",
        "select = []",
        expect![[r#"
            tool `stock`: `select` is empty; leave it out, or write ["*"] for every field
              ┌ a.star:5:1
            5 │ tool(stock, select = [])
              │ ^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    check(
        "",
        "select = 3",
        expect![[r#"
            tool `stock`: `select` is a list of fields such as ["title", "author: user.login"], not 3
              ┌ a.star:5:1
            5 │ tool(stock, select = 3)
              │ ^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    check(
        "",
        r#"select = ["a.id", "a.id"]"#,
        expect![[r#"
            tool `stock`: `select` takes two fields as `a.id`; rename one: "other: a.id"
              ┌ a.star:5:1
            5 │ tool(stock, select = ["a.id", "a.id"])
              │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
}

/// A path that the declared result cannot have is a mistake, whatever the call gives.
#[test]
fn a_selection_fits_the_declared_result() {
    let source = |select: &str| {
        format!(
            "Item = record(id = int, name = str)\n\ndef items() -> list[Item]:\n    return []\n\n\
             tool(items, select = {select})\n"
        )
    };
    assert!(load(&source(r#"["id", "label: name"]"#)).is_ok());
    let fault = load(&source(r#"["id", "title"]"#)).err().unwrap();
    expect![[r#"
        tool `items`: `select` names `title`, which the declared result does not have; there are id, name
          ┌ a.star:6:1
        6 │ tool(items, select = ["id", "title"])
          │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]]
    .assert_eq(&fault.to_string());
}

#[test]
fn an_invalid_tool_leaves_the_others() {
    let source = source("", "name = \"other\", select = []") + "tool(stock)\n";
    let script = load(&source).unwrap();
    let names = script.tools.iter().map(|tool| tool.tool.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["stock"]);
    let invalid = script.declared.invalid.iter().map(model::Fault::one_line);
    let expected =
        "a.star:5 tool `other`: `select` is empty; leave it out, or write [\"*\"] for every field";
    assert_eq!(invalid.collect::<Vec<_>>(), [expected]);
}

#[test]
fn compact_is_a_function_of_the_result() {
    for (before, function) in [
        ("def shorter(result):\n    return result", "shorter"),
        ("def shorter(result: list[dict], most: int = 3) -> str:\n    return ''", "shorter"),
        ("", "lambda result: len(result)"),
        ("", "len"),
    ] {
        let script = load(&source(before, &format!("compact = {function}"))).unwrap();
        assert!(script.tools[0].tool.is_compact(), "{function}");
    }
    check(
        "",
        "compact = 'shorter'",
        expect![[r"
            tool `stock`: `compact` must be a function, not a string; write compact = my_function
              ┌ a.star:5:1
            5 │ tool(stock, compact = 'shorter')
              │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"]],
    );
    check(
        "",
        "compact = lambda: 1",
        expect![[r"
            tool `stock`: `compact` is called as `lambda(result)`
              ┌ a.star:5:1
            5 │ tool(stock, compact = lambda: 1)
              │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"]],
    );
    check(
        "def shorter(ctx, result):\n    return result",
        "compact = shorter",
        expect![[r"
            tool `stock`: `compact` is called as `shorter(result)`
              ┌ a.star:6:1
            6 │ tool(stock, compact = shorter)
              │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"]],
    );
    check(
        "def shorter(result, most):\n    return result",
        "compact = shorter",
        expect![[r"
            tool `stock`: `compact` is called as `shorter(result)`
              ┌ a.star:6:1
            6 │ tool(stock, compact = shorter)
              │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"]],
    );
}

/// What the author's function makes of a result, or why not.
fn made(body: &str, result: Value) -> Result<Value, String> {
    let before = format!("def shorter(result):\n    {body}");
    let script = load(&source(&before, "compact = shorter")).unwrap();
    let host = Notebook::default();
    let turn = Turn::new(&host, &QUICK);
    let made = script.compact(&script.tools[0], &result, &turn).unwrap();
    made.map_err(|failure| match failure {
        CallFailure::Failed { fault, .. } | CallFailure::Stopped { fault, .. } => fault.message,
        other => format!("{other:?}"),
    })
}

#[test]
fn it_makes_a_value_or_a_text() {
    for (body, result, expected) in [
        ("return [r['id'] for r in result]", json!([{"id": 7, "x": 1}]), Ok(json!([7]))),
        ("return '# %d rows' % len(result)", json!([1, 2]), Ok(json!("# 2 rows"))),
        ("return None", json!({}), Ok(json!(null))),
        ("fail('no rows')", json!({}), Err("no rows".to_owned())),
        ("return lambda: 1", json!({}), Err("a function cannot be written as JSON".to_owned())),
        (
            "return [i for i in range(100000000)]",
            json!({}),
            Err("stopped at 256 MiB of memory, the most one call may use (limit `heap`)".to_owned()),
        ),
    ] {
        assert_eq!(made(body, result), expected, "{body}");
    }
    let script = load(&source("", "select = ['id']")).unwrap();
    let host = Notebook::default();
    let none = script.compact(&script.tools[0], &json!([]), &Turn::new(&host, &QUICK));
    assert_eq!(none, None);
}
