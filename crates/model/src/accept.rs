//! Checks values against types and gives them the form the types ask for.

use crate::did_you_mean;
use crate::schema::{Field, Schema};
use serde_json::{Map, Value, json};

/// A value that is not what its type says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// `repo`, `tags[2]`, `point.x`.
    pub path: String,
    pub message: String,
}

/// Digits of an integer: the time to read one grows with their square.
pub const MOST_DIGITS: usize = 20_000;

/// Which values a type takes besides its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leniency {
    /// None: for defaults and choices, which authors write.
    Strict,
    /// What callers write and what has one meaning: a number or boolean where text is wanted, null for a
    /// parameter that may be left out.
    Lenient,
}

impl Schema {
    /// Checks a value and gives it the form its type asks for; what does not fit is listed.
    pub fn accept(&self, value: Value, path: &str, wrong: &mut Vec<Mismatch>) -> Value {
        self.accept_as(value, path, Leniency::Strict, wrong)
    }

    fn accept_as(
        &self,
        value: Value,
        path: &str,
        leniency: Leniency,
        wrong: &mut Vec<Mismatch>,
    ) -> Value {
        match (self, value) {
            (Self::Any, value) | (Self::Number, value @ Value::Number(_)) => {
                readable(value, path, wrong)
            }
            (Self::Int, Value::Number(number)) => match integral(&number) {
                Some(whole) => readable(whole, path, wrong),
                None => self.refuse(Value::Number(number), path, wrong),
            },
            (Self::List(item), Value::Array(values)) => Value::Array(
                values
                    .into_iter()
                    .enumerate()
                    .map(|(i, v)| item.accept_as(v, &format!("{path}[{i}]"), leniency, wrong))
                    .collect(),
            ),
            (Self::Tuple(items), Value::Array(values)) if items.len() == values.len() => {
                Value::Array(
                    items
                        .iter()
                        .zip(values)
                        .enumerate()
                        .map(|(i, (s, v))| s.accept_as(v, &format!("{path}[{i}]"), leniency, wrong))
                        .collect(),
                )
            }
            (Self::Dict(item), Value::Object(map)) => Value::Object(
                map.into_iter()
                    .map(|(k, v)| {
                        let v = item.accept_as(v, &join(path, &k), leniency, wrong);
                        (k, v)
                    })
                    .collect(),
            ),
            (Self::Record { fields, .. }, Value::Object(map)) => {
                Value::Object(accept_fields(fields, map, false, path, leniency, wrong))
            }
            (Self::Union(kinds), value) => self.accept_union(kinds, value, path, leniency, wrong),
            (plain @ (Self::Null | Self::Bool | Self::Str | Self::OneOf(_)), value)
                if plain.is_exactly(&value) =>
            {
                value
            }
            (other, value) => match other.take_as_text(&value) {
                Some(text) if leniency == Leniency::Lenient => text,
                _ => other.refuse(value, path, wrong),
            },
        }
    }

    /// A number or boolean as the text that is wanted in its place.
    fn take_as_text(&self, value: &Value) -> Option<Value> {
        let text = match value {
            Value::Number(number) => Value::from(number.as_str()),
            Value::Bool(flag) => Value::from(flag.to_string()),
            _ => return None,
        };
        match self {
            Self::Str => Some(text),
            Self::OneOf(choices) => choices.contains(&text).then_some(text),
            _ => None,
        }
    }

