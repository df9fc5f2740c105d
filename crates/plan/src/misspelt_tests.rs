//! Notations that others use for references, and texts that only look like one.

use super::super::dice::Dice;
use super::super::{Plan, PlanLimits};
use model::Hints;
use serde_json::{Value, json};

/// What a plan says to a task whose fields are these, beside tasks `s`, `page-1` and `HOME_2`.
fn read(fields: &Value) -> Result<Plan, String> {
    let mut task = json!({"id": "t", "module": "m", "tool": "t"});
    let fields = fields.as_object().unwrap().clone();
    task.as_object_mut().unwrap().extend(fields);
    let other = |id: &str| json!({"id": id, "module": "m", "tool": "t"});
    let tasks = json!([other("s"), other("page-1"), other("HOME_2"), task]);
    let plan = Plan::read(&tasks, PlanLimits::default(), &|_| Ok(Hints::default().into()));
    plan.map_err(|refused| refused.to_string())
}

#[track_caller]
fn rejects(fields: &Value, expected: &str) {
    let got = read(fields).err();
    let expected = format!("task `t`: {expected}");
    assert_eq!(got.as_deref(), Some(expected.as_str()), "{fields}");
}

/// A text that is rejected with this spelling, by itself and as a part of longer ones.
#[track_caller]
fn rejects_text(text: &str, correct: &str) {
    let root = correct.split(['.', '[']).next().unwrap();
    let why = format!(
        "`{text}` is not a reference: write ${{{correct}}}, or give task `{root}` another id if the text is meant"
    );
    rejects(&json!({"params": {"q": text}}), &format!("`params.q`, column 1: {why}"));
    rejects(
        &json!({"params": {"x": [{"日本": format!("日本 $5 {text}, ${{s}}")}]}}),
        &format!("`params.x[0].日本`, column 7: {why}"),
    );
    rejects(&json!({"foreach": [1, text]}), &format!("`foreach[1]`, column 1: {why}"));
}

#[test]
fn other_notations_are_rejected_with_the_right_one() {
    for (text, correct) in [
        ("$s.results[0].title", "s.results[0].title"),
        ("$page-1.id", "page-1.id"),
        ("$s[0]", "s[0]"),
        ("$s['na me'].x", "s[\"na me\"].x"),
        ("$s?.x?.y", "s.x.y"),
        ("$.s.results[-1].id", "s.results[-1].id"),
        ("$tasks.s.id", "s.id"),
        ("$.steps.s.id", "s.id"),
        ("$(s.id)", "s.id"),
        ("$[s.id]", "s.id"),
        ("{{s.results[0].id}}", "s.results[0].id"),
        ("{{ s.id }}", "s.id"),
        ("{{s}}", "s"),
        ("{{$s.id}}", "s.id"),
        ("{{$.s.id}}", "s.id"),
        ("{{.s.id}}", "s.id"),
        ("{{#s.id#}}", "s.id"),
        ("{{ s.id | upper }}", "s.id"),
        ("{{steps.s.id}}", "s.id"),
        ("{s.results[*].id}", "s.results[*].id"),
        ("{s.price:.2f}", "s.price"),
        ("{$s.id}", "s.id"),
        ("<s.id>", "s.id"),
        ("[[s.id]]", "s.id"),
    ] {
        rejects_text(text, correct);
    }
}

#[test]
fn marks_before_braces_do_not_hide_a_reference() {
    for text in ["%{s.id}", "#{s.id}", "@{s.id}", "=<<s.id>>", "$ {s.id}"] {
        let refused = read(&json!({"params": {"q": text}})).unwrap_err();
        assert!(refused.contains("write ${s.id}, or"), "{text}: {refused}");
    }
}

/// Nothing else is in the text, so it is not needed that a path follows the id.
#[test]
fn whole_texts_need_no_path() {
    for text in ["$s", " $s ", "$.s", "{s}", "{ s }", "%{s}", "#{s}"] {
        let refused = read(&json!({"params": {"q": text}})).unwrap_err();
        assert!(refused.contains("write ${s}, or"), "{text}: {refused}");
    }
    rejects(
        &json!({"params": {"q": "s.results[0].id"}}),
        "`params.q`, column 1: `s.results[0].id` is not a reference: write ${s.results[0].id}, or give task `s` another id if the text is meant",
    );
}

