//! Calls of tools that are declared read-only: what may write is denied, also further down.

use crate::fixture::Server;
use crate::room::Room;
use serde_json::json;

const NOTES: &str = r#"
def write(text: str) -> str:
    """Writes a note."""
    files.write("out/note.txt", text)
    return "written"

def _insert(_):
    return sqlite.execute("notes.db", "CREATE TABLE notes (x)")

def peek_file() -> str:
    return write("x")

def peek_database() -> int:
    return parallel(_insert, [1])[0]

def peek_query(sql: str) -> list[dict]:
    return sqlite.query("notes.db", sql)

def peek_command(command: str) -> str:
    return exec.run(command, ["a"])["stdout"]

def peek_call(ctx, tool: str) -> str:
    return str(ctx.call(tool, {"text": "x"} if tool == "notes.write" else {}))

def peek_batch(ctx) -> str:
    task = {"id": "a", "module": "notes", "tool": "write", "params": {"text": "x"}}
    return str(ctx.call("batch", {"tasks": [task]}))

def count(ctx) -> int:
    ctx.state.set("calls", ctx.state.get("calls", 0) + 1)
    return ctx.state.get("calls")

def setup() -> int:
    return _insert(1)

tool(write)
tool(setup)
tool(peek_command, read_only = True, reads = ["exec echo"])
tool(peek_file, read_only = True)
tool(peek_database, read_only = True)
tool(peek_query, read_only = True)
tool(peek_call, read_only = True)
tool(peek_batch, read_only = True)
tool(count, read_only = True)
"#;

const GRANTS: &str =
    "files_write = ['out/**']\nsqlite_write = ['notes.db']\nexec = ['echo', 'ls']\n";

#[test]
fn a_read_only_tool_cannot_write() {
    let mut server = Server::start();
    server.folder("notes", GRANTS, NOTES);
    let nothing = || json!({});
    let call = |tool: &str| json!({"tool": tool});
    server
        .call("notes.peek_file", nothing())
        .fails("cannot write `out/note.txt`: `notes.peek_file` is declared read_only")
        .call("notes.peek_database", nothing())
        .fails("cannot change `notes.db`: `notes.peek_database` is declared read_only")
        .call("notes.peek_command", json!({"command": "ls"}))
        .fails("add reads = [\"exec ls\"] to tool(…)")
        .call("notes.peek_command", json!({"command": "echo"}))
        .text("a\n")
        .call("notes.peek_call", call("notes.write"))
        .fails("`notes.write` is not declared read_only, and `notes.peek_call`, which calls it, is")
        .call("notes.peek_call", call("notes.peek_file"))
        .fails("cannot write `out/note.txt`: `notes.peek_file` is declared read_only")
        .call("notes.count", nothing())
        .text("1")
        .call("notes.peek_call", call("notes.count"))
        .text("2");
    let batch = server.call("notes.peek_batch", nothing()).message;
    let denial = "`notes.write` is not declared read_only";
    assert!(batch.to_string().contains(denial), "{batch:#}");
    assert!(!server.room.at("notes/out/note.txt").exists());
    server.call("notes.write", json!({"text": "x"})).text("written");
}

#[test]
fn a_query_that_writes_is_rejected_by_the_database() {
    let mut server = Server::start();
    server.folder("notes", GRANTS, NOTES).call("notes.setup", json!({})).text("0");
    for sql in [
        "INSERT INTO notes VALUES (1)",
        "WITH a AS (SELECT 1) DELETE FROM notes",
        "PRAGMA user_version = 3",
    ] {
        server.call("notes.peek_query", json!({"sql": sql})).fails("notes.db");
    }
}

#[test]
fn check_reports_a_read_only_tool_that_writes() {
    let room = Room::new();
    let manifest = format!(
        "name = 'notes'\nversion = '1.0.0'\ndescription = 'Keeps notes'\n[permissions]\n{GRANTS}"
    );
    room.write("notes/module.toml", &manifest).write("notes/main.star", NOTES);
    let ran = room.run(&["check", "modules"]);
    ran.exits(1);
    let text = format!("{}{}", ran.stdout, ran.stderr);
    for expected in [
        "E0305",
        "cannot write `out/note.txt`: `notes.peek_file` is declared read_only",
        "cannot change `notes.db`: `notes.peek_database` is declared read_only",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("`notes.peek_command` is declared"), "{text}");
}
