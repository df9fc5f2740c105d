//! What an `OAuth2` secret is made of: a token to use, one to get the next with, and where to ask.

use crate::VaultError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use url::{Host, Url};
use zeroize::Zeroizing;

/// A token is renewed so long before its end, that none ends on its way.
const EARLY_MS: i64 = 5 * 60 * 1000;

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    pub(crate) token_url: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: Option<String>,
    pub(crate) access_token: Option<String>,
    pub(crate) refresh_token: String,
    /// Unknown for one that does not end.
    pub(crate) expires_ms: Option<i64>,
    pub(crate) scope: Option<String>,
    pub(crate) style: Style,
    pub(crate) format: Format,
    /// Names one `secret set`: renewed tokens keep it. Version 0.1 wrote none.
    #[serde(default)]
    pub(crate) set_id: Option<u64>,
}

/// How the client says who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Style {
    Basic,
    Body,
}

/// How the request is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    Form,
    Json,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens(…)")
    }
}

const KEYS: [&str; 11] = [
    "token_url",
    "client_id",
    "client_secret",
    "access_token",
    "refresh_token",
    "expires_at",
    "expires_in",
    "scope",
    "auth",
    "format",
    "token_type",
];

impl Tokens {
    /// As people give them, in JSON. No complaint repeats a value.
    pub fn parse(text: &str, now_ms: i64) -> Result<Self, VaultError> {
        Self::read(text, now_ms).map_err(VaultError::Tokens)
    }

    fn read(text: &str, now_ms: i64) -> Result<Self, String> {
        let Ok(Value::Object(given)) = serde_json::from_str(text) else {
            return Err("this is no JSON object; begin with {\"token_url\": …}".into());
        };
        if let Some(unknown) = given.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let near = model::did_you_mean(unknown, KEYS);
            let near = near.map_or_else(
                || format!("there are {}", KEYS.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(format!("`{unknown}` is not known; {near}"));
        }
        let required = |key| part(&given, key)?.ok_or_else(|| format!("`{key}` is missing"));
        let token_url = required("token_url")?;
        check_url(&token_url)?;
        let client_secret = part(&given, "client_secret")?;
        let style = match part(&given, "auth")?.as_deref() {
            Some("basic") => Style::Basic,
            Some("body") => Style::Body,
            Some(_) => return Err("`auth` is \"basic\" or \"body\"".into()),
            None if client_secret.is_some() => Style::Basic,
            None => Style::Body,
        };
        let format = match part(&given, "format")?.as_deref() {
            Some("form") | None => Format::Form,
            Some("json") => Format::Json,
            Some(_) => return Err("`format` is \"form\" or \"json\"".into()),
        };
        Ok(Self {
            token_url,
            client_id: required("client_id")?,
            client_secret,
            access_token: part(&given, "access_token")?,
            refresh_token: required("refresh_token")?,
            expires_ms: expires(&given, now_ms)?,
            scope: part(&given, "scope")?,
            style,
            format,
            set_id: None,
        })
    }

    pub(crate) fn with_set_id(&self, id: u64) -> Self {
        Self { set_id: Some(id), ..self.clone() }
    }

    pub(crate) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        // Texts and numbers always have a JSON form.
        Zeroizing::new(serde_json::to_vec(self).unwrap_or_default())
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// The token, if it can still be used.
    pub(crate) fn usable(&self, now_ms: i64) -> Option<&str> {
        let has_ended = self.expires_ms.is_some_and(|end| end <= now_ms);
        self.access_token.as_deref().filter(|_| !has_ended)
    }

    /// The token, if it need not be renewed yet.
    pub(crate) fn fresh(&self, now_ms: i64) -> Option<&str> {
        self.usable(now_ms.saturating_add(EARLY_MS))
    }

    /// What the answer of a token server makes of them.
    pub(crate) fn renewed(&self, answer: &Map<String, Value>, now_ms: i64) -> Result<Self, String> {
        let access_token = part(answer, "access_token")?;
        if access_token.is_none() {
            return Err("the answer holds no access_token".into());
        }
        let next = part(answer, "refresh_token")?;
        Ok(Self {
            access_token,
            refresh_token: next.unwrap_or_else(|| self.refresh_token.clone()),
            expires_ms: expires(answer, now_ms)?,
            scope: part(answer, "scope")?.or_else(|| self.scope.clone()),
            ..self.clone()
        })
    }
}

fn part(given: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match given.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` is a text that is not empty")),
    }
}

/// `expires_at` in seconds since 1970, or `expires_in` in seconds from now.
fn expires(given: &Map<String, Value>, now_ms: i64) -> Result<Option<i64>, String> {
    let seconds = |key: &str| match given.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
            let is_fine = |number: &f64| (0.0..1e12).contains(number);
            let number = number.filter(is_fine);
            number.map(Some).ok_or_else(|| format!("`{key}` is a number of seconds"))
        }
    };
    #[expect(clippy::cast_possible_truncation, reason = "it was found small enough")]
    let ms = |seconds: f64| (seconds * 1000.0) as i64;
    if let Some(at) = seconds("expires_at")? {
        return Ok(Some(ms(at)));
    }
    Ok(seconds("expires_in")?.map(|left| now_ms.saturating_add(ms(left))))
}

/// Elsewhere than on this machine everybody on the way could read along.
fn check_url(text: &str) -> Result<(), String> {
    let url = Url::parse(text).map_err(|_| "`token_url` is not a URL".to_owned())?;
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => return Err("there is no host in `token_url`".into()),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "`token_url` holds no user and no password; use client_id and client_secret".into()
        );
    }
    match url.scheme() {
        "https" => Ok(()),
        "http" if is_here => Ok(()),
        _ => Err("`token_url` begins with https://, or leads to this machine".into()),
    }
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
