//! TOML read by serde: what is wrong is told with its place and, for a name, with the nearest that there is.

mod amounts;
mod json;
mod source;
mod spans;
mod write;

pub(crate) use amounts::{Size, Time};
pub(crate) use json::object;
pub(crate) use source::Source;
pub(crate) use spans::{IsAllowed, Spans};
pub use write::write_toml;
pub(crate) use write::{inline_toml, toml_key};

use model::{Fault, did_you_mean};
use serde::de::{DeserializeOwned, Error, IntoDeserializer};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use toml::Spanned;
use toml::de::DeTable;

/// A parsed text, before anything is asked of it.
pub(crate) struct Document<'t> {
    source: Source,
    root: Spanned<DeTable<'t>>,
    pub(crate) spans: Spans,
}

impl<'t> Document<'t> {
    pub(crate) fn parse(file: &str, text: &'t str) -> Result<Self, Fault> {
        let source = Source::new(file, text);
        let root = DeTable::parse(text).map_err(|error| {
            let fault = Fault::new(format!("not valid TOML: {}", error.message()));
            fault.at(source.place(&error.span().unwrap_or_default()))
        })?;
        let spans = Spans::of(source.clone(), root.get_ref());
        Ok(Self { source, root, spans })
    }

    /// A text above all tables, if there is one.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.root.get_ref().get(key)?.get_ref().as_str()
    }

    /// What it says, if no text is empty, no number 0 and no table a list.
    pub(crate) fn read<T: DeserializeOwned>(
        self,
        is_allowed: IsAllowed,
    ) -> Result<(T, Spans), Fault> {
        if let Some(fault) = self.spans.misplaced(is_allowed) {
            return Err(fault);
        }
        match T::deserialize(toml::Deserializer::from(self.root)) {
            Ok(read) => Ok((read, self.spans)),
            Err(error) => {
                let span = error.span().unwrap_or_default();
                let name = self.spans.name(&span).unwrap_or_else(|| "this".to_owned());
                Err(explain(error.message(), &name).at(self.source.place(&span)))
            }
        }
    }
}

/// The whole text as an object, its keys in the order they were written.
pub fn read_toml(text: &str) -> Result<Value, Fault> {
    let fault = |error: toml::de::Error| {
        let place = Source::new("toml", text).place(&error.span().unwrap_or_default());
        Fault::new(error.message()).at(place)
    };
    let root = DeTable::parse(text).map_err(fault)?;
    json::of_table(root.get_ref())
        .map_err(|(why, span)| Fault::new(why).at(Source::new("toml", text).place(&span)))
}

/// One of the words of a type. The type's own reader would take a table as well.
pub(crate) fn word<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    let read = T::deserialize(text.into_deserializer());
    read.map_err(|error: serde::de::value::Error| D::Error::custom(error))
}

/// Reads a text by a function; its advice reaches `explain` behind a line break.
pub(crate) fn checked<'de, T, D>(
    deserializer: D,
    read: impl FnOnce(&str) -> Result<T, Fault>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    let text = String::deserialize(deserializer)?;
    read(&text).map_err(|Fault { message, help, .. }| match help {
        Some(help) => D::Error::custom(format!("{message}\n{help}")),
        None => D::Error::custom(message),
    })
}

/// A word of a flag, as the file reads it.
pub fn parse_word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    T::deserialize(text.into_deserializer()).map_err(|error: serde::de::value::Error| {
        let Fault { message, help, .. } = explain(&error.to_string(), text);
        format!("{message}; {}", help.unwrap_or_default())
    })
}

/// serde's words for what is wrong, in ours. It lists what there is: "unknown field `x`, expected one of `a`, `b`".
fn explain(message: &str, name: &str) -> Fault {
    let named = |start, what| Some((message.strip_prefix(start)?, what));
    let unknown = named("unknown field ", "key").or_else(|| named("unknown variant ", "value"));
    if let Some((names, what)) = unknown {
        let mut names = names.split('`').skip(1).step_by(2);
        let given = names.next().unwrap_or_default();
        let known: Vec<&str> = names.collect();
        Fault::new(format!("unknown {what} `{given}`")).help(way_out(given, &known))
    } else if let Some(key) = message.strip_prefix("missing field ") {
        Fault::new(format!("{key} is missing"))
    } else {
        match message.split_once('\n') {
            Some((message, help)) => Fault::new(message).help(help),
            None => Fault::new(mismatch(message, name).unwrap_or_else(|| message.to_owned())),
        }
    }
}

fn way_out(given: &str, known: &[&str]) -> String {
    match (did_you_mean(given, known.iter().copied()), known) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, [only]) => format!("there is only `{only}`"),
        (None, known) => format!("there are `{}`", known.join("`, `")),
    }
}

/// What a value must be, without the names that types have in Rust.
fn mismatch(message: &str, name: &str) -> Option<String> {
    let of_type = message.strip_prefix("invalid type: ");
    let wrong = of_type.or_else(|| message.strip_prefix("invalid value: "))?;
    let (got, expected) = wrong.rsplit_once(", expected ")?;
    let got = match got {
        "sequence" => "a list",
        "map" => "a table",
        other => other,
    };
    let expected = match expected {
        "usize" | "u64" | "u32" => "a whole number above 0",
        "u16" => "a whole number from 1 to 65535",
        "a sequence" => "a list",
        "a map" => "a table",
        other => other,
    };
    Some(format!("{name} must be {expected}, got {got}"))
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
