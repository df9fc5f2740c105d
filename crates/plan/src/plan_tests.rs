//! Plans by table: what is accepted, and the exact words for what is refused.

#![expect(
    clippy::needless_pass_by_value,
    reason = "tables of json! read better without an ampersand each"
)]

use super::*;
use compact::Format;
use model::{Field, Hints, Input, Schema, Selection, ToolPath};
use serde_json::{Value, json};
use std::fmt::Write;

/// Tools of module `m` are there, those whose name begins with `get` are read-only, `put` is
/// idempotent, `m.typed` needs `page`; `m.secret` is denied.
fn lookup(tool: &ToolPath) -> Result<PlannedTool, String> {
    let name = tool.tool.as_str();
    match (tool.module.as_str(), name) {
        ("m", "secret") => Err("`m.secret` is not for you".to_owned()),
        ("m", "typed") => Ok(PlannedTool {
            hints: Hints::default(),
            input: Input::typed(vec![Field::required("page", Schema::Int)], false),
            select: None,
        }),
        ("m" | "notion", _) => Ok(PlannedTool::from(Hints {
            read_only: Some(name.starts_with("get")),
            idempotent: (name == "put").then_some(true),
            ..Hints::default()
        })),
        _ => Err(format!("there is no tool `{tool}`")),
    }
}

fn read(tasks: &Value) -> Result<Plan, Refused> {
    Plan::read(tasks, PlanLimits::default(), &lookup)
}

/// One task that is right but for what is added.
fn one(fields: Value) -> Value {
    let mut task = json!({"id": "a", "module": "m", "tool": "get"});
    for (key, value) in fields.as_object().unwrap() {
        task[key] = value.clone();
    }
    json!([task])
}

/// One task that is accepted, and what it then says.
#[track_caller]
fn accepts<T: PartialEq + std::fmt::Debug>(fields: Value, get: impl Fn(&Task) -> T, expected: T) {
    let plan = read(&one(fields.clone()));
    let plan = plan.unwrap_or_else(|refused| panic!("{fields}: {refused}"));
    assert_eq!(get(&plan.tasks()[0]), expected, "{fields}");
}

#[track_caller]
fn refuses(tasks: &Value, expected: &str) {
    let got = read(tasks).map_or_else(|refused| refused.to_string(), |_| "accepted".to_owned());
    assert_eq!(got, expected, "{tasks}");
}

/// One task with a field that is not right.
#[track_caller]
fn refuses_field(fields: Value, expected: &str) {
    refuses(&one(fields), &format!("task `a`: {expected}"));
}

/// `a: b c` is task `a` after `b` and `c`; `a: b=x` has the reference `${b.x}`.
fn graph(text: &str) -> Value {
    let task = |line: &str| {
        let (id, needs) = line.split_once(':').unwrap();
        let (mut after, mut params) = (Vec::new(), json!({}));
        for (i, need) in needs.split_whitespace().enumerate() {
            match need.split_once('=') {
                Some((id, path)) => params[format!("p{i}")] = json!(format!("${{{id}.{path}}}")),
                None => after.push(need),
            }
        }
        json!({"id": id, "module": "m", "tool": "get", "after": after, "params": params})
    };
    text.lines().map(task).collect()
}

fn shape(plan: &Plan) -> String {
    let mut text = String::new();
    for task in plan.tasks() {
        let needs: Vec<&str> = plan.needs(task).map(|need| need.id.as_str()).collect();
        let _ = write!(text, "{}<{}> ", task.id, needs.join(" "));
    }
    text.trim_end().to_owned()
}

#[test]
fn the_chain_of_the_seed_is_taken_as_it_is_written() {
    let lines = r#"{"id":"search","module":"notion","tool":"search","params":{"query":"設計"}}
{"id":"page","module":"notion","tool":"get_page_content","params":{"page_id":"${search.results[0].id}"},"after":["search"],"output":true}"#;
    let plan = read(&json!(lines)).unwrap();
    assert_eq!(shape(&plan), "search<> page<search>");
    let shown: Vec<Shown> = plan.tasks().iter().map(|task| task.shown).collect();
    assert_eq!(shown, [Shown::Nothing, Shown::As(None)]);
    let list: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(shape(&read(&json!(list)).unwrap()), shape(&plan));
}

