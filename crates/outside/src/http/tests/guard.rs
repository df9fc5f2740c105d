//! What a server or a name server could do to lead us where we may not go.

use super::server::{Server, answer, redirect};
use super::{Net, egress, names, request, soon, text};
use crate::http::resolve::{Resolver, Unresolved};
use model::Reach;
use reqwest::dns::Resolve;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn hello() -> Server {
    Server::answering(|_| answer(200, "", "hello"))
}

#[test]
fn a_granted_host_is_reached() {
    let server = hello();
    let net = Net::granted(&[&server.site()]);
    assert_eq!(net.get(&server.url("/")).map(text), Ok("hello".into()));
    let decimal = format!("http://2130706433:{}/", server.port);
    assert_eq!(net.get(&decimal).map(text), Ok("hello".into()));
}

#[test]
fn a_granted_name_is_reached_wherever_it_lies() {
    let server = hello();
    for grant in ["intranet.test", "*.test"] {
        let grant = format!("{grant}:{}", server.port);
        let net = Net::granted(&[&grant]).names(|_| vec!["127.0.0.1"]);
        let url = format!("http://intranet.test:{}/", server.port);
        assert_eq!(net.get(&url).map(text), Ok("hello".into()));
    }
}

/// The variables that other clients obey; another process, since they hold for all of one.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test runs itself")]
fn proxies_of_the_environment_are_not_used() {
    let proxy = "http://127.0.0.1:9";
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["http::tests::guard::a_granted_host_is_reached", "--exact"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
        again.env(name, proxy);
    }
    let output = again.env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn a_redirect_does_not_lead_to_what_may_not_be_reached() {
    let secret = hello();
    let port = secret.port;
    let check = |to: String, expected: &str| {
        // Two hops inside what is granted, then out.
        let server = Server::answering(move |asked| match asked.path.as_str() {
            "/" => redirect(302, "/a"),
            "/a" => redirect(307, "b"),
            _ => redirect(301, &to),
        });
        let not_named = "is not among the hosts module `x` may reach";
        for (net, expected) in [
            (Net::granted(&[&server.site()]), not_named),
            (Net::public(&[&server.site()]), expected),
        ] {
            let net = net.names(|_| vec!["127.0.0.1"]);
            let words = net.get(&server.url("/")).unwrap_err();
            assert!(words.contains(expected) || words.contains("neither"), "{words}");
        }
        assert_eq!(server.asked().len(), 6);
    };
    let refused = "is not a public host";
    check(format!("http://127.0.0.1:{port}/"), refused);
    check(format!("//127.0.0.1:{port}/"), refused);
    check(format!("http://2130706433:{port}/"), refused);
    check(format!("http://[::ffff:127.0.0.1]:{port}/"), refused);
    check(format!("http://0:{port}/"), refused);
    check(format!("http://intranet.test:{port}/"), refused);
    check("http://169.254.169.254/latest/meta-data/".into(), refused);
    check("file:///etc/passwd".into(), "neither http nor https");
    assert_eq!(secret.connections(), 0);
}

#[test]
fn a_redirect_with_a_password_is_refused() {
    let server = Server::answering(|asked| {
        let host = asked.header("host").unwrap();
        redirect(302, &format!("http://user:word@{host}/x"))
    });
    let words = Net::granted(&[&server.site()]).get(&server.url("/")).unwrap_err();
    assert!(words.ends_with("a URL holds no user and no password; use `auth`"), "{words}");
    assert!(!words.contains("word@"), "{words}");
    assert_eq!(server.asked().len(), 1);
}

/// A name that is public when it is judged and private when it is used.
#[test]
fn a_name_that_changes_its_address_is_held_to_the_judged_one() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let alternating = names(move |_| match counter.fetch_add(1, Ordering::SeqCst) % 2 {
        0 => vec!["8.8.8.8"],
        _ => vec!["127.0.0.1"],
    });
    let resolver = Resolver { lookup: alternating, reach: Reach::Public };
    let executor = crate::executor::Executor::default();
    for _ in 0..3 {
        // What was judged is handed to the connection; nobody looks the name up again.
        let found = executor.wait(resolver.resolve("rebind.test".parse().unwrap()));
        let found: Vec<String> = found.unwrap().unwrap().map(|a| a.ip().to_string()).collect();
        assert_eq!(found, ["8.8.8.8"]);
        let found = executor.wait(resolver.resolve("rebind.test".parse().unwrap()));
        let refused = found.unwrap().err().unwrap();
        assert_eq!(refused.downcast_ref(), Some(&Unresolved::NotPublic));
    }
    assert_eq!(asked.load(Ordering::SeqCst), 6);
}

