//! Manifests that are read, and what is said about those that are not.

use super::*;
use crate::faults;
use expect_test::{Expect, expect, expect_file};

const HEAD: &str = "name = \"github\"\nversion = \"1.0.0\"\ndescription = \"GitHub\"\n";

fn parse(text: &str) -> Result<Manifest, Fault> {
    Manifest::parse("github/module.toml", text, "0.1.0")
}

#[test]
fn what_is_wrong_is_pointed_at() {
    faults::check_file(&expect_file!["manifest_faults.toml"], HEAD, |text| parse(text).err());
    faults::check_file(&expect_file!["whole_faults.toml"], "", |text| parse(text).err());
    let fault = parse("").unwrap_err();
    assert_eq!(
        (fault.message.as_str(), fault.place.map(|p| p.line)),
        ("`name` is missing", Some(1))
    );
}

#[test]
fn the_server_must_be_new_enough() {
    for met in ["0.1", ">=0.1", ">= 0.1", ">=0.1, <2", "0.1.0"] {
        parse(&format!("{HEAD}larkspur = '{met}'")).unwrap();
    }
    Manifest::parse("m", &format!("{HEAD}larkspur = '>=0.2'"), "0.2.0-dev").unwrap();
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
