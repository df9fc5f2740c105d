//! Cached results that were made with secrets: who gets them, and how long they are valid.

use crate::callers::{Served, echo, served_with, token_of};
use crate::oauth::{Provider, given, now};
use crate::upstream::Web;
use model::Caller;
use runtime::Asking;
use serde_json::json;
use vault::Tokens;

/// Every way to a result that may be cached. Each tool returns the credentials that the server saw.
const TOOLS: &str = r#"
def private(ctx) -> str:
    return get(ctx)
def outer(ctx) -> str:
    return ctx.call("m.uncached", {})
def outer_of_cached(ctx) -> str:
    return ctx.call("m.get", {})
def batched(ctx) -> str:
    done = ctx.call("batch", {"tasks": [{"id": "a", "module": "m", "tool": "uncached", "output": True}]})
    return done["results"]["a"]
def uncached(ctx) -> str:
    return get(ctx)
def optional(ctx) -> str:
    return "set" if attempt(ctx.secret, "token").ok else "not set"
def page(ctx):
    return get(ctx)

PUBLIC = {"for": "1h", "public": True}
tool(get, cache = PUBLIC)
tool(private, cache = "1h")
tool(outer, cache = PUBLIC)
tool(outer_of_cached, cache = PUBLIC)
tool(batched, cache = PUBLIC)
tool(uncached)
tool(optional, cache = PUBLIC)
resource("m://page", page, cache = PUBLIC)
"#;

const CACHED: [&str; 6] =
    ["m.get", "m.private", "m.outer", "m.outer_of_cached", "m.batched", "m://page"];

/// What this person gets from a tool or resource, and how many requests that took.
fn get(served: &Served, web: &Web, name: &str, what: &str) -> (String, usize) {
    let before = web.asked().len();
    let text = if what.contains("://") {
        let asking = Asking { caller: Caller::named(name.to_owned()), ..Asking::default() };
        let read = served.executor.block_on(served.runtime.read(what, asking));
        let read = serde_json::to_value(&read.unwrap()[0]).unwrap();
        read["text"].as_str().unwrap().to_owned()
    } else {
        let call = served.call_tool(name, what);
        served.executor.block_on(call).unwrap()
    };
    (text, web.asked().len() - before)
}

#[test]
fn a_public_result_of_a_personal_secret_stays_with_its_owner() {
    for what in CACHED {
        let web = echo();
        let served = served_with(&web, TOOLS);
        served.vault.set(&token_of(""), "shared").unwrap();
        served.vault.set(&token_of("ada"), "adas").unwrap();
        served.vault.set(&token_of("bob"), "bobs").unwrap();
        let get = |name: &str| get(&served, &web, name, what);
        let by = |token: &str, requests| (format!("Bearer {token}"), requests);
        for (name, token) in [("bob", "bobs"), ("ada", "adas"), ("eve", "shared")] {
            assert_eq!(get(name), by(token, 1), "{what} for {name}");
        }
        for (name, token) in [("eve", "shared"), ("ada", "adas"), ("bob", "bobs")] {
            assert_eq!(get(name), by(token, 0), "{what} for {name} again");
        }
        // A result of the server's own secret is for all who have none, if it is public.
        let requests = usize::from(what == "m.private");
        assert_eq!(get("fay"), by("shared", requests), "{what}");
        assert_eq!(get("ada"), by("adas", 0), "{what}");
    }
}

#[test]
fn a_changed_secret_invalidates_what_was_made_with_it() {
    for what in CACHED {
        let web = echo();
        let served = served_with(&web, TOOLS);
        let get = |name: &str| get(&served, &web, name, what);
        let by = |token: &str, requests| (format!("Bearer {token}"), requests);
        served.vault.set(&token_of(""), "one").unwrap();
        served.vault.set(&token_of("ada"), "adas").unwrap();
        assert_eq!((get("eve"), get("ada")), (by("one", 1), by("adas", 1)));
        served.vault.set(&token_of(""), "two").unwrap();
        assert_eq!((get("eve"), get("ada")), (by("two", 1), by("adas", 0)));
        // Another process, and one person's own.
        let set = ["secret", "set", "m.token", "--user", "ada"];
        served.room.run_with(&set, "new").exits(0);
        assert_eq!((get("eve"), get("ada")), (by("two", 0), by("new", 1)));
        assert_eq!(get("ada"), by("new", 0), "{what}");
        // Who loses a secret of their own gets what the others get.
        served.vault.remove(&token_of("ada")).unwrap();
        let requests = usize::from(what == "m.private");
        assert_eq!(get("ada"), by("two", requests), "{what}");
        served.vault.remove(&token_of("")).unwrap();
        if !what.contains("://") {
            let (text, _) = get("eve");
            assert!(text.contains("is not set"), "{what}: {text}");
        }
    }
}

#[test]
fn a_result_without_a_secret_is_not_current_once_it_is_set() {
    let web = echo();
    let served = served_with(&web, TOOLS);
    let get = |name: &str| get(&served, &web, name, "m.optional").0;
    assert_eq!(get("eve"), "not set");
    served.vault.set(&token_of("ada"), "adas").unwrap();
    assert_eq!((get("ada"), get("eve")), ("set".into(), "not set".into()));
    served.vault.set(&token_of(""), "shared").unwrap();
    assert_eq!((get("ada"), get("eve")), ("set".into(), "set".into()));
}

#[test]
fn a_renewed_token_keeps_cached_results_and_a_new_login_does_not() {
    for what in CACHED {
        let (provider, web) = Provider::start();
        let served = served_with(&web, TOOLS);
        let login = |owner: &str, more| {
            let tokens = Tokens::parse(&given(&web, more).to_string(), now()).unwrap();
            served.vault.set_tokens(&token_of(owner), &tokens).unwrap();
        };
        // It ends soon, so that the call renews it.
        login("ada", json!({"access_token": "a0", "expires_in": 60}));
        let get = |name: &str| get(&served, &web, name, what);
        assert_eq!(get("ada"), ("Bearer a1".into(), 2), "{what}");
        assert_eq!(get("ada"), ("Bearer a1".into(), 0), "{what}");
        assert_eq!(provider.renewals(), 1);
        login("ada", json!({"access_token": "b0", "expires_in": 3600}));
        assert_eq!(get("ada"), ("Bearer b0".into(), 1), "{what}");
        login("bob", json!({"access_token": "c0", "expires_in": 3600}));
        assert_eq!(get("bob"), ("Bearer c0".into(), 1), "{what}");
        assert_eq!(get("ada"), ("Bearer b0".into(), 0), "{what}");
    }
}
