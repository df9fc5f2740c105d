//! `requestState`: what was asked and answered in earlier rounds, in the client's keeping. It is
//! signed, since a client may send back anything, and holds for one request of one caller, for ten
//! minutes, and once.

use model::Caller;
use parking_lot::Mutex;
use rmcp::ErrorData;
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A person has this long to answer.
const HOLDS: Duration = Duration::from_mins(10);

/// From so many on, those whose time is over are forgotten.
const MANY: usize = 1024;

/// Answers come back with every round, beside the new ones and within what a request may have.
const LONGEST: usize = 1 << 20;

/// The key is made once a process and never leaves it.
pub(crate) struct Seal {
    codec: OnceLock<RequestStateCodec>,
    holds: Duration,
    used: Used,
}

/// States that have come back, as digests that only this process can make. Another process could not
/// open them anyway.
#[derive(Default)]
struct Used {
    keys: [RandomState; 2],
    until: Mutex<HashMap<[u64; 2], Instant>>,
}

impl Used {
    /// Answers whether it comes for the first time.
    fn first(&self, sealed: &str, holds: Duration) -> bool {
        let digest = [0, 1].map(|at| self.keys[at].hash_one(sealed));
        let mut until = self.until.lock();
        let now = Instant::now();
        if until.len() >= MANY {
            until.retain(|_, end| *end > now);
        }
        until.insert(digest, now + holds).is_none()
    }
}

impl Default for Seal {
    fn default() -> Self {
        Self { codec: OnceLock::new(), holds: HOLDS, used: Used::default() }
    }
}

/// What a seal is bound to: the same request, by the same caller.
pub(crate) struct Bound(String);

impl Bound {
    pub(crate) fn new(
        method: &str,
        name: &str,
        args: &Map<String, Value>,
        caller: &Caller,
    ) -> Self {
        let args = in_order(&Value::Object(args.clone()));
        Self(json!([method, name, args, caller.name]).to_string())
    }
}

/// Clients may send the same members in another order.
fn in_order(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<&String, Value> =
                map.iter().map(|(key, value)| (key, in_order(value))).collect();
            json!(sorted)
        }
        Value::Array(items) => items.iter().map(in_order).collect(),
        other => other.clone(),
    }
}

/// What earlier rounds have left; a question is known by its key and by a digest of itself.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rounds {
    pub(crate) asked: BTreeMap<String, u64>,
    pub(crate) answered: BTreeMap<String, (u64, Value)>,
}

impl Seal {
    pub(crate) fn close(&self, rounds: &Rounds, bound: &Bound) -> Result<String, ErrorData> {
        let options = SealOptions::new().associated_data(bound.0.as_bytes()).ttl(self.holds);
        let sealed = self.codec()?.seal_json_with(rounds, &options);
        let sealed = sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        if sealed.len() > LONGEST {
            let why = format!(
                "the answers given so far take {} bytes; a request may carry {LONGEST}",
                sealed.len()
            );
            return Err(ErrorData::invalid_params(why, None));
        }
        Ok(sealed)
    }

    pub(crate) fn open(&self, sealed: &str, bound: &Bound) -> Result<Rounds, ErrorData> {
        let opened = self.codec()?.open_json_with(sealed, bound.0.as_bytes());
        let opened = opened.map_err(|error| {
            let why = match error {
                RequestStateError::Expired => {
                    "requestState is too old: make the request again without it"
                }
                RequestStateError::IntegrityCheckFailed => {
                    "requestState was changed, or belongs to another request, caller or server: make \
                     the request again without it"
                }
                _ => "requestState is not one of this server's: make the request again without it",
            };
            ErrorData::invalid_params(why, None)
        })?;
        if !self.used.first(sealed, self.holds) {
            let why = "requestState was used before: make the request again without it";
            return Err(ErrorData::invalid_params(why, None));
        }
        Ok(opened)
    }

    fn codec(&self) -> Result<&RequestStateCodec, ErrorData> {
        if let Some(codec) = self.codec.get() {
            return Ok(codec);
        }
        let no_key = |why: String| {
            ErrorData::internal_error(format!("there is no key to sign with: {why}"), None)
        };
        let mut key = vec![0; RequestStateCodec::MIN_KEY_LENGTH];
        getrandom::fill(&mut key).map_err(|error| no_key(error.to_string()))?;
        let codec = RequestStateCodec::try_new(key).map_err(|error| no_key(error.to_string()))?;
        Ok(self.codec.get_or_init(|| codec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(method: &str, name: &str, args: Value, caller: &str) -> Bound {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        let caller = Caller::named(caller.to_owned());
        Bound::new(method, name, &args, &caller)
    }

    fn rounds() -> Rounds {
        Rounds {
            asked: [("b".to_owned(), u64::MAX)].into(),
            answered: [("a".to_owned(), (7, json!({"n": 1})))].into(),
        }
    }

    #[test]
    fn a_seal_holds_for_the_same_request_only() {
        let seal = Seal::default();
        let here = || bound("tools/call", "t", json!({"a": {"x": 1, "y": 2}, "b": []}), "ada");
        let sealed = seal.close(&rounds(), &here()).unwrap();
        let same = bound("tools/call", "t", json!({"b": [], "a": {"y": 2, "x": 1}}), "ada");
        assert_eq!(seal.open(&sealed, &same).unwrap(), rounds());
        let args = json!({"a": {"x": 1, "y": 2}, "b": []});
        for elsewhere in [
            bound("prompts/get", "t", args.clone(), "ada"),
            bound("tools/call", "u", args.clone(), "ada"),
            bound("tools/call", "t", json!({"a": {"x": 1, "y": 3}, "b": []}), "ada"),
            bound("tools/call", "t", args, "bob"),
        ] {
            let error = seal.open(&sealed, &elsewhere).unwrap_err();
            assert_eq!(error.code.0, -32602);
            assert!(error.message.contains("belongs to another request"), "{error:?}");
        }
        let error = Seal::default().open(&sealed, &here()).unwrap_err();
        assert!(error.message.contains("or server"), "{error:?}");
        // What was tried elsewhere has not used it up; this has.
        let error = seal.open(&sealed, &here()).unwrap_err();
        assert!(error.message.contains("used before"), "{error:?}");
    }

    #[test]
    fn a_seal_does_not_hold_for_ever() {
        let seal = Seal { holds: Duration::ZERO, ..Seal::default() };
        let bound = bound("tools/call", "t", json!({}), "ada");
        let sealed = seal.close(&rounds(), &bound).unwrap();
        let late = std::time::Instant::now() + Duration::from_millis(3);
        while std::time::Instant::now() < late {}
        let error = seal.open(&sealed, &bound).unwrap_err();
        assert_eq!(error.message, "requestState is too old: make the request again without it");
    }

    #[test]
    fn what_was_said_must_fit() {
        let long = Rounds {
            answered: [("a".to_owned(), (7, json!("x".repeat(LONGEST))))].into(),
            ..Rounds::default()
        };
        let error = Seal::default().close(&long, &bound("m", "t", json!({}), "ada")).unwrap_err();
        assert!(error.message.contains("a request may carry 1048576"), "{error:?}");
    }
}
