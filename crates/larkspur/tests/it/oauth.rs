//! Tokens that are renewed, against a provider that never takes a refresh token twice.

use crate::callers::{Served, served, token_of, vault, write_module};
use crate::room::Room;
use crate::upstream::{Asked, Web, answer, ok};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};
use vault::Tokens;

/// Gives tokens `a1`, `a2`… and refresh tokens `r1`, `r2`…; each is good for one refresh.
#[derive(Default)]
pub(crate) struct Provider {
    given: Mutex<u64>,
    /// What it says instead.
    says: Mutex<Option<(u16, String)>>,
}

impl Provider {
    pub(crate) fn start() -> (Arc<Self>, Web) {
        let provider = Arc::new(Self::default());
        let own = Arc::clone(&provider);
        let web = Web::answering(move |asked| Some(own.answer(asked)));
        (provider, web)
    }

    pub(crate) fn renewals(&self) -> u64 {
        *self.given.lock().unwrap()
    }

    fn answer(&self, asked: &Asked) -> String {
        match asked.path.as_str() {
            "/echo" => ok(asked.header("authorization").unwrap_or("nothing")),
            "/token" => self.token(asked),
            _ => answer(404, "", "{}"),
        }
    }

    fn token(&self, asked: &Asked) -> String {
        if let Some((status, body)) = &*self.says.lock().unwrap() {
            let headers = "location: /elsewhere\r\ncontent-type: application/json\r\n";
            return answer(*status, headers, body);
        }
        let mut given = self.given.lock().unwrap();
        if field(&asked.body, "refresh_token") != format!("r{given}") {
            return answer(400, "", r#"{"error": "invalid_grant"}"#);
        }
        *given += 1;
        let body = json!({
            "access_token": format!("a{given}"),
            "refresh_token": format!("r{given}"),
            "token_type": "Bearer",
            "expires_in": 3600,
        });
        answer(200, "content-type: application/json\r\n", &body.to_string())
    }

    fn says(&self, status: u16, body: &str) {
        *self.says.lock().unwrap() = Some((status, body.to_owned()));
    }

    fn works_again(&self) {
        *self.says.lock().unwrap() = None;
    }
}

/// A field of a form or of JSON.
fn field(body: &str, name: &str) -> String {
    if let Ok(body) = serde_json::from_str::<Value>(body) {
        return body[name].as_str().unwrap_or_default().to_owned();
    }
    let mut pairs = body.split('&').filter_map(|pair| pair.split_once('='));
    let found = pairs.find(|(known, _)| *known == name);
    found.map(|(_, value)| value.to_owned()).unwrap_or_default()
}

pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

pub(crate) fn given(web: &Web, more: Value) -> Value {
    let mut given = json!({
        "token_url": web.url("/token"),
        "client_id": "client",
        "client_secret": "hush hush",
        "refresh_token": "r0",
    });
    let more = more.as_object().unwrap().clone();
    given.as_object_mut().unwrap().extend(more);
    given
}

fn set(served: &Served, given: &Value) {
    let tokens = Tokens::parse(&given.to_string(), now()).unwrap();
    served.vault.set_tokens(&token_of(""), &tokens).unwrap();
}

fn refreshes(web: &Web) -> Vec<Asked> {
    let mut asked = web.asked();
    asked.retain(|asked| asked.path == "/token");
    asked
}

fn call(served: &Served) -> String {
    served.executor.block_on(served.call("ada")).unwrap()
}

#[test]
fn a_hundred_calls_on_an_ended_token_renew_it_once() {
    let (provider, web) = Provider::start();
    let served = served(&web);
    let ended = json!({"access_token": "a0", "expires_at": 1});
    set(&served, &given(&web, ended));
    let calls: Vec<_> = (0..100).map(|_| served.call("ada")).collect();
    served.executor.block_on(async {
        for call in calls {
            assert_eq!(call.await.unwrap(), "Bearer a1");
        }
    });
    assert_eq!(refreshes(&web).len(), 1);
    assert_eq!(*provider.given.lock().unwrap(), 1);
    // The rotated one was stored: whoever comes later uses what it brought.
    let other = served.room.run(&["call", "m.get"]);
    other.exits(0).says_only("Bearer a1");
    assert_eq!(refreshes(&web).len(), 1);
}

#[test]
fn ten_processes_renew_it_once() {
    let (_, web) = Provider::start();
    let room = Room::new();
    write_module(&room, &web);
    let given = given(&web, json!({})).to_string();
    room.run_with(&["secret", "set", "m.token", "--oauth2"], &given).exits(0);
    thread::scope(|scope| {
        for _ in 0..10 {
            let room = &room;
            scope.spawn(move || {
                let called = room.run(&["call", "m.get"]);
                called.exits(0).says_only("Bearer a1");
            });
        }
    });
    assert_eq!(refreshes(&web).len(), 1);
}

#[test]
fn a_token_is_renewed_before_it_ends_and_kept_while_it_holds() {
    let (provider, web) = Provider::start();
    let served = served(&web);
    let long = json!({"access_token": "a0", "expires_in": 310});
    set(&served, &given(&web, long));
    assert_eq!(call(&served), "Bearer a0");
    assert_eq!(refreshes(&web).len(), 0);

    let soon = json!({"access_token": "a0", "expires_in": 290});
    provider.says(503, "CANARY");
    set(&served, &given(&web, soon.clone()));
    assert_eq!(call(&served), "Bearer a0");
    assert_eq!(call(&served), "Bearer a0");
    assert_eq!(refreshes(&web).len(), 1, "what failed is not tried at every call");

    provider.works_again();
    set(&served, &given(&web, soon));
    assert_eq!(call(&served), "Bearer a1");
    assert_eq!(call(&served), "Bearer a1");
}

#[test]
fn what_cannot_be_renewed_says_how_to_set_it_anew() {
    let (provider, web) = Provider::start();
    let served = served(&web);
    let site = web.site();
    for (status, body, expected) in [
        (
            400,
            r#"{"error": "invalid_grant", "error_description": "CANARY"}"#,
            "says 400 invalid_grant",
        ),
        (500, "CANARY", "says 500"),
        (200, "CANARY", "does not answer with JSON"),
        (200, r#"{"token": "CANARY"}"#, "the answer holds no access_token"),
        (302, "", "says 302"),
        (307, "", "says 307"),
    ] {
        provider.says(status, body);
        set(&served, &given(&web, json!({"refresh_token": "CANARY-r"})));
        let error = call(&served);
        assert!(error.contains(expected) && error.contains(&site), "{error}");
        assert!(error.contains("`larkspur secret set m.token --oauth2` sets it anew"), "{error}");
        assert!(!error.contains("CANARY"), "{error}");
    }
    // A redirect would have taken the refresh token elsewhere.
    assert!(web.asked().iter().all(|asked| asked.path == "/token"));
    // All who waited hear of the one try.
    provider.says(500, "");
    set(&served, &given(&web, json!({})));
    let before = refreshes(&web).len();
    let calls: Vec<_> = (0..50).map(|_| served.call("ada")).collect();
    served.executor.block_on(async {
        for call in calls {
            assert!(call.await.unwrap().contains("says 500"));
        }
    });
    assert_eq!(refreshes(&web).len() - before, 1);
    let nobody = json!({"token_url": "http://127.0.0.1:1/token"});
    set(&served, &given(&web, nobody));
    assert!(call(&served).contains("127.0.0.1:1 could not be asked"));
}

#[test]
fn the_client_says_who_it_is_as_its_provider_wants_it() {
    let basic = Some("Basic Y2xpZW50Omh1c2graHVzaA==");
    for (more, expected, body) in [
        (json!({}), basic, "grant_type=refresh_token&refresh_token=r0"),
        (
            json!({"auth": "body", "scope": "a b"}),
            None,
            "grant_type=refresh_token&refresh_token=r0&scope=a+b&client_id=client&client_secret=hush+hush",
        ),
        (
            json!({"client_secret": null}),
            None,
            "grant_type=refresh_token&refresh_token=r0&client_id=client",
        ),
        (
            json!({"format": "json", "auth": "body"}),
            None,
            r#"{"grant_type":"refresh_token","refresh_token":"r0","client_id":"client","client_secret":"hush hush"}"#,
        ),
    ] {
        let (_, web) = Provider::start();
        let served = served(&web);
        set(&served, &given(&web, more.clone()));
        assert_eq!(call(&served), "Bearer a1", "{more}");
        let asked = &refreshes(&web)[0];
        assert_eq!((asked.method.as_str(), asked.header("authorization")), ("POST", expected));
        assert_eq!(asked.body, body);
    }
}

#[test]
fn what_is_set_while_it_is_renewed_wins() {
    let (provider, web) = Provider::start();
    let served = served(&web);
    set(&served, &given(&web, json!({})));
    let other = vault(&served.room);
    // The provider answers while somebody sets another value.
    provider.says(200, r#"{"access_token": "late", "expires_in": 3600}"#);
    let held = provider.says.lock().unwrap();
    let calling = served.call("ada");
    web.wait("asked for a token", |log| log.asked.iter().any(|asked| asked.path == "/token"));
    other.set(&token_of(""), "mine").unwrap();
    drop(held);
    let got = served.executor.block_on(calling).unwrap();
    assert_eq!(got, "Bearer mine");
    assert_eq!(call(&served), "Bearer mine");
}