    /// What somebody typed on a command line, as this type reads it: `5` is a number only where one is wanted.
    pub fn read_text(&self, text: &str) -> Value {
        let as_json = || serde_json::from_str::<Value>(text).ok();
        let as_text = || Value::String(text.to_owned());
        match self {
            Self::Str => as_text(),
            Self::Any => as_json().filter(|json| !json.is_string()).unwrap_or_else(as_text),
            Self::Bool => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "1" => Value::Bool(true),
                "false" | "no" | "0" => Value::Bool(false),
                _ => as_text(),
            },
            Self::List(item) if !text.trim_start().starts_with('[') => {
                Value::Array(text.split(',').map(|part| item.read_text(part.trim())).collect())
            }
            _ => {
                let candidates = [Some(as_text()), as_json()];
                let fits = candidates.into_iter().flatten().find(|value| self.is_exactly(value));
                fits.or_else(as_json).unwrap_or_else(as_text)
            }
        }
    }

    /// Does the value fit as it stands, without being changed?
    pub fn is_exactly(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null)
            | (Self::Bool, Value::Bool(_))
            | (Self::Str, Value::String(_)) => true,
            (Self::Int, Value::Number(n)) => is_integer(&n.to_string()),
            (Self::Number, Value::Number(n)) => !is_integer(&n.to_string()),
            (Self::OneOf(choices), value) => choices.contains(value),
            (
                Self::Any
                | Self::List(_)
                | Self::Tuple(_)
                | Self::Dict(_)
                | Self::Record { .. }
                | Self::Union(_),
                value,
            ) => {
                let mut wrong = Vec::new();
                self.accept_as(value.clone(), "", Leniency::Strict, &mut wrong);
                wrong.is_empty()
            }
            _ => false,
        }
    }

    fn accept_union(
        &self,
        kinds: &[Self],
        value: Value,
        path: &str,
        leniency: Leniency,
        wrong: &mut Vec<Mismatch>,
    ) -> Value {
        if let Some(exact) = kinds.iter().find(|kind| kind.is_exactly(&value)) {
            return exact.accept(value, path, wrong);
        }
        let mut nearest: Option<Vec<Mismatch>> = None;
        // A type that takes the value as its own comes before one that takes it as text.
        let strict = kinds.iter().map(|kind| (kind, Leniency::Strict));
        let lenient = kinds.iter().map(|kind| (kind, Leniency::Lenient));
        let lenient = lenient.filter(|_| leniency == Leniency::Lenient);
        for (kind, leniency) in strict.chain(lenient) {
            let mut theirs = Vec::new();
            let taken = kind.accept_as(value.clone(), path, leniency, &mut theirs);
            if theirs.is_empty() {
                return taken;
            }
            // A complaint from inside the value says more than "expected A or B".
            if theirs.iter().any(|m| m.path != path) {
                nearest = Some(theirs);
            }
        }
        match nearest {
            Some(theirs) => {
                wrong.extend(theirs);
                value
            }
            None => self.refuse(value, path, wrong),
        }
    }

    fn refuse(&self, value: Value, path: &str, wrong: &mut Vec<Mismatch>) -> Value {
        let mut message = format!("expected {}, got {}", self.spoken(), spoken_value(&value));
        if let (Self::OneOf(choices), Value::String(given)) = (self, &value)
            && let Some(near) = did_you_mean(given, choices.iter().filter_map(Value::as_str))
        {
            message = format!("{message}; did you mean \"{near}\"?");
        }
        wrong.push(Mismatch { path: path.to_owned(), message });
        value
    }

    fn spoken(&self) -> String {
        match self {
            Self::Any => "any value".into(),
            Self::Null => "null".into(),
            Self::Bool => "true or false".into(),
            Self::Int => "an integer".into(),
            Self::Number => "a number".into(),
            Self::Str => "a string".into(),
            Self::OneOf(choices) => {
                let list: Vec<String> = choices.iter().map(Value::to_string).collect();
                format!("one of {}", list.join(", "))
            }
            Self::List(_) => "a list".into(),
            Self::Tuple(items) => format!("a list of {}", items.len()),
            Self::Dict(_) => "an object".into(),
            Self::Record { name, .. } => format!("an object ({name})"),
            Self::Union(kinds) => kinds.iter().map(Self::spoken).collect::<Vec<_>>().join(" or "),
        }
    }
}

