//! Manifests that are read, and what is said about those that are not.

use super::*;
use expect_test::{Expect, expect};

const HEAD: &str = "name = \"github\"\nversion = \"1.0.0\"\ndescription = \"GitHub\"\n";

fn parse(text: &str) -> Result<Manifest, Fault> {
    Manifest::parse("github/module.toml", text, "0.1.0")
}

/// A manifest that is in order but for these lines.
#[track_caller]
fn check(lines: &str, expected: &Expect) {
    check_whole(&format!("{HEAD}{lines}"), expected);
}

#[track_caller]
fn check_whole(text: &str, expected: &Expect) {
    let fault = parse(text).map(|m| m.name).expect_err("this is in order");
    expected.assert_eq(&fault.to_string());
}

#[test]
fn a_whole_manifest() {
    let manifest = parse(
        r#"
name = "github"
version = "1.0.0"
description = "GitHub issues and pull requests"
entry = "./src/main.star"
api_version = "2022-11-28"
author = "a"
license = "MIT"
homepage = "https://example.org"
larkspur = ">= 0.1"
depends_on = ["http-utils", "Old_one"]
optional_deps = ["analytics"]
tools = ["list_issues"]
keywords = ["issues", "pull requests"]

[config]
page_size = { type = "integer", default = 50, minimum = 1, maximum = 100, description = "how many" }

[permissions]
http = ["api.github.com", "*.example.org", "127.0.0.1:8080", "localhost", "[::1]:80"]
exec = ["git"]
env = ["GITHUB_*"]
sqlite = ["data/*.db"]
sqlite_write = ["data/*.db"]
postgres = ["main"]
files = ["data/**"]
files_write = ["out/**"]
calls = ["files.read", "web.*"]

[secrets]
token = { description = "personal access token", hosts = ["api.github.com"] }
other = {}

[limits]
timeout = "30s"
http_rate = { "api.github.com" = "10/s" }
"#,
    )
    .unwrap();
    let dependencies: Vec<_> = manifest.dependencies().map(|(n, r)| (n.as_str(), r)).collect();
    assert_eq!(dependencies, [("http-utils", true), ("Old_one", true), ("analytics", false)]);
    assert_eq!(manifest.version_text(), "1.0.0");
    assert_eq!(manifest.limits.http_rate["api.github.com"].to_string(), "10/s");
    expect![[r#"
        src/main.star Some("2022-11-28") Some([ToolName("list_issues")]) ["issues", "pull requests"]
        Permissions { names: {Http: ["api.github.com", "*.example.org", "127.0.0.1:8080", "localhost", "[::1]:80"], Exec: ["git"], Env: ["GITHUB_*"], Sqlite: ["data/*.db"], SqliteWrite: ["data/*.db"], Postgres: ["main"], Files: ["data/**"], FilesWrite: ["out/**"], Calls: ["files.read", "web.*"]}, follows: {}, dependencies: ["http-utils", "Old_one", "analytics"] }
        {"other": SecretSpec { description: None, hosts: [], exec: [] }, "token": SecretSpec { description: Some("personal access token"), hosts: ["api.github.com"], exec: [] }}
        ModuleLimits { timeout: Some(30s), http_rate: {"api.github.com": Rate { count: 10, per: 1s }} }
        "{\"type\":\"object\",\"properties\":{\"page_size\":{\"type\":\"integer\",\"default\":50,\"minimum\":1,\"maximum\":100,\"description\":\"how many\"}},\"additionalProperties\":false}"
    "#]].assert_eq(&format!(
        "{} {:?} {:?} {:?}\n{:?}\n{:?}\n{:?}\n{:?}\n",
        manifest.entry,
        manifest.api_version,
        manifest.tools,
        manifest.keywords,
        manifest.permissions,
        manifest.secrets,
        manifest.limits,
        manifest.config.to_json_schema().to_string(),
    ));
}

#[test]
fn little_is_needed() {
    let manifest = parse(HEAD).unwrap();
    assert_eq!(manifest.entry, "main.star");
    assert_eq!(manifest.tools, None);
    assert_eq!(manifest.config.keys(), []);
    assert_eq!(manifest.permissions, Permissions::default());
    assert_eq!(manifest.limits, ModuleLimits::default());
}

