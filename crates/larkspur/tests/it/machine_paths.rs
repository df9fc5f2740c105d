//! Responses name paths as modules wrote them: no machine path, no process id. The log has them.

use crate::client::{Client, Door, Era};
use crate::folder::manifest;
use crate::room::Room;
use crate::wire::PATIENCE;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::time::Instant;

const PROBE: &str = r#"
def read(path: str) -> str:
    return files.read(path)
def names(path: str) -> list[str]:
    return files.list(path)
def exists(path: str) -> bool:
    return files.exists(path)
def write(path: str) -> str:
    files.write(path, "x")
    return "written"
def query(path: str):
    return sqlite.query(path, "SELECT 1")
def execute(path: str) -> int:
    return sqlite.execute(path, "CREATE TABLE t (x)")
def run(command: str, cwd: str = ""):
    return exec.run(command, cwd = cwd) if cwd else exec.run(command)
def keep(ctx) -> str:
    ctx.state.set("a", 1)
    return "kept"
def recall(ctx):
    return ctx.state.list("")
def select(name: str):
    return postgres.query(name, "SELECT 1")
def look(sql: str):
    return sqlite.query("open/data.db", sql)
def helper(a: int) -> int:
    return a
def mistake(kind: str):
    if kind == "arguments":
        return helper(1, 2, 3)
    if kind == "type":
        return helper("a")
    if kind == "key":
        return {}[helper]
    if kind == "function":
        return [str(helper), repr([helper]), debug(helper)]
    if kind == "depth":
        return mistake(kind)
    fail("failed")
def send(ctx):
    return http.get("https://api.example.org/", auth = ctx.secret("token"))
def page(topic: str):
    return files.read(topic)
tool(read)
tool(names)
tool(exists)
tool(write)
tool(query)
tool(execute)
tool(run)
tool(keep)
tool(recall)
tool(select)
tool(look)
tool(mistake)
tool(send)
resource("probe://{topic}", page)
prompt(page)
"#;

const PERMISSIONS: &str = "[permissions]\nhttp = ['api.example.org']\nfiles = ['open/**']\n\
    files_write = ['open/**']\nsqlite = ['open/**']\nsqlite_write = ['open/**']\n\
    postgres = ['tls', 'socket', 'missing']\n\
    exec = ['./missing.sh', './plain.txt', './open', 'true', 'no-such-command']\n\
    [secrets]\ntoken = { hosts = ['api.example.org'] }\n";

/// A module with every kind of path: plain, linked, broken, not a file, not text.
fn room() -> Room {
    let room = Room::new();
    room.write("probe/module.toml", &manifest("probe", PERMISSIONS));
    room.write("probe/main.star", PROBE);
    room.write("probe/plain.txt", "text");
    room.write("probe/open/a.txt", "text");
    room.write("other/secret.txt", "secret");
    let at = |file: &str| room.at(file);
    fs::write(at("probe/open/raw"), b"a\xffb").unwrap();
    symlink(at("other/secret.txt"), at("probe/open/out")).unwrap();
    symlink(at("other/secret.txt"), at("probe/hidden-out")).unwrap();
    symlink(at("other/gone"), at("probe/open/lost")).unwrap();
    symlink(at("other/gone"), at("probe/hidden-lost")).unwrap();
    symlink(at("other"), at("probe/open/folder")).unwrap();
    symlink("raw", at("probe/open/inside")).unwrap();
    room.write("probe/open/data.db", "");
    let folder = room.path().display();
    room.project(&format!(
        "[postgres.tls]\nurl = 'postgres://u@127.0.0.1:1/a?sslmode=verify-full&sslrootcert={folder}/ca'\n\
         [postgres.socket]\nurl = 'host={folder} user=u dbname=a'\n"
    ));
    room
}

const PATHS: &[&str] = &[
    "",
    ".",
    "plain.txt",
    "open",
    "open/missing",
    "open/a.txt",
    "open/a.txt/below",
    "open/raw",
    "open/out",
    "open/lost",
    "open/lost/below",
    "open/folder/secret.txt",
    "open/../plain.txt",
    "hidden-out",
    "hidden-lost",
    "hidden-missing",
    "../other/secret.txt",
    "../../larkspur.toml",
    "../../.larkspur/state.db",
    "../../config/larkspur/vault.key",
    "module.toml",
    "main.star",
    "/etc/shadow",
    "/proc/self/fd/0",
    "/proc/self/fd/99",
    "/proc/self/environ",
    "/proc/self/cwd/larkspur.toml",
    "/proc/self/cwd/modules/probe/plain.txt",
    "open/\0",
    "open/nul\u{e9}",
];

