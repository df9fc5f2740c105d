//! Who depends on whom: the order of starts and stops.

use crate::fixture::Server;
use crate::folder::{answering, living, manifest, needs, states};
use crate::wire::PATIENCE;
use serde_json::json;
use std::collections::BTreeMap;

/// `a: b c?` is a module `a` that needs `b`, and `c` if it is there.
fn server(graph: &str) -> Server {
    let mut server = Server::start();
    for line in graph.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, all) = line.split_once(':').unwrap();
        let (optional, required): (Vec<&str>, Vec<&str>) =
            all.split_whitespace().partition(|name| name.ends_with('?'));
        let optional: Vec<&str> = optional.iter().map(|n| n.trim_end_matches('?')).collect();
        let more = format!("depends_on = {required:?}\noptional_deps = {optional:?}");
        server.folder_module(name, &manifest(name, &more), &living(name));
    }
    server
}

/// Circles and what is missing are in `cmd/graph.md`.
#[test]
fn what_is_there_starts_in_order() {
    for (graph, expected) in [
        ("a: b\nb: c\nc:", "c b a"),
        ("d: b c\nc: a\nb: a\na:", "a b c d"),
        ("a: z?\nz:", "z a"),
        ("a: nowhere?\nb: a", "a b"),
        ("b:\na:\nc:", "a b c"),
    ] {
        let starts: Vec<String> =
            expected.split(' ').map(|name| format!("{name}: start")).collect();
        let starts: Vec<&str> = starts.iter().map(String::as_str).collect();
        server(graph).up().logged(&starts);
    }
}

#[test]
fn nothing_has_started_when_it_is_told() {
    let mut server = server("app: nowhere\nbase:");
    server.up();
    let stderr = server.wire().stderr();
    let told = stderr.find("needs `nowhere`, which is not installed");
    assert!(told.is_some() && told < stderr.find("base: start"), "{stderr}");
}

#[test]
fn start_gets_exactly_what_is_declared() {
    let mut server = server("base:\nfar: base\nopt: base");
    let deps = "def start(deps, config):\n    return deps\n".to_owned();
    server
        .folder_module(
            "a",
            &manifest("a", "depends_on = [\"far\"]\noptional_deps = [\"opt\", \"absent\"]"),
            &(deps + &answering("deps", "[ctx.instance, ctx.deps]")),
        )
        .call("deps", json!({}))
        .text(r#"[{"far":"far","opt":"opt","absent":null},{"far":"far","opt":"opt","absent":null}]"#)
        .living("absent", "")
        .until(
            "deps",
            json!({}),
            r#"[{"far":"far","opt":"opt","absent":"absent"},{"far":"far","opt":"opt","absent":"absent"}]"#,
        );
}

/// A module that is not well does not stop the others: those beside it, and those who can do without.
#[test]
fn an_optional_dependency_that_fails_is_none() {
    let mut server = Server::start();
    server
        .folder_module("opt", &manifest("opt", ""), "def start(deps, config):\n    fail(\"no\")\n")
        .folder_module(
            "a",
            &manifest("a", "optional_deps = [\"opt\"]"),
            &answering("deps", "ctx.deps"),
        )
        .call("deps", json!({}))
        .text(r#"{"opt":null}"#)
        .main("opt", &living("opt"))
        .until("deps", json!({}), r#"{"opt":"opt"}"#);
}

const MANY: usize = 200;

/// Each module needs up to three of those before it; the names say nothing about the order.
fn many() -> BTreeMap<String, Vec<String>> {
    let mut seed = 20_260_728_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut names: Vec<String> = (0..MANY).map(|i| format!("m{i}")).collect();
    for i in (1..MANY).rev() {
        names.swap(i, next(i + 1));
    }
    let mut graph = BTreeMap::new();
    for i in 0..MANY {
        let count = if i == 0 { 0 } else { next(4) };
        let needs: Vec<String> = (0..count).map(|_| names[next(i)].clone()).collect();
        let mut needs: Vec<String> = needs;
        needs.sort();
        needs.dedup();
        graph.insert(names[i].clone(), needs);
    }
    graph
}

#[test]
fn two_hundred_modules_start_in_order_and_stop_in_reverse_every_time() {
    let graph = many();
    let run = || {
        let mut server = Server::start();
        for (name, dependencies) in &graph {
            let more = needs(&dependencies.join(" "));
            server.folder_module(name, &manifest(name, &more), &living(name));
        }
        server.up();
        assert_eq!(states(&server.status()).len(), MANY);
        server.leave_within(PATIENCE);
        server.log()
    };
    let log = run();
    let named = |word: &str| -> Vec<String> {
        let lines = log.iter().filter_map(|line| line.strip_suffix(word));
        lines.map(str::to_owned).collect()
    };
    let (starts, mut stops) = (named(": start"), named(": stop"));
    assert_eq!(starts.len(), MANY);
    let at: BTreeMap<&String, usize> = starts.iter().zip(0..).collect();
    for (name, needs) in &graph {
        for need in needs {
            assert!(at[need] < at[name], "{name} started before {need}");
        }
    }
    stops.reverse();
    assert_eq!(stops, starts);
    assert_eq!(run(), log);
}
