//! Floats in JSON, which has no infinities: as text they are at least told apart from null.

use serde_json::{Number, Value};

pub(crate) fn to_json(float: f64) -> Value {
    match Number::from_f64(float) {
        Some(number) => Value::Number(number),
        None if float > 0.0 => "Infinity".into(),
        None if float < 0.0 => "-Infinity".into(),
        None => "NaN".into(),
    }
}
