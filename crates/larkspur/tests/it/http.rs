//! Requests that scripts send: to whom, how often, how many at once, and that nobody else waits for
//! them.

use crate::fixture::{Server, ada, body_of, greeting, list_of};
use crate::folder::manifest;
use crate::upstream::{Asked, Web, answer, ok};
use serde_json::{Value, json};

const GET: &str = r#"
def get(url: str) -> str:
    return http.get(url)["body"]
tool(get)
"#;

fn url(url: &str) -> Value {
    json!({"url": url})
}

/// A folder module that may reach these.
fn served(webs: &[&Web], source: &str) -> Server {
    let sites: Vec<String> = webs.iter().map(|web| web.site()).collect();
    let mut server = Server::start();
    server.folder("x", &format!("http = {sites:?}"), source);
    server
}

#[test]
fn three_hundred_calls_wait_at_once() {
    let web = Web::gathering(300);
    let mut server = served(&[&web], GET);
    let calls: Vec<i64> = (0..300).map(|_| server.send_call("get", url(&web.url("/")))).collect();
    for call in calls {
        server.answer(call).text("together");
    }
}

/// Three tools that do not come back by themselves.
const HANGING: &str = r#"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

def fill() -> int:
    return sqlite.execute("a.db", "CREATE TABLE t (i)")
def server(url: str) -> str:
    return http.get(url)["body"]
def child(note: str) -> str:
    return exec.run("sh", ["-c", "echo $$ > " + note + "; exec sleep 60"])["stdout"]
def database() -> list:
    return sqlite.query("a.db", ENDLESS)
tool(fill)
tool(server)
tool(child)
tool(database)
"#;

#[test]
fn what_hangs_delays_nobody_and_is_let_go_with_its_call() {
    let web = Web::answering(|_| None);
    let mut server = Server::start();
    let permissions = format!("http = ['{}']\nexec = ['sh']\nsqlite_write = ['a.db']", web.site());
    server
        .folder("x", &permissions, HANGING)
        .module("greet", &greeting("hello"))
        .call("fill", json!({}))
        .text("0");
    let note = server.room.path().join("pid");
    let hanging = [
        server.send_call("server", url(&web.url("/"))),
        server.send_call("child", json!({"note": note.display().to_string()})),
        server.send_call("database", json!({})),
    ];
    web.wait("asked", |log| log.asked.len() == 1);
    let pid = server.wait_until("started", || {
        let text = std::fs::read_to_string(&note).unwrap_or_default();
        text.strip_suffix('\n').map(str::to_owned)
    });
    server.status_until("all at work", |status| status["in_flight"] == 3);
    for _ in 0..20 {
        server.call("hello", ada()).text("hello ada");
    }
    // The small ones are done while the others still hang.
    assert_eq!(server.status()["in_flight"], 3);
    for call in hanging {
        server.notify("notifications/cancelled", json!({"requestId": call}));
    }
    web.wait("let go", |log| log.gone == 1);
    let process = std::path::PathBuf::from(format!("/proc/{pid}"));
    server.wait_until("ended", || (!process.exists()).then_some(()));
    server.status_until("free", |status| status["in_flight"] == 0);
}

#[test]
fn a_request_ends_with_its_call() {
    let web = Web::answering(|_| None);
    let quick = GET.replace("tool(get)", "tool(get, timeout = \"300ms\")");
    served(&[&web], &quick)
        .call("get", url(&web.url("/")))
        .fails("stopped after 300 ms, the time one call may take (limit `timeout`)");
    web.wait("let go", |log| log.gone == 1);
}

#[test]
fn a_folder_without_permission_is_told_the_line_and_where_it_asked() {
    let web = Web::answering(|_| Some(ok("hello")));
    let mut server = Server::start();
    server.folder("x", "", GET);
    let line = format!("add http = [\"{}\"] to [permissions] in module.toml", web.site());
    server.call("get", url(&web.url("/"))).fails(&line);
    let modules = server.room.modules().display().to_string();
    let argument = format!("url={}", web.url("/"));
    server
        .room
        .run(&["call", "--modules", &modules, "x.get", &argument])
        .exits(5)
        .notes(&format!("`{}` is not among the hosts module `x` may reach", web.site()))
        .notes(&line)
        .notes("┌ x/main.star:3:12")
        .notes("3 │     return http.get(url)")
        .notes("│            ^^^^^^^^");
    assert_eq!(web.asked().len(), 0);
}

#[test]
fn this_machine_is_reached_when_it_is_granted() {
    let web = Web::answering(|_| Some(ok("hello")));
    let here = web.url("/");
    served(&[&web], GET).call("get", url(&here)).text("hello");
    let site = web.site();
    let way_out = format!(
        "`{site}` is not a public host, and others are granted by name; add \"{site}\" to `http` of \
         permissions(…) in its file"
    );
    let refused = format!(
        "GET {here}: `{site}` is not a public host, and others are granted by name; the operator \
         can add \"{site}\" to `http` under [module.y.grant] in larkspur.toml"
    );
    let grant = |http: &str| format!("[module.y.grant]\nhttp = [{http}]");
    let declared = |http: &str| format!("permissions(http = [{http}])\n{GET}");
    let both = format!("'*', '{site}'");
    Server::start()
        .module("y", GET)
        .call("get", url(&here))
        .fails(&format!("add permissions(http = [\"{site}\"]) at the top of its file"))
        .edit("y", &declared("'*'"))
        .until("get", url(&here), &format!("GET {here}: {way_out}"))
        .edit("y", &declared(&both))
        .until("get", url(&here), "hello")
        .project(&grant(&both))
        .call("get", url(&here))
        .text("hello")
        .project(&grant("'*'"))
        .until("get", url(&here), &refused);
}

