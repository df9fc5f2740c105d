//! Every method of `Host` has been judged: a folder without permissions is refused, or the method
//! is free for a reason.

use super::*;
use crate::disk::Folder;
use crate::runtime::Settings;
use model::{Access, Cancel, Permission, Permissions, Rights, Statement};
use settings::SecretSpec;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

type Try = fn(&Gate<'_>, &Leash) -> Result<(), HostError>;

enum Judged {
    /// Refused without a permission.
    Needs(&'static str, Try),
    Free(&'static str),
}
use Judged::{Free, Needs};

const METHODS: [(&str, Judged); 24] = [
    ("log", Free("it tells the operator something")),
    ("progress", Free("it tells the caller something")),
    ("resource_updated", Free("it tells subscribers something")),
    ("read", Free("files that came with the module; what leaves the folder is refused")),
    ("now_ms", Free("everybody knows what time it is")),
    ("sleep", Free("the time it takes is the call's own")),
    ("random", Free("chance says nothing about anybody")),
    ("http", Needs("http", |gate, leash| drop_ok(gate.http(&request(), leash)))),
    (
        "http_all",
        Needs("http", |gate, leash| {
            let answers = gate.http_all(&[request()], leash);
            answers.into_iter().try_for_each(drop_ok)
        }),
    ),
    ("exec", Needs("exec", |gate, leash| drop_ok(gate.exec(&command(), leash)))),
    (
        "sql",
        Needs("sqlite", |gate, leash| {
            drop_ok(gate.sql(&Database::Sqlite("a.db".into()), &query(), leash))
        }),
    ),
    ("env", Needs("env", |gate, _| drop_ok(gate.env("HOME")))),
    ("secret", Free("named by the manifest, see `secrets_go_where_they_may`")),
    ("file_read", Needs("files", |gate, _| drop_ok(gate.file_read("a")))),
    ("file_list", Needs("files", |gate, _| drop_ok(gate.file_list("a")))),
    ("file_exists", Needs("files", |gate, _| drop_ok(gate.file_exists("a")))),
    ("file_write", Needs("files_write", |gate, _| gate.file_write("a", ""))),
    ("state_get", Free("the module's own")),
    ("state_put", Free("the module's own")),
    ("state_delete", Free("the module's own")),
    ("state_list", Free("the module's own")),
    ("call", Free("judged like every call, by who is calling")),
    ("can_ask", Free("a client says that of itself")),
    ("ask", Free("it goes to the one who called, and whoever is behind the client may decline")),
];

fn drop_ok<T>(result: Result<T, HostError>) -> Result<(), HostError> {
    result.map(drop)
}

fn request() -> HttpRequest {
    HttpRequest {
        method: "GET".into(),
        url: "https://x.org/".into(),
        headers: Vec::new(),
        credentials: Vec::new(),
        private: Vec::new(),
        body: Vec::new(),
        timeout: None,
        redirects: true,
        retries: true,
    }
}

fn command() -> ExecRequest {
    ExecRequest {
        command: "git".into(),
        args: Vec::new(),
        stdin: String::new(),
        cwd: None,
        env: Vec::new(),
        secret_env: Vec::new(),
        timeout: None,
    }
}

fn statement() -> Statement {
    Statement { sql: "select 1".into(), params: Vec::new() }
}

fn query() -> SqlRequest {
    SqlRequest::Query { statement: statement(), max_rows: None }
}

fn ground() -> Ground {
    Ground::new(&Settings { asleep: true, forgets: true, ..Settings::default() })
}

fn with_gate<T>(rights: Rights, work: impl FnOnce(&Gate<'_>, &Leash) -> T) -> T {
    let (ground, folder) = (ground(), Folder::new("nowhere"));
    let permit = Permit::new("/home".into(), rights, &Arc::default());
    let gate = Gate::new("x", &folder, &permit, &ground);
    let leash = Leash { until: Instant::now(), cancel: Cancel::default() };
    work(&gate, &leash)
}

fn nothing() -> Rights {
    Rights::of_folder("x", &Permissions::default(), None)
}

#[test]
fn every_method_of_the_host_has_been_judged() {
    let source = include_str!("../../model/src/host/mod.rs");
    let (_, methods) = source.split_once("pub trait Host").unwrap();
    let names = methods.lines().filter_map(|line| line.trim().strip_prefix("fn "));
    let names: Vec<&str> = names.filter_map(|line| line.split('(').next()).collect();
    let judged: Vec<&str> = METHODS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, judged, "a method of `Host` is new or gone: judge it here and in the gate");
}

#[test]
fn a_folder_without_permissions_is_refused_everywhere() {
    for (name, judged) in METHODS {
        let (key, attempt) = match judged {
            Needs(key, attempt) => (key, attempt),
            Free(reason) => {
                assert!(!reason.is_empty(), "{name} is free without a reason");
                continue;
            }
        };
        let refused = with_gate(nothing(), attempt);
        let HostError(why) = refused.expect_err(name);
        let way_out = format!("add {key} = [");
        assert!(why.contains(&way_out), "{name}: {why}");
    }
}

#[test]
fn every_kind_of_request_to_a_database_has_been_judged() {
    let requests = [
        ("sqlite", query()),
        ("sqlite_write", SqlRequest::Execute(statement())),
        ("sqlite_write", SqlRequest::Transaction(vec![statement()])),
        ("sqlite", SqlRequest::Tables { schema: None }),
        ("sqlite", SqlRequest::Describe { table: "t".into(), schema: None }),
    ];
    for (key, request) in requests {
        with_gate(nothing(), |gate, leash| {
            let ask = |database| gate.sql(&database, &request, leash).unwrap_err().to_string();
            let sqlite = ask(Database::Sqlite("a.db".into()));
            assert!(sqlite.contains(&format!("add {key} = [\"a.db\"]")), "{sqlite}");
            let postgres = ask(Database::Postgres("main".into()));
            assert!(postgres.contains("add postgres = [\"main\"]"), "{postgres}");
        });
    }
}

#[test]
fn a_read_only_call_is_denied_what_may_write() {
    let rights = Rights::of_extension("x", &["git".into()], None);
    let reads = ["POST x.org/search".parse().unwrap()];
    let (ground, folder) = (ground(), Folder::new("nowhere"));
    let permit = Permit::new("/home".into(), rights, &Arc::default());
    let gate = Gate {
        read_only: Some(ReadOnlyCall { tool: &"x.find", reads: &reads }),
        ..Gate::new("x", &folder, &permit, &ground)
    };
    let leash = Leash { until: Instant::now(), cancel: Cancel::default() };
    let post = |url: &str| HttpRequest { method: "POST".into(), url: url.into(), ..request() };
    let database = Database::Sqlite("a.db".into());
    let denied = [
        drop_ok(gate.http(&post("https://x.org/pages"), &leash)),
        drop_ok(gate.http_all(&[post("https://x.org/pages")], &leash).remove(0)),
        drop_ok(gate.exec(&command(), &leash)),
        drop_ok(gate.sql(&database, &SqlRequest::Execute(statement()), &leash)),
        drop_ok(gate.sql(&database, &SqlRequest::Transaction(vec![statement()]), &leash)),
    ];
    for result in denied {
        let why = result.unwrap_err().to_string();
        assert!(why.contains("`x.find` is declared read_only"), "{why}");
    }
    for result in [
        drop_ok(gate.http(&request(), &leash)),
        drop_ok(gate.http(&post("https://x.org/search"), &leash)),
        drop_ok(gate.sql(&database, &query(), &leash)),
    ] {
        let why = result.err().map(|why| why.to_string()).unwrap_or_default();
        assert!(!why.contains("read_only"), "{why}");
    }
    assert_eq!(gate.state_put("k", &Value::Bool(true), None), Ok(true));
}

#[test]
fn what_a_file_may_not_do_while_it_loads() {
    with_gate(Rights::of_loading(true, []), |gate, leash| {
        assert_eq!(gate.env("HOME"), Ok(None));
        let why = gate.exec(&command(), leash).unwrap_err().to_string();
        assert_eq!(why, "`exec` works in calls, not while a file loads");
    });
}

#[test]
fn a_script_cannot_turn_a_command_into_another() {
    let rights = || Rights::of_extension("x", &["git".into()], None);
    let with = |name: &str| ExecRequest { env: vec![(name.into(), "1".into())], ..command() };
    let folder = || {
        let permissions = Permissions::from([(Permission::Exec, &["git"][..])]);
        Rights::of_folder("x", &permissions, None)
    };
    for (name, rights, part) in [
        ("PATH", folder(), "add env = [\"PATH\"]"),
        ("LD_PRELOAD", folder(), "add env = [\"LD_PRELOAD\"]"),
        ("LARKSPUR_LOG", folder(), "the server's own"),
        ("LARKSPUR_LOG", rights(), "the server's own"),
        ("A=B", rights(), "`A=B` is no name for a variable"),
        ("", rights(), "`` is no name for a variable"),
        // These get as far as the world, which is closed here.
        ("PATH", rights(), "there is no world"),
        ("GIT_DIR", folder(), "there is no world"),
    ] {
        let why = with_gate(rights, |gate, leash| gate.exec(&with(name), leash));
        let why = why.unwrap_err().to_string();
        assert!(why.contains(part), "{name}: {why}");
    }
    assert!(folder().check(&Access::Exec("git")).is_ok());
}

#[test]
fn secrets_go_where_they_may() {
    let spec = SecretSpec {
        hosts: ["api.x.org", "api.x.org:8080", "[::1]"].map(str::to_owned).into(),
        ..SecretSpec::default()
    };
    let secrets = BTreeMap::from([("token".to_owned(), spec)]);
    let permit = Permit::new("/home".into(), nothing(), &Arc::default()).with_secrets(secrets);
    let check = |secret: &str, url: &str, expected: Result<(), &str>| {
        let sent = permit.send(secret, url).map_err(|error| error.0);
        assert_eq!(sent, expected.map_err(str::to_owned), "{secret} {url}");
    };
    check("token", "https://api.x.org/a", Ok(()));
    let elsewhere = "the secret `token` is not for `evil.org`; add \"evil.org\" to its `hosts` under \
                     [secrets] in module.toml";
    check("token", "https://evil.org/a", Err(elsewhere));
    let plain = "the secret `token` is not sent to `api.x.org` without encryption; use https, or write the \
                 port in its `hosts`";
    for url in [
        "http://api.x.org/a",
        "HTTP://api.x.org/a",
        " http://api.x.org/a",
        "\thttp://api.x.org/a",
        "ht\ntp://api.x.org/a",
    ] {
        check("token", url, Err(plain));
    }
    check("token", " https://api.x.org/a", Ok(()));
    let port = "the secret `token` is not sent to `[::1]` without encryption; use https, or write the port \
                in its `hosts`";
    check("token", "http://[::1]/", Err(port));
    check("token", "http://api.x.org:8080/", Ok(()));
    let near = "module `x` has no secret `tokn`; did you mean `token`?";
    check("tokn", "https://api.x.org/a", Err(near));
    let add = "module `x` has no secret `other`; add other = { hosts = [\"api.example.org\"] } to \
               [secrets] in module.toml";
    check("other", "https://api.x.org/a", Err(add));
}
