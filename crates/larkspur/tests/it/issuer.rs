//! Somebody who makes tokens, and publishes the keys they are signed with.

use crate::clients::{installed, node, run};
use crate::room::Room;
use crate::upstream::{self, ok};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) const PUBLIC: &str = "https://mcp.example.org/mcp";

pub(crate) struct Issuer {
    pub(crate) web: upstream::Web,
    pub(crate) pems: Value,
    tokens: Value,
}

pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    since.as_secs()
}

/// What a token says that holds, but for some of it: null takes a claim away.
pub(crate) fn claims(issuer: &str, but: Value) -> Value {
    let mut all = json!({
        "iss": issuer,
        "sub": "ada",
        "aud": PUBLIC,
        "iat": now(),
        "exp": now() + 600,
    });
    for (name, value) in but.as_object().unwrap() {
        all[name] = value.clone();
    }
    let all = all.as_object().unwrap().clone();
    let said: Map<String, Value> = all.into_iter().filter(|(_, v)| !v.is_null()).collect();
    Value::Object(said)
}

impl Issuer {
    /// Signs these, and publishes the key `main` at `/jwks`.
    pub(crate) fn new(keys: Value, tokens: Value) -> Self {
        let room = Room::new();
        let spec = room.path().join("spec.json");
        std::fs::write(&spec, json!({"keys": keys, "tokens": tokens}).to_string()).unwrap();
        let mut command = node();
        command
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/tokens.mjs"))
            .arg(installed("js"))
            .arg(&spec);
        let (code, printed) = run(&room, &mut command);
        assert_eq!(code, Some(0), "{printed}");
        let mut made: Value = serde_json::from_str(&printed).unwrap();
        let jwks = made["jwks"]["main"].to_string();
        Self {
            web: upstream::Web::answering(move |_| Some(ok(&jwks))),
            pems: made["pems"].take(),
            tokens: made["tokens"].take(),
        }
    }

    #[track_caller]
    pub(crate) fn token(&self, name: &str) -> &str {
        self.tokens[name].as_str().unwrap_or_else(|| panic!("no token `{name}`"))
    }

    /// `[server]` and `[auth]` of a server that trusts it.
    pub(crate) fn trusted(&self, name: &str) -> String {
        let url = self.web.url("/jwks");
        format!(
            "[server]\nauth = 'jwt'\npublic_url = '{PUBLIC}'\n[auth.issuer.'{name}']\njwks_url = '{url}'\n"
        )
    }
}