#[test]
fn every_field_is_accepted() {
    let shown = |task: &Task| task.shown;
    accepts(json!({}), shown, Shown::Nothing);
    accepts(json!({"output": false, "raw_output": false}), shown, Shown::Nothing);
    accepts(json!({"output": true}), shown, Shown::As(None));
    accepts(json!({"output": "compact"}), shown, Shown::As(None));
    accepts(json!({"output": "json"}), shown, Shown::As(Some(Format::Json)));
    accepts(json!({"output": "toon"}), shown, Shown::As(Some(Format::Toon)));
    accepts(json!({"output": "markdown"}), shown, Shown::As(Some(Format::Markdown)));
    accepts(json!({"raw_output": true}), shown, Shown::Raw);
    accepts(json!({"output": "toon", "raw_output": true}), shown, Shown::Raw);
    accepts(json!({"output": true, "raw_output": false}), shown, Shown::As(None));
    let select = |task: &Task| task.select.clone();
    accepts(json!({}), select, None);
    accepts(
        json!({"select": ["id", "a: b.c"]}),
        select,
        Selection::parse(&json!(["id", "a: b.c"])).ok(),
    );
    let millis = |task: &Task| task.timeout.as_millis();
    accepts(json!({}), millis, 30_000);
    accepts(json!({"timeout_ms": 1}), millis, 1);
    accepts(json!({"timeout_ms": 30_000}), millis, 30_000);
    let retry = |task: &Task| task.retry.clone();
    let expected = |max, on: &[On]| Some(Retry { max, on: on.to_vec() });
    accepts(json!({"retry": {"max": 5}}), retry, expected(5, &On::ALL));
    let on = [On::Status(429), On::Status(503), On::ServerErrors, On::Timeout];
    let given = json!({"retry": {"max": 1, "on": [429, "503", "5xx", "timeout"]}});
    accepts(given, retry, expected(1, &on));
    accepts(json!({"retry": {"max": 1, "on": "timeout"}}), retry, expected(1, &[On::Timeout]));
    accepts(json!({"tool": "put", "retry": {"max": 1, "on": []}}), retry, expected(1, &[]));
    let on_error = |task: &Task| task.on_error;
    accepts(json!({}), on_error, OnError::Fail);
    accepts(json!({"on_error": "fail"}), on_error, OnError::Fail);
    accepts(json!({"on_error": "continue"}), on_error, OnError::Continue);
    let path = |task: &Task| task.tool.to_string();
    accepts(json!({"tool": "set-x"}), path, "m.set-x".to_owned());
}

#[test]
fn null_is_as_good_as_absent() {
    let nulls: serde_json::Map<String, Value> = [
        "params",
        "after",
        "output",
        "raw_output",
        "select",
        "when",
        "foreach",
        "timeout_ms",
        "retry",
        "on_error",
    ]
    .map(|field| (field.to_owned(), Value::Null))
    .into_iter()
    .collect();
    accepts(Value::Object(nulls), |task| task.shown, Shown::Nothing);
    accepts(json!({"retry": {"max": 1, "on": null}}), |task| task.retry.is_some(), true);
}

