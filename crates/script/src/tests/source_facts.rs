//! Facts about sources: definitions, loads, tools, uses.

use crate::SourceFacts;

const SOURCE: &str = r#"
load("client.star", "ask")

def list_issues(ctx, repo, labels = [], limit: int = 3):
    token = ctx.secret("token")
    http.get("https://api.example.org/x", auth = token)
    exec.run(command = "git", args = ["log"])
    http.post(repo)
    return [env.get("HOME") for _ in labels]

def find(params):
    return None

tool(list_issues, name = "issues")
tool(lambda x: x, name = "odd")
Tool(name = "old", handler = find)
"#;

#[test]
fn a_source_is_read_without_being_run() {
    let facts = SourceFacts::read("a.star", SOURCE).unwrap();
    let uses = facts.uses.iter();
    let uses: Vec<String> = uses
        .map(|u| {
            let first = u.first.as_deref().unwrap_or("?");
            format!("{} {}.{} {first}", u.place.line, u.library, u.function)
        })
        .collect();
    assert_eq!(
        uses,
        [
            "5 ctx.secret token",
            "6 http.get https://api.example.org/x",
            "7 exec.run git",
            "8 http.post ?",
            "9 env.get HOME",
        ]
    );
    let tools = facts.tools.iter();
    let tools: Vec<String> = tools.map(|t| format!("{} {}", t.place.line, t.name)).collect();
    assert_eq!(tools, ["4 issues", "15 odd", "16 old"]);
    let behind: Vec<_> = facts.tools.iter().map(|t| t.function.as_deref()).collect();
    assert_eq!(behind, [Some("list_issues"), None, None]);
    let function = |name: &str| facts.function(name).unwrap();
    let untyped = function("list_issues").untyped.iter();
    let untyped: Vec<String> =
        untyped.map(|u| format!("{}: {} {}", u.name, u.guess, u.place.column)).collect();
    assert_eq!(untyped, ["repo: str 22", "labels: list[str] 28"]);
    assert_eq!(facts.loads[0].target, "client.star");
    assert_eq!(function("list_issues").lines, 4..=9);
    assert_eq!(function("find").lines, 11..=12);
    assert!(facts.mentions("env") && !facts.mentions("find_all"));
}

#[test]
fn called_tools_are_known_where_they_are_written_out() {
    let source = r#"
def f(ctx, tool):
    ctx.call("files.read", {})
    ctx.call(tool)
    ctx.call("batch", {"tasks": [{"id": "a", "module": "m", "tool": "t"}, {"module": tool, "tool": "t"}]})
"#;
    let facts = SourceFacts::read("a.star", source).unwrap();
    let called: Vec<_> = facts.uses.iter().map(|u| u.first.as_deref()).collect();
    assert_eq!(called, [Some("files.read"), None, Some("m.t"), Some("batch")]);
}

#[test]
fn values_of_its_own_are_no_libraries() {
    let source = "def pick(env, files):\n    return [env.get(\"A\"), files.index(\"x\")]\n";
    assert!(SourceFacts::read("a.star", source).unwrap().uses.is_empty());
    let source = "def f():\n    http.request(\"GET\", \"https://a.org\")\n    \
                  http.get(headers = {}, url = \"https://b.org\")\n";
    let facts = SourceFacts::read("a.star", source).unwrap();
    let asked: Vec<_> = facts.uses.iter().map(|u| u.first.as_deref()).collect();
    assert_eq!(asked, [Some("https://a.org"), Some("https://b.org")]);
}

#[test]
fn texts_are_known_as_far_as_the_source_tells() {
    for (source, expected) in [
        ("http.get('https://a.org/x')", Some("https://a.org/x")),
        ("http.get('https://a.org/' + x)", Some("https://a.org/")),
        ("http.get('https://a.org/%s' % x)", Some("https://a.org/")),
        ("http.get('https://a.org/{}'.format(x))", Some("https://a.org/")),
        ("http.get(f'https://a.org/{x}')", Some("https://a.org/")),
        ("http.get(BASE + '/' + x)", Some("https://b.org/v1")),
        ("http.get(BASE)", Some("https://b.org/v1")),
        ("attempt(http.get, BASE)", Some("https://b.org/v1")),
        ("attempt(http.request, 'GET', 'https://a.org')", Some("https://a.org")),
        ("exec.run('git')", Some("git")),
        ("files.read('data/' + x)", None),
        ("http.get('https://' + x)", None),
        ("http.get('https://a' + x)", None),
        ("http.get(f'https://{x}.a.org/')", None),
        ("http.get(TWICE + '/')", None),
        ("http.get(x)", None),
    ] {
        let source = format!(
            "BASE = 'https://b.org/v1'\nTWICE = 'https://c.org/'\nTWICE = 'https://d.org/'\n\
             def f(x):\n    return {source}\n"
        );
        let facts = SourceFacts::read("a.star", &source).unwrap();
        let asked: Vec<_> = facts.uses.iter().map(|u| u.first.as_deref()).collect();
        assert_eq!(asked, [expected], "{source}");
    }
    let handed = "def f(x):\n    return parallel(http.get, [x])\n";
    let uses = SourceFacts::read("a.star", handed).unwrap().uses;
    assert_eq!((uses.len(), uses[0].first.as_deref()), (1, None));
}

#[test]
fn what_is_no_starlark_has_no_facts() {
    let fault = SourceFacts::read("a.star", "def f(:").unwrap_err();
    assert_eq!(fault.place.unwrap().line, 1);
}

#[test]
fn definitions_and_loads_are_known() {
    let source = "load(\"lib.star\", \"a\", b = \"c\")\n\
                  X, Y = 1, 2\n\
                  if X:\n    Z = 3\n\
                  def f(x: int = 1) -> str:\n    \"\"\"Greets.\n\n    Args:\n      More.\n    \"\"\"\n    return \"é\"\n\
                  f()\n";
    let facts = SourceFacts::read("m.star", source).unwrap();
    let names = facts.definitions.iter();
    let names: Vec<_> = names
        .map(|n| (n.name.as_str(), n.place.line, n.place.column, n.signature.as_deref()))
        .collect();
    let signature = Some("def f(x: int = 1) -> str");
    let expected = [("X", 2, 1, None), ("Y", 2, 4, None), ("Z", 4, 5, None)];
    assert_eq!(names[..3], expected);
    assert_eq!(names[3], ("f", 5, 5, signature));
    assert_eq!(facts.definitions[3].docs, "Greets.\n\nArgs:\n  More.");
    let load = &facts.loads[0];
    assert_eq!((load.target.as_str(), load.place.column), ("lib.star", 6));
    let names = load.names.iter().map(|(own, their)| (own.as_str(), their.as_str()));
    assert_eq!(names.collect::<Vec<_>>(), [("a", "a"), ("b", "c")]);
}
