//! Tokens as people give them, and as servers answer.

use super::*;
use serde_json::json;

const NOW: i64 = 1_000_000_000_000;

fn given() -> Value {
    json!({
        "token_url": "https://id.example.org/token",
        "client_id": "CANARY-id",
        "refresh_token": "CANARY-refresh",
    })
}

#[test]
fn what_is_wrong_is_said_without_values() {
    let check = |change: Value, expected: &str| {
        let mut all = given();
        all.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let error = Tokens::parse(&all.to_string(), NOW).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("CANARY"), "{error}");
    };
    check(json!({"token_url": null}), "`token_url` is missing");
    check(json!({"refresh_token": ""}), "`refresh_token` is a text");
    check(json!({"client_id": 3}), "`client_id` is a text");
    check(json!({"refreshtoken": "CANARY"}), "did you mean `refresh_token`?");
    check(json!({"auth": "CANARY"}), "`auth` is \"basic\" or \"body\"");
    check(json!({"format": "CANARY"}), "`format` is \"form\" or \"json\"");
    check(json!({"expires_at": "CANARY"}), "`expires_at` is a number of seconds");
    check(json!({"expires_in": -1}), "`expires_in` is a number of seconds");
    for url in
        ["http://id.example.org/token", "http://10.0.0.1/", "ftp://localhost/", "file:///etc"]
    {
        check(json!({"token_url": url}), "token_url`");
    }
    check(json!({"token_url": "https://a:CANARY@b.org/"}), "holds no user and no password");
    for url in ["http://127.0.0.1:8/t", "http://[::1]:8/t", "http://localhost/t"] {
        let mut all = given();
        all["token_url"] = json!(url);
        assert_eq!(Tokens::parse(&all.to_string(), NOW).unwrap().token_url, url);
    }
    for text in ["", "CANARY", "[1]", "{\"a\": CANARY}"] {
        let error = Tokens::parse(text, NOW).unwrap_err().to_string();
        assert_eq!(error, "this is no JSON object; begin with {\"token_url\": …}");
    }
}

#[test]
fn a_token_is_renewed_five_minutes_before_its_end() {
    let with = |change: Value| {
        let mut all = given();
        all.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        Tokens::parse(&all.to_string(), NOW).unwrap()
    };
    let none = with(json!({}));
    assert_eq!((none.fresh(NOW), none.usable(NOW)), (None, None));
    let endless = with(json!({"access_token": "a"}));
    assert_eq!(endless.fresh(NOW), Some("a"));
    for ending in [json!({"expires_in": 600}), json!({"expires_at": 1_000_000_600})] {
        let mut ending = ending;
        ending["access_token"] = json!("a");
        let ending = with(ending);
        assert_eq!(ending.fresh(NOW + 299_999), Some("a"));
        assert_eq!(ending.fresh(NOW + 300_000), None);
        assert_eq!(ending.usable(NOW + 599_999), Some("a"));
        assert_eq!(ending.usable(NOW + 600_000), None);
    }
}

#[test]
fn an_answer_may_rotate_the_refresh_token_or_leave_it() {
    let tokens = Tokens::parse(&given().to_string(), NOW).unwrap();
    let renew = |answer: Value| tokens.renewed(answer.as_object().unwrap(), NOW);
    let next = renew(json!({"access_token": "a", "refresh_token": "r", "expires_in": 60})).unwrap();
    assert_eq!(next.refresh_token, "r");
    assert_eq!(next.expires_ms, Some(NOW + 60_000));
    let same = renew(json!({"access_token": "a"})).unwrap();
    assert_eq!(same.refresh_token, "CANARY-refresh");
    assert_eq!(renew(json!({})).unwrap_err(), "the answer holds no access_token");
    assert_eq!(format!("{tokens:?}"), "Tokens(…)");
}
