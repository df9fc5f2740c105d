//! What modules may do: what their manifests name, as far as the operator leaves it.

use crate::fixture::{Opening, Server};
use crate::room::Room;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

/// Tools for every library whose use is judged here.
const ALL: &str = r#"
def run(command: str) -> str:
    return exec.run(command)["stdout"]
def variable(name: str) -> str:
    return env.get(name, "unset")
def read(path: str) -> str:
    return files.read(path)
def names(path: str = "") -> list[str]:
    return files.list(path)
def exists(path: str) -> bool:
    return files.exists(path)
def write(path: str, text: str = "new") -> str:
    files.write(path, text)
    return "written"
tool(run)
tool(variable)
tool(read)
tool(names)
tool(exists)
tool(write)
"#;

fn path(path: &str) -> Value {
    json!({"path": path})
}

fn name(name: &str) -> Value {
    json!({"name": name})
}

fn command(command: &str) -> Value {
    json!({"command": command})
}

/// The same tools in a file that declares this.
fn file(permissions: &str) -> String {
    format!("permissions({permissions})\n{ALL}")
}

fn with_variables() -> Server {
    let mut room = Room::new();
    room.set_env("LARKSPUR_KEY", "secret").set_env("X_A", "a").set_env("X_B", "b");
    Server::start_in(room, Opening::Legacy)
}

#[test]
fn a_folder_that_names_nothing_may_do_nothing() {
    Server::start()
        .folder("x", "", ALL)
        .file("x/a.txt", "text")
        .call("run", command("ls"))
        .fails("add exec = [\"ls\"] to [permissions] in module.toml")
        .call("variable", name("HOME"))
        .fails("add env = [\"HOME\"] to [permissions] in module.toml")
        .call("read", path("a.txt"))
        .fails("add files = [\"a.txt\"] to [permissions] in module.toml")
        .call("names", json!({}))
        .fails("is not among the files module `x` may read")
        .call("exists", path("a.txt"))
        .fails("add files = [\"a.txt\"] to [permissions] in module.toml")
        .call("write", path("a.txt"))
        .fails("add files_write = [\"a.txt\"] to [permissions] in module.toml");
}

#[test]
fn variables_are_read_by_their_names() {
    let mut server = with_variables();
    server
        .folder("x", "env = ['X_A', 'LARKSPUR_*', 'UNSET']", ALL)
        .folder("y", "env = ['*']", ALL)
        .module("z", &file("env = ['X_B', 'LARKSPUR_*']"))
        .call("x.variable", name("X_A"))
        .text("a")
        .call("x.variable", name("UNSET"))
        .text("unset")
        .call("x.variable", name("X_B"))
        .fails("`X_B` is not among the variables module `x` may read; add \"X_B\" to `env`")
        .call("z.variable", name("X_B"))
        .text("b");
    for module in ["x", "y", "z"] {
        server
            .call(&format!("{module}.variable"), name("LARKSPUR_KEY"))
            .fails("`LARKSPUR_KEY` is the server's own, and kept from every module");
    }
}

#[test]
fn a_grant_narrows_a_folder_and_may_change_while_it_runs() {
    with_variables()
        .folder("x", "env = ['X_*']\nexec = ['echo', 'true']", ALL)
        .project("[module.x.grant]\nenv = ['X_A', 'HOME']")
        .call("variable", name("X_A"))
        .text("a")
        .call("variable", name("X_B"))
        .fails("the operator can add \"X_B\" to `env` under [module.x.grant] in larkspur.toml")
        // Both must name it.
        .call("variable", name("HOME"))
        .fails("add \"HOME\" to `env` under [permissions] in module.toml")
        // A key that is not there takes nothing away.
        .call("run", command("echo"))
        .text("\n")
        .project("[module.x.grant]\nenv = ['X_*']\nexec = ['true']")
        .until("variable", name("X_B"), "b")
        .call("run", command("echo"))
        .fails("the operator can add \"echo\" to `exec`")
        .call("run", command("true"))
        .text("")
        .project("# all is left again\n")
        .until("run", command("echo"), "\n");
}

