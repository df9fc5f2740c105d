//! Project files that are read, and what is said about those that are not.

use super::*;
use crate::{OnError, Surface};
use expect_test::{Expect, expect};
use model::Permission;
use std::time::Duration;

#[track_caller]
fn check(text: &str, expected: &Expect) {
    let fault = Project::parse("larkspur.toml", text).expect_err("this is in order");
    expected.assert_eq(&fault.to_string());
}

const WHOLE: &str = "enable = ['a', 'b']
server.data_dir = 'data'
server.surface = 'modules'
server.surface_tokens = 10
server.result_tokens = 11
server.structured = 'always'
[limits]
timeout = 2.5
ticks = 1_000
heap = '1GiB'
call_depth = 50
result = 4096
calls = 1
queue = 2
caller_rate = '10/s'
module_rate = '600/m'
caller_calls = 3
module_calls = 4
memory = '512MiB'
cache = '1MiB'
tasks = 9
task_time = '2m'
task_keep = '1h'
http_time = '1s'
http_body = 3
exec_time = '2s'
exec_output = 4
exec_processes = 5
exec_memory = '6MiB'
exec_children = 7
exec_file_size = 8
sql_time = '3s'
sql_rows = 6
sql_bytes = '7KiB'
file_bytes = 8
[module.a.config]
size = 3
[module.b]
prefix = 'b_'
rate = '5/h'
[postgres.main]
url = 'postgres://u:p@localhost/db'
[audit]
file = 'log/calls.jsonl'
max_size = '1KiB'
keep = 2
arguments = true
on_error = 'refuse'
";

