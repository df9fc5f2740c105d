//! What the documents show is run, and what they state is compared with the code.
//!
//! `console.rs` says how blocks are run; the test below lists those that are left alone.

use crate::console::{self, Block, parsed};
use crate::room::Room;
use expect_test::expect;
use model::{Limits, show_duration, show_size};
use runtime::Settings;
use settings::{Bounds, Server};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Those whose blocks are run, or said not to be.
const DOCUMENTS: [&str; 28] = [
    "README.md",
    "CONTRIBUTING.md",
    "examples/README.md",
    "book/src/tutorial.md",
    "book/src/modules.md",
    "book/src/serving.md",
    "book/src/release.md",
    "book/src/tokens.md",
    "book/src/howto-api.md",
    "book/src/howto-database.md",
    "book/src/howto-team.md",
    "book/src/howto-proxy.md",
    "book/src/coming-from.md",
    "book/src/why-surface.md",
    "book/src/why-batch.md",
    "book/src/why-reload.md",
    "book/src/security.md",
    "book/src/manifest.md",
    "book/src/configuration.md",
    "book/src/metrics.md",
    "book/src/permissions.md",
    "book/src/access.md",
    "book/src/secrets.md",
    "book/src/limits.md",
    "book/src/audit.md",
    "book/src/install.md",
    "book/src/doctor.md",
    "book/src/tests.md",
];

pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[track_caller]
fn read(document: &str) -> String {
    fs::read_to_string(workspace().join(document)).unwrap()
}

#[track_caller]
fn blocks(document: &str) -> Vec<Block> {
    console::blocks(document, &read(document))
}

/// Runs a document from its first block to its last.
#[track_caller]
fn run(document: &str) {
    run_in(&Room::without("modules"), document);
}

#[track_caller]
fn run_in(room: &Room, document: &str) {
    let differences = console::run(room, document, blocks(document).iter(), false);
    if let Err(wrong) = console::settle(&workspace().join(document), differences) {
        panic!("{wrong}");
    }
}

#[test]
fn the_readme_runs() {
    run("README.md");
}

#[test]
fn readme_and_tutorial_show_no_wildcard() {
    for document in ["README.md", "book/src/tutorial.md"] {
        let text = read(document);
        let mut lines = (1..).zip(text.lines());
        let wildcard = lines.find(|(_, line)| line.contains("[..]"));
        assert_eq!(wildcard, None, "{document}");
    }
}

/// Token figures are estimated, or counted by a build with the feature `o200k`; README states both.
#[test]
fn readme_states_the_token_figures_that_the_binary_prints() {
    let output = Command::new(env!("CARGO_BIN_EXE_larkspur"))
        .args(["list", "--tokens", "--format", "json", "--modules", "modules"])
        .current_dir(workspace())
        .output()
        .unwrap();
    let printed = parsed(&String::from_utf8(output.stdout).unwrap(), "list --tokens");
    let [modules, flat] = ["modules", "flat"].map(|key| grouped(printed[key].as_u64().unwrap()));
    let figures = if printed["counted"] == true {
        format!("counts {modules} instead of {flat}")
    } else {
        format!("about {modules} tokens instead of {flat}")
    };
    let by_module = printed["by_module"].as_array().unwrap().iter();
    let tools: u64 = by_module.map(|one| one["tools"].as_u64().unwrap()).sum();
    let readme = read("README.md");
    for stated in [figures, format!("instead of their {tools} tools")] {
        assert!(readme.contains(&stated), "README.md should state: {stated}");
    }
}

#[test]
fn the_tutorial_runs() {
    run("book/src/tutorial.md");
}

#[test]
fn the_pages_about_modules_and_serving_run() {
    run("book/src/modules.md");
    run("book/src/serving.md");
    run("book/src/release.md");
}

#[test]
fn the_page_about_tokens_runs() {
    run("book/src/tokens.md");
}

#[test]
fn the_page_about_an_api_runs() {
    run("book/src/howto-api.md");
}

#[test]
fn the_page_about_databases_runs() {
    run("book/src/howto-database.md");
}

#[test]
fn the_page_about_a_team_runs() {
    run("book/src/howto-team.md");
}

#[test]
#[ignore = "needs curl: cargo xtask test"]
fn the_page_about_a_proxy_runs() {
    run("book/src/howto-proxy.md");
}

#[test]
fn the_page_about_coming_from_elsewhere_runs() {
    run("book/src/coming-from.md");
}

#[test]
fn the_pages_that_explain_run() {
    run("book/src/why-surface.md");
    run("book/src/why-batch.md");
    run("book/src/why-reload.md");
    run("book/src/security.md");
}

#[test]
fn the_pages_made_from_the_code_run() {
    run("book/src/command-line.md");
    run("book/src/manifest.md");
    run("book/src/configuration.md");
    run("book/src/metrics.md");
}

#[test]
fn the_page_about_permissions_runs() {
    run("book/src/permissions.md");
}

#[test]
fn the_page_about_secrets_runs() {
    run("book/src/secrets.md");
}