#[test]
fn items_of_a_foreach_need_no_path() {
    for text in [
        "$item",
        "$index",
        "Hello $item!",
        "$item.name",
        "{item}",
        "Hello {item}",
        "{{item}}",
        "{{ item.name }}",
        "{index}",
        "<item.name>",
    ] {
        let task = json!({"foreach": ["x"], "params": {"q": text}});
        let refused = read(&task).unwrap_err();
        let way = "or put the text into the `foreach` list if it is meant";
        assert!(refused.contains(way), "{text}: {refused}");
        // Without a list they are words like others, and in the list itself there are no items yet.
        read(&json!({"params": {"q": text}})).unwrap();
        read(&json!({"foreach": [text], "params": {"q": "${item}"}})).unwrap();
    }
}

#[test]
fn pointers_are_rejected() {
    for (pointer, correct) in [
        ("s", "s"),
        ("s.results[0].id", "s.results[0].id"),
        ("#/s/results/0/id", "s.results[0].id"),
        ("/s/id", "s.id"),
        ("#/tasks/s/id", "s.id"),
        ("$.s.id", "s.id"),
        ("${s.id}", "s.id"),
    ] {
        let refused = read(&json!({"params": {"page": {"$ref": pointer}}})).unwrap_err();
        let expected = format!(
            "task `t`: `params.page`, column 1: `$ref` is not a reference: write ${{{correct}}}, or give task `s` another id if the text is meant"
        );
        assert!(refused.starts_with(&expected), "{pointer}: {refused}");
    }
    for pointer in ["#/definitions/s", "https://example.org/s", "so", "#s2"] {
        read(&json!({"params": {"schema": {"$ref": pointer}}})).unwrap();
    }
}

#[test]
fn keys_hold_no_references() {
    let escape = "a key cannot hold a reference; the text `${` is written as `$${`";
    rejects(
        &json!({"params": {"x": {"a ${s.id}": 1}}}),
        &format!("`params.x[\"a ${{s.id}}\"]`, column 3: {escape}"),
    );
    rejects(
        &json!({"params": {"${HOME}": 1}}),
        &format!("`params[\"${{HOME}}\"]`, column 1: {escape}"),
    );
    rejects(
        &json!({"params": {"{{s.id}}": 1}}),
        "`params[\"{{s.id}}\"]`, column 1: a key cannot hold a reference such as `{{s.id}}`; give task `s` another id if the text is meant",
    );
    for key in ["$${s.id}", "$${HOME} $s", "$", "{}", "s", "$ref", "a.s"] {
        read(&json!({"params": {key: 1}})).unwrap();
    }
}

#[test]
fn broken_references_show_the_right_one() {
    for (text, why) in [
        ("${s.results[0].title", "this `${` is never closed by `}`: write ${s.results[0].title}"),
        ("${s.x ?? 1", "this `${` is never closed by `}`"),
        ("${{s.id}}", "expected the id of a task, found `{`; a reference is written ${s.id}"),
        ("${{ s }}", "expected the id of a task, found `{`; a reference is written ${s}"),
        ("${$s.id}", "expected the id of a task, found `$`; a reference is written ${s.id}"),
        ("${HOME:-x}", "expected `.`, `[`, `??` or `}`, found `:`"),
        ("${-}", "expected the id of a task, found `-`"),
    ] {
        let refused = read(&json!({"params": {"q": text}})).unwrap_err();
        let end = format!("{why}; the text `${{` is written as `$${{`");
        assert!(refused.ends_with(&end), "{text}: {refused}");
    }
    rejects(
        &json!({"params": {"q": "cd ${HOME}"}}),
        "`params.q`, column 4: there is no task `HOME`; did you mean `HOME_2`? (the text `${` is written as `$${`)",
    );
}

