//! Names of members that two readers could take for different ones: given twice, or in letters that
//! only some take for the right ones.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
const PARAMS: [&str; 4] = ["name", "uri", "arguments", "_meta"];

/// Looks at the envelope, its params and their `_meta`; what is further inside is the tool's.
pub(crate) fn check(message: &[u8]) -> Result<(), String> {
    let Ok(envelope) = serde_json::from_slice::<Members<'_>>(message) else {
        return Ok(());
    };
    envelope.check(&ENVELOPE)?;
    let Some(params) = envelope.inside("params") else {
        return Ok(());
    };
    params.check(&PARAMS)?;
    match params.inside("_meta") {
        Some(meta) => meta.check(&[]),
        None => Ok(()),
    }
}

struct Members<'a>(Vec<(Cow<'a, str>, Option<&'a RawValue>)>);

impl<'a> Members<'a> {
    fn check(&self, known: &[&str]) -> Result<(), String> {
        for (i, (name, _)) in self.0.iter().enumerate() {
            if self.0[..i].iter().any(|(earlier, _)| earlier == name) {
                return Err(format!("`{}` is there twice", name.escape_debug()));
            }
            if known.is_empty() || is_plain(name) {
                continue;
            }
            let looks_like = plain(name);
            if let Some(known) = known.iter().find(|known| **known == looks_like) {
                let name = name.escape_debug();
                return Err(format!("`{name}` is not `{known}`: names are exact"));
            }
        }
        Ok(())
    }

    fn inside(&self, name: &str) -> Option<Members<'a>> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        serde_json::from_str(value.as_ref()?.get()).ok()
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
                        "params" | "_meta" => Some(map.next_value()?),
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
    fn every_name_is_there_once_and_exact() {
        check(
            r#"{"method": "a", "params": {"name": 1, "x": {"y": 1, "y": 2}}}"#,
            Ok(()),
        );
        check(
            r#"{"method": "a", "method": "b"}"#,
            Err("`method` is there twice"),
        );
        check(
            r#"{"m\u0065thod": "a", "method": "b"}"#,
            Err("`method` is there twice"),
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
            r#"{"params": {"name": 1, "name": 2}}"#,
            Err("`name` is there twice"),
        );
        check(
            r#"{"params": {"Name": 1}}"#,
            Err("`Name` is not `name`: names are exact"),
        );
        check(
            r#"{"params": {"_meta": {"a": 1, "a": 2}}}"#,
            Err("`a` is there twice"),
        );
        check("[]", Ok(()));
        check("{", Ok(()));
    }
}
