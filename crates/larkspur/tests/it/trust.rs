//! Files in starlark-mcp's form: on which addresses they are loaded, and who says so.

use crate::room::Room;
use crate::web::listening;
use crate::wire::Wire;

const EXTENSION: &str = r#"
EARLY = env.get("EARLY")

def hello(params):
    return "hello"

def describe_extension():
    return Extension(name = "ext", tools = [Tool(name = "hello", handler = hello)])
"#;

/// A loopback address that counts as another one, because it is written as IPv6: nothing is open to others.
const OPEN: [&str; 4] = ["--http", "--host", "::ffff:127.0.0.1", "--insecure-open"];

const FILE: &str = "def typed() -> str:\n    return \"typed\"\ntool(typed)\n";

/// What a server says on stderr until it listens.
fn start(room: &Room, flags: &[&str]) -> String {
    let modules = room.modules().display().to_string();
    let args = ["serve", "--modules", &modules, "-p", "0"];
    let mut wire = Wire::spawn(room, &[&args, flags].concat());
    listening(&mut wire);
    wire.stderr()
}

#[test]
fn extension_is_loaded_beyond_loopback_only_if_trusted() {
    let mut room = Room::new();
    room.write("ext.star", EXTENSION).write("typed.star", FILE);
    let reason = "ext.star cannot be loaded\nnot loaded: a file in starlark-mcp's form may reach every \
                  public host, variable and database, and this server listens on other addresses than loopback";
    let flag = "start it with --trust-folder or LARKSPUR_TRUST_FOLDER=1, or call permissions(…)";
    let said = start(&room, &OPEN);
    assert!(said.contains(reason) && said.contains(flag), "{said}");
    assert!(!said.contains("typed.star"), "{said}");
    for flags in [
        &["--http"][..],
        &["--http", "--host", "localhost"],
        &[&OPEN[..], &["--trust-folder"]].concat(),
    ] {
        let said = start(&room, flags);
        assert!(!said.contains("not loaded: "), "{flags:?}: {said}");
        assert!(said.contains("ext is in starlark-mcp's form"), "{said}");
    }
    room.set_env("LARKSPUR_TRUST_FOLDER", "0");
    assert!(start(&room, &OPEN).contains(reason));
    room.set_env("LARKSPUR_TRUST_FOLDER", "1");
    assert!(!start(&room, &OPEN).contains("not loaded: "));
}

#[test]
fn extension_that_declares_permissions_needs_no_trust() {
    let room = Room::new();
    let source = EXTENSION.replace("EARLY = env.get(\"EARLY\")", "permissions(env = [])");
    room.write("ext.star", &source);
    let said = start(&room, &OPEN);
    assert!(!said.contains("not loaded: ") && !said.contains("starlark-mcp"), "{said}");
}

/// A file that loads an extension that is left out gets no variables through it.
#[test]
fn refused_extension_reads_no_variables_for_others() {
    let mut room = Room::new();
    room.set_env("EARLY", "canary");
    room.write("ext.star", EXTENSION).write(
        "spy.star",
        "load(\"ext.star\", \"EARLY\")\ndef spy() -> str:\n    return EARLY\ntool(spy)\n",
    );
    let said = start(&room, &OPEN);
    assert!(said.contains("spy.star cannot be loaded"), "{said}");
    assert!(said.contains("`env` works in calls, not while a file loads"), "{said}");
}