#[test]
fn what_is_missing_or_of_the_wrong_kind_is_named() {
    refuses(
        &json!([{}]),
        "task 1: `id` is required\ntask 1: `module` is required\ntask 1: `tool` is required",
    );
    refuses(&json!("\n{\"module\":\"m\",\"tool\":\"get\"}"), "line 2: `id` is required");
    refuses(&one(json!({"id": true})), "task 1: `id` must be a string, not true");
    refuses(
        &one(json!({"id": ""})),
        "task 1: `id` \"\" does not begin with a letter, a digit or `_`",
    );
    refuses(
        &one(json!({"id": "a.b"})),
        "task `a.b`: `id` \"a.b\" may hold only letters, digits, `_` and `-`",
    );
    refuses_field(json!({"module": null}), "`module` is required");
    refuses_field(json!({"tool": 1}), "`tool` must be a string, not the number 1");
    refuses_field(
        json!({"tool": "n.get"}),
        "`tool` names module `n`, and `module` is `m`; write \"module\": \"n\", \"tool\": \"get\"",
    );
    refuses_field(
        json!({"params": "${b}"}),
        "`params` must be an object, not the string \"${b}\"\ntask `a`: `params`, column 1: there is no task `b` (the text `${` is written as `$${`)",
    );
    refuses_field(json!({"params": [1]}), "`params` must be an object, not a list");
    let after = "`after` must be a list of ids, such as [\"search\"], and has";
    refuses_field(json!({"after": true}), &format!("{after} true"));
    refuses_field(json!({"after": ["b", []]}), &format!("{after} a list"));
    refuses_field(json!({"after": 1}), "`after` names no task `1`");
    refuses_field(
        json!({"output": "ton"}),
        "`output` must be one of \"compact\", \"json\", \"toon\", \"markdown\", not the string \"ton\"",
    );
    refuses_field(
        json!({"output": 1}),
        "`output` must be true, false or a format, not the number 1",
    );
    refuses_field(
        json!({"raw_output": "json"}),
        "`raw_output` must be true or false, not the string \"json\"",
    );
    let select = "`select` is a list of fields such as [\"title\", \"author: user.login\"], not 3";
    refuses_field(json!({"select": 3}), select);
    refuses_field(
        json!({"select": []}),
        "`select` is empty; leave it out, or write [\"*\"] for every field",
    );
    let millis = "`timeout_ms` must be a whole number from 1 to 30000, not";
    refuses_field(json!({"timeout_ms": 30_001}), &format!("{millis} the number 30001"));
    refuses_field(json!({"timeout_ms": 0}), &format!("{millis} the number 0"));
    refuses_field(json!({"timeout_ms": 1.5}), &format!("{millis} the number 1.5"));
    refuses_field(json!({"timeout_ms": "1s"}), &format!("{millis} the string \"1s\""));
    refuses_field(
        json!({"on_error": "ignore"}),
        "`on_error` must be one of \"fail\", \"continue\", not the string \"ignore\"",
    );
}

#[test]
fn unknown_fields_are_told_the_nearest() {
    refuses_field(json!({"aftr": ["b"]}), "`aftr` is not a field; did you mean `after`?");
    refuses_field(json!({"parms": {}}), "`parms` is not a field; did you mean `params`?");
    refuses_field(json!({"timeout": 3}), "`timeout` is not a field; did you mean `timeout_ms`?");
    for (other, ours) in [("if", "when"), ("depends_on", "after"), ("fields", "select")] {
        refuses_field(
            json!({other: "x"}),
            &format!("`{other}` is not a field; did you mean `{ours}`?"),
        );
    }
    refuses_field(
        json!({"zebra": 1}),
        "`zebra` is not a field; there are id, module, tool, params, after, output, raw_output, \
         select, when, foreach, timeout_ms, retry, on_error",
    );
    refuses_field(
        json!({"retry": {"max": 1, "om": []}}),
        "`retry.om` is not a field; there are max, on",
    );
}

#[test]
fn retries_are_bounded_and_for_tools_that_can_bear_them() {
    refuses_field(
        json!({"retry": true}),
        "`retry` must be an object, such as {\"max\": 2}, not true",
    );
    let times = "`retry` must be a whole number from 1 to 5, not the number";
    refuses_field(json!({"retry": 6}), &format!("{times} 6"));
    refuses_field(json!({"retry": {}}), "`retry.max` is required");
    let max = "`retry.max` must be a whole number from 1 to 5, not the number";
    refuses_field(json!({"retry": {"max": 6}}), &format!("{max} 6"));
    refuses_field(json!({"retry": {"max": 0}}), &format!("{max} 0"));
    let on =
        "`retry.on` must be a list of 429, \"5xx\", a status from 500 to 599 and \"timeout\", not";
    refuses_field(json!({"retry": {"max": 1, "on": [404]}}), &format!("{on} a list"));
    refuses_field(json!({"retry": {"max": 1, "on": "4xx"}}), &format!("{on} the string \"4xx\""));
    refuses_field(
        json!({"tool": "post", "retry": {"max": 1}}),
        "`retry` needs a tool marked read_only or idempotent, and `m.post` is marked neither",
    );
}

#[test]
fn tools_that_are_not_there_or_not_allowed_refuse_the_plan() {
    refuses_field(json!({"module": "x"}), "there is no tool `x.get`");
    refuses_field(json!({"tool": "secret"}), "`m.secret` is not for you");
    refuses_field(json!({"tool": "secret", "retry": {"max": 1}}), "`m.secret` is not for you");
}