#[test]
fn a_name_is_looked_up_once_for_a_connection() {
    let server = hello();
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let net = Net::granted(&[&format!("rebind.test:{}", server.port)]).names(move |_| {
        // The second answer leads nowhere.
        match counter.fetch_add(1, Ordering::SeqCst) {
            0 => vec!["127.0.0.1"],
            _ => vec![],
        }
    });
    let url = format!("http://rebind.test:{}/", server.port);
    assert_eq!(net.get(&url).map(text), Ok("hello".into()));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    // It is kept from a moment after its answer was read; who asks sooner wants a new one.
    soon("the connection is used again", || match net.get(&url) {
        Ok(_) => true,
        Err(words) => {
            assert!(words.ends_with("nobody knows this name"), "{words}");
            false
        }
    });
    assert_eq!(server.connections(), 1);
}

/// A connection that is kept does not open a way for those who could not have made it.
#[test]
fn a_kept_connection_is_for_those_who_may_have_it() {
    let server = hello();
    let url = format!("http://intranet.test:{}/", server.port);
    let mut net =
        Net::granted(&[&format!("intranet.test:{}", server.port)]).names(|_| vec!["127.0.0.1"]);
    assert_eq!(net.get(&url).map(text), Ok("hello".into()));
    net.egress = egress(&[], true);
    let words = net.get(&url).unwrap_err();
    assert!(words.contains("is not a public host"), "{words}");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn an_error_names_no_address_and_no_query() {
    let net = Net::granted(&["intranet.test:1", "unknown.test"]).names(|name| match name {
        "intranet.test" => vec!["127.0.0.1"],
        _ => vec![],
    });
    let check = |url: &str, expected: &str| assert_eq!(net.get(url), Err(expected.to_owned()));
    check(
        "http://intranet.test:1/a?key=secret",
        "GET http://intranet.test:1/a: the connection was refused",
    );
    check("http://unknown.test/", "GET http://unknown.test/: nobody knows this name");
    check(
        "http://a:b@unknown.test/",
        "GET unknown.test/: a URL holds no user and no password; use `auth`",
    );
    check("not a url", "GET not a url: this is not a URL: relative URL without a base");
}

#[test]
fn what_frames_a_message_is_not_the_authors() {
    let server = hello();
    let net = Net::granted(&[&server.site()]);
    let with = |name: &str, value: &str| {
        let mut request = request("POST", &server.url("/"));
        request.headers = vec![(name.into(), value.into())];
        request.body = b"four".to_vec();
        net.send(&request)
    };
    for (name, value) in [("Connection", "close"), ("Upgrade", "h2c"), ("TE", "x")] {
        assert_eq!(with(name, value).map(text), Ok("hello".into()));
    }
    let asked = server.asked();
    assert_eq!(asked.len(), 3);
    for asked in asked {
        assert_eq!(asked.header("content-length"), Some("4"));
        assert_eq!(asked.header("transfer-encoding"), None);
        assert_eq!(asked.body, "four");
    }
    let refused = |name: &str, value: &str, expected: &str| {
        let words = with(name, value).unwrap_err();
        assert!(words.ends_with(expected), "{words}");
    };
    refused("Host", "evil.test", "the header `host` comes from the URL");
    let from_body = "comes from the body; leave it out";
    refused("Content-Length", "1", &format!("the header `content-length` {from_body}"));
    refused("transfer-encoding", "chunked", &format!("the header `transfer-encoding` {from_body}"));
    refused("a b", "c", "`a b` cannot be sent as a header");
    refused("a", "b\r\nc: secret", "`a` cannot be sent as a header");
    for method in ["CONNECT", "TRACE", "GE T", ""] {
        let words = net.send(&request(method, &server.url("/"))).unwrap_err();
        assert!(words.ends_with("is not a method that can be sent"), "{words}");
    }
}
