//! Things in a service's own shape, made of one that the modules' tests have.

use serde_json::Value;

/// An item of the service, with names of the invented company for those it has.
pub(crate) fn item(text: &str, names: &[(&str, &str)]) -> Value {
    let text =
        names.iter().fold(text.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours));
    // The files are JSON: a test reads each of them.
    serde_json::from_str(&text).unwrap_or_default()
}

/// Puts values where they belong.
pub(crate) fn put<const N: usize>(item: &mut Value, values: [(&str, Value); N]) {
    for (name, value) in values {
        item[name] = value;
    }
}

/// A text that somebody sent, or nothing.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}
