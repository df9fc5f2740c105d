//! Responses of `get_module_schema` and the surface of the meta tools, for few modules and for many.

#![expect(clippy::disallowed_methods, reason = "tests own their folders")]

use super::*;
use crate::catalog::Rules;
use crate::registry::catalogue::{meta_tools, surface_tokens};
use crate::runtime::{Runtime, Settings};
use expect_test::{Expect, expect};
use model::Tool;
use settings::Server;
use std::path::Path;

const HUB: &str = r#"
Issue = record(number = int, title = str)
Page = record(issues = list[Issue], total = int)

State = one_of("open", "closed")

def list_issues(repo: str, state: State = "open", labels: list[str] = []) -> Page:
    """List issues, newest first. With a page of them."""
    return Page(issues = [], total = 0)

def close_issue(number: int, ratio: float = 0.5):
    """Close an issue."""
    return {}

def readme():
    return ""

tool(list_issues)
tool(close_issue, select = ["number", "state"], questions = ["is it done?"])
resource("hub://readme", readme)
"#;

const DIARY: &str = r#"
def write(text: str) -> str:
    """Write what happened today."""
    return text

tool(write)
"#;

fn write_module(folder: &Path, name: &str, about: &str, source: &str) {
    let folder = folder.join(name);
    std::fs::create_dir(&folder).unwrap();
    let manifest = format!("name = '{name}'\nversion = '1.0.0'\ndescription = '{about}'\n");
    std::fs::write(folder.join("module.toml"), manifest).unwrap();
    std::fs::write(folder.join("main.star"), source).unwrap();
}

fn open(write: impl Fn(&Path)) -> Runtime {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    let settings = Settings { folders: vec![dir.path().to_owned()], ..Settings::default() };
    let runtime = Runtime::open(settings);
    let faults = runtime.catalog();
    let faults = faults.broken.values().map(|broken| broken.fault.to_string());
    assert_eq!(faults.collect::<Vec<_>>(), [""; 0]);
    runtime
}

/// So many modules with so many tools each.
fn many(modules: usize, tools: usize) -> Runtime {
    open(|folder| {
        for module in 0..modules {
            let about =
                format!("Records, files and reports of department {module}, with their history.");
            let source = format!(
                "def one(name: str, times: int = 1, folder: str = '') -> str:\n    \"\"\"Reads a \
                 record of the department.\"\"\"\n    return name\n\n\
                 [tool(one, name = \"read_record_%d\" % i) for i in range({tools})]\n"
            );
            write_module(folder, &format!("department-{module}"), &about, &source);
        }
    })
}

fn ask(catalog: &Catalog, args: Value) -> Output {
    let Value::Object(args) = args else {
        panic!("not an object: {args}");
    };
    SchemaRequest::read(args).unwrap().answer(catalog)
}

#[track_caller]
fn check(catalog: &Catalog, args: Value, expected: &Expect) {
    let output = ask(catalog, args);
    let error = if output.is_error { "\nerror" } else { "" };
    expected.assert_eq(&format!("{}{error}", output.plain_text()));
}