#[test]
fn the_pages_about_clients_and_what_is_missing_run() {
    run("book/src/install.md");
    run("book/src/doctor.md");
}

#[test]
fn the_page_about_access_runs() {
    run("book/src/access.md");
}

#[test]
fn the_page_about_limits_runs() {
    run("book/src/limits.md");
    run("book/src/audit.md");
}

#[test]
fn the_page_about_tests_runs() {
    run("book/src/tests.md");
}

/// It speaks to somebody who stands in the folder of the examples.
#[test]
fn the_page_about_the_examples_runs() {
    let room = Room::without("modules");
    for folder in ["files", "modules"] {
        room.copy(&workspace().join("examples").join(folder));
    }
    run_in(&room, "examples/README.md");
}

#[test]
fn what_documents_do_not_run_is_little() {
    let left = |document: &str| -> Vec<String> {
        let blocks = blocks(document).into_iter();
        // A picture is nothing to run.
        let not_run = blocks
            .filter(|block| block.kind.ends_with("not-run") && !block.kind.starts_with("text "));
        not_run.map(|block| format!("{document}: {}", block.text)).collect()
    };
    let left = DOCUMENTS.map(left).concat().concat();
    expect![[r#"
        book/src/serving.md: # Health check
        curl http://localhost:3000/health

        # MCP request
        curl -X POST http://localhost:3000/mcp \
          -H "Content-Type: application/json" \
          -d '{"jsonrpc":"2.0","method":"tools/list","params":{},"id":1}'
        book/src/release.md: cargo install --path crates/larkspur     # onto your path
        cargo xtask dist                         # the archive, in target/dist
        book/src/release.md: docker build -t larkspur .
        docker run -p 3000:3000 -v "$PWD:/srv" -e LARKSPUR_TOKEN larkspur
        book/src/release.md: FROM debian:stable-slim
        COPY --from=larkspur /larkspur /usr/local/bin/larkspur
        book/src/tokens.md: [module.github]
        prefix = "gh_"
        book/src/tokens.md: [server]
        structured = "always"
        book/src/tokens.md: tool(list_issues, select = ["number", "title", "author: user.login"])
        tool(get_page, compact = as_markdown)
        book/src/howto-database.md: [module.sqlite.config]
        databases = ["/srv/data/shop.db"]

        [postgres.shop]
        url = "postgres://reader@db.example.org/shop"

        [module.postgres.config]
        connections = ["shop"]
        book/src/howto-team.md: larkspur secret set github.token                # for all
        larkspur secret set github.token --user ada     # for Ada
        book/src/howto-team.md: [module.web.grant]
        http = ["docs.example.org"]

        [module.scratch.grant]
        exec = []
        env = []
        book/src/howto-team.md: [audit]
        file = ".larkspur/audit.jsonl"
        book/src/howto-team.md: larkspur serve --config larkspur.toml
        book/src/howto-proxy.md: upstream larkspur {
            server 127.0.0.1:38418;
            keepalive 16;
        }

        server {
            listen 443 ssl;
            server_name mcp.example.org;
            ssl_certificate     /etc/ssl/mcp.example.org.pem;
            ssl_certificate_key /etc/ssl/mcp.example.org.key;

            location / {
                proxy_pass http://larkspur;
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header Host $host;
                proxy_buffering off;          # progress and messages as they come
                proxy_read_timeout 120s;      # longer than a call may take
                client_max_body_size 4m;      # what the server takes
            }

            location = /metrics { deny all; }
        }
        book/src/metrics.md: scrape_configs:
          - job_name: larkspur
            static_configs:
              - targets: ["127.0.0.1:3000"]
        book/src/permissions.md: [config]
        base_url = { type = "string", default = "https://api.github.com" }
        folders = { type = "array", items = { type = "string" }, default = [] }

        [permissions]
        http = ["{config.base_url}"]
        files = ["{config.folders}/**"]
        book/src/install.md: claude mcp add larkspur -- larkspur serve --modules /path/to/modules
    "#]]
    .assert_eq(&left);
}

#[test]
fn client_settings_name_a_command_that_starts() {
    let room = Room::new();
    let page = "book/src/install.md";
    let settings = blocks(page).into_iter().filter(|b| b.kind == "json");
    let mut started = 0;
    for block in settings {
        let settings = parsed(&block.text, page);
        let servers = settings.get("mcpServers").or(settings.get("servers"));
        let server = &servers.unwrap()["larkspur"];
        assert!(server["command"].as_str().unwrap().ends_with("larkspur"));
        let args: Vec<&str> =
            server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        // With its input at an end, a server that understood its arguments leaves at once.
        room.run(&args).exits(0);
        started += 1;
    }
    assert_eq!(started, 2);
}

#[test]
fn the_page_about_limits_states_them() {
    let limits = Limits::default();
    let loading = limits.for_loading();
    let (settings, bounds) = (Settings::default(), Bounds::default());
    let page = read("book/src/limits.md");
    for (what, value) in [
        (
            "time of one call",
            format!("{} s; loading {} s", limits.time.as_secs(), loading.time.as_secs()),
        ),
        ("steps", grouped(limits.ticks)),
        (
            "memory of one call",
            format!("{} MiB; loading {} MiB", limits.heap_bytes >> 20, loading.heap_bytes >> 20),
        ),
        ("calls within calls", limits.call_depth.to_string()),
        ("a result", format!("{} MiB", limits.result_bytes >> 20)),
        ("nesting of a value", limits.value_depth.to_string()),
        ("a source file", format!("{} MiB", limits.source_bytes >> 20)),
        ("nesting of a source", limits.source_depth.to_string()),
        ("calls at one time", settings.bounds.calls.to_string()),
        ("calls that wait", grouped(settings.bounds.queue as u64)),
        ("HTTP connections of one address", Server::default().connections_per_address.to_string()),
        ("tasks under way", bounds.tasks.to_string()),
        ("time of a task", show_duration(bounds.task_time)),
        ("what a task led to", show_duration(bounds.task_keep)),
        ("a request of `http`", show_duration(bounds.http_time)),
        ("an answer to it", show_size(bounds.http_body)),
        ("a command of `exec`", show_duration(bounds.exec_time)),
        ("each of its two outputs", show_size(bounds.exec_output)),
        ("commands at one time", bounds.exec_processes.to_string()),
        ("memory of a command", show_size(bounds.exec_memory)),
        ("processes of a command", bounds.exec_children.to_string()),
        ("a file that a command", show_size(bounds.exec_file_size)),
        ("a statement of", show_duration(bounds.sql_time)),
        ("rows of its answer", grouped(bounds.sql_rows as u64)),
        ("bytes of its answer", show_size(bounds.sql_bytes)),
        ("a file that is read", show_size(bounds.file_bytes)),
        ("answers that are kept", show_size(Bounds::default().cache)),
    ] {
        let row = page.lines().find(|line| line.starts_with(&format!("| {what}")));
        let row = row.unwrap_or_else(|| panic!("limits.md has no limit `{what}`"));
        let stated = row.split('|').nth(2).unwrap().trim();
        assert_eq!(stated, value, "{what}");
    }
}

/// `50,000,000`, as people read it.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[test]
fn the_examples_of_one_file_are_sound() {
    let room = Room::new();
    let examples = workspace().join("examples/files");
    let folder = examples.to_str().unwrap();
    room.run(&["check", "-e", folder]).exits(0).notes("nothing wrong in 6 files");
    room.run(&["test", "-e", folder]).exits(0).says("Total: 14 | Passed: 14 | Failed: 0");
    room.run(&["list", "-e", folder]).exits(0).notes("5 tools in 3 modules");
    room.run(&["call", "-e", folder, "weather.climate", "city=Quito"])
        .exits(0)
        .says_only(r#"{"temperature":14.9,"unit":"celsius","rain_days":165}"#);
}

/// A row's tool, and the characters of what was sent, of the answer as JSON, and of what is read.
fn characters(table: &str) -> Vec<(String, [usize; 3])> {
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let number = |cell: &str| {
        let digits = cell.split('/').next().unwrap_or_default().replace(',', "");
        digits.trim().parse().unwrap_or(0)
    };
    rows.map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        (cells[0].to_owned(), [1, 2, 3].map(|at| number(cells[at])))
    })
    .collect()
}

/// Tokens are counted by a feature that this binary may not have; without it, words that fit a
/// budget may be others.
fn is_fresh(kept: &(String, [usize; 3]), made: &(String, [usize; 3])) -> bool {
    let near = |a: usize, b: usize| a.abs_diff(b) * 100 <= a.max(200);
    kept.0 == made.0 && kept.1.iter().zip(made.1).all(|(a, b)| near(*a, b))
}

#[test]
fn tables_of_tokens_in_readmes_are_fresh() {
    let mut seen = 0;
    for entry in fs::read_dir(workspace().join("modules")).unwrap() {
        let readme = entry.unwrap().path().join("README.md");
        let text = fs::read_to_string(&readme).unwrap_or_default();
        let Some((_, rest)) = text.split_once("<!-- tokens: larkspur ") else {
            continue;
        };
        let (command, rest) = rest.split_once(" -->").unwrap();
        let (table, _) = rest.split_once("<!-- end -->").unwrap();
        let made = Command::new(env!("CARGO_BIN_EXE_larkspur"))
            .args(command.split_whitespace())
            .current_dir(workspace())
            .output()
            .unwrap();
        let made = String::from_utf8(made.stdout).unwrap();
        let fresh = characters(&made);
        assert!(!fresh.is_empty(), "{}: {made}", readme.display());
        let kept = characters(table);
        let alike = kept.iter().zip(&fresh).all(|(kept, made)| is_fresh(kept, made));
        assert!(
            alike && kept.len() == fresh.len(),
            "{}: `cargo xtask module-tokens` renews it:\n{table}\n{made}",
            readme.display()
        );
        seen += 1;
    }
    assert!(seen >= 9, "only {seen} READMEs have a table");
}