#[test]
fn conditions_and_selections_are_checked() {
    let way = "or give task `s` another id if the text is meant";
    for (when, written, correct) in [
        ("$s.total > 0", "$s.total", "s.total"),
        ("$s == true", "$s", "s"),
        ("s.total > 0", "s.total", "s.total"),
        ("{{s.total}} > 0", "{{s.total}}", "s.total"),
        ("{s.total} > 0", "{s.total}", "s.total"),
        ("\"{{s.state}}\" == \"open\"", "{{s.state}}", "s.state"),
        ("\"$s.state\" == \"open\"", "$s.state", "s.state"),
        ("\"s.state\" == \"open\"", "s.state", "s.state"),
        ("[\"$s.state\"] == [1]", "$s.state", "s.state"),
    ] {
        let why = format!("`{written}` is not a reference: write ${{{correct}}}, {way}");
        rejects(&json!({"when": when}), &format!("`when`, column 1: {why}"));
    }
    rejects(
        &json!({"when": "${s.state} == \"$s.state\""}),
        &format!("`when`, column 15: `$s.state` is not a reference: write ${{s.state}}, {way}"),
    );
    let refused = read(&json!({"when": "${s.state} == [\"日本 {{s.state}}\"]"})).unwrap_err();
    assert!(refused.contains("column 18: `{{s.state}}` is not"), "{refused}");
    read(&json!({"when": "${s.file} == \"s.txt\""})).unwrap();
    read(&json!({"when": "${s.price} == \"$5.00\""})).unwrap();
    for select in [json!(["id", "${s.id}"]), json!("id,${s.id}")] {
        let refused = read(&json!({"select": select})).unwrap_err();
        let why = "`select` names fields of the task's own result, and cannot hold `";
        assert!(refused.contains(why), "{refused}");
    }
    for select in [json!(["{{s.id}}"]), json!(["x: $s.id"])] {
        assert!(read(&json!({"select": select})).is_err(), "{select}");
    }
    for select in [json!(["s.id", "$id", "a: b[*].c", "x: [\"a.b\"]", "[0:5]"]), json!("s, t")] {
        read(&json!({"select": select})).unwrap();
    }
    for foreach in ["$s.results", "{{s.results}}", "s.results[0]", "s.results"] {
        assert!(read(&json!({"foreach": foreach})).is_err(), "{foreach}");
    }
}

/// The arguments that the task is called with.
fn sent(params: &Value) -> Value {
    let plan = read(&json!({"params": params})).unwrap_or_else(|why| panic!("{params}: {why}"));
    let super::super::template::Template::Plain(value) = &plan.tasks()[3].params else {
        panic!("{params} refers to something");
    };
    value.clone()
}

#[test]
fn texts_with_an_id_in_other_places_are_sent() {
    for text in [
        "s",
        "s.results",
        "the s.",
        "see page-1.html",
        "s@example.org <s@example.org>",
        "echo $s; echo \"$s\"",
        "query($s: ID!) { node(id: $s) { id } }",
        "\\frac{s}{t}",
        "{s}{t}",
        "{ \"s\": 1 }",
        "{s: 1}",
        "<s>struck</s>",
        "[s](https://example.org)",
        "[[s]]",
        "$(s)",
        "US$s2, $so, $S.x",
        "{{so.x}} {{s2}}",
        "{s.}",
        "s[0] and s[1]",
        "$sé.x",
        "`s.x`",
        "s.x > 0",
    ] {
        let params = json!({"q": text, "x": [{"y": text}]});
        assert_eq!(sent(&params), params, "{text}");
    }
    assert_eq!(sent(&json!({"q": "$${s.id} $${HOME}"})), json!({"q": "${s.id} ${HOME}"}));
}

#[test]
fn long_paths_are_shown_in_part() {
    let text = format!("$s{}", ".x[0]".repeat(100_000));
    let refused = read(&json!({"params": {"q": text}})).unwrap_err();
    assert!(refused.len() < 400, "{refused}");
}

/// Texts made of everything that references are made of, and of ids that no task has.
#[test]
fn texts_without_an_id_are_sent_unchanged() {
    const PARTS: [&str; 44] = [
        "$",
        "$$",
        "$.",
        "{",
        "}",
        "{{",
        "}}",
        "$(",
        ")",
        "$[",
        "[",
        "]",
        "[[",
        "]]",
        "<",
        ">",
        "<<",
        ">>",
        "%{",
        "#{",
        "@{",
        ".",
        "[0]",
        "[*]",
        "['x']",
        "\"",
        "'",
        " ",
        "\n",
        "|",
        "?",
        ":",
        "-",
        "/",
        "$5.00",
        "$HOME",
        "{name}",
        "{{user.name}}",
        "name",
        "results",
        "tasks.",
        "item",
        "日本",
        "1",
    ];
    let mut dice = Dice(31);
    for _ in 0..5_000 {
        let text: String = (0..dice.roll(10)).map(|_| *dice.pick(&PARTS)).collect();
        // That begins a reference, and has a spelling of its own.
        if text.contains("${") {
            continue;
        }
        let params = json!({"q": text, "k": {(format!("{text}k")): [text]}});
        assert_eq!(sent(&params), params, "{text}");
    }
}
