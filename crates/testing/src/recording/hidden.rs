//! Values that no file may hold, and what stands in for each.

use super::disguise::{decoded, replace};
use model::{Site, is_credential};
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::BTreeMap;

/// A shorter variable is no secret, and replacing it would tear answers apart.
const SHORT: usize = 4;
const MARK: &str = "REDACTED-";
/// A shorter number may be a status, or a count.
const LONG_NUMBER: usize = 6;

#[derive(Default)]
pub(crate) struct Hidden {
    /// What stands in, by the value.
    values: Mutex<BTreeMap<String, String>>,
}

impl Hidden {
    pub(crate) fn secret(&self, name: &str, value: &str) -> String {
        self.hide(value, stand_in("secret", name))
    }

    /// A variable; what stands in for it leads to the same server, if it is an address.
    pub(crate) fn variable(&self, name: &str, value: &str) -> String {
        if !is_credential(name) && is_plain(value) {
            return value.to_owned();
        }
        let (origin, rest) = split(value);
        if let Some((_, password)) = user_of(value).and_then(|user| user.split_once(':')) {
            self.hide(password, stand_in("env", name));
            self.hide(&decoded(password), stand_in("env", name));
        }
        if rest.len() < SHORT && !origin.is_empty() {
            return value.to_owned();
        }
        format!("{origin}{}", self.hide(rest, stand_in("env", name)))
    }

    /// What a server gave out under such a name.
    pub(crate) fn given_out(&self, name: &str, value: &str) {
        self.hide(value, stand_in("given", name));
    }

    /// The password of a connection string: a URL, or `key=value` pairs.
    pub(crate) fn connection(&self, string: &str) {
        let in_url = user_of(string).and_then(|user| user.split_once(':'));
        let in_pairs = string.split_once("password=").map(|(_, after)| {
            let quoted = after.strip_prefix('\'').and_then(|q| q.split('\'').next());
            quoted.unwrap_or_else(|| after.split([' ', '&']).next().unwrap_or(after))
        });
        for password in in_url.map(|(_, password)| password).iter().chain(&in_pairs) {
            let by = || stand_in("connection", "password");
            self.hide(password, by());
            self.hide(&decoded(password), by());
        }
    }

    /// What already stands in for something: it may come back in another form, as values do.
    pub(crate) fn known(&self, stand_in: &str) {
        if let Some(begin) = stand_in.find(MARK) {
            self.hide(&stand_in[begin..], stand_in[begin..].to_owned());
        }
    }

    /// Of one value that goes by several names, the first stands in.
    fn hide(&self, value: &str, by: String) -> String {
        if value.is_empty() {
            return by;
        }
        let mut values = self.values.lock();
        values.entry(value.to_owned()).or_insert(by).clone()
    }

    /// All texts in a value, without what is hidden.
    pub(crate) fn cover(&self, value: Value) -> Value {
        let all = self.pairs();
        each_text(value, &|text| {
            all.iter().fold(text, |text, (value, by)| replace(&text, value, by))
        })
    }

    pub(crate) fn cover_text(&self, text: String) -> String {
        match self.cover(Value::String(text)) {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    /// The other way round.
    pub(crate) fn uncover(&self, value: Value) -> Value {
        let all = self.pairs();
        each_text(value, &|text| all.iter().fold(text, |text, (value, by)| text.replace(by, value)))
    }

    /// The longest first: one may be part of another.
    fn pairs(&self) -> Vec<(String, String)> {
        let values = self.values.lock();
        let mut all: Vec<_> = values.iter().map(|(v, by)| (v.clone(), by.clone())).collect();
        all.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        all
    }
}

/// Letters, digits, `-` and `_`: it looks the same wherever it is written.
fn stand_in(kind: &str, name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(safe).collect();
    format!("{MARK}{kind}-{name}-")
}

fn is_plain(value: &str) -> bool {
    value.len() < SHORT
        || value.parse::<f64>().is_ok()
        || ["true", "false"].contains(&value)
        || is_host(value)
}

/// Whom a module reaches stands in its manifest; no secret has such a form.
fn is_host(value: &str) -> bool {
    let may_be = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-:".contains(c);
    value.contains('.') && value.chars().all(may_be)
}

/// Scheme and host of an address without a user, and what comes after; of anything else nothing.
fn split(value: &str) -> (&str, &str) {
    let is_web = value.starts_with("http://") || value.starts_with("https://");
    let begin = value.find("://").map_or(0, |at| at + 3);
    if !is_web || Site::read(value).is_none() || user_of(value).is_some() {
        return ("", value);
    }
    let end = value[begin..].find(['/', '?', '#']);
    let end = end.map_or(value.len(), |at| begin + at);
    let end = if value[end..].starts_with('/') { end + 1 } else { end };
    value.split_at(end)
}

fn user_of(url: &str) -> Option<&str> {
    let (_, after) = url.split_once("://")?;
    let authority = after.split(['/', '?', '#']).next()?;
    authority.rsplit_once('@').map(|(user, _)| user)
}

fn each_text(value: Value, change: &dyn Fn(String) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Number(number) => {
            let text = number.to_string();
            let changed =
                if text.len() < LONG_NUMBER { text.clone() } else { change(text.clone()) };
            if changed == text { Value::Number(number) } else { Value::String(changed) }
        }
        Value::Array(items) => items.into_iter().map(|item| each_text(item, change)).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(key, value)| (change(key), each_text(value, change))).collect()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn variables_and_what_stands_in_for_them() {
        for (name, value, expected) in [
            ("REGION", "north", "REDACTED-env-REGION-"),
            ("DEBUG", "1", "1"),
            ("HOST", "api.example.org:8080", "api.example.org:8080"),
            ("PORT", "8080", "8080"),
            ("VERBOSE", "true", "true"),
            ("API_KEY", "1234", "REDACTED-env-API_KEY-"),
            ("BASE", "https://x.org", "https://x.org"),
            ("BASE", "https://x.org/v1", "https://x.org/v1"),
            ("HOOK", "https://x.org/services/T0/B0", "https://x.org/REDACTED-env-HOOK-"),
            ("DB", "https://u:pw@x.org/", "REDACTED-env-DB-"),
        ] {
            assert_eq!(Hidden::default().variable(name, value), expected);
        }
    }

    #[test]
    fn texts_are_covered_and_uncovered() {
        let hidden = Hidden::default();
        hidden.secret("token", "abc");
        assert_eq!(hidden.secret("same", "abc"), "REDACTED-secret-token-");
        hidden.secret("longer", "abcdef");
        hidden.secret("pin", "12345678");
        hidden.connection("postgres://me:hush%40hush@host/db");
        hidden.connection("host=x password='be quiet' user=me");
        let plain = json!({"abc": ["x abcdef", 12345, 12.5, null], "u": "hush@hush"});
        let covered = json!({
            "REDACTED-secret-token-": ["x REDACTED-secret-longer-", 12345, 12.5, null],
            "u": "REDACTED-connection-password-",
        });
        assert_eq!(hidden.cover(plain.clone()), covered);
        let said = hidden.cover(json!("be quiet, hush%40hush"));
        assert_eq!(said, json!("REDACTED-connection-password-, REDACTED-connection-password-"));
        assert_eq!(hidden.cover(json!(12_345_678)), json!("REDACTED-secret-pin-"));
    }
}