#[test]
fn conditions_and_lists_are_read_with_the_plan() {
    for when in ["${b.n} > 0", "${b.ok}", "${b.s} == \"x\""] {
        let tasks = json!([
            {"id": "b", "module": "m", "tool": "get"},
            {"id": "a", "module": "m", "tool": "get", "when": when},
        ]);
        assert_eq!(shape(&read(&tasks).unwrap()), "b<> a<b>", "{when}");
    }
    refuses_field(
        json!({"when": true}),
        "`when` must be a comparison as text, such as \"${search.total} > 0\", not a boolean",
    );
    refuses_field(
        json!({"when": "b.n > 0"}),
        "`when`, column 1: `b.n` is not a JSON literal; text stands in double quotes",
    );
    let accepted = |foreach: Value| {
        accepts(json!({"foreach": foreach}), |task| task.foreach.is_some(), true);
    };
    accepted(json!([]));
    accepted(json!(["x", {"y": 1}]));
    accepted(json!(vec![0; 100]));
    let foreach = "`foreach` must be one reference, such as \"${search.results}\", or a list, not";
    refuses_field(json!({"foreach": "x"}), &format!("{foreach} the string \"x\""));
    refuses_field(json!({"foreach": {"a": 1}}), &format!("{foreach} an object"));
    refuses_field(json!({"foreach": 3}), &format!("{foreach} the number 3"));
    refuses_field(
        json!({"foreach": vec![0; 101]}),
        "`foreach` may have 100 items, and this has 101",
    );
    refuses_field(
        json!({"foreach": "${a"}),
        "`foreach`, column 1: this `${` is never closed by `}`: write ${a}; the text `${` is written as `$${`",
    );
    let tasks = |foreach: &str| {
        json!([
            {"id": "b", "module": "m", "tool": "get"},
            {"id": "a", "module": "m", "tool": "get", "foreach": foreach, "params": {"x": "${item.id}", "y": "${index}"}},
        ])
    };
    assert_eq!(shape(&read(&tasks("${b.results}")).unwrap()), "b<> a<b>");
    let text = |foreach: &str| format!("task `a`: {foreach} the string");
    refuses(&tasks("x ${b}"), &format!("{} \"x ${{b}}\"", text(foreach)));
    refuses(&tasks("${json(b)}"), &format!("{} \"${{json(b)}}\"", text(foreach)));
    refuses(
        &tasks("${item}"),
        "task `a`: `foreach`, column 1: there is no task `item`; a `foreach` on the same task would give it a meaning",
    );
}

#[test]
fn items_are_words_of_a_foreach_and_otherwise_ids() {
    let item = "there is no task `item`; a `foreach` on the same task would give it a meaning";
    refuses_field(
        json!({"params": {"q": ["${item.x}"]}}),
        &format!("`params.q[0]`, column 1: {item} (the text `${{` is written as `$${{`)"),
    );
    assert_eq!(shape(&read(&graph("item:\nb: item=x")).unwrap()), "item<> b<item>");
}

#[test]
fn needs_follow_from_after_and_references() {
    let check = |text: &str, expected: &str| {
        assert_eq!(shape(&read(&graph(text)).unwrap()), expected, "{text}");
    };
    check("a:", "a<>");
    check("a: b\nb:", "a<b> b<>");
    check("a:\nb: a=x", "a<> b<a>");
    check("a:\nb: a a=x a", "a<> b<a>");
    check("a:\nb:\nc: b=x a", "a<> b<> c<a b>");
    check("a-1:\nb: a-1=results[0]", "a-1<> b<a-1>");
}

#[test]
fn unknown_tasks_are_named_with_their_place() {
    refuses(
        &graph("search:\nb: serch"),
        "task `b`: `after` names no task `serch`; did you mean `search`?",
    );
    refuses(&graph("a:\nb: zebra"), "task `b`: `after` names no task `zebra`");
    refuses(
        &one(json!({"params": {"x": {"y z": ["1", "日本 ${zebra.x}"]}}})),
        "task `a`: `params.x[\"y z\"][1]`, column 4: there is no task `zebra` (the text `${` is written as `$${`)",
    );
    refuses(
        &one(json!({"when": "1 < ${zebra}"})),
        "task `a`: `when`, column 5: there is no task `zebra`",
    );
}

