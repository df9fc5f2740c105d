//! Which of two values is the greater, and whether they are the same.

use model::kind_of;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Equal as data: `1` is `1.0`, and the order of keys says nothing.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => numbers(left, right).is_eq(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| same(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            let found = |(key, l): (&String, &Value)| right.get(key).is_some_and(|r| same(l, r));
            left.len() == right.len() && left.iter().all(found)
        }
        _ => left == right,
    }
}

pub(super) fn compare(left: &Value, right: &Value) -> Result<Ordering, String> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Ok(numbers(left, right)),
        (Value::String(left), Value::String(right)) => Ok(left.cmp(right)),
        _ => Err(format!(
            "{} and {} have no order; < and > compare two numbers or two strings",
            kind_of(left),
            kind_of(right)
        )),
    }
}

/// Whole numbers up to 38 digits by every digit, others as floats.
fn numbers(left: &Number, right: &Number) -> Ordering {
    if let (Some(left), Some(right)) = (left.as_i128(), right.as_i128()) {
        return left.cmp(&right);
    }
    let float = |number: &Number| number.as_str().parse::<f64>().unwrap_or(f64::NAN);
    float(left).partial_cmp(&float(right)).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn numbers_are_compared_by_what_they_say() {
        let ascending = [
            "-1e300",
            "-10000000000000000000000000000000000001",
            "-10000000000000000000000000000000000000",
            "-10",
            "-9.5",
            "-9",
            "0",
            "0.5",
            "9007199254740992",
            "9007199254740993",
            "10000000000000000000000000000000000000",
            "1e40",
            "1e999",
        ];
        for (i, left) in ascending.iter().enumerate() {
            for (j, right) in ascending.iter().enumerate() {
                let got = compare(&value(left), &value(right));
                assert_eq!(got, Ok(i.cmp(&j)), "{left} {right}");
            }
        }
    }

    #[test]
    fn the_same_as_data() {
        let check = |left: &str, right: &str, expected: bool| {
            assert_eq!(same(&value(left), &value(right)), expected, "{left} {right}");
        };
        check("1", "1.0", true);
        check("0", "-0", true);
        check("-0.0", "0", true);
        check("1e2", "100", true);
        check("1", "\"1\"", false);
        check("null", "false", false);
        check(r#"{"a": 1, "b": [2]}"#, r#"{"b": [2.0], "a": 1}"#, true);
        check(r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, false);
        check(r#"{"a": null}"#, r#"{"b": null}"#, false);
        check("[1, 2]", "[2, 1]", false);
    }
}