/// Both transports: what a caller reads is the same, what it is packed in is not.
const TRANSPORTS: [Door; 2] = [Door::Stdio(Era::Legacy), Door::Http(Era::Legacy)];

/// A caller who looks for machine paths and process ids in every response.
struct Searcher {
    client: Client,
    folders: [String; 2],
    pid: String,
}

impl Searcher {
    fn start(room: Room, transport: Door) -> Self {
        let folder = room.path().to_owned();
        let folders = [folder.canonicalize().unwrap(), folder];
        let mut client = Client::start(room, transport, json!({}));
        let pid = match &mut client {
            Client::Stdio(server, _) => server.wire().pid(),
            Client::Session(web, _) | Client::Modern(web, _) => web.wire.pid(),
        };
        Self {
            client,
            folders: folders.map(|folder| folder.to_str().unwrap().to_owned()),
            pid: pid.to_string(),
        }
    }

    #[track_caller]
    fn request(&mut self, method: &str, params: Value) -> String {
        let asked = format!("{method} {params}");
        let text = self.client.talk(method, params, |_| json!({})).0.to_string();
        self.search(&asked, &text);
        text
    }

    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> String {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    #[track_caller]
    fn search(&self, asked: &str, text: &str) {
        for folder in &self.folders {
            assert!(!text.contains(folder), "{asked}: {text}");
        }
        // Error codes are negative.
        let mut numbers = text.split(|c: char| c != '-' && !c.is_ascii_digit());
        assert!(numbers.all(|number| number != self.pid), "{asked}: {text}");
    }

    fn log(&mut self) -> String {
        match &mut self.client {
            Client::Stdio(server, _) => server.wire().stderr(),
            Client::Session(web, _) | Client::Modern(web, _) => web.wire.stderr(),
        }
    }

    /// The log is written before the response, and read by another thread.
    #[track_caller]
    fn logs(&mut self, part: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.log().contains(part) {
            assert!(Instant::now() < deadline, "no `{part}` in {}", self.log());
            std::thread::yield_now();
        }
    }
}

#[test]
fn denials_and_failures_name_paths_as_modules_wrote_them() {
    for transport in TRANSPORTS {
        let mut caller = Searcher::start(room(), transport);
        for path in PATHS {
            for tool in ["read", "names", "exists", "write", "query", "execute"] {
                caller.call(tool, json!({"path": path}));
            }
            for command in ["true", "./missing.sh"] {
                caller.call("run", json!({"command": command, "cwd": path}));
            }
            caller.request("resources/read", json!({"uri": format!("probe://{path}")}));
            let page = json!({"name": "page", "arguments": {"topic": path}});
            caller.request("prompts/get", page);
        }
        caller.logs(&format!("{}/modules/other/secret.txt", caller.folders[0]));
    }
}

#[test]
fn failures_of_commands_databases_and_scripts_name_no_machine_path() {
    for transport in TRANSPORTS {
        let mut caller = Searcher::start(room(), transport);
        for (tool, key, values) in [
            (
                "run",
                "command",
                &["./missing.sh", "./plain.txt", "./open", "no-such-command", "ls", "/bin/ls"][..],
            ),
            ("select", "name", &["tls", "socket", "missing", "unnamed"]),
            (
                "look",
                "sql",
                &[
                    "PRAGMA database_list",
                    "SELECT file FROM pragma_database_list",
                    "SELECT * FROM missing",
                    "ATTACH 'other.db' AS other",
                    "VACUUM INTO 'other.db'",
                ],
            ),
            ("mistake", "kind", &["arguments", "type", "key", "function", "depth", ""]),
        ] {
            for value in values {
                caller.call(tool, json!({ key: value }));
            }
        }
    }
}

/// Callers do not see modules that cannot be loaded; the log says why.
#[test]
fn broken_modules_tell_callers_nothing() {
    let broken = ["syntax", "manifest", "start", "load", "orphan"];
    for transport in TRANSPORTS {
        let room = room();
        for name in broken {
            room.write(&format!("{name}/module.toml"), &manifest(name, ""));
        }
        room.write("syntax/main.star", "def broken(:\n");
        room.write("manifest/module.toml", "name = 'manifest'\nversion = 'x'\n");
        room.write("start/main.star", "def start(deps, config):\n    files.read('../a')\n");
        room.write("load/main.star", "load('missing.star', 'a')\n");
        room.write("orphan/main.star", "tool(1)\n").remove("orphan/module.toml");
        let mut caller = Searcher::start(room, transport);
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            caller.request(method, json!({}));
        }
        for module in broken {
            caller.call("get_module_schema", json!({"module": module}));
            caller.call("call", json!({"module": module, "tool": "a", "params": {}}));
            let task = json!({"id": "a", "module": module, "tool": "a", "params": {}});
            caller.call("batch", json!({"commands": task.to_string()}));
            caller.logs(&format!("{}/modules/{module}", caller.folders[1]));
        }
        if let Client::Session(web, _) = &caller.client {
            for page in ["/health", "/health/ready", "/health/live", "/metrics", "/missing"] {
                caller.search(page, &web.get(page).body);
            }
        }
    }
}