#[test]
fn a_grant_restarts_the_module_it_is_about_and_no_other() {
    let mut server = Server::start();
    server.folder("x", "exec = ['true']", ALL).folder("y", "exec = ['true']", ALL).up();
    let generations = |status: &Value| -> Vec<u64> {
        let modules = status["modules"].as_array().unwrap();
        modules.iter().map(|module| module["generation"].as_u64().unwrap()).collect()
    };
    assert_eq!(generations(&server.status()), [1, 1]);
    server.project("module.x.grant.exec = []");
    server.status_until("restarted", |status| generations(status) == [2, 1]);
}

#[test]
fn file_that_declares_nothing_may_do_nothing() {
    let mut room = Room::new();
    room.set_env("AWS_SECRET_ACCESS_KEY", "canary");
    let generous = "[module.x.grant]\nenv = ['*']\nexec = ['ls']\nfiles = ['**']\n";
    Server::start_in(room, Opening::Legacy)
        .module("x", ALL)
        .file("data/a.txt", "text")
        .project(generous)
        .call("run", command("ls"))
        .fails("add permissions(exec = [\"ls\"]) at the top of its file")
        .call("variable", name("AWS_SECRET_ACCESS_KEY"))
        .fails("add permissions(env = [\"AWS_SECRET_ACCESS_KEY\"]) at the top of its file")
        .call("read", path("data/a.txt"))
        .fails("add permissions(files = [\"data/a.txt\"]) at the top of its file")
        .call("names", json!({}))
        .fails("is not among the files module `x` may read")
        .call("write", path("data/a.txt"))
        .fails("add permissions(files_write = [\"data/a.txt\"]) at the top of its file");
}

#[test]
fn grant_narrows_what_a_file_declares() {
    let mut server = with_variables();
    let out = server.room.path().join("out");
    let target = out.join("a.txt").display().to_string();
    let declared =
        format!("env = ['X_*'], exec = ['true'], files_write = ['{}/**']", out.display());
    server
        .module("x", &file(&declared))
        .call("variable", name("X_B"))
        .text("b")
        .call("run", command("true"))
        .text("")
        .call("run", command("ls"))
        .fails("add \"ls\" to `exec` of permissions(…) in its file")
        .call("read", path("a.txt"))
        .fails("add files = [\"a.txt\"] to permissions(…) in its file")
        .call("write", path(&target))
        .text("written")
        // Who may write may read.
        .call("read", path(&target))
        .text("new")
        .project("[module.x.grant]\nenv = ['X_A', 'HOME']\nexec = []")
        .until(
            "variable",
            name("X_B"),
            "`X_B` is not among the variables module `x` may read; the operator can add \"X_B\" to \
             `env` under [module.x.grant] in larkspur.toml",
        )
        .call("variable", name("HOME"))
        .fails("add \"HOME\" to `env` of permissions(…) in its file")
        .call("run", command("true"))
        .fails("the operator can add \"true\"")
        // A changed declaration applies at once.
        .project("# nothing\n")
        .edit("x", &file("env = ['X_B']"))
        .until("variable", name("X_B"), "b")
        .call("run", command("true"))
        .fails("add exec = [\"true\"] to permissions(…) in its file");
}

#[test]
fn folder_has_its_permissions_in_its_manifest() {
    let library = "permissions(env = ['X_A'])\ndef f():\n    return 1\n";
    Server::start()
        .folder("x", "", &file("env = ['X_A']"))
        .folder("y", "", "load('lib.star', 'f')\ntool(f)\n")
        .file("y/lib.star", library)
        .module("z", "load('beside.star', 'f')\ntool(f)\n")
        .file("beside.star", library)
        .call("f", json!({}))
        .text("1")
        .warned("┌ x/main.star:1:1")
        .warned("┌ y/lib.star:1:1")
        .warned("permissions() is for single files; this module has a module.toml: write them under [permissions] there")
        .warned("permissions() has no effect here: this file offers no tools");
}

