//! Names of members that two readers could take for different ones.

use model::{DuplicateKey, KeyPlace, scan_keys};

const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
const PARAMS: [&str; 4] = ["name", "uri", "arguments", "_meta"];

/// What is wrong with a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadKey {
    Twice(DuplicateKey),
    /// Only some readers take its letters for the right ones.
    Misspelt(String),
}

/// Looks for names that stand twice in one object, anywhere, and at the spelling of the envelope's and
/// its params'. The message must be valid JSON.
pub(crate) fn check(message: &[u8]) -> Result<(), BadKey> {
    let mut misspelt = None;
    let duplicate = scan_keys(message, |place| {
        let known = known_names(place);
        if !known.is_empty() && !is_plain(place.key) && misspelt.is_none() {
            misspelt = spelling(place.key, known);
        }
    });
    match (duplicate, misspelt) {
        (Some(duplicate), _) => Err(BadKey::Twice(duplicate)),
        (None, Some(why)) => Err(BadKey::Misspelt(why)),
        (None, None) => Ok(()),
    }
}

fn known_names(place: KeyPlace<'_>) -> &'static [&'static str] {
    match (place.depth, place.within) {
        (1, _) => &ENVELOPE,
        (2, Some(b"params")) => &PARAMS,
        _ => &[],
    }
}

fn spelling(name: &[u8], known: &[&str]) -> Option<String> {
    let name = String::from_utf8_lossy(name);
    let looks_like = plain(&name);
    let known = known.iter().find(|known| **known == looks_like)?;
    let name = name.escape_debug();
    Some(format!("`{name}` is not `{known}`: names are exact"))
}

/// Does everybody read it alike?
fn is_plain(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase())
}

/// As a careless reader might read it.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !c.is_control() && !c.is_whitespace());
    let letters = letters.flat_map(char::to_lowercase).map(|c| match c {
        'ſ' => 's',
        c => c,
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expected: Result<(), &str>) {
        let checked = super::check(message.as_bytes());
        let checked = checked.map_err(|bad| match bad {
            BadKey::Twice(duplicate) => duplicate.to_string(),
            BadKey::Misspelt(why) => why,
        });
        assert_eq!(checked, expected.map_err(str::to_owned), "{message}");
    }

    #[test]
    fn every_name_is_exact() {
        check(r#"{"method": "a", "params": {"name": 1, "x": {"Name": 1}}}"#, Ok(()));
        check(r#"{"Method": "a"}"#, Err("`Method` is not `method`: names are exact"));
        check("{\"param\u{17f}\": {}}", Err("`paramſ` is not `params`: names are exact"));
        check(r#"{"method\u0000": "a"}"#, Err("`method\\0` is not `method`: names are exact"));
        check(r#"{"params": {"Name": 1}}"#, Err("`Name` is not `name`: names are exact"));
        check(r#"{"result": {"Name": 1, "PARAMS": {"Name": 2}}}"#, Ok(()));
        check(
            r#"{"params": {"x": {"y": 1, "y": 2}}}"#,
            Err("the key `y` is there twice in one object"),
        );
        check("[]", Ok(()));
        check("{", Ok(()));
    }
}