#[test]
fn denial_names_the_line_to_add() {
    let mut caller = Searcher::start(room(), Door::Http(Era::Legacy));
    for (path, part) in [
        ("plain.txt", r#"add \"plain.txt\" to `files` under [permissions]"#),
        ("", r#"add \"**\" to `files` under [permissions]"#),
        ("/etc/shadow", r#"add \"/etc/shadow\" to `files` under [permissions]"#),
        ("../other/secret.txt", "add its absolute path to `files` under [permissions]"),
        ("open/out", "a link leads from it to another path, which the server's log names"),
        ("open/lost", "open/lost: it is a link that leads nowhere"),
        ("open/missing", "\"open/missing: there is no such file\""),
        ("open/inside", "\"open/inside: it is not UTF-8 text\""),
    ] {
        let text = caller.call("read", json!({"path": path}));
        assert!(text.contains(part), "{path}: {text}");
    }
}

/// What lies at a path shows only where the path is granted.
#[test]
fn denial_is_the_same_whatever_lies_there() {
    let mut caller = Searcher::start(room(), Door::Http(Era::Legacy));
    for tool in ["read", "exists", "write", "query"] {
        let denials = ["hidden-out", "hidden-lost", "hidden-missing"].map(|path| {
            let text = caller.call(tool, json!({"path": path}));
            text.replace(path, "PATH")
        });
        assert_eq!(denials[0], denials[1]);
        assert_eq!(denials[1], denials[2]);
        assert!(denials[0].contains("is not among the"), "{}", denials[0]);
    }
}

#[test]
fn errors_of_the_store_and_the_vault_do_not_name_their_files() {
    for transport in TRANSPORTS {
        let room = room();
        room.run_with(&["secret", "set", "probe.token"], "value").exits(0);
        let key = room.path().join("config/larkspur/vault.key");
        fs::write(&key, "not a key").unwrap();
        let mut caller = Searcher::start(room, transport);
        let text = caller.call("send", json!({}));
        assert!(text.contains("vault.key holds no key"), "{text}");
        caller.logs(key.to_str().unwrap());

        let room = self::room();
        let data = room.path().join(".larkspur/state.db");
        fs::create_dir_all(&data).unwrap();
        let mut caller = Searcher::start(room, transport);
        for tool in ["keep", "recall", "send"] {
            let text = caller.call(tool, json!({}));
            assert!(text.contains("cannot use `state.db`"), "{text}");
        }
        caller.logs("cannot use `.larkspur/state.db`");
    }
}

#[test]
fn refusal_for_lack_of_an_audit_log_does_not_name_its_file() {
    for transport in TRANSPORTS {
        let room = room();
        room.project("[audit]\non_error = 'refuse'\nfile = 'modules'\n");
        let mut caller = Searcher::start(room, transport);
        let text = caller.call("read", json!({"path": "open/a.txt"}));
        assert!(text.contains("while the audit log cannot be written"), "{text}");
        caller.logs("cannot write the audit log modules");
    }
}
