//! What a browser gets: a short page that says what this is and how to connect.

use crate::room::Room;
use crate::web::Web;

/// As browsers send it.
const HTML: (&str, &str) =
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn room() -> Room {
    let mut room = Room::new();
    room.write("greet.star", "def secretive():\n    return 1\ntool(secretive)");
    room.project("[server]\nname = 'orchard'\n");
    room.set_env("LARKSPUR_TOKEN", TOKEN);
    room
}

/// The same page with and without a login: it has nothing that needs one.
#[test]
fn a_browser_gets_a_page() {
    for flags in [&[][..], &["--auth", "token"]] {
        let web = Web::start(room(), flags);
        for path in ["/mcp", "/"] {
            let reply = web.ask("GET", path, &[HTML], "");
            let kind = reply.is(200).header("content-type");
            assert_eq!(kind, Some("text/html; charset=utf-8"), "{path}");
            let page = &reply.body;
            let address = format!("http://localhost:{}/mcp", web.port);
            for part in ["<!doctype html>", "Larkspur", "MCP", &address, "larkspur install"] {
                assert!(page.contains(part), "{path}: no {part} in {page}");
            }
            for secret in
                ["secretive", "orchard", "greet", TOKEN, "<script", env!("CARGO_PKG_VERSION")]
            {
                assert!(!page.contains(secret), "{path}: {secret} in {page}");
            }
            assert!(page.len() < 4096, "{} bytes", page.len());
            let policy = reply.header("content-security-policy").unwrap();
            assert!(policy.contains("default-src 'none'"), "{policy}");
        }
    }
}

/// Addresses in the page are ours, whatever the request says of its host.
#[test]
fn a_page_is_only_for_those_who_are_let_in() {
    let web = Web::start(room(), &[]);
    for path in ["/mcp", "/"] {
        for wrong in [("Host", "evil.test"), ("Origin", "http://evil.test")] {
            web.ask("GET", path, &[HTML, wrong], "").is(403);
        }
    }
}

/// Programs get what they got before.
#[test]
fn programs_get_no_page() {
    let web = Web::start(room(), &[]);
    for accept in ["*/*", "application/json", ""] {
        let reply = web.ask("GET", "/", &[("Accept", accept)], "");
        let kind = reply.is(404).header("content-type");
        assert_eq!(kind, Some("application/json"), "{accept}");
        assert_eq!(reply.json()["path"], "/");
    }
    let events = [("Accept", "text/event-stream")];
    let reply = web.ask("GET", "/mcp", &events, "");
    assert_eq!(reply.is(400).header("content-type"), Some("application/json"));
    web.ask("GET", "/nowhere", &[HTML], "").is(404);
}
