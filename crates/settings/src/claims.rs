//! What a token must say of whoever shows it: of each claim, one of some values.

use crate::document::object;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

#[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
pub struct Claims(#[schemars(with = "Map<String, Value>")] Vec<(String, Vec<Value>)>);

impl<'de> Deserialize<'de> for Claims {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let listed = object(deserializer)?.into_iter().map(|(name, value)| match value {
            Value::Array(several) => (name, several),
            one => (name, vec![one]),
        });
        Ok(Self(listed.collect()))
    }
}

impl Claims {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Does a token say all of this?
    pub fn hold(&self, token: &Map<String, Value>) -> bool {
        self.0.iter().all(|(name, wanted)| {
            let found = match claim(token, name) {
                Some(Value::Array(several)) => several.as_slice(),
                Some(one) => std::slice::from_ref(one),
                None => &[],
            };
            found.iter().any(|value| wanted.contains(value))
        })
    }
}

/// By its name, or by the way to it: `realm_access.roles`.
fn claim<'c>(claims: &'c Map<String, Value>, name: &str) -> Option<&'c Value> {
    if let Some(value) = claims.get(name) {
        return Some(value);
    }
    let (first, rest) = name.split_once('.')?;
    claim(claims.get(first)?.as_object()?, rest)
}
