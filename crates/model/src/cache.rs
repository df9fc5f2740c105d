//! How long an answer may be given again, and to whom.

use crate::parse_duration;
use serde_json::Value;
use std::time::Duration;

/// `cache = "60s"`, or `cache = {"for": "60s", "public": True}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cache {
    pub time: Duration,
    /// Everybody gets what anybody got; else each caller what he got himself.
    pub public: bool,
}

const EXPECTED: &str = "`cache` is a time such as \"60s\", or {\"for\": \"60s\", \"public\": True}";

impl Cache {
    pub fn read(given: &Value) -> Result<Self, String> {
        let Value::Object(map) = given else {
            return Ok(Self { time: time(given)?, public: false });
        };
        let is_known = |name: &String| ["for", "public"].contains(&name.as_str());
        let public = match map.get("public") {
            None => false,
            Some(Value::Bool(public)) => *public,
            Some(_) => return Err(EXPECTED.into()),
        };
        match map.get("for") {
            Some(given) if map.keys().all(is_known) => Ok(Self { time: time(given)?, public }),
            _ => Err(EXPECTED.into()),
        }
    }
}

fn time(given: &Value) -> Result<Duration, String> {
    let read = match given {
        Value::String(text) => parse_duration(text)?,
        Value::Number(number) => parse_duration(&number.to_string())?,
        _ => return Err(EXPECTED.into()),
    };
    if read.is_zero() {
        return Err(format!("{EXPECTED}, longer than nothing"));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_authors_write() {
        let minute = Duration::from_mins(1);
        for (given, public) in [
            (json!("60s"), false),
            (json!(60), false),
            (json!({"for": "1m"}), false),
            (json!({"for": 60, "public": true}), true),
        ] {
            let time = minute;
            assert_eq!(Cache::read(&given), Ok(Cache { time, public }), "{given}");
        }
        for given in [
            json!(true),
            json!(0),
            json!("soon"),
            json!({"public": true}),
            json!({"for": "1m", "publik": true}),
            json!({"for": "1m", "public": 1}),
        ] {
            assert!(Cache::read(&given).is_err(), "{given}");
        }
    }
}
