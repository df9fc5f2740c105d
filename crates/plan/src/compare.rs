//! Which of two values is the greater, and whether they are the same.

use super::follow::kind;
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
            kind(left),
            kind(right)
        )),
    }
}

/// Whole numbers by every digit, others as floats.
fn numbers(left: &Number, right: &Number) -> Ordering {
    let (left, right) = (left.to_string(), right.to_string());
    if let (Some(left), Some(right)) = (Whole::of(&left), Whole::of(&right)) {
        return left.order(&right);
    }
    let float = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    let order = float(&left).partial_cmp(&float(&right));
    order.unwrap_or(Ordering::Equal)
}

/// A whole number of any length.
struct Whole<'t> {
    is_negative: bool,
    digits: &'t str,
}

impl<'t> Whole<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_whole = digits.bytes().all(|b| b.is_ascii_digit());
        is_whole.then_some(Self { is_negative: text.len() > digits.len() && digits != "0", digits })
    }

    fn order(&self, other: &Self) -> Ordering {
        let size = |of: &Self| (of.digits.len(), of.digits);
        match (self.is_negative, other.is_negative) {
            (false, false) => size(self).cmp(&size(other)),
            (true, true) => size(other).cmp(&size(self)),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
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
            "-100000000000000000000000000000000000000001",
            "-100000000000000000000000000000000000000000",
            "-10",
            "-9.5",
            "-9",
            "0",
            "0.5",
            "9007199254740992",
            "9007199254740993",
            "100000000000000000000000000000000000000000",
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
