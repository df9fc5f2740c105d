//! Credentials of every shape, in every place of the arguments.

use super::*;
use serde_json::json;

/// Characters of a made-up token: no scanner takes this file for a leak.
fn filler(count: usize, alphabet: &str) -> String {
    alphabet.chars().cycle().take(count).collect()
}

const MIXED: &str = "a1B2c3D4e5F6g7H8";
const HEX: &str = "0a1b2c3d4e5f6789";
const UPPER: &str = "A2B3C4D5E6F7";

/// Credentials that are masked wherever they stand in a string.
fn credentials() -> Vec<String> {
    let mixed = |begin: &str, count| format!("{begin}{}", filler(count, MIXED));
    let hex = |begin: &str, count| format!("{begin}{}", filler(count, HEX));
    let upper = |begin: &str, count| format!("{begin}{}", filler(count, UPPER));
    vec![
        mixed("ghp_", 36),
        mixed("gho_", 36),
        mixed("ghu_", 36),
        mixed("ghs_", 36),
        mixed("ghr_", 36),
        mixed("github_pat_11ABC_", 59),
        mixed("glpat-", 20),
        mixed("sk-", 48),
        mixed("sk-proj-x_-", 100),
        mixed("sk-ant-api03-", 93),
        upper("AKIA", 16),
        upper("ASIA", 16),
        mixed("xoxb-123-456-", 24),
        mixed("xoxp-123-456-", 24),
        mixed("xapp-1-A0-", 30),
        format!("{}.{}.{}", mixed("eyJ", 33), mixed("eyJ", 60), mixed("", 43)),
        mixed("ntn_", 46),
        mixed("secret_", 43),
        mixed("ATATT3x", 180),
        mixed("AIza", 35),
        mixed("npm_", 36),
        mixed("pypi-AgEIcHlwaS5vcmc", 150),
        mixed("sk_live_", 24),
        mixed("rk_live_", 24),
        mixed("whsec_", 32),
        format!("{}.{}", mixed("SG.", 22), mixed("", 43)),
        hex("dop_v1_", 64),
        mixed("hf_", 34),
        mixed("gsk_", 52),
        mixed("ya29.", 60),
        mixed("GOCSPX-", 28),
        mixed("hvs.", 90),
        hex("dapi", 32),
        mixed("lin_api_", 40),
        hex("shpat_", 32),
        mixed("dckr_pat_", 27),
        mixed("123456789:AA", 33),
        upper("AGE-SECRET-KEY-1", 58),
    ]
}

fn masked_string(text: &str) -> String {
    let args = json!({"text": text});
    let masked = masked(args.as_object().unwrap());
    masked["text"].as_str().unwrap().to_owned()
}

#[test]
fn credentials_are_masked_anywhere_in_a_string() {
    for credential in credentials() {
        for (before, after) in [
            ("", ""),
            ("use ", " for it"),
            ("url?x=", "&y=1"),
            ("{\"a\":\"", "\"}"),
            ("prüfe: ", "\nnächste Zeile"),
            ("('", "')"),
        ] {
            let text = format!("{before}{credential}{after}");
            assert_eq!(masked_string(&text), format!("{before}***{after}"));
        }
    }
}

#[test]
fn only_the_secret_part_of_a_text_is_masked() {
    for (text, expected) in [
        ("Bearer abc", "Bearer ***"),
        ("bearer of bad news", "bearer of bad news"),
        ("send Bearer a1b2c3d4e5 there", "send Bearer *** there"),
        ("Basic dXNlcjpwYXNz", "Basic ***"),
        ("curl -H 'Authorization: Basic eA==' h", "curl -H 'Authorization: ***' h"),
        ("Authorization: token abc\nAccept: x", "Authorization: ***\nAccept: x"),
        ("Cookie: sid=1; theme=dark\nAccept: x", "Cookie: ***\nAccept: x"),
        ("postgres://u:p@h/db", "postgres://***@h/db"),
        ("postgres://u:p@ss@h/db", "postgres://***@h/db"),
        ("postgres://u:p#s/s?@h/db", "postgres://***@h/db"),
        ("see https://me@h/ and redis://:pw@r:1/0", "see https://***@h/ and redis://***@r:1/0"),
        ("http://h:8080/a@b and http://[::1]:80/a@b", "http://h:8080/a@b and http://[::1]:80/a@b"),
        ("https://hooks.slack.com/services/T0/B0/x1", "https://hooks.slack.com/services/***"),
        ("https://discord.com/api/webhooks/12/ab-c", "https://discord.com/api/webhooks/***"),
        ("PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"),
        ("password: letmein", "password: ***"),
        ("host=x password='be' user=me", "host=x password='***' user=me"),
        (r#"{"client_secret":"abc","id":1}"#, r#"{"client_secret":"***","id":1}"#),
        (r#"{\"token\": \"abc\"}"#, r#"{\"token\": \"***\"}"#),
        ("h?access_token=abc&page=2", "h?access_token=***&page=2"),
        ("tool --api-key abc --verbose", "tool --api-key *** --verbose"),
        ("api_key: k3y-0001", "api_key: ***"),
        ("AccountKey=aGk=;Endpoint=x", "AccountKey=***;Endpoint=x"),
    ] {
        assert_eq!(masked_string(text), expected);
    }
}

#[test]
fn private_keys_are_masked_with_all_their_lines() {
    let body = filler(1600, MIXED);
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        let begin = format!("-----BEGIN {kind}PRIVATE KEY-----\n");
        let key = format!("{begin}{body}\n-----END {kind}PRIVATE KEY-----");
        assert_eq!(
            masked_string(&format!("a\n{key}\nb")),
            format!("a\n***… ({} bytes)", key.len() + 4)
        );
        assert_eq!(masked_string(&format!("a {begin}{}", &body[..64])), "a ***");
    }
    let public = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----";
    assert_eq!(masked_string(public), public);
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "the secretary will tokenize the secret sauce",
        "ada@example.org",
        "Basic training, basic plan",
        "max_tokens=100, tokens: 5, token: refresh",
        "a task-force and a risk-averse-and-very-long-kebab-case-name",
        "npm_config_registry and secret_santa",
        "key=value; author: Ada; keyword: rust",
        "https://example.org/a?b=c#d",
        "550e8400-e29b-41d4-a716-446655440000",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "eyJ.a.b",
        "Grüße, 世界",
    ] {
        assert_eq!(masked_string(text), text);
    }
}

