//! Commands that scripts run: who may, with what, and that nothing of them stays behind.
// Tests that read /proc are left out elsewhere, and with them the only users of some helpers.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

use crate::fixture::Server;
use crate::room::Room;
use crate::wire::PATIENCE;
use serde_json::{Value, json};
use std::fs;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::{Duration, Instant};

/// A tool that runs a shell script and answers what it wrote.
const SH: &str = r#"
def sh(script: str, cwd: str | None = None, timeout: str = "60s") -> str:
    return exec.run("sh", ["-c", script], cwd = cwd, timeout = timeout)["stdout"]
tool(sh)
"#;

/// The same in starlark-mcp's form.
fn extension(allowed: &str) -> String {
    format!(
        r#"
def sh(params):
    return exec.run("sh", ["-c", params["script"]])["stdout"]

def describe_extension():
    return Extension(name = "x", version = "1", description = "d", allowed_exec = {allowed}, tools = [
        Tool(name = "sh", description = "d", handler = sh, parameters = [
            ToolParameter(name = "script", param_type = "string", required = True),
        ]),
    ])
"#
    )
}

fn script(text: &str) -> Value {
    json!({"script": text})
}

#[test]
fn a_folder_runs_what_its_manifest_names() {
    let source = r#"
def run(command: str, args: list[str] = []) -> dict:
    return exec.run(command, args, stdin = "in")
tool(run)
"#;
    let run = |command: &str, args: &[&str]| json!({"command": command, "args": args});
    Server::start()
        .folder("x", "exec = ['cat', 'echo', 'false', 'no-such-command']", source)
        .call("run", run("echo", &["$HOME", ";", "a  b"]))
        .text(r#"{"stdout":"$HOME ; a  b\n","stderr":"","exit_code":0,"success":true}"#)
        .call("run", run("cat", &[]))
        .text(r#"{"stdout":"in","stderr":"","exit_code":0,"success":true}"#)
        .call("run", run("false", &[]))
        .text(r#"{"stdout":"","stderr":"","exit_code":1,"success":false}"#)
        .call("run", run("no-such-command", &[]))
        .fails("there is no command `no-such-command` in the folders of PATH")
        .call("run", run("sh", &["-c", "true"]))
        .fails("`sh` is not among the commands module `x` may run; add \"sh\" to `exec` under [permissions] in module.toml")
        .call("run", run("/bin/cat", &[]))
        .fails("`/bin/cat` is not among the commands module `x` may run");
}

#[test]
fn a_folder_without_permission_is_told_the_line_and_where_it_asked() {
    let mut server = Server::start();
    server.folder("x", "", SH);
    server.call("sh", script("true")).fails("add exec = [\"sh\"] to [permissions] in module.toml");
    let modules = server.room.modules().display().to_string();
    let ran = server.room.run(&["call", "--modules", &modules, "x.sh", "script=true"]);
    ran.exits(5)
        .notes("`sh` is not among the commands module `x` may run; add exec = [\"sh\"]")
        .notes("┌ x/main.star:3:12")
        .notes("3 │     return exec.run(\"sh\", [\"-c\", script]")
        .notes("│            ^^^^^^^^");
}

#[test]
fn file_runs_what_it_declares() {
    let declared = |commands: &str| format!("permissions(exec = [{commands}])\n{SH}");
    let described = |commands: &str| {
        let extension = format!("Extension(name = 'x', tools = [], allowed_exec = [{commands}])");
        format!("{SH}def describe_extension():\n    return {extension}\n")
    };
    let denied = "`sh` is not among the commands module `x` may run; add";
    Server::start()
        .module("x", SH)
        .call("sh", script("echo hi"))
        .fails(&format!("{denied} permissions(exec = [\"sh\"]) at the top of its file"))
        .edit("x", &declared("'sh'"))
        .until("sh", script("echo hi"), "hi\n")
        .edit("x", &declared("'ls'"))
        .until(
            "sh",
            script("echo hi"),
            &format!("{denied} \"sh\" to `exec` of permissions(…) in its file"),
        )
        // A file that has both forms names its commands in either.
        .edit("x", &described("'sh'"))
        .until("sh", script("echo hi"), "hi\n");
}

#[test]
fn extension_runs_what_it_allows() {
    Server::start()
        .module("x", &extension("[\"sh\"]"))
        .call("sh", script("echo hi"))
        .text("hi\n")
        .edit("x", &extension("[\"ls\", \"cat\"]"))
        .until("sh", script("echo hi"), "Command 'sh' is not in the allowed exec whitelist. Allowed commands: [\"ls\", \"cat\"]; add it to `allowed_exec` in the Extension definition")
        .edit("x", &extension("[]"))
        .until("sh", script("echo hi"), "Command 'sh' cannot be executed: no exec whitelist configured for this extension. Add allowed_exec=['sh'] to the Extension definition.");
}

#[test]
fn children_see_the_variables_that_were_granted() {
    let mut room = Room::new();
    room.set_env("LARKSPUR_KEY", "secret").set_env("GRANTED_A", "a").set_env("OTHER", "o");
    let probe = script("echo ${LARKSPUR_KEY-none} ${GRANTED_A-none} ${OTHER-none} ${PATH:+path}");
    let mut server = Server::start_in(room, crate::fixture::Opening::Legacy);
    server
        .folder("y", "exec = ['sh']\nenv = ['GRANTED_*', 'LARKSPUR_*']", SH)
        .module("x", &extension("[\"sh\"]"))
        .call("y.sh", probe.clone())
        .text("none a none path\n")
        .call("x.sh", probe.clone())
        .text("none a o path\n")
        .project("module.x.grant.env = ['OTHER']")
        .until("x.sh", probe, "none none o path\n");
}

#[test]
fn a_command_runs_in_the_modules_folder_or_one_below() {
    let mut server = Server::start();
    server
        .folder("x", "exec = ['sh', './tool']", &format!(
            "{SH}\ndef own() -> str:\n    return exec.run(\"./tool\", cwd = \"sub\")[\"stdout\"]\ntool(own)\n"
        ))
        .file("x/sub/a.txt", "");
    let tool = server.room.at("x/tool");
    fs::write(&tool, "#!/bin/sh\nls\n").unwrap();
    fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("/etc", server.room.at("x/out")).unwrap();
    let at = |cwd: &str| json!({"script": "ls", "cwd": cwd});
    server
        .call("sh", script("ls"))
        .text("main.star\nmodule.toml\nout\nsub\ntool\n")
        .call("sh", at("sub"))
        .text("a.txt\n")
        .call("own", json!({}))
        .text("a.txt\n")
        .call("sh", at(".."))
        .fails("`..` is not among the files module `x` may read")
        .call("sh", at("out"))
        .fails("`out` is not among the files module `x` may read: a link leads from it")
        .call("sh", at("gone"))
        .fails("there is no folder");
}

/// A script that notes a child of its own, and hangs.
fn hung(room: &Room) -> (String, std::path::PathBuf) {
    let note = room.path().join("pid");
    let script = format!("(sleep 60 & echo $! > {}); sleep 60", note.display());
    (script, note)
}

fn state(pid: &str) -> Option<(String, String)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.to_owned()))
}

