//! Project files that are read, and what is said about those that are not.

use super::*;
use crate::{OnError, Server, StructuredResults, Surface, faults};
use expect_test::expect_file;
use model::Permission;
use std::time::Duration;

#[test]
fn what_is_wrong_is_pointed_at() {
    faults::check_file(&expect_file!["project_faults.toml"], "", |text| {
        Project::parse("larkspur.toml", text).err()
    });
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
    let bounds = Bounds {
        timeout: Duration::from_millis(2500),
        ticks: 1000,
        heap: 1 << 30,
        call_depth: 50,
        result: 4096,
        calls: 1,
        queue: 2,
        memory: Some(512 << 20),
        caller_rate: "10/s".parse().ok(),
        module_rate: "600/m".parse().ok(),
        caller_calls: Some(3),
        module_calls: Some(4),
        cache: 1 << 20,
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
    let audit = AuditSettings {
        file: Some("log/calls.jsonl".into()),
        max_size: 1024,
        keep: 2,
        arguments: true,
        on_error: OnError::Refuse,
    };
    assert_eq!(project.audit, Some(audit));
    let server = Server {
        data_dir: Some("data".into()),
        surface: Surface::Modules,
        surface_tokens: 10,
        result_tokens: 11,
        structured: StructuredResults::Always,
        ..Server::default()
    };
    assert_eq!(project.server, server);
    assert_eq!(project.modules["b"].prefix.as_deref(), Some("b_"));
    assert_eq!(project.modules["b"].rate, "5/h".parse().ok());
    assert_eq!(project.modules["a"].prefix, None);
    assert_eq!(project.modules.len(), 2);
    assert_eq!(project.modules["a"].config["size"], 3);
    assert_eq!(project.place_of_item("enable", "b").unwrap().column, 16);
    assert_eq!(project.place("module.a").unwrap().line, 36);
    assert_eq!(project.postgres["main"].url, "postgres://u:p@localhost/db");
    assert_eq!(format!("{:?}", project.postgres), r#"{"main": Connection { .. }}"#);
}

#[test]
fn no_file_and_an_empty_one_say_the_same() {
    let empty = Project::parse("larkspur.toml", "").unwrap();
    assert_eq!(Project { spans: None, ..empty }, Project::default());
}

#[test]
fn grants_have_the_keys_of_permissions() {
    let text = "module.a.grant = { http = ['*', 'x.org'], exec = [] }\n[module.b.config]\n";
    let project = Project::parse("larkspur.toml", text).unwrap();
    let grant = project.modules["a"].grant.as_ref().unwrap();
    assert_eq!(grant.get(Permission::Http).unwrap(), ["*", "x.org"]);
    assert!(grant.get(Permission::Exec).unwrap().is_empty());
    assert_eq!(grant.get(Permission::Env), None);
    assert_eq!(project.modules["b"].grant, None);
}

#[test]
fn origins_are_kept_as_browsers_send_them() {
    let read = |text: &str| Project::parse("larkspur.toml", text).unwrap().server.cors;
    let origins =
        |origins: &[&str]| crate::Cors::Origins(origins.iter().map(ToString::to_string).collect());
    assert_eq!(read("server.cors = true"), crate::Cors::Loopback);
    assert_eq!(
        read("server.cors = ['https://x.org:443/', 'null']"),
        origins(&["https://x.org", "null"])
    );
    assert_eq!(read("server.cors = ['null', '*']"), crate::Cors::Anybody);
}

#[test]
fn what_waits_for_a_start_is_named() {
    let read = |text: &str| Project::parse("larkspur.toml", text).unwrap();
    let before = read("");
    for (text, tables) in [
        ("server.surface = 'flat'\nserver.name = 'x'", &[][..]),
        ("server.port = 1", &["[server]"]),
        ("limits.cache = 1\naudit.keep = 1", &["[limits]", "[audit]"]),
        ("vault.key_file = 'x'\nauth.user = 'x'", &["[auth]", "[vault]"]),
    ] {
        assert_eq!(read(text).waiting_for_a_start(&before), tables, "{text}");
    }
}
