//! Names of members in letters that only some readers take for the right ones, and the id of a message
//! that cannot be read as a whole.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
const PARAMS: [&str; 4] = ["name", "uri", "arguments", "_meta"];

/// Looks at the envelope and its params; what is further inside is the tool's.
pub(crate) fn check(message: &[u8]) -> Result<(), String> {
    let Ok(envelope) = serde_json::from_slice::<Members<'_>>(message) else {
        return Ok(());
    };
    envelope.check(&ENVELOPE)?;
    match envelope
        .only("params")
        .map(serde_json::from_str::<Members<'_>>)
    {
        Some(Ok(params)) => params.check(&PARAMS),
        _ => Ok(()),
    }
}

/// The id of a request, if it has one and no other.
pub(crate) fn request_id(message: &[u8]) -> Option<&str> {
    let envelope = serde_json::from_slice::<Members<'_>>(message).ok()?;
    let is_request = envelope.0.iter().any(|(name, _)| name == "method");
    envelope.only("id").filter(|_| is_request)
}

struct Members<'a>(Vec<(Cow<'a, str>, Option<&'a RawValue>)>);

impl<'a> Members<'a> {
    fn check(&self, known: &[&str]) -> Result<(), String> {
        for (name, _) in self.0.iter().filter(|(name, _)| !is_plain(name)) {
            let looks_like = plain(name);
            if let Some(known) = known.iter().find(|known| **known == looks_like) {
                let name = name.escape_debug();
                return Err(format!("`{name}` is not `{known}`: names are exact"));
            }
        }
        Ok(())
    }

    /// The value of a member that is there once.
    fn only(&self, name: &str) -> Option<&'a str> {
        let mut members = self.0.iter().filter(|(known, _)| known == name);
        let (_, value) = members.next()?;
        let value = value.filter(|_| members.next().is_none())?;
        Some(value.get())
    }
}

/// Does everybody read it alike?
fn is_plain(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase())
}

/// As a careless reader might read it.
fn plain(name: &str) -> String {
    let letters = name
        .chars()
        .filter(|c| !c.is_control() && !c.is_whitespace());
    let letters = letters.flat_map(char::to_lowercase).map(|c| match c {
        'ſ' => 's',
        c => c,
    });
    letters.collect()
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::with_capacity(6);
                while let Some(Name(name)) = map.next_key()? {
                    // Only where it leads on is a value looked at.
                    let value = match &*name {
                        "params" | "id" => Some(map.next_value()?),
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            None
                        }
                    };
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// A borrowed name where it can be.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(message: &str, expected: Result<(), &str>) {
        let checked = super::check(message.as_bytes());
        assert_eq!(checked, expected.map_err(str::to_owned), "{message}");
    }

    #[test]
    fn every_name_is_exact() {
        check(
            r#"{"method": "a", "params": {"name": 1, "x": {"Name": 1}}}"#,
            Ok(()),
        );
        check(
            r#"{"Method": "a"}"#,
            Err("`Method` is not `method`: names are exact"),
        );
        check(
            "{\"param\u{17f}\": {}}",
            Err("`paramſ` is not `params`: names are exact"),
        );
        check(
            r#"{"method\u0000": "a"}"#,
            Err("`method\\0` is not `method`: names are exact"),
        );
        check(
            r#"{"params": {"Name": 1}}"#,
            Err("`Name` is not `name`: names are exact"),
        );
        check("[]", Ok(()));
        check("{", Ok(()));
    }
}