/// Waits for the note.
fn noted(server: &mut Server, note: &Path) -> String {
    server.wait_until("noted", || {
        let text = fs::read_to_string(note).unwrap_or_default();
        text.strip_suffix('\n').map(str::to_owned)
    })
}

fn gone(pid: &str) {
    let until = Instant::now() + PATIENCE;
    while state(pid).is_some_and(|(state, _)| state != "Z") {
        assert!(Instant::now() < until, "{pid} still runs");
        std::thread::yield_now();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_call_that_is_taken_back_ends_its_command() {
    let mut server = Server::start();
    server.folder("x", "exec = ['sh']", SH);
    let (text, note) = hung(&server.room);
    let id = server.send_call("sh", script(&text));
    let pid = noted(&mut server, &note);
    server.notify("notifications/cancelled", json!({"requestId": id}));
    gone(&pid);
    server.call("sh", script("echo on")).text("on\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_that_runs_out_of_time_ends_with_all_it_started() {
    let mut server = Server::start();
    let quick = SH.replace("tool(sh)", "tool(sh, timeout = \"700ms\")");
    server.folder("x", "exec = ['sh']", SH).folder("y", "exec = ['sh']", &quick);
    let (text, note) = hung(&server.room);
    let begin = Instant::now();
    server
        .call("x.sh", json!({"script": text, "timeout": "500ms"}))
        .fails("`sh`: it did not end within 500 ms, its own `timeout`");
    gone(&noted(&mut server, &note));
    fs::remove_file(&note).unwrap();
    server
        .call("y.sh", json!({"script": text}))
        .fails("stopped after 700 ms, the time one call may take (limit `timeout`)");
    gone(&noted(&mut server, &note));
    assert!(begin.elapsed() < PATIENCE);
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_ends_takes_its_commands_along() {
    let mut server = Server::start();
    server.folder("x", "exec = ['sh']", SH);
    let (text, note) = hung(&server.room);
    server.send_call("sh", script(&text));
    let pid = noted(&mut server, &note);
    let server_pid = server.wire().pid().to_string();
    // The second one says that nobody wants to wait for the command.
    for signal in ["-TERM", "-INT"] {
        let told = std::process::Command::new("kill").args([signal, &server_pid]).status();
        assert!(told.unwrap().success());
    }
    gone(&pid);
}

/// Also one that has left the group, and nobody is there to kill it.
#[test]
#[cfg(target_os = "linux")]
fn a_server_that_is_killed_takes_its_commands_along() {
    let mut server = Server::start();
    server.folder("x", "exec = ['sh']", SH);
    let note = server.room.path().join("pid");
    let daemon = format!("setsid sleep 60 & echo $! > {}; sleep 60", note.display());
    server.send_call("sh", script(&daemon));
    let pid = noted(&mut server, &note);
    let server_pid = server.wire().pid().to_string();
    let killed = std::process::Command::new("kill").args(["-KILL", &server_pid]).status();
    assert!(killed.unwrap().success());
    gone(&pid);
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_inherits_three_descriptors() {
    let open = rustix::io::fcntl_dupfd_cloexec(std::io::stderr(), 77).unwrap();
    rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty()).unwrap();
    let mut server = Server::start();
    server.folder("x", "exec = ['sh']", SH);
    // The last one is the list itself.
    server.call("sh", script("exec ls /proc/self/fd")).text("0\n1\n2\n3\n");
    let pid = server.wire().pid();
    assert!(Path::new(&format!("/proc/{pid}/fd/{}", open.as_raw_fd())).exists());
}

#[test]
fn the_launcher_is_not_for_people() {
    let room = Room::new();
    room.run(&["supervise"]).exits(2).notes("`larkspur supervise` is started by the server");
}

#[test]
fn a_flood_is_an_error_that_names_the_limit() {
    Server::start()
        .folder("x", "exec = ['sh']", SH)
        .call("sh", script("yes"))
        .fails("`sh`: it wrote more than 1 MiB to stdout (limit `exec_output`)");
}

#[test]
#[cfg(target_os = "linux")]
fn a_hundred_commands_leave_no_zombie() {
    let mut server = Server::start();
    server.folder("x", "exec = ['sh']", SH);
    let ids: Vec<i64> = (0..100)
        .map(|i| server.send_call("sh", script(&format!("echo {i}; sleep 60 & true"))))
        .collect();
    for (i, id) in ids.into_iter().enumerate() {
        server.answer(id).text(&format!("{i}\n"));
    }
    let children = |parent: &str| -> Vec<(String, String)> {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let names = processes.filter_map(|process| process.file_name().into_string().ok());
        let states = names.filter_map(|pid| Some((pid.clone(), state(&pid)?)));
        let own = states.filter(|(_, (_, of))| of == parent);
        own.map(|(pid, (state, _))| (pid, state)).collect()
    };
    // One process starts commands, and has none left.
    let of_server = children(&server.wire().pid().to_string());
    let [(launcher, launcher_state)] = &of_server[..] else {
        panic!("{of_server:?}");
    };
    assert_ne!(launcher_state, "Z");
    assert_eq!(children(launcher), []);
    server.leave_within(Duration::from_secs(5));
    gone(launcher);
}
