//! What a token must say of whoever shows it: of each claim, one of some values.

use crate::document::Item;
use serde_json::{Map, Value};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims(Vec<(String, Vec<Value>)>);

impl Claims {
    pub(crate) fn read(item: &Item<'_>) -> Option<Self> {
        item.table()?;
        let Value::Object(map) = item.json()? else {
            return None;
        };
        let listed = map.into_iter().map(|(name, value)| match value {
            Value::Array(several) => (name, several),
            one => (name, vec![one]),
        });
        Some(Self(listed.collect()))
    }

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
