//! What the server lets in and out, set under `[limits]`: a smaller setting takes effect, and the
//! error names it.

use crate::fixture::Server;
use crate::upstream::{Web, ok};
use serde_json::json;

/// One tool for each way out.
const ALL: &str = r#"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9) SELECT i FROM n"

def get(url: str) -> str:
    return http.get(url)["body"]
def sh(script: str, timeout: str | None = None) -> str:
    return exec.run("sh", ["-c", script], timeout = timeout)["stdout"]
def endless() -> list:
    return sqlite.query("a.db", ENDLESS)
def numbers() -> list:
    return sqlite.query("a.db", NUMBERS)
def fill() -> int:
    return sqlite.execute("a.db", "CREATE TABLE t (i)")
def read() -> str:
    return files.read("text")
def spin() -> int:
    for i in range(1000000):
        for j in range(1000000):
            pass
tool(get)
tool(sh)
tool(endless)
tool(numbers)
tool(fill)
tool(read)
tool(spin)
"#;

fn served(limit: &str, web: &Web) -> Server {
    let mut server = Server::start();
    let permissions = format!(
        "http = ['{}']\nexec = ['sh']\nsqlite_write = ['a.db']\nfiles = ['text']",
        web.site()
    );
    server
        .folder("x", &permissions, ALL)
        .file("x/text", "twelve bytes")
        .project(&format!("[limits]\n{limit}"))
        .call("fill", json!({}))
        .text("0");
    server
}

#[test]
fn a_smaller_setting_takes_effect() {
    let web = Web::answering(|asked| match asked.path.as_str() {
        "/hang" => None,
        _ => Some(ok("twelve bytes")),
    });
    let get = |path: &str| json!({"url": web.url(path)});
    let sh = |script: &str| json!({"script": script});
    for (limit, tool, arguments, said) in [
        ("http_time = '200ms'", "get", get("/hang"), "no answer within 200 ms (limit `http_time`)"),
        (
            "http_body = 11",
            "get",
            get("/"),
            "the answer is longer than 11 bytes (limit `http_body`)",
        ),
        (
            "exec_time = '200ms'",
            "sh",
            sh("sleep 60"),
            "`sh`: it did not end within 200 ms (limit `exec_time`)",
        ),
        (
            "exec_output = '1KiB'",
            "sh",
            sh("yes"),
            "`sh`: it wrote more than 1 KiB to stdout (limit `exec_output`)",
        ),
        (
            "exec_children = 2",
            "sh",
            sh("sleep 60 & sleep 60 & sleep 60"),
            "`sh`: it had more than 2 processes at one time (limit `exec_children`)",
        ),
        (
            "exec_memory = '32MiB'",
            "sh",
            sh("head -c 1073741824 /dev/zero | tail"),
            "`sh`: its processes took more than 32 MiB of memory (limit `exec_memory`)",
        ),
        (
            "exec_file_size = '1KiB'",
            "sh",
            sh("exec head -c 4096 /dev/zero > large"),
            "`sh`: it wrote a file of more than 1 KiB (limit `exec_file_size`)",
        ),
        (
            "sql_time = '200ms'",
            "endless",
            json!({}),
            "a.db: no answer within 200 ms (limit `sql_time`)",
        ),
        (
            "sql_rows = 8",
            "numbers",
            json!({}),
            "the answer has more than 8 rows (limit `sql_rows`)",
        ),
        (
            "sql_bytes = 64",
            "numbers",
            json!({}),
            "the answer is larger than 64 bytes (limit `sql_bytes`)",
        ),
        (
            "file_bytes = 11",
            "read",
            json!({}),
            "text: it is longer than 11 bytes (limit `file_bytes`)",
        ),
    ] {
        served(limit, &web).call(tool, arguments).fails(said);
    }
    // And a setting that is large enough is none in the way.
    served("http_body = 12\nfile_bytes = 12\nsql_rows = 9", &web)
        .call("get", get("/"))
        .text("twelve bytes")
        .call("read", json!({}))
        .text("twelve bytes")
        .call("numbers", json!({}))
        .text(r#"[{"i":1},{"i":2},{"i":3},{"i":4},{"i":5},{"i":6},{"i":7},{"i":8},{"i":9}]"#);
}

#[test]
fn commands_beyond_the_setting_wait() {
    let mut server = served("exec_processes = 1", &Web::answering(|_| None));
    let note = server.room.path().join("runs");
    let script = format!("touch {}; sleep 60", note.display());
    server.send_call("sh", json!({"script": script}));
    server.wait_until("running", || note.exists().then_some(()));
    server.call("sh", json!({"script": "true", "timeout": "200ms"})).fails(
        "`sh`: no place became free within 200 ms, its own `timeout`: 1 may run at once \
             (limit `exec_processes`)",
    );
}

#[test]
fn calls_beyond_the_setting_wait_or_are_turned_away() {
    let mut server = served("calls = 1\nqueue = 1", &Web::answering(|_| None));
    server.send_call("spin", json!({}));
    server.status_until("one at work", |status| status["in_flight"] == 1);
    let two = [(); 2].map(|()| server.send_call("spin", json!({})).to_string());
    let turned_away =
        server.wire().wait("one of the two", |wire| two.iter().find_map(|id| wire.answered(id)));
    assert_eq!(
        turned_away["result"]["content"][0]["text"],
        "too many calls are waiting (1); try again in a moment (limit `queue`)"
    );
}