/// Files in starlark-mcp's form keep what starlark-mcp grants, unless the operator says otherwise.
#[test]
fn extension_keeps_the_default_permissions_of_starlark_mcp() {
    let source = r#"
EARLY = env.get("X_A")

def read(params):
    return files.read(params["path"])

def variable(params):
    return EARLY + env.get(params["name"])

def describe_extension():
    return Extension(name = "x", tools = [
        Tool(name = "read", handler = read),
        Tool(name = "variable", handler = variable),
    ])
"#;
    with_variables()
        .module("x", source)
        .file("data/a.txt", "text")
        .file(".env", "secret")
        .call("variable", name("X_B"))
        .text("ab")
        .call("read", path("data/a.txt"))
        .text("text")
        .call("read", path(".env"))
        .fails("`.env` is not among the files module `x` may read")
        .call("read", path("/etc/hostname"))
        .fails("`/etc/hostname` is not among the files module `x` may read")
        .call("read", path("../larkspur.toml"))
        .fails("the server's own")
        .project("[module.x.grant]\nenv = ['X_A']\nfiles = ['data/**', '/etc/hostname']")
        .until(
            "variable",
            name("X_B"),
            "`X_B` is not among the variables module `x` may read; the operator can add \"X_B\" to \
             `env` under [module.x.grant] in larkspur.toml",
        );
}

#[test]
fn paths_do_not_lead_out() {
    let mut server = Server::start();
    server
        .folder("x", "files = ['data/**']\nfiles_write = ['data/**', 'out/**']", ALL)
        .file("x/data/a.txt", "text")
        .file("x/secret.txt", "secret")
        .file("other/a.txt", "theirs");
    let at = |file: &str| server.room.at(file);
    fs::create_dir_all(at("x/out")).unwrap();
    symlink(at("other"), at("x/data/folder")).unwrap();
    symlink(at("x/secret.txt"), at("x/data/file")).unwrap();
    symlink(at("x/data/a.txt"), at("x/data/inside")).unwrap();
    symlink(at("other/new.txt"), at("x/out/lost")).unwrap();
    let absolute = at("x/data/a.txt").display().to_string();
    server
        .call("read", path("data/a.txt"))
        .text("text")
        .call("read", path("data/../data/a.txt"))
        .text("text")
        .call("read", path(&absolute))
        .text("text")
        .call("read", path("data/inside"))
        .text("text")
        .call("names", path("data"))
        .text("[\"a.txt\",\"file\",\"folder/\",\"inside\"]");
    for out in
        ["data/../secret.txt", "data/file", "data/folder/a.txt", "../other/a.txt", "/etc/passwd"]
    {
        for tool in ["read", "exists", "names", "write"] {
            server.call(tool, path(out)).fails("is not among the files module `x` may");
        }
    }
    server
        .call("write", path("out/lost"))
        .fails("it is a link that leads nowhere")
        .call("write", path("out/deep/new.txt"))
        .text("written")
        .call("read", path("out/deep/new.txt"))
        .text("new");
    assert!(!server.room.at("other/new.txt").exists());
    assert_eq!(fs::read_to_string(server.room.at("other/a.txt")).unwrap(), "theirs");
}

#[test]
fn pipes_and_devices_are_refused_at_once() {
    let mut server = Server::start();
    let module = format!(
        "{ALL}\ndef decode(path: str) -> str:\n    return str(data.load_json(path))\ntool(decode)\n"
    );
    server
        .folder("x", "files = ['data/**', '/dev/*']\nfiles_write = ['data/**']", &module)
        .file("x/data/a.txt", "text");
    let pipe = server.room.at("x/data/pipe");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    for _ in 0..20 {
        server.call("read", path("data/pipe")).fails("pipe: it is not a regular file");
    }
    server
        .call("write", path("data/pipe"))
        .fails("pipe: it is not a regular file")
        .call("decode", path("data/pipe"))
        .fails("it is not a regular file")
        .call("read", path("/dev/zero"))
        .fails("zero: it is not a regular file")
        .call("read", path("data"))
        .fails("data: it is a folder")
        .call("names", path("data"))
        .text("[\"a.txt\",\"pipe\"]")
        .call("exists", path("data/pipe"))
        .text("true");
}

