//! What the command line promises whoever runs it: results on stdout and nothing else there, a code
//! for every end, and errors that name what is wrong.

use crate::room::Room;
use crate::upstream;
use crate::web::Web;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const GREET: &str = r#"
def hello(name: str = "Ada") -> str:
    """Greet somebody."""
    return "Hello, " + name

tool(hello)
"#;

/// A module with a setting and a secret.
fn with_secret(room: &Room) {
    room.write(
        "bank/module.toml",
        "name = 'bank'\nversion = '1.0.0'\ndescription = 'd'\n[secrets]\n\
         token = { description = 't', hosts = ['bank.example.org'] }\n",
    );
    room.write("bank/main.star", &GREET.replace("hello", "balance"));
}

#[test]
fn without_a_project_file_data_is_kept_inside_the_folder_of_modules() {
    let room = Room::new();
    with_secret(&room);
    room.run_with(&["secret", "set", "bank.token"], "s3cret").exits(0);
    let kept = room.at(".larkspur");
    assert!(kept.is_dir());
    // As a client starts it: from elsewhere, with the whole path.
    let elsewhere = tempfile::tempdir().unwrap();
    let modules = room.modules().to_str().unwrap();
    let list = |args: &[&str]| {
        let mut command = room.larkspur(args);
        let output = command.current_dir(elsewhere.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    for args in [["list", "-e", modules], ["doctor", "-e", modules], ["test", "-e", modules]] {
        let said = list(&args);
        assert!(!said.contains("secret set"), "{said}");
    }
    let doctor = list(&["doctor", "-e", modules]);
    assert!(doctor.contains(&format!("{} can be written", kept.display())), "{doctor}");
    // However the folder is written.
    let inside = room.at("bank");
    let output = room.larkspur(&["list", "-e", "../../modules/.."]).current_dir(&inside).output();
    let said = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(said.contains("secret set"), "{said}");
    let output = room.larkspur(&["list", "-e", ".."]).current_dir(&inside).output();
    let said = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(!said.contains("secret set"), "{said}");
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let room = Room::new();
    room.write("greet.star", GREET);
    room.write("greet_test.star", "def test_one(t):\n    pass\n");
    for args in [
        &["call", "greet.hello"][..],
        &["list", "--format", "json"],
        &["test", "--format", "junit"],
        &["check", "--format", "json"],
        &["doc", "http"],
        &["completions", "bash"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = room.larkspur(args).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("cannot be written to stdout: No space left"), "{args:?}: {said}");
        assert_eq!(said.matches("cannot be written").count(), 1, "{said}");
    }
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let room = Room::new();
    room.write("greet.star", GREET);
    let (read, write) = std::io::pipe().unwrap();
    drop(read);
    let mut command = room.larkspur(&["call", "greet.hello"]);
    let output = command.stdout(Stdio::from(write)).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn what_was_left_out_is_said_beside_the_result() {
    let room = Room::new();
    room.write(
        "shop.star",
        r#"
def rows() -> list[dict]:
    """Things."""
    return [{"name": "tea", "price": 3, "url": "https://example.org/%d" % i} for i in range(3)]

def told() -> dict:
    """Things."""
    return {"name": "tea", "notes": "long"}

def same() -> str:
    """A text."""
    return "as it is"

tool(rows, select = "name")
tool(told, compact = lambda value: value["name"])
tool(same, compact = lambda value: value)
"#,
    );
    let rows = room.run(&["call", "shop.rows"]);
    rows.exits(0).notes("left out, all with --format json)");
    assert!(!rows.stdout.contains("left out"), "{rows:#?}");
    let told = room.run(&["call", "shop.told"]);
    told.exits(0).says_only("tea").notes("shortened by the tool, all with --format json)");
    let same = room.run(&["call", "shop.same"]);
    same.exits(0).says_only("as it is");
    assert_eq!(same.stderr, "");
}

#[test]
fn a_server_that_cannot_start_says_whose_fault_it_is() {
    let room = Room::new();
    room.write("greet.star", GREET);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    room.run(&["serve", "--http", "-p", &port]).exits(1).notes("cannot listen on");
    room.run(&["serve", "--http", "--host", "0.0.0.0"])
        .exits(2)
        .notes("--host 0.0.0.0 opens the server");
    room.run(&["serve", "--http", "--auth", "jwt"]).exits(2).notes("add public_url");
    let issuers = "public_url = 'https://mcp.example.org/mcp'\n";
    for (server, says) in [
        ("auth = 'jwt'\n", "add public_url = "),
        (&format!("auth = 'jwt'\n{issuers}"), "add [auth.issuer."),
        (
            "host = '0.0.0.0'\n",
            "`host = \"0.0.0.0\"` under [server] in larkspur.toml opens the server",
        ),
        ("cors = ['*']\n", "under [server] in larkspur.toml lets any"),
    ] {
        room.project(&format!("[server]\ntransport = 'http'\n{server}"));
        let ran = room.run(&["serve"]);
        ran.exits(6).notes(says);
        assert!(!ran.stderr.contains("--host"), "{ran:#?}");
    }
}

#[test]
fn what_a_server_does_not_use_is_told() {
    let mut room = Room::new();
    room.write("greet.star", GREET);
    room.run(&["serve", "-p", "0"])
        .exits(0)
        .notes("note: -p 0 is not used: this server speaks on stdin and stdout");
    room.set_env("LARKSPUR_TOKEN", "a-token-that-is-long-enough-for-anybody");
    let quiet = room.run(&["serve"]);
    assert!(!quiet.stderr.contains("LARKSPUR_TOKEN"), "{quiet:#?}");
    // Over both, the end of stdin does not end the server: a signal does, after the note.
    let mut child =
        room.larkspur(&["serve", "--http", "-p", "0"]).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let told = lines.map_while(Result::ok).take_while(|line| !line.contains("listening on"));
    let told: Vec<String> = told.collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(told.iter().any(|line| line.contains("LARKSPUR_TOKEN is not used")), "{told:?}");
}

#[test]
fn a_tool_of_a_module_that_is_not_served_says_why() {
    let room = Room::new();
    room.write("greet.star", GREET);
    room.write("rates.star", "def convert(:\n");
    room.write("other/module.toml", "name = 'other'\n");
    for (args, says) in [
        (["call", "rates.convert"], "module `rates` cannot be loaded:"),
        (["call", "other.thing"], "module `other` cannot be loaded:"),
        (["prompt", "rates.convert"], "module `rates` cannot be loaded:"),
    ] {
        let ran = room.run(&args);
        ran.exits(2).notes(says);
        assert!(!ran.stderr.contains("there is no"), "{ran:#?}");
        let others = if args[1].starts_with("rates") { "other" } else { "rates" };
        assert!(!ran.stderr.contains(others), "{ran:#?}");
    }
    let ran = room.run(&["call", "greet.helo"]);
    ran.exits(2).notes("there is no tool `greet.helo`; did you mean `greet.hello`?");
    assert!(!ran.stderr.contains("cannot be loaded"), "{ran:#?}");
    // Nobody knows whose this is.
    room.run(&["call", "convert"]).exits(2).notes("rates.star cannot be loaded");
}

#[test]
fn what_enable_leaves_out_is_said_to_be_left_out() {
    let room = Room::new();
    room.write("greet.star", GREET).project("enable = []\n");
    room.run(&["call", "greet.hello"])
        .exits(2)
        .notes("module `greet` is left out by `enable` in larkspur.toml");
    let list = room.run(&["list"]);
    list.exits(0).notes("`enable` in larkspur.toml leaves out every module: greet");
    assert!(!list.stderr.contains("larkspur new"), "{list:#?}");
}

#[test]
fn a_call_of_a_tool_that_is_not_there_is_written_down() {
    let room = Room::new();
    room.write("greet.star", GREET).project("[audit]\n");
    room.run(&["call", "greet.gone"]).exits(2);
    let log = room.run(&["audit", "--format", "json"]).exits(0).json();
    assert_eq!(log["kind"], "unknown", "{log}");
    assert!(log.to_string().contains("gone"), "{log}");
}

#[test]
fn a_folder_that_cannot_be_looked_into_is_an_error() {
    let room = Room::new();
    room.write("greet.star", GREET);
    let around = room.path().join("around");
    std::os::unix::fs::symlink(&around, &around).unwrap();
    for (folder, says) in [
        ("nowhere", "there is no folder nowhere"),
        ("around", "the folder around cannot be read: Too many levels"),
        ("modules/greet.star", "the folder modules/greet.star cannot be read: Not a directory"),
    ] {
        for command in [
            &["list"][..],
            &["check"],
            &["test"],
            &["graph"],
            &["config", "show"],
            &["call", "greet.hello"],
        ] {
            let args = [&["-e", folder], command].concat();
            room.run(&args).exits(2).notes(says);
        }
        room.run(&["-e", folder, "doctor"]).exits(1);
    }
    // Nobody named these, but they are there.
    fs::rename(room.modules(), room.path().join("kept")).unwrap();
    room.run(&["list"]).exits(0).notes("no modules in modules or extensions");
    fs::write(room.modules(), "").unwrap();
    room.run(&["list"]).exits(1).notes("the folder modules cannot be read: Not a directory");
    room.run(&["check"]).exits(1).notes("the folder modules cannot be read: Not a directory");
}

#[test]
fn a_link_that_leads_nowhere_is_told() {
    let room = Room::new();
    room.write("greet.star", GREET);
    std::os::unix::fs::symlink("gone.star", room.at("rates.star")).unwrap();
    let says = "modules/rates.star is not served: this link leads nowhere";
    room.run(&["list"]).exits(0).notes(says);
    room.run(&["check"]).notes(says);
    room.run(&["serve"]).exits(0).notes(says);
}

#[test]
fn a_folder_that_is_named_twice_is_one() {
    let room = Room::new();
    room.write("greet.star", GREET);
    let ran = room.run(&["-e", "modules", "-e", "./modules", "list"]);
    ran.exits(0).says("hello").notes("1 tool in 1 module");
}

#[test]
fn settings_for_nobody_are_told() {
    let room = Room::new();
    room.write("greet.star", GREET);
    room.write(
        "rates/module.toml",
        "name = 'rates'\nversion = '1.0.0'\ndescription = 'd'\n[config]\ndigits = { type = 'integer', default = 2 }\n",
    );
    room.write("rates/main.star", &GREET.replace("hello", "rate"));
    for command in [&["call", "rates.rate"][..], &["list"], &["graph"], &["check"]] {
        let args = [command, &["--set", "rtes.digits=1"]].concat();
        room.run(&args)
            .exits(2)
            .notes("--set rtes.digits: there is no module `rtes`; did you mean `rates`?");
    }
    room.run_told(&[("RATES__DIGIT", "3")], &["call", "rates.rate"])
        .exits(0)
        .says_only("Hello, Ada")
        .notes("note: RATES__DIGIT is set, but module `rates` has no config key `digit`; did you mean RATES__DIGITS?");
}

#[test]
fn arguments_that_cannot_be_meant_are_refused() {
    let room = Room::new();
    room.write("greet.star", GREET);
    for (arguments, says) in [
        (&["name=Ada", "name=Bob"][..], "`name` is given twice"),
        (&["name=Ada", "name:=3"], "`name` is given twice"),
        (&["=Ada"], "`=Ada` has no name before the `=`"),
        (&[":=3"], "`:=3` has no name before the `=`"),
    ] {
        let args = [&["call", "greet.hello"], arguments].concat();
        room.run(&args).exits(2).notes(says);
    }
    room.run_with(&["call", "greet.hello", "name=Ada", "-"], "{\"name\": \"Bob\"}")
        .exits(0)
        .says("Ada");
}

#[test]
fn the_audit_log_is_read_by_days() {
    let room = Room::new();
    room.write("greet.star", GREET).project("[audit]\n");
    room.run(&["call", "greet.hello"]).exits(0);
    room.run(&["audit", "--since", "1d"]).exits(0).says("greet.hello");
    room.run(&["audit", "--since", "1w"]).exits(2).notes("write `30s`, `15m`, `1h` or `7d`");
}

#[test]
fn check_loads_tests_and_says_each_thing_once() {
    let room = Room::new();
    room.write("greet.star", GREET);
    room.write(
        "greet_test.star",
        "load(\"greet.star\", \"goodbye\")\n\ndef test_one(t):\n    goodbye()\n",
    );
    let check = room.run(&["check"]);
    check.exits(1).says("greet_test.star").says("goodbye");
    room.write("greet_test.star", "def test_one(t):\n    fail(\"it is not run\")\n");
    let check = room.run(&["check"]);
    check.exits(0);
    with_secret(&room);
    room.write("bank/main.star", "def balance(:\n");
    let check = room.run(&["check"]);
    check.exits(1).says("error[E0100]").notes("1 error");
    assert!(!check.stdout.contains("E0500"), "{check:#?}");
    fs::write(room.path().join("README.md"), "# Here\n").unwrap();
    room.run(&["check", "README.md"])
        .exits(2)
        .notes("there is nothing to check in README.md: name a .star file");
    room.run(&["check", "modules/bank/module.toml"]).exits(0);
}

#[test]
fn status_says_what_each_server_serves_and_where() {
    let room = Room::new();
    room.write("greet.star", GREET);
    let web = Web::start(room, &["--auth", "token"]);
    let (folder, port) = (web.room.modules().display(), web.port);
    web.room
        .run(&["status", "--all"])
        .exits(0)
        .says(&format!("serves {folder} at http://127.0.0.1:{port}/mcp"));
    // Strangers learn nothing at its port; its owner asks by its socket.
    web.room.project(&format!("[server]\ntransport = 'http'\nport = {port}\nauth = 'token'\n"));
    let doctor = web.room.run(&["doctor"]);
    doctor.says(&format!("127.0.0.1:{port} has a larkspur")).says("with 1 tool");
    assert!(!doctor.stdout.contains("another program"), "{doctor:#?}");
}

#[test]
fn doctor_looks_at_the_audit_file_and_at_issuers() {
    let room = Room::new();
    room.write("greet.star", GREET);
    room.project("[audit]\nfile = 'modules'\n");
    let doctor = room.run(&["doctor"]);
    doctor.exits(1).says("modules cannot be written: Is a directory");
    room.project("[audit]\nfile = 'log/audit.jsonl'\n");
    room.run(&["doctor"]).exits(0).says("log/audit.jsonl can be written");
    assert!(!room.path().join("log").exists());
    let keys = r#"{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "a"}]}"#;
    let good = upstream::Web::answering(move |_| Some(upstream::ok(keys)));
    let bad = upstream::Web::answering(|_| Some(upstream::answer(500, "", "")));
    room.project(&format!(
        "[server]\npublic_url = 'https://mcp.example.org/mcp'\n\
         [auth.issuer.good]\njwks_url = '{}'\n[auth.issuer.bad]\njwks_url = '{}'\n",
        good.url("/jwks"),
        bad.url("/jwks")
    ));
    let doctor = room.run(&["doctor"]);
    doctor
        .exits(1)
        .says("good publishes its keys at")
        .says("no keys of bad from")
        .says("it answered 500");
}