#[test]
fn places_are_kept() {
    let text =
        "depends_on = [\n  'a',\n  'b',\n]\n[permissions]\nhttp = ['x.org']\n[config.size]\n";
    let manifest = parse(&format!("{HEAD}{text}")).unwrap();
    let spot = |place: Option<Place>| place.map(|p| (p.line, p.column, p.width));
    assert_eq!(spot(manifest.place("name")), Some((1, 8, 8)));
    assert_eq!(spot(manifest.place("depends_on")), Some((4, 1, 10)));
    assert_eq!(spot(manifest.place_of_item("depends_on", "b")), Some((6, 3, 3)));
    assert_eq!(spot(manifest.place_of_item("permissions.http", "x.org")), Some((9, 9, 7)));
    assert_eq!(spot(manifest.place_of_item("config", "size")), Some((10, 9, 4)));
    assert_eq!(spot(manifest.place("tools")), None);
    assert_eq!(spot(manifest.place_of_item("depends_on", "z")), None);
}

#[test]
fn what_is_needed_is_asked_for() {
    check_whole(
        "",
        &expect![[r"
            `name` is missing
              ┌ github/module.toml:1:1
            1 │ 
              │ ^"]],
    );
    check_whole(
        "name = 'a'\ndescription = 'b'",
        &expect![[r"
            `version` is missing
              ┌ github/module.toml:1:1
            1 │ name = 'a'
              │ ^"]],
    );
    check_whole(
        "nam = 'a'\nversion = '1.0.0'\ndescription = 'b'",
        &expect![[r"
            unknown key `nam`
              ┌ github/module.toml:1:1
            1 │ nam = 'a'
              │ ^^^
              = help: did you mean `name`?"]],
    );
    check_whole(
        "name = 'a'\nversion = 3\ndescription = 'b'",
        &expect![[r"
            `version` must be a string, got the integer 3
              ┌ github/module.toml:2:11
            2 │ version = 3
              │           ^"]],
    );
    check_whole(
        "name = 'a'\nversion = '1.0.0'\ndescription = ''",
        &expect![[r"
            `description` is empty
              ┌ github/module.toml:3:15
            3 │ description = ''
              │               ^^"]],
    );
    check(
        "depend_on = []",
        &expect![[r"
            unknown key `depend_on`
              ┌ github/module.toml:4:1
            4 │ depend_on = []
              │ ^^^^^^^^^
              = help: did you mean `depends_on`?"]],
    );
    check(
        "[permisions]",
        &expect![[r"
            unknown key `permisions`
              ┌ github/module.toml:4:2
            4 │ [permisions]
              │  ^^^^^^^^^^
              = help: did you mean `permissions`?"]],
    );
}

#[test]
fn names_are_kebab_case() {
    let named = |name: &str| HEAD.replace("github", name);
    check_whole(
        &named("My_Tool"),
        &expect![[r#"
            name `My_Tool` is not kebab-case
              ┌ github/module.toml:1:8
            1 │ name = "My_Tool"
              │        ^^^^^^^^^
              = help: write `my-tool`"#]],
    );
    check_whole(
        &named("9lives"),
        &expect![[r#"
            name `9lives` is not kebab-case
              ┌ github/module.toml:1:8
            1 │ name = "9lives"
              │        ^^^^^^^^
              = help: small letters, digits and `-`, such as `http-utils`"#]],
    );
    check_whole(
        &named("a--b"),
        &expect![[r#"
            name `a--b` is not kebab-case
              ┌ github/module.toml:1:8
            1 │ name = "a--b"
              │        ^^^^^^
              = help: write `a-b`"#]],
    );
    check_whole(
        &named(&"a".repeat(65)),
        &expect![[r#"
            module name `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa` is longer than 64 characters
              ┌ github/module.toml:1:8
            1 │ name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              │        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn versions_are_semver() {
    let version = |version: &str| HEAD.replace("1.0.0", version);
    check_whole(
        &version("1.0"),
        &expect![[r#"
            version `1.0` is not SemVer
              ┌ github/module.toml:2:11
            2 │ version = "1.0"
              │           ^^^^^
              = help: write `1.0.0`"#]],
    );
    check_whole(
        &version("v2.1.0"),
        &expect![[r#"
            version `v2.1.0` is not SemVer
              ┌ github/module.toml:2:11
            2 │ version = "v2.1.0"
              │           ^^^^^^^^
              = help: write `2.1.0`"#]],
    );
    check_whole(
        &version("latest"),
        &expect![[r#"
            version `latest` is not SemVer
              ┌ github/module.toml:2:11
            2 │ version = "latest"
              │           ^^^^^^^^
              = help: write three numbers, such as `1.2.0`, or `1.2.0-beta.1`"#]],
    );
}

#[test]
fn the_server_must_be_new_enough() {
    for met in ["0.1", ">=0.1", ">= 0.1", ">=0.1, <2", "0.1.0"] {
        parse(&format!("{HEAD}larkspur = '{met}'")).unwrap();
    }
    Manifest::parse("m", &format!("{HEAD}larkspur = '>=0.2'"), "0.2.0-dev").unwrap();
    check(
        "larkspur = '>=9.0'",
        &expect![[r"
            module `github` needs larkspur >=9.0, this is 0.1.0
              ┌ github/module.toml:4:12
            4 │ larkspur = '>=9.0'
              │            ^^^^^^^"]],
    );
    check(
        "larkspur = 'new'",
        &expect![[r"
            `new` is not a version of larkspur to ask for
              ┌ github/module.toml:4:12
            4 │ larkspur = 'new'
              │            ^^^^^
              = help: write `>=0.1`, or `>=0.1, <2`"]],
    );
    // Keys of a newer manifest are not held against it.
    check(
        "from_the_future = 1\nlarkspur = '>=9.0'",
        &expect![[r"
            module `github` needs larkspur >=9.0, this is 0.1.0
              ┌ github/module.toml:5:12
            5 │ larkspur = '>=9.0'
              │            ^^^^^^^"]],
    );
    check_whole(
        "larkspur = '>=9.0'",
        &expect![[r"
            this module needs larkspur >=9.0, this is 0.1.0
              ┌ github/module.toml:1:12
            1 │ larkspur = '>=9.0'
              │            ^^^^^^^"]],
    );
}

#[test]
fn entries_stay_inside() {
    check(
        "entry = '../main.star'",
        &expect![[r"
            entry `../main.star` leaves the module's folder
              ┌ github/module.toml:4:9
            4 │ entry = '../main.star'
              │         ^^^^^^^^^^^^^^
              = help: name a file of the module, such as `main.star`"]],
    );
    check(
        "entry = '/main.star'",
        &expect![[r"
            entry `/main.star` is not relative to the module's folder
              ┌ github/module.toml:4:9
            4 │ entry = '/main.star'
              │         ^^^^^^^^^^^^
              = help: name a file of the module, such as `main.star`"]],
    );
    check(
        "entry = 'C:/main.star'",
        &expect![[r"
            entry `C:/main.star` is not relative to the module's folder
              ┌ github/module.toml:4:9
            4 │ entry = 'C:/main.star'
              │         ^^^^^^^^^^^^^^
              = help: name a file of the module, such as `main.star`"]],
    );
    check(
        "entry = 'src\\main.star'",
        &expect![[r"
            entry `src\main.star` has a `\` in it; folders are divided by `/`
              ┌ github/module.toml:4:9
            4 │ entry = 'src\main.star'
              │         ^^^^^^^^^^^^^^^
              = help: name a file of the module, such as `main.star`"]],
    );
    check(
        "entry = 'main.py'",
        &expect![[r"
            entry `main.py` is not a `.star` file
              ┌ github/module.toml:4:9
            4 │ entry = 'main.py'
              │         ^^^^^^^^^
              = help: name a file of the module, such as `main.star`"]],
    );
    check(
        "entry = 'src/.star'",
        &expect![[r"
            entry `src/.star` is not a `.star` file
              ┌ github/module.toml:4:9
            4 │ entry = 'src/.star'
              │         ^^^^^^^^^^^
              = help: name a file of the module, such as `main.star`"]],
    );
}

#[test]
fn lists_name_each_once() {
    check(
        "depends_on = ['a', 'b', 'a']",
        &expect![[r"
            `depends_on` names `a` twice
              ┌ github/module.toml:4:25
            4 │ depends_on = ['a', 'b', 'a']
              │                         ^^^"]],
    );
    check(
        "optional_deps = ['a', 'a']",
        &expect![[r"
            `optional_deps` names `a` twice
              ┌ github/module.toml:4:23
            4 │ optional_deps = ['a', 'a']
              │                       ^^^"]],
    );
    check(
        "depends_on = ['a']\noptional_deps = ['b', 'a']",
        &expect![[r"
            `a` is in both `depends_on` and `optional_deps`
              ┌ github/module.toml:5:23
            5 │ optional_deps = ['b', 'a']
              │                       ^^^
              = help: keep it in one of them"]],
    );
    check(
        "depends_on = ['a b']",
        &expect![[r"
            `depends_on[0]`: module name `a b` may hold only letters, digits, `_` and `-`
              ┌ github/module.toml:4:15
            4 │ depends_on = ['a b']
              │               ^^^^^"]],
    );
    check(
        "tools = ['x', 'x']",
        &expect![[r"
            `tools` names `x` twice
              ┌ github/module.toml:4:15
            4 │ tools = ['x', 'x']
              │               ^^^"]],
    );
    check(
        "tools = ['x.y']",
        &expect![[r"
            `tools[0]`: tool name `x.y` may hold only letters, digits, `_` and `-`
              ┌ github/module.toml:4:10
            4 │ tools = ['x.y']
              │          ^^^^^"]],
    );
    check(
        "keywords = ['']",
        &expect![[r"
            `keywords[0]` is empty
              ┌ github/module.toml:4:13
            4 │ keywords = ['']
              │             ^^"]],
    );
    assert!(parse(&format!("{HEAD}depends_on = ['github']")).is_ok());
}

#[test]
fn permissions_name_hosts_and_nothing_empty() {
    check(
        "permissions.http = ['https://api.x.com']",
        &expect![[r"
            `https://api.x.com` is not a host
              ┌ github/module.toml:4:21
            4 │ permissions.http = ['https://api.x.com']
              │                     ^^^^^^^^^^^^^^^^^^^
              = help: write `api.x.com`"]],
    );
    check(
        "permissions.http = ['http://127.0.0.1:8080/v1?q']",
        &expect![[r"
            `http://127.0.0.1:8080/v1?q` is not a host
              ┌ github/module.toml:4:21
            4 │ permissions.http = ['http://127.0.0.1:8080/v1?q']
              │                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = help: write `127.0.0.1:8080`"]],
    );
    check(
        "permissions.http = ['a.*.org']",
        &expect![[r"
            `a.*.org` is not a host
              ┌ github/module.toml:4:21
            4 │ permissions.http = ['a.*.org']
              │                     ^^^^^^^^^
              = help: write `example.org`, `*.example.org` or `example.org:8080`"]],
    );
    check(
        "permissions.http = ['x.org:99999']",
        &expect![[r"
            `x.org:99999` is not a host
              ┌ github/module.toml:4:21
            4 │ permissions.http = ['x.org:99999']
              │                     ^^^^^^^^^^^^^
              = help: write `example.org`, `*.example.org` or `example.org:8080`"]],
    );
    check(
        "permissions.http = ['[::1]x']",
        &expect![[r"
            `[::1]x` is not a host
              ┌ github/module.toml:4:21
            4 │ permissions.http = ['[::1]x']
              │                     ^^^^^^^^
              = help: write `example.org`, `*.example.org` or `example.org:8080`"]],
    );
    check(
        "permissions.exec = ['git', '']",
        &expect![[r"
            `permissions.exec[1]` is empty
              ┌ github/module.toml:4:28
            4 │ permissions.exec = ['git', '']
              │                            ^^"]],
    );
    check(
        "permissions.file = ['x']",
        &expect![[r"
            unknown key `permissions.file`
              ┌ github/module.toml:4:13
            4 │ permissions.file = ['x']
              │             ^^^^
              = help: did you mean `files`?"]],
    );
    check(
        "permissions.files = 'data'",
        &expect![[r#"
            `permissions.files` must be a list, got the string "data"
              ┌ github/module.toml:4:21
            4 │ permissions.files = 'data'
              │                     ^^^^^^"#]],
    );
}

#[test]
fn secrets_and_limits() {
    check(
        "secrets.token = 'x'",
        &expect![[r#"
            `secrets.token` must be a table, got the string "x"
              ┌ github/module.toml:4:17
            4 │ secrets.token = 'x'
              │                 ^^^"#]],
    );
    check(
        "secrets.token = { host = ['x.org'] }",
        &expect![[r"
            unknown key `secrets.token.host`
              ┌ github/module.toml:4:19
            4 │ secrets.token = { host = ['x.org'] }
              │                   ^^^^
              = help: did you mean `hosts`?"]],
    );
    check(
        "secrets.token = { hosts = ['https://x.org/'] }",
        &expect![[r"
            `https://x.org/` is not a host
              ┌ github/module.toml:4:28
            4 │ secrets.token = { hosts = ['https://x.org/'] }
              │                            ^^^^^^^^^^^^^^^^
              = help: write `x.org`"]],
    );
    check(
        "limits.timeout = 'soon'",
        &expect![[r"
            `limits.timeout`: `soon` is not a duration; write `500ms`, `30s` or `2m`
              ┌ github/module.toml:4:18
            4 │ limits.timeout = 'soon'
              │                  ^^^^^^"]],
    );
    check(
        "limits.time = 3",
        &expect![[r"
            unknown key `limits.time`
              ┌ github/module.toml:4:8
            4 │ limits.time = 3
              │        ^^^^
              = help: there are `timeout`, `http_rate`"]],
    );
    check(
        "limits.http_rate = { 'x.org' = '10' }",
        &expect![[r"
            `limits.http_rate.x.org`: `10` is not a rate; write `10/s`, `600/m` or `1000/h`
              ┌ github/module.toml:4:32
            4 │ limits.http_rate = { 'x.org' = '10' }
              │                                ^^^^"]],
    );
    check(
        "limits.http_rate = { 'x.org' = '0/s' }",
        &expect![[r"
            `limits.http_rate.x.org`: `0/s` is not a rate; write `10/s`, `600/m` or `1000/h`
              ┌ github/module.toml:4:32
            4 │ limits.http_rate = { 'x.org' = '0/s' }
              │                                ^^^^^"]],
    );
    check(
        "limits.http_rate = { 'x.org' = 10 }",
        &expect![[r"
            `limits.http_rate.x.org` must be a string, got the integer 10
              ┌ github/module.toml:4:32
            4 │ limits.http_rate = { 'x.org' = 10 }
              │                                ^^"]],
    );
    check(
        "limits.http_rate = { 'https://x.org' = '10/s' }",
        &expect![[r"
            `https://x.org` is not a host
              ┌ github/module.toml:4:22
            4 │ limits.http_rate = { 'https://x.org' = '10/s' }
              │                      ^^^^^^^^^^^^^^^
              = help: write `x.org`"]],
    );
}

#[test]
fn promised_tools_are_the_declared_ones() {
    let manifest = parse(&format!("{HEAD}tools = ['list_issue', 'search']")).unwrap();
    let check = |declared: &[&str], expected: &Expect| {
        let fault = manifest.check_tools(declared).unwrap_err();
        expected.assert_eq(&fault.to_string());
    };
    check(
        &["list_issues", "search"],
        &expect![[r"
            module.toml promises the tool `list_issue`, which main.star does not declare
              ┌ github/module.toml:4:10
            4 │ tools = ['list_issue', 'search']
              │          ^^^^^^^^^^^^
              = help: did you mean `list_issues`?"]],
    );
    check(
        &["search"],
        &expect![[r"
            module.toml promises the tool `list_issue`, which main.star does not declare
              ┌ github/module.toml:4:10
            4 │ tools = ['list_issue', 'search']
              │          ^^^^^^^^^^^^
              = help: declare it, or take it out of `tools`"]],
    );
    check(
        &["search", "list_issue", "x"],
        &expect![[r"
            main.star declares `x`, which `tools` in module.toml does not name
              ┌ github/module.toml:4:1
            4 │ tools = ['list_issue', 'search']
              │ ^^^^^
              = help: add it, or leave `tools` out"]],
    );
    assert_eq!(manifest.check_tools(&["search", "list_issue"]), Ok(()));
    assert_eq!(parse(HEAD).unwrap().check_tools(&["x"]), Ok(()));
}