#[test]
fn grants_are_about_where_links_lead() {
    let mut server = Server::start();
    let at = |server: &Server, file: &str| server.room.at(file).display().to_string();
    let (linked, real) = (at(&server, "linked/**"), at(&server, "elsewhere/**"));
    server
        .folder("one", "files = ['data/a.txt']", ALL)
        .file("one/data/a.txt", "text")
        .file("one/data/b.txt", "other")
        .folder("link", &format!("files = ['{linked}']"), ALL)
        .folder("real", &format!("files = ['{real}']"), ALL)
        .file("elsewhere/a.txt", "theirs");
    symlink(at(&server, "one/data/a.txt"), at(&server, "one/again")).unwrap();
    symlink(at(&server, "one/data/b.txt"), at(&server, "one/b")).unwrap();
    symlink(at(&server, "elsewhere"), at(&server, "linked")).unwrap();
    let file = at(&server, "linked/a.txt");
    server
        .call("one.read", path("again"))
        .text("text")
        .call("one.read", path("b"))
        .fails("is not among the files module `one` may read")
        .call("real.read", path(&file))
        .text("theirs")
        .call("link.read", path(&file))
        .fails("is not among the files module `link` may read");
}

#[test]
fn a_module_does_not_rewrite_itself() {
    Server::start()
        .folder("x", "files_write = ['**']", ALL)
        .call("write", path("notes.txt"))
        .text("written")
        .call("write", path("module.toml"))
        .fails("`module.toml` is part of module `x`, and a module does not rewrite itself")
        .call("write", path("main.star"))
        .fails("does not rewrite itself");
}

#[test]
fn file_reaches_nothing_while_it_loads() {
    let greedy = |what: &str| {
        format!("VALUE = {what}\ndef get() -> str:\n    return str(VALUE)\ntool(get)\n")
    };
    let variable = greedy("env.get(\"X_A\")");
    let extension = "VALUE = env.get(\"X_A\")\n\
                     def describe_extension():\n    return Extension(name = 'e', tools = [])\n";
    with_variables()
        .folder("x", "env = ['X_A']", &variable)
        .module("z", &format!("permissions(env = ['X_A'])\n{variable}"))
        .module("w", &greedy("exec.run(\"true\")"))
        .module("e", extension)
        .up()
        .warned("┌ x/main.star:1:9")
        .warned("┌ z.star:2:9")
        .warned("`env` works in calls, not while a file loads")
        .warned("`exec` works in calls, not while a file loads")
        // An extension has no name yet, so that every grant holds.
        .project("module.e.grant.env = ['X_B']")
        .warned("`X_A` is not among the variables");
}

/// What is advised is done, and then it works.
#[test]
fn a_denial_names_the_key_that_decides() {
    let room = Room::new();
    let manifest = "name = 'x'\nversion = '0.1.0'\ndescription = 'd'\n\
                    [config]\nfolders = { type = 'array', default = [] }\n\
                    [permissions]\nfiles = ['{config.folders}/**']\n";
    room.write("x/module.toml", manifest);
    room.write("x/main.star", ALL).write("x/a.txt", "text");
    let read = ["call", "x.read", "path=a.txt"];
    let advised = "the operator can set `folders` under [module.x.config] in larkspur.toml, or by \
                   --set x.folders=VALUE, or the author can add \"a.txt\" to `files` under \
                   [permissions] in module.toml";
    room.run(&read).exits(5).notes(advised);
    let folder = room.modules().join("x").canonicalize().unwrap();
    let set = format!("x.folders=[\"{}\"]", folder.display());
    room.run(&[&read[..], &["--set", &set]].concat()).exits(0).says_only("text");
    let folder = folder.display();
    room.project(&format!("[module.x.config]\nfolders = ['{folder}']\n"));
    room.run(&read).exits(0).says_only("text");
}
