//! TOON, by the crate that follows the notation's own specification.

use serde_json::{Number, Value};
use std::fmt;
use toon_format::{EncodeOptions, encode};

/// Why a value has no form in TOON that means the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unwritable {
    /// More digits, or a larger exponent, than TOON's numbers have.
    Number(String),
    Deep,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "TOON cannot hold the number {number}"),
            Self::Deep => f.write_str("it is nested too deeply for TOON"),
        }
    }
}

pub(super) fn to_toon(value: &Value) -> Result<String, Unwritable> {
    check_numbers(value)?;
    encode(value, &EncodeOptions::default()).map_err(|_| Unwritable::Deep)
}

fn check_numbers(value: &Value) -> Result<(), Unwritable> {
    match value {
        Value::Number(number) if !survives(number) => Err(Unwritable::Number(number.to_string())),
        Value::Array(items) => items.iter().try_for_each(check_numbers),
        Value::Object(map) => map.values().try_for_each(check_numbers),
        _ => Ok(()),
    }
}

/// Our numbers keep every digit they came with; the encoder's are machine integers and doubles. TOON has
/// no negative zero.
fn survives(number: &Number) -> bool {
    let is_zero = |number: &Number| number.as_f64() == Some(0.0);
    if number.as_str().starts_with('-') && is_zero(number) {
        return false;
    }
    if number.is_i64() || number.is_u64() {
        return true;
    }
    let double = number.as_f64().filter(|double| double.is_finite());
    double.is_some_and(|double| digits(&number.to_string()) == digits(&double.to_string()))
}

/// What makes a decimal number itself, however it is written: its sign, its digits without zeros
/// around them, and the place of the last one.
fn digits(text: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => (true, mantissa),
        None => (false, mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let ends = all.trim_end_matches('0');
    let zeros = all.len() - ends.len();
    let digits = ends.trim_start_matches('0');
    if digits.is_empty() {
        return Some((false, String::new(), 0));
    }
    let places = i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
    let exponent = exponent.parse::<i64>().ok()?.checked_add(places)?;
    Some((negative, digits.to_owned(), exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toon_format::decode_default;

    #[track_caller]
    fn check(json: &str, toon: &str) {
        let value: Value = serde_json::from_str(json).unwrap();
        assert_eq!(to_toon(&value).as_deref(), Ok(toon));
    }

    #[test]
    fn a_list_of_pages_is_a_table() {
        let pages = json!({"pages": [
            {"id": "abc123", "title": "設計ドキュメント", "type": "page"},
            {"id": "def456", "title": "API仕様", "type": "page"},
            {"id": "ghi789", "title": "DB設計", "type": "database"},
        ]});
        let toon = to_toon(&pages).unwrap();
        assert_eq!(
            toon,
            "\
pages[3]{id,title,type}:
  abc123,設計ドキュメント,page
  def456,API仕様,page
  ghi789,DB設計,database"
        );
        assert_eq!(decode_default::<Value>(&toon).unwrap(), pages);
    }

    #[test]
    fn numbers_keep_their_value() {
        for (json, toon) in [
            ("0", "0"),
            ("-7", "-7"),
            ("1.0", "1"),
            ("1e5", "100000"),
            ("1.50", "1.5"),
            ("0.1", "0.1"),
            ("71.76", "71.76"),
            ("1e-7", "0.0000001"),
            ("9223372036854775807", "9223372036854775807"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("1e20", "100000000000000000000"),
            ("0e999999", "0"),
        ] {
            check(json, toon);
        }
    }

    #[test]
    fn a_number_that_would_change_is_not_written() {
        for json in [
            "18446744073709551616",
            "-9223372036854775809",
            "123456789012345678901234567890",
            "3.14159265358979323846",
            "0.1000000000000000055",
            "1e999",
            "1e99999999999999999999",
            "-0.0",
            "-0",
            "-0e7",
        ] {
            let value: Value = serde_json::from_str(&format!("[{{\"n\":{json}}}]")).unwrap();
            let why = Unwritable::Number(value[0]["n"].to_string());
            assert_eq!(to_toon(&value), Err(why), "{json}");
        }
    }

    #[test]
    fn a_value_that_is_too_deep_is_not_written() {
        let deep = (0..300).fold(json!(1), |inner, _| json!({ "a": inner }));
        assert_eq!(to_toon(&deep), Err(Unwritable::Deep));
    }
}