#[test]
fn a_redirect_leads_to_no_host_that_was_not_granted() {
    let secret = Web::answering(|_| Some(ok("secret")));
    let to = secret.url("/");
    let web = Web::answering(move |_| Some(answer(302, &format!("location: {to}\r\n"), "")));
    let mut server = served(&[&web], GET);
    server.call("get", url(&web.url("/"))).fails(&format!(
        "`{0}` is not among the hosts module `x` may reach; add \"{0}\" to `http` under \
         [permissions] in module.toml",
        secret.site()
    ));
    assert_eq!((web.asked().len(), secret.asked().len()), (1, 0));
    served(&[&web, &secret], GET).call("get", url(&web.url("/"))).text("secret");
}

/// Ways to ask more often than once, each a tool of its own.
const OFTEN: &str = r#"
def one(url: str) -> str:
    return http.get(url + "/")["body"]
def redirects(url: str) -> str:
    return http.get(url + "/from/2")["body"]
def tries(url: str) -> str:
    return http.get(url + "/busy")["body"]
def pages(url: str) -> list:
    return http.pages(url + "/list", page = "n")
def all(url: str) -> list:
    return [answer["status"] for answer in http.get_all([url + "/"] * 5)]
tool(one)
tool(redirects)
tool(tries)
tool(pages)
tool(all)
"#;

fn often(asked: &Asked) -> String {
    match asked.path.split('?').next().unwrap() {
        "/from/2" => answer(302, "location: /from/1\r\n", ""),
        "/from/1" => answer(302, "location: /\r\n", ""),
        "/busy" => answer(503, "retry-after: 0\r\n", "busy"),
        "/list" => ok("[1]"),
        _ => ok("hello"),
    }
}

fn limited(web: &Web, rate: &str) -> String {
    let site = web.site();
    manifest(
        "x",
        &format!(
            "[permissions]\nhttp = ['{site}']\n[limits]\nhttp_rate = {{ '{site}' = '{rate}' }}"
        ),
    )
}

/// Two an hour: whatever asks a third time is refused or goes without, and the server sees two.
#[test]
fn every_request_counts_for_the_rate() {
    let refused = "may be asked 2/h (limit `http_rate`), and the next turn comes too late";
    for (tool, said) in
        [("redirects", Err(refused)), ("tries", Ok("busy")), ("pages", Err(refused))]
    {
        let web = Web::answering(|asked| Some(often(asked)));
        let mut server = Server::start();
        server.folder_module("x", &limited(&web, "2/h"), OFTEN);
        let called = server.call(tool, url(&web.url("")));
        match said {
            Ok(text) => called.text(text),
            Err(part) => called.fails(part),
        };
        server.call("one", url(&web.url(""))).fails(refused);
        assert_eq!(web.asked().len(), 2, "{tool}");
    }
}

#[test]
fn all_calls_share_the_rate_also_over_a_reload() {
    let web = Web::answering(|asked| Some(often(asked)));
    let mut server = Server::start();
    server
        .folder_module("x", &limited(&web, "3/h"), OFTEN)
        .call("one", url(&web.url("")))
        .text("hello");
    let statuses = server.call("all", url(&web.url(""))).result();
    let statuses = list_of(body_of(&statuses));
    let mut statuses: Vec<u64> = statuses.iter().filter_map(Value::as_u64).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [0, 0, 0, 200, 200]);
    // Loaded again, it goes on where it was; another rate begins anew.
    server
        .main("x", &format!("{OFTEN}\ndef new() -> str:\n    return \"new\"\ntool(new)\n"))
        .until("new", json!({}), "new")
        .call("one", url(&web.url("")))
        .fails("may be asked 3/h (limit `http_rate`)")
        .file("x/module.toml", &limited(&web, "4/h"))
        .until("one", url(&web.url("")), "hello");
    assert_eq!(web.asked().len(), 4);
}

#[test]
fn a_turn_within_the_time_of_the_call_is_waited_for() {
    let web = Web::answering(|asked| Some(often(asked)));
    let mut server = Server::start();
    server.folder_module("x", &limited(&web, "2/s"), OFTEN);
    server.call("all", url(&web.url(""))).text("[200,200,200,200,200]");
    assert_eq!(web.asked().len(), 5);
}

#[test]
fn requests_are_sent_when_a_module_starts_and_not_while_it_loads() {
    let web = Web::answering(|_| Some(ok("hello")));
    let here = web.url("/");
    let start = format!(
        "def start(deps, config):\n    return http.get(\"{here}\")[\"body\"]\n\
         def heard(ctx) -> str:\n    return ctx.instance\ntool(heard)\n"
    );
    let load = format!("BODY = http.get(\"{here}\")\ndef f():\n    return BODY\ntool(f)\n");
    served(&[&web], &start)
        .call("heard", json!({}))
        .text("hello")
        .folder("z", &format!("http = ['{}']", web.site()), &load)
        .warned("`http` works in calls, not while a file loads")
        .warned("┌ z/main.star:1:8");
    assert_eq!(web.asked().len(), 1);
}