#[test]
fn arguments_are_masked_by_name_and_shortened() {
    for (given, expected) in [
        (json!({"city": "Bern"}), json!({"city": "Bern"})),
        (
            json!({"api_key": 7, "Password": null, "pwd": "x", "privateKey": {"d": 1}}),
            json!({"api_key": "***", "Password": "***", "pwd": "***", "privateKey": "***"}),
        ),
        (
            json!({"tokens": 5, "token": "t", "tokenize": true, "max_tokens": 0.5}),
            json!({"tokens": 5, "token": "***", "tokenize": true, "max_tokens": 0.5}),
        ),
        (
            json!({"a": [{"token": "t"}], "author": "Ada", "secretary": "Bo"}),
            json!({"a": [{"token": "***"}], "author": "Ada", "secretary": "Bo"}),
        ),
        (
            json!({"env": [{"name": "DB_PASSWORD", "value": "x"}, {"name": "CITY", "value": "Bern"}]}),
            json!({"env": [{"name": "DB_PASSWORD", "value": "***"}, {"name": "CITY", "value": "Bern"}]}),
        ),
        (
            json!({"args": ["psql", "--password", "x", "-v", "--token", "y", "--max-tokens", 5]}),
            json!({"args": ["psql", "--password", "***", "-v", "--token", "***", "--max-tokens", 5]}),
        ),
        (
            json!({"headers": [["X-Api-Key", "x"], ["Accept", "y"]], "columns": ["id", "key", "city"]}),
            json!({"headers": [["X-Api-Key", "***"], ["Accept", "y"]], "columns": ["id", "key", "city"]}),
        ),
        (
            json!({"a": {"b": {"c": {"d": {"e": {"f": [1]}}}}}}),
            json!({"a": {"b": {"c": {"d": {"e": {"f": "…"}}}}}}),
        ),
    ] {
        assert_eq!(masked(given.as_object().unwrap()), expected);
    }
    assert!(masked_string(&"ä".repeat(300)).ends_with("… (600 bytes)"));
}

#[test]
fn credential_in_an_argument_name_is_masked() {
    let key = format!("ghp_{}", filler(36, MIXED));
    let given = json!({&key: 1, "k".repeat(600): 2});
    let written = masked(given.as_object().unwrap()).to_string();
    assert!(!written.contains("ghp_"), "{written}");
    assert!(written.len() < 600, "{written}");
}

#[test]
fn credential_across_the_cut_is_masked() {
    for credential in credentials() {
        for before in [LONGEST - 8, LONGEST - 1, LONGEST] {
            let blank = " ".repeat(before);
            let size = before + credential.len();
            let mask = if before < LONGEST { "***" } else { "" };
            let expected = format!("{blank}{mask}… ({size} bytes)");
            assert_eq!(masked_string(&format!("{blank}{credential}")), expected);
        }
    }
}

/// 4 MiB of each: nothing that is quadratic ends.
#[test]
fn large_arguments_are_masked_and_bounded() {
    let size = 4 << 20;
    let part = format!("password=eyJ{}.://u:-----BEGIN PRIVATE KEY-----", filler(40, MIXED));
    let text = part.repeat(size / part.len());
    assert!(masked_string(&text).len() <= LONGEST + 40);
    let items: Vec<Value> = vec![json!("Bearer ".repeat(16)); 32];
    let mut nested = json!(items);
    for _ in 0..2 {
        nested = json!(vec![nested; 32]);
    }
    let args = json!({"x": nested});
    let written = masked(args.as_object().unwrap()).to_string();
    assert!(written.len() < 3 * BUDGET, "{}", written.len());
}
