//! Params of a request: parsed once, with errors that name the member that is wrong.

#![expect(
    deprecated,
    reason = "the protocol keeps logging until 2027 at least, and clients use it"
)]

use super::not_json;
use model::{Args, kind_of};
use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, ErrorCode, LoggingLevel, ProgressToken};
use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::fmt;

const META: &str = "_meta";

#[derive(Debug, Default)]
pub(crate) struct Params {
    pub(crate) meta: RequestMeta,
    members: Members,
    /// What is wrong with them as a whole; an unknown method is reported first.
    problem: Option<ErrorData>,
}

/// What `_meta` of a request says. A member that cannot be read counts as missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RequestMeta {
    #[serde(rename = "progressToken", deserialize_with = "lenient")]
    pub(crate) progress_token: Option<ProgressToken>,
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", deserialize_with = "lenient")]
    pub(crate) revision: Option<String>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities", deserialize_with = "lenient")]
    /// Large, and moved with every request.
    pub(crate) capabilities: Option<Box<ClientCapabilities>>,
    #[serde(rename = "io.modelcontextprotocol/logLevel", deserialize_with = "lenient")]
    pub(crate) log_level: Option<LoggingLevel>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) traceparent: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) tracestate: Option<String>,
}

fn lenient<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

impl RequestMeta {
    /// Keys that a request of revision 2026-07-28 needs and this one lacks.
    pub(crate) fn missing_keys(&self) -> Vec<&'static str> {
        let keys = [
            (self.revision.is_none(), "io.modelcontextprotocol/protocolVersion"),
            (self.capabilities.is_none(), "io.modelcontextprotocol/clientCapabilities"),
        ];
        let missing = keys.into_iter().filter(|(is_missing, _)| *is_missing);
        missing.map(|(_, key)| key).collect()
    }
}

/// The few members of params, each there once: comparing their names costs less than hashing them.
#[derive(Debug, Default)]
struct Members(Vec<(String, Value)>);

impl Members {
    fn get(&self, name: &str) -> Option<&Value> {
        let mut members = self.0.iter();
        members.find(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.swap_remove(at).1)
    }
}

/// Params as they are parsed: `_meta` apart from the rest.
struct Parsed {
    meta: RequestMeta,
    members: Members,
}

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ParamsVisitor)
    }
}

struct ParamsVisitor;

impl<'de> Visitor<'de> for ParamsVisitor {
    type Value = Parsed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parsed, A::Error> {
        let mut parsed = Parsed { meta: RequestMeta::default(), members: Members::default() };
        while let Some(key) = map.next_key::<String>()? {
            if key == META {
                parsed.meta = map.next_value::<MetaObject>()?.0;
            } else {
                parsed.members.0.push((key, map.next_value()?));
            }
        }
        Ok(parsed)
    }
}

/// `_meta`, which must be an object or null.
struct MetaObject(RequestMeta);

impl<'de> Deserialize<'de> for MetaObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        match raw.as_bytes().first() {
            Some(b'{') => {}
            Some(b'n') => return Ok(Self(RequestMeta::default())),
            _ => return Err(D::Error::custom("`_meta` must be an object")),
        }
        serde_json::from_str(raw).map(Self).map_err(D::Error::custom)
    }
}

impl Params {
    /// An error is about a text that is not JSON.
    pub(super) fn parse(method: &str, raw: Option<&RawValue>) -> Result<Self, ErrorData> {
        let Some(raw) = raw else {
            return Ok(Self::default());
        };
        let text = raw.get();
        let error = match text.as_bytes().first() {
            Some(b'{') => match serde_json::from_str::<Parsed>(text) {
                Ok(Parsed { meta, members }) => {
                    return Ok(Self { meta, members, problem: None });
                }
                Err(error) => error,
            },
            Some(b'n') => return Ok(Self::default()),
            _ => {
                let kind = kind_of(&serde_json::from_str(text).unwrap_or_default());
                let why = format!("the params of {method} must be an object, not {kind}");
                return Ok(Self::unusable(why));
            }
        };
        if error.classify() == Category::Data {
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or_default();
            return Ok(Self::unusable(format!("the params of {method} cannot be read: {why}")));
        }
        Err(ErrorData::new(ErrorCode::PARSE_ERROR, not_json(&error), None))
    }

    fn unusable(why: String) -> Self {
        Self { problem: Some(ErrorData::invalid_params(why, None)), ..Self::default() }
    }

    /// Reports what is wrong with the params as a whole.
    pub(crate) fn check(&mut self) -> Result<(), ErrorData> {
        self.problem.take().map_or(Ok(()), Err)
    }

    /// A member that names what the request is about, where it is there and a string.
    pub(crate) fn name(&self, member: &str) -> Option<&str> {
        self.members.get(member)?.as_str()
    }

    pub(crate) fn member(&self, member: &str) -> Option<&Value> {
        self.members.get(member)
    }

    pub(crate) fn take_string(&mut self, method: &str, member: &str) -> Result<String, ErrorData> {
        let found = self.take_optional_string(method, member)?;
        found.ok_or_else(|| missing(method, member))
    }

    pub(crate) fn take_optional_string(
        &mut self,
        method: &str,
        member: &str,
    ) -> Result<Option<String>, ErrorData> {
        match self.members.remove(member) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_kind(method, member, "a string", &other)),
        }
    }

    pub(crate) fn take_object(
        &mut self,
        method: &str,
        member: &str,
    ) -> Result<Option<Args>, ErrorData> {
        match self.members.remove(member) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(other) => Err(wrong_kind(method, member, "an object", &other)),
        }
    }

    /// A member with members of its own. Its form is described where it cannot be read.
    pub(crate) fn take<T: DeserializeOwned>(
        &mut self,
        method: &str,
        member: &str,
        form: &str,
    ) -> Result<T, ErrorData> {
        let wrong_form = || {
            let why = format!("`{member}` of {method} must be {form}");
            ErrorData::invalid_params(why, None)
        };
        match self.members.remove(member) {
            None | Some(Value::Null) => Err(missing(method, member)),
            // A list would be taken for the members in their order.
            Some(Value::Array(_)) => Err(wrong_form()),
            Some(value) => serde_json::from_value(value).map_err(|_| wrong_form()),
        }
    }
}

pub(crate) fn missing(method: &str, member: &str) -> ErrorData {
    let why = format!("{method} needs params with `{member}`");
    ErrorData::invalid_params(why, None)
}

fn wrong_kind(method: &str, member: &str, expected: &str, got: &Value) -> ErrorData {
    let why = format!("`{member}` of {method} must be {expected}, not {}", kind_of(got));
    ErrorData::invalid_params(why, None)
}