#[test]
fn modules_and_tools_are_text_unless_json_is_wanted() {
    let runtime = open(|folder| {
        write_module(folder, "hub", "Issues of the hub.", HUB);
        write_module(folder, "diary", "A diary.", DIARY);
    });
    let catalog = &runtime.catalog();
    check(
        catalog,
        json!({}),
        &expect![[r"
        Modules with their number of tools (3 in all). `query` finds tools by plain words, `modules` lists those of a module.
        diary (1): A diary
        hub (2): Issues of the hub"]],
    );
    check(
        catalog,
        json!({"modules": ["hub"]}),
        &expect![[r#"
        hub (2 tools): Issues of the hub
        list_issues(repo: str, state: "open"|"closed" = "open", labels?: list[str]) -> {issues: [{number, title}], total}  List issues, newest first
        close_issue(number: int, ratio: number = 0.5) -> …{number, state}  Close an issue"#]],
    );
    check(
        catalog,
        json!({"modules": ["hub", "diary"], "detail": "names"}),
        &expect![[r"
            hub (2 tools): Issues of the hub
            list_issues, close_issue
            diary (1 tool): A diary
            write"]],
    );
    check(
        catalog,
        json!({"query": "list isues"}),
        &expect![[r#"
        hub.list_issues(repo: str, state: "open"|"closed" = "open", labels?: list[str]) -> {issues: [{number, title}], total}  List issues, newest first
        diary.write(text: str) -> str  Write what happened today"#]],
    );
    check(
        catalog,
        json!({"query": "issue", "detail": "names"}),
        &expect!["hub.close_issue, hub.list_issues"],
    );
    check(
        catalog,
        json!({"query": "zebra"}),
        &expect![[r"
        No tool matches the query.
        Modules: diary, hub
        Try other words for what the tool does, or `modules` for all tools of a module."]],
    );
    check(
        catalog,
        json!({"query": "happened", "modules": ["hub"]}),
        &expect![[r"
            No tool matches the query.
            hub: list_issues, close_issue
            Leave `modules` out to search all modules."]],
    );
    check(
        catalog,
        json!({"query": "happend"}),
        &expect!["diary.write(text: str) -> str  Write what happened today"],
    );
    check(
        catalog,
        json!({"modules": ["hub"], "format": "json"}),
        &expect![[
            r#"[{"module":"hub","description":"Issues of the hub.","tools":["list_issues(repo: str, state: \"open\"|\"closed\" = \"open\", labels?: list[str]) -> {issues: [{number, title}], total}  List issues, newest first","close_issue(number: int, ratio: number = 0.5) -> …{number, state}  Close an issue"]}]"#
        ]],
    );
    check(
        catalog,
        json!({"modules": ["hub.close_issue"], "detail": "full"}),
        &expect![[
            r#"[{"module":"hub","description":"Issues of the hub.","tools":[{"name":"close_issue","description":"Close an issue.","inputSchema":{"type":"object","properties":{"number":{"type":"integer"},"ratio":{"type":"number","default":0.5}},"required":["number"],"additionalProperties":false}}]}]"#
        ]],
    );
    check(
        catalog,
        json!({"modules": ["hubb", "hub.close", "hub.nope", "diary"]}),
        &expect![[r#"
            there is no module `hubb`; did you mean `hub`?
            there is no tool `hub.close`; did you mean `close_issue`?
            there is no tool `hub.nope`; `get_module_schema` with modules: ["hub"] lists its tools
            diary (1 tool): A diary
            write(text: str) -> str  Write what happened today"#]],
    );
    check(
        catalog,
        json!({"modules": ["hubb", "x"]}),
        &expect![[r"
        there is no module `hubb`; did you mean `hub`?
        there is no module `x`; `get_module_schema` lists the modules
        modules: diary, hub
        error"]],
    );
}

#[test]
fn several_needs_of_one_query_take_turns() {
    let runtime = open(|folder| {
        write_module(folder, "hub", "Issues of the hub.", HUB);
        write_module(folder, "diary", "A diary.", DIARY);
    });
    let catalog = &runtime.catalog();
    let names = |query: &str| {
        let names = ask(catalog, json!({"query": query, "detail": "names"}));
        names.plain_text()
    };
    for (query, expected) in [
        ("close an issue; write a diary", "hub.close_issue, diary.write, hub.list_issues"),
        ("write a diary;close an issue；;", "diary.write, hub.close_issue, hub.list_issues"),
        ("; happened ;", "diary.write"),
        ("zebra; happened", "diary.write"),
    ] {
        assert_eq!(names(query), expected, "{query}");
    }
    check(
        catalog,
        json!({"query": "zebra; happened"}),
        &expect![[r"
            diary.write(text: str) -> str  Write what happened today
            no tool matches: zebra"]],
    );
    check(
        catalog,
        json!({"query": "zebra; lion"}),
        &expect![[r"
            No tool matches the query.
            Modules: diary, hub
            Try other words for what the tool does, or `modules` for all tools of a module."]],
    );
}

#[test]
fn tools_beyond_the_best_are_named_by_module() {
    let catalog = &many(3, 4).catalog();
    check(
        catalog,
        json!({"query": "read a record"}),
        &expect![[r"
        department-0.read_record_0(name: str, times: int = 1, folder?: str) -> str  Reads a record of the department
        department-0.read_record_1(name: str, times: int = 1, folder?: str) -> str  Reads a record of the department
        department-0.read_record_2(name: str, times?, folder?) -> str  Reads a record of the department
        department-0.read_record_3(name: str, times?, folder?) -> str  Reads a record of the department
        department-1.read_record_0(name: str, times?, folder?) -> str  Reads a record of the department
        more in department-1: read_record_1, read_record_2, read_record_3; department-2: read_record_0, read_record_1, read_record_2, read_record_3"]],
    );
    // The best tool of each need has all types, and two more have signatures.
    check(
        catalog,
        json!({"query": "department 0; department 1; department 2; reads a record"}),
        &expect![[r"
            department-0.read_record_0(name: str, times: int = 1, folder?: str) -> str  Reads a record of the department
            department-1.read_record_1(name: str, times: int = 1, folder?: str) -> str  Reads a record of the department
            department-2.read_record_2(name: str, times: int = 1, folder?: str) -> str  Reads a record of the department
            department-0.read_record_1(name: str, times: int = 1, folder?: str) -> str  Reads a record of the department
            department-1.read_record_0(name: str, times?, folder?) -> str  Reads a record of the department
            department-2.read_record_1(name: str, times?, folder?) -> str  Reads a record of the department
            more in department-0: read_record_2, read_record_3; department-2: read_record_0, read_record_3; department-1: read_record_2, read_record_3"]],
    );
}

#[test]
fn modules_are_named_in_several_ways() {
    let runtime = open(|folder| {
        write_module(folder, "hub", "Issues of the hub.", HUB);
        write_module(folder, "diary", "A diary.", DIARY);
    });
    let catalog = &runtime.catalog();
    let text = |args: Value| ask(catalog, args).plain_text();
    let both = text(json!({"modules": ["hub", "diary"]}));
    assert!(both.contains("list_issues(") && both.contains("write("), "{both}");
    for modules in [
        json!("hub,diary"),
        json!("hub, diary"),
        json!("[\"hub\", \"diary\"]"),
        json!(["hub,diary"]),
        json!(["hub", "diary", "hub"]),
        json!(["hub.list_issues", "hub", "diary.write"]),
    ] {
        assert_eq!(text(json!({"modules": modules})), both, "{modules}");
        assert_eq!(text(json!({"module": modules})), both, "{modules}");
    }
    let one = text(json!({"modules": ["hub.close_issue"]}));
    assert!(one.contains("close_issue(") && !one.contains("list_issues"), "{one}");
    assert_eq!(text(json!({"modules": []})), text(json!({})));
}

#[test]
fn responses_keep_within_their_tokens_at_any_size() {
    let runtime = many(200, 25);
    let unknown: Vec<String> = (0..10_000).map(|i| format!("x{i}")).collect();
    let catalog = &runtime.catalog();
    let names: Vec<&str> = catalog.modules().map(|module| module.name.as_str()).collect();
    for (args, most) in [
        (json!({}), 2_000),
        (json!({"detail": "names"}), 2_000),
        (json!({"detail": "signatures"}), 2_000),
        (json!({"modules": names}), 2_000),
        (json!({"modules": ["department-0"]}), 2_000),
        (json!({"query": "read a record"}), 460),
        (json!({"query": "read a record", "modules": ["department-7"]}), 460),
        (json!({"query": "department 1; department 2; one; folder; record; name"}), 460),
        (json!({"query": format!("record; {}", "zebra".repeat(10_000))}), 460),
        (json!({"query": "zebra"}), 460),
        (json!({"modules": vec!["x"; 10_000]}), 460),
        (json!({"modules": unknown}), 900),
    ] {
        let asked: String = args.to_string().chars().take(80).collect();
        let text = ask(catalog, args).plain_text();
        assert!(count_tokens(&text) <= most, "{asked}: {} tokens", count_tokens(&text));
        assert!(serde_json::from_str::<Value>(&text).is_err(), "{asked}: {text}");
    }
    let full = ask(catalog, json!({"detail": "full"}));
    assert!(full.is_error, "{}", full.plain_text());
    assert!(full.plain_text().contains("name fewer modules"));
}

#[test]
fn a_small_list_limit_does_not_empty_responses() {
    let runtime = open(|folder| write_module(folder, "hub", "Issues of the hub.", HUB));
    let catalog = &runtime.catalog();
    let server = Server { surface_tokens: 1, ..Server::default() };
    let rules = Rules { server, ..Rules::default() };
    let small = Catalog::by(rules, catalog.modules().cloned());
    for args in [json!({}), json!({"query": "issue"}), json!({"modules": ["hub"]})] {
        let expected = ask(catalog, args.clone()).plain_text();
        assert_eq!(ask(&small, args).plain_text(), expected);
    }
}

#[test]
fn the_surface_is_bounded_and_has_descriptions_however_many_modules_there_are() {
    let runtime = many(400, 1);
    let catalog = &runtime.catalog();
    let modules: Vec<&Arc<Module>> = catalog.modules().collect();
    for count in 1..=modules.len() {
        let tools = meta_tools(modules[..count].iter().copied());
        let tokens: usize = tools.iter().map(surface_tokens).sum();
        assert!(tokens <= 700, "{count} modules: {tokens} tokens");
        let described = |tool: &Tool| tool.description.contains(": Records");
        assert!(tools.iter().any(described), "{count} modules");
    }
}

#[test]
fn the_index_is_built_before_anybody_asks() {
    let dir = tempfile::tempdir().unwrap();
    write_module(dir.path(), "hub", "Issues of the hub.", HUB);
    let settings = Settings { folders: vec![dir.path().to_owned()], ..Settings::default() };
    let runtime = Runtime::watch(settings, |_| {});
    let index = Arc::clone(&runtime.catalog().tool_index);
    assert_eq!(index.wait().search("close", 1), [1]);
}