#[test]
fn a_whole_project() {
    let project = Project::parse("larkspur.toml", WHOLE).unwrap();
    let names: Vec<&str> = project.enable.iter().flatten().map(ModuleName::as_str).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(project.data_dir.as_deref(), Some("data"));
    let limits = Limits {
        time: Duration::from_millis(2500),
        ticks: 1000,
        heap_bytes: 1 << 30,
        call_depth: 50,
        result_bytes: 4096,
        ..Limits::default()
    };
    assert_eq!(project.limits, limits);
    let bounds = Bounds {
        calls: 1,
        queue: 2,
        memory: Some(512 << 20),
        tasks: 9,
        task_time: Duration::from_mins(2),
        task_keep: Duration::from_hours(1),
        http_time: Duration::from_secs(1),
        http_body: 3,
        exec_time: Duration::from_secs(2),
        exec_output: 4,
        exec_processes: 5,
        exec_memory: 6 << 20,
        exec_children: 7,
        exec_file_size: 8,
        sql_time: Duration::from_secs(3),
        sql_rows: 6,
        sql_bytes: 7 << 10,
        file_bytes: 8,
    };
    assert_eq!(project.bounds, bounds);
    let quotas = Quotas {
        caller_rate: "10/s".parse().ok(),
        module_rate: "600/m".parse().ok(),
        caller_calls: Some(3),
        module_calls: Some(4),
        cache: 1 << 20,
    };
    assert_eq!(project.quotas, quotas);
    let audit = AuditSettings {
        file: Some("log/calls.jsonl".into()),
        max_size: 1024,
        keep: 2,
        arguments: true,
        on_error: OnError::Refuse,
    };
    assert_eq!(project.audit, Some(audit));
    let showing = Showing {
        surface: Surface::Modules,
        surface_tokens: 10,
        result_tokens: 11,
        structured: crate::StructuredResults::Always,
    };
    assert_eq!(project.showing, showing);
    assert_eq!(project.modules["b"].prefix(), Some("b_"));
    assert_eq!(project.modules["b"].rate(), "5/h".parse().ok());
    assert_eq!(project.modules["a"].prefix(), None);
    assert_eq!(project.modules.len(), 2);
    assert_eq!(project.modules["a"].config()["size"], 3);
    assert_eq!(project.place_of_item("enable", "b").unwrap().column, 16);
    assert_eq!(project.place("module.a").unwrap().line, 36);
    assert_eq!(project.postgres["main"].url, "postgres://u:p@localhost/db");
    assert_eq!(format!("{:?}", project.postgres), r#"{"main": Connection { .. }}"#);
}

#[test]
fn no_file_and_an_empty_one_say_the_same() {
    let empty = Project::parse("larkspur.toml", "").unwrap();
    let none = Project::default();
    assert_eq!((&empty.enable, &empty.limits), (&none.enable, &none.limits));
    assert_eq!((empty.modules, empty.data_dir), (none.modules, none.data_dir));
}

#[test]
fn what_is_wrong_is_pointed_at() {
    check(
        "enabled = ['a']",
        &expect![[r"
            unknown key `enabled`
              ┌ larkspur.toml:1:1
            1 │ enabled = ['a']
              │ ^^^^^^^
              = help: did you mean `enable`?"]],
    );
    check(
        "enable = ['a b']",
        &expect![[r"
            `enable[0]`: module name `a b` may hold only letters, digits, `_` and `-`
              ┌ larkspur.toml:1:11
            1 │ enable = ['a b']
              │           ^^^^^"]],
    );
    check(
        "enable = true",
        &expect![[r"
            `enable` must be a list, got true
              ┌ larkspur.toml:1:10
            1 │ enable = true
              │          ^^^^"]],
    );
    check(
        "[modules.a]",
        &expect![[r"
            unknown key `modules`
              ┌ larkspur.toml:1:2
            1 │ [modules.a]
              │  ^^^^^^^
              = help: did you mean `module`?"]],
    );
    check(
        "[server]\ndata-dir = 'x'",
        &expect![[r"
            unknown key `server.data-dir`
              ┌ larkspur.toml:2:1
            2 │ data-dir = 'x'
              │ ^^^^^^^^
              = help: did you mean `data_dir`?"]],
    );
    check(
        "[server]\ndata_dir = ''",
        &expect![[r"
            `server.data_dir` is empty
              ┌ larkspur.toml:2:12
            2 │ data_dir = ''
              │            ^^"]],
    );
}

#[test]
fn limits_have_names_and_units() {
    check(
        "[limits]\ntimeout = 'never'",
        &expect![[r"
            `limits.timeout`: `never` is not a duration; write `500ms`, `30s` or `2m`
              ┌ larkspur.toml:2:11
            2 │ timeout = 'never'
              │           ^^^^^^^"]],
    );
    check(
        "[limits]\nheap = '256MB'",
        &expect![[r"
            `limits.heap`: `256MB` is not a size; write `64KiB`, `16MiB` or `1GiB`
              ┌ larkspur.toml:2:8
            2 │ heap = '256MB'
              │        ^^^^^^^"]],
    );
    check(
        "[limits]\nram = '256MiB'",
        &expect![[r"
            unknown key `limits.ram`
              ┌ larkspur.toml:2:1
            2 │ ram = '256MiB'
              │ ^^^
              = help: there are `timeout`, `ticks`, `heap`, `call_depth`, `result`, `calls`, `queue`, `memory`, `caller_rate`, `module_rate`, `caller_calls`, `module_calls`, `cache`, `tasks`, `task_time`, `task_keep`, `http_time`, `http_body`, `exec_time`, `exec_output`, `exec_processes`, `exec_memory`, `exec_children`, `exec_file_size`, `sql_time`, `sql_rows`, `sql_bytes`, `file_bytes`"]],
    );
    check(
        "[limits]\nticks = -1",
        &expect![[r"
            `limits.ticks` must be a whole number above 0, got the integer -1
              ┌ larkspur.toml:2:9
            2 │ ticks = -1
              │         ^^"]],
    );
}

#[test]
fn modules_are_told_in_tables() {
    check(
        "module = 3",
        &expect![[r"
            `module` must be a table, got the integer 3
              ┌ larkspur.toml:1:10
            1 │ module = 3
              │          ^"]],
    );
    check(
        "module.a = 3",
        &expect![[r"
            `module.a` must be a table, got the integer 3
              ┌ larkspur.toml:1:12
            1 │ module.a = 3
              │            ^"]],
    );
    check(
        "module.'a b'.config = {}",
        &expect![[r"
            module name `a b` may hold only letters, digits, `_` and `-`
              ┌ larkspur.toml:1:8
            1 │ module.'a b'.config = {}
              │        ^^^^^"]],
    );
    check(
        "module.a.confg = {}",
        &expect![[r"
            unknown key `module.a.confg`
              ┌ larkspur.toml:1:10
            1 │ module.a.confg = {}
              │          ^^^^^
              = help: did you mean `config`?"]],
    );
    check(
        "module.a.config = 3",
        &expect![[r"
            `module.a.config` must be a table, got the integer 3
              ┌ larkspur.toml:1:19
            1 │ module.a.config = 3
              │                   ^"]],
    );
    check(
        "module.a.config.x = inf",
        &expect![[r"
            `module.a.config.x` must be a finite number
              ┌ larkspur.toml:1:21
            1 │ module.a.config.x = inf
              │                     ^^^"]],
    );
}

#[test]
fn grants_have_the_keys_of_permissions() {
    let text = "module.a.grant = { http = ['*', 'x.org'], exec = [] }\n[module.b.config]\n";
    let project = Project::parse("larkspur.toml", text).unwrap();
    let grant = project.modules["a"].grant().unwrap();
    assert_eq!(grant.get(Permission::Http).unwrap(), ["*", "x.org"]);
    assert!(grant.get(Permission::Exec).unwrap().is_empty());
    assert_eq!(grant.get(Permission::Env), None);
    assert_eq!(project.modules["b"].grant(), None);
    check(
        "[module.a.grant]\nexce = ['git']",
        &expect![[r"
            unknown key `module.a.grant.exce`
              ┌ larkspur.toml:2:1
            2 │ exce = ['git']
              │ ^^^^
              = help: did you mean `exec`?"]],
    );
    check(
        "module.a.grant.http = ['https://x.org']",
        &expect![[r"
            `https://x.org` is not a host
              ┌ larkspur.toml:1:24
            1 │ module.a.grant.http = ['https://x.org']
              │                        ^^^^^^^^^^^^^^^
              = help: write `x.org`"]],
    );
    check(
        "module.a.grant.files = ['../b/**']",
        &expect![[r"
            `../b/**` has `.` or `..` in it
              ┌ larkspur.toml:1:25
            1 │ module.a.grant.files = ['../b/**']
              │                         ^^^^^^^^^
              = help: write a path below the module's folder, or a whole one that begins with `/`"]],
    );
    check(
        "module.a.grant.exec = 'git'",
        &expect![[r#"
            `module.a.grant.exec` must be a list, got the string "git"
              ┌ larkspur.toml:1:23
            1 │ module.a.grant.exec = 'git'
              │                       ^^^^^"#]],
    );
}

#[test]
fn connections_have_names_and_addresses() {
    check(
        "[postgres.main]",
        &expect![[r"
            `url` is missing in `postgres.main`
              ┌ larkspur.toml:1:11
            1 │ [postgres.main]
              │           ^^^^"]],
    );
    check(
        "postgres.main = 'postgres://localhost'",
        &expect![[r#"
        `postgres.main` must be a table, got the string "postgres://localhost"
          ┌ larkspur.toml:1:17
        1 │ postgres.main = 'postgres://localhost'
          │                 ^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    check(
        "[postgres.main]\nurl = ''",
        &expect![[r"
        `postgres.main.url` is empty
          ┌ larkspur.toml:2:7
        2 │ url = ''
          │       ^^"]],
    );
    check(
        "[postgres.'a=b']\nurl = 'host=localhost'",
        &expect![[r"
        `a=b` is no name for a connection
          ┌ larkspur.toml:1:11
        1 │ [postgres.'a=b']
          │           ^^^^^"]],
    );
}

/// Settings that somebody else decides about where the file is silent.
const DECIDED_LATER: [&str; 6] = [
    "server.data_dir",
    "server.transport",
    "server.host",
    "server.port",
    "server.auth",
    "audit.file",
];

#[test]
fn every_default_is_the_default() {
    let read = |text: &str| {
        let project = Project::parse("larkspur.toml", text).unwrap_or_else(|f| panic!("{f}"));
        Project { spans: None, ..project }
    };
    for section in &crate::PROJECT {
        for key in section.keys {
            let name = format!("{}.{}", section.name, key.name);
            if !matches!(key.said, crate::Said::Default(_)) || DECIDED_LATER.contains(&&*name) {
                continue;
            }
            let header = format!("[{}]", section.example);
            let said = format!("{header}\n{} = {}", key.name, key.value().unwrap());
            assert_eq!(read(&said), read(&header), "{said} is not the default");
        }
    }
}

#[test]
fn the_template_says_nothing_as_it_stands() {
    let template = crate::project_template();
    let untouched = Project::parse("larkspur.toml", &template).unwrap();
    assert_eq!(untouched.enable, None);
    let is_comment = |line: &str| line.is_empty() || line.starts_with('#');
    assert!(template.lines().all(is_comment));
    assert!(template.lines().all(|line| line.len() <= 100));
}

/// A line whose `#` is followed by no space holds a setting.
#[test]
fn the_template_shows_every_setting() {
    let template = crate::project_template();
    let settings = template.lines().filter_map(|line| line.strip_prefix('#'));
    let settings = settings.filter(|rest| !rest.is_empty() && !rest.starts_with(' '));
    // An issuer has one place for its keys.
    let one = |line: &&str| {
        !["jwks_file", "key_file = \"i", "secret_env"].iter().any(|key| line.starts_with(key))
    };
    let settings: Vec<&str> = settings.filter(one).collect();
    let project = Project::parse("larkspur.toml", &settings.join("\n")).unwrap();
    for section in &crate::PROJECT {
        for key in section.keys.iter().filter(|key| key.value().is_some()) {
            let shown = format!("\n#{} = ", key.name);
            assert!(template.contains(&shown), "{} is not shown", key.name);
        }
    }
    let grant = project.modules["crypto-tools"].grant().unwrap();
    for permission in Permission::ALL {
        let key = permission.key();
        assert!(grant.get(permission).is_some(), "{key} is not shown");
    }
}

#[test]
fn surfaces_and_beginnings() {
    check(
        "[server]\nsurface = 'round'\n",
        &expect![[r"
        `server.surface`: `round` is no surface; write flat, modules or auto
          ┌ larkspur.toml:2:11
        2 │ surface = 'round'
          │           ^^^^^^^"]],
    );
    check(
        "[module.hub]\nprefix = 'hub.'\n",
        &expect![[r#"
        `hub.` cannot begin the name of a tool
          ┌ larkspur.toml:2:10
        2 │ prefix = 'hub.'
          │          ^^^^^^
          = help: write up to 32 letters, digits, `_` and `-`: `prefix = "gh_"`"#]],
    );
}

#[test]
fn what_is_written_down_of_calls() {
    check(
        "[audit]\narguments = 1\n",
        &expect![[r"
        `audit.arguments` must be true or false
          ┌ larkspur.toml:2:13
        2 │ arguments = 1
          │             ^"]],
    );
    check(
        "[audit]\nflie = 'a'\n",
        &expect![[r"
        unknown key `audit.flie`
          ┌ larkspur.toml:2:1
        2 │ flie = 'a'
          │ ^^^^
          = help: did you mean `file`?"]],
    );
    check(
        "[audit]\non_error = 'stop'\n",
        &expect![[r"
            `audit.on_error`: `stop` is neither `continue` nor `refuse`
              ┌ larkspur.toml:2:12
            2 │ on_error = 'stop'
              │            ^^^^^^"]],
    );
}