#[test]
fn cycles_have_the_words_users_know() {
    let circular = |cycle: &str| format!("circular dependency detected: {cycle}");
    refuses(&graph("a: b\nb: a"), &circular("a -> b -> a"));
    refuses(&graph("b: a\na: b"), &circular("a -> b -> a"));
    refuses(&graph("a: a"), &circular("a -> a"));
    refuses(&graph("a: a=x"), &circular("a -> a"));
    refuses(&graph("a: b=x\nb: c\nc: a=y.z\nd:"), &circular("a -> b -> c -> a"));
    refuses(&one(json!({"foreach": "${a.results}"})), &circular("a -> a"));
    refuses(&one(json!({"when": "${a.x ?? 1} > 0"})), &circular("a -> a"));
    let two = format!("{}\n{}", circular("a -> b -> a"), circular("c -> d -> c"));
    refuses(&graph("a: b\nb: a\nc: d\nd: c"), &two);
}

#[test]
fn duplicates_are_named_with_the_first() {
    refuses(&graph("a:\nb:\na: b"), "task 3: `id` \"a\" is already the id of task 1");
    let line = json!({"id": "a", "module": "m", "tool": "get"}).to_string();
    refuses(
        &json!(format!("{line}\n\n{line}\n{line}")),
        "line 3: `id` \"a\" is already the id of line 1\nline 4: `id` \"a\" is already the id of line 1",
    );
}

#[test]
fn fifty_tasks_and_no_more() {
    let many = |count: usize| -> Value {
        let task = |i| json!({"id": format!("t{i}"), "module": "m", "tool": "get"});
        (0..count).map(task).collect()
    };
    assert_eq!(read(&many(50)).unwrap().tasks().len(), 50);
    let words = "a batch may have 50 tasks, and this has 51; split it, or use `foreach`";
    refuses(&many(51), words);
    let lines: Vec<String> = many(51).as_array().unwrap().iter().map(Value::to_string).collect();
    refuses(&json!(lines.join("\n\n")), words);
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    refuses(
        &json!([
            {"id": "a", "module": "m", "tool": "get", "after": ["b"], "outptu": true},
            {"id": "b", "module": "m", "tool": "secret", "params": {"x": "${a.}", "y": "${c.x}"}, "after": ["a"]},
            {"id": "a", "module": "m", "tool": "post", "retry": {"max": 9}},
        ]),
        "task `a`: `outptu` is not a field; did you mean `output`?\n\
         task `b`: `params.x`, column 5: expected a name (an unusual one is written as [\"na me\"]), found `}`; the text `${` is written as `$${`\n\
         task `a`: `retry.max` must be a whole number from 1 to 5, not the number 9\n\
         task 3: `id` \"a\" is already the id of task 1\n\
         task `b`: `m.secret` is not for you\n\
         task `b`: `params.y`, column 1: there is no task `c` (the text `${` is written as `$${`)\n\
         circular dependency detected: a -> b -> a",
    );
}

#[test]
fn what_could_not_be_read_is_not_called_missing() {
    refuses(
        &json!(
            "{\"id\":\"a\",}\n{\"id\":\"b\",\"module\":\"m\",\"tool\":\"get\",\"after\":[\"a\"]}"
        ),
        "line 1: not valid JSON: trailing comma at column 11",
    );
    refuses(
        &json!([{"module": "m", "tool": "get"}, {"id": "b", "module": "m", "tool": "get", "after": ["a"]}]),
        "task 1: `id` is required",
    );
}

#[test]
fn parameter_names_are_checked() {
    let typed =
        |params: Value| json!([{"id": "a", "module": "m", "tool": "typed", "params": params}]);
    assert!(read(&typed(json!({"page": 3}))).is_ok());
    refuses(
        &typed(json!({"pages": "x"})),
        "task `a`: `params.page` is required\n\
         task `a`: `params.pages` is not a parameter; did you mean `page`?",
    );
    refuses(
        &typed(json!({"page": 1, "na me": 1})),
        "task `a`: `params[\"na me\"]` is not a parameter; there are page",
    );
    refuses(&typed(json!([1])), "task `a`: `params` must be an object, not a list");
    refuses(
        &json!([{"id": "a", "module": "m", "tool": "typed"}]),
        "task `a`: `params.page` is required",
    );
}

#[test]
fn a_misspelt_reference_is_one_problem() {
    let typed = json!({"id": "b", "module": "m", "tool": "typed", "params": {"page": "$a.x"}});
    let tasks = json!([{"id": "a", "module": "m", "tool": "get"}, typed]);
    let got = read(&tasks).unwrap_err();
    assert_eq!(got.0.len(), 1, "{got}");
}