/// Checks an object field by field and fills in what was left out.
pub(crate) fn accept_fields(
    fields: &[Field],
    mut given: Map<String, Value>,
    open: bool,
    path: &str,
    leniency: Leniency,
    wrong: &mut Vec<Mismatch>,
) -> Map<String, Value> {
    let mut taken = Map::new();
    for field in fields {
        let at = join(path, &field.name);
        let value = given.shift_remove(&field.name);
        let value = value.filter(|value| {
            leniency == Leniency::Strict || !(value.is_null() && field.reads_null_as_absent())
        });
        match (value, &field.default) {
            (Some(value), _) => {
                let value = field.schema.accept_as(value, &at, leniency, wrong);
                taken.insert(field.name.clone(), value);
            }
            (None, Some(default)) => {
                taken.insert(field.name.clone(), default.clone());
            }
            (None, None) if field.required => {
                wrong.push(Mismatch { path: at, message: "is required".into() });
            }
            (None, None) => {}
        }
    }
    if open {
        for (key, value) in given {
            let value = readable(value, &join(path, &key), wrong);
            taken.insert(key, value);
        }
    } else {
        for key in given.keys() {
            wrong.push(unknown(fields, path, key));
        }
    }
    taken
}

impl Field {
    /// Is null no value of its own here, and may the field be left out?
    fn reads_null_as_absent(&self) -> bool {
        (!self.required || self.default.is_some()) && !self.schema.is_exactly(&Value::Null)
    }
}

fn unknown(fields: &[Field], path: &str, key: &str) -> Mismatch {
    let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
    Mismatch { path: join(path, key), message: unknown_name(&names, key) }
}

/// Why a name is none of the parameters.
pub(crate) fn unknown_name(names: &[&str], given: &str) -> String {
    match did_you_mean(given, names.iter().copied()) {
        Some(near) => format!("is not a parameter; did you mean `{near}`?"),
        None if names.is_empty() => "is not a parameter; there are none".into(),
        None => format!("is not a parameter; there are {}", names.join(", ")),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn is_integer(digits: &str) -> bool {
    !digits.contains(['.', 'e', 'E'])
}

/// The number as an integer, when it is one: `3`, `3.0`, `3e2`; large ones keep every digit.
fn integral(number: &serde_json::Number) -> Option<Value> {
    let text = number.as_str();
    if is_integer(text) {
        return Some(Value::Number(number.clone()));
    }
    let float: f64 = text.parse().ok()?;
    // Beyond 2^53 a float no longer says which integer is meant.
    let exact = float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "just checked to be a whole number below 2^53"
    )]
    exact.then(|| json!(float as i64))
}

/// Refuses numbers no float can hold, such as `1e999`, and integers of too many digits, wherever
/// they hide.
fn readable(value: Value, path: &str, wrong: &mut Vec<Mismatch>) -> Value {
    find_unreadable(&value, path, wrong);
    value
}

/// Why a number cannot be read, if it cannot.
pub fn unreadable_number(number: &serde_json::Number) -> Option<String> {
    let text = number.as_str();
    if is_integer(text) {
        let digits = text.trim_start_matches('-').len();
        return (digits > MOST_DIGITS).then(|| {
            format!("{digits} digits are too many for an integer; it may have {MOST_DIGITS}")
        });
    }
    let is_finite = text.parse::<f64>().is_ok_and(f64::is_finite);
    (!is_finite).then(|| format!("{} is too large for a number", shorten(text)))
}

fn find_unreadable(value: &Value, path: &str, wrong: &mut Vec<Mismatch>) {
    match value {
        Value::Number(number) => {
            if let Some(message) = unreadable_number(number) {
                wrong.push(Mismatch { path: path.to_owned(), message });
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate().filter(|(_, item)| may_hold_numbers(item)) {
                find_unreadable(item, &format!("{path}[{i}]"), wrong);
            }
        }
        Value::Object(map) => {
            for (key, item) in map.iter().filter(|(_, item)| may_hold_numbers(item)) {
                find_unreadable(item, &join(path, key), wrong);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Keeps the common case, text, from paying for a path nobody will read.
fn may_hold_numbers(value: &Value) -> bool {
    matches!(value, Value::Number(_) | Value::Array(_) | Value::Object(_))
}

/// Names a value and its kind, for errors: `the number 7`.
pub fn spoken_value(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => format!("the number {}", shorten(&n.to_string())),
        Value::String(s) => format!("the string {}", shorten(&json!(s).to_string())),
        other => kind_of(other).to_owned(),
    }
}

/// Names the kind of a value: `a list`, `null`.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

pub fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 {
        return text.to_owned();
    }
    text.chars().take(57).chain("...".chars()).collect()
}
