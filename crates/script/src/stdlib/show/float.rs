//! Floats as text: the shortest digits that read back as the same number, in Python's notation.
//! The engine's own text keeps six digits and drops carries.

use std::fmt::Write;

/// Python writes smaller and larger numbers with an exponent.
const SMALLEST_PLAIN: f64 = 1e-4;
const LARGEST_PLAIN: f64 = 1e16;

/// `1234567.89`, `1e+16`, `1e-05`, `+inf`, `nan`.
pub(crate) fn write_float(out: &mut String, float: f64) {
    let size = float.abs();
    if !float.is_finite() {
        out.push_str(non_finite(float));
    } else if size == 0.0 || (SMALLEST_PLAIN..LARGEST_PLAIN).contains(&size) {
        // `{:?}` keeps the point in `1.0`.
        let _ = write!(out, "{float:?}");
    } else {
        write_exponent(out, &format!("{float:e}"));
    }
}

/// `%e`: six digits after the point.
pub(crate) fn write_scientific(out: &mut String, float: f64) {
    if float.is_finite() {
        write_exponent(out, &format!("{float:.6e}"));
    } else {
        out.push_str(non_finite(float));
    }
}

/// `%f`: six digits after the point, without an exponent.
pub(crate) fn write_decimal(out: &mut String, float: f64) {
    if float.is_finite() {
        let _ = write!(out, "{float:.6}");
    } else {
        out.push_str(non_finite(float));
    }
}

fn non_finite(float: f64) -> &'static str {
    if float.is_nan() {
        "nan"
    } else if float > 0.0 {
        "+inf"
    } else {
        "-inf"
    }
}

/// Rust's `1e16` as `1e+16`: with a sign and at least two digits.
fn write_exponent(out: &mut String, text: &str) {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    let _ = write!(out, "{digits}e{sign}{exponent:0>2}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: fn(&mut String, f64), float: f64) -> String {
        let mut out = String::new();
        write(&mut out, float);
        out
    }

    #[test]
    fn float_text_is_pythons() {
        for (float, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.000_099, "9.9e-05"),
            (1e-5, "1e-05"),
            (5e-324, "5e-324"),
            (1e6, "1000000.0"),
            (9_999_999.9, "9999999.9"),
            (99_999_999.0, "99999999.0"),
            (1_763_319_600.5, "1763319600.5"),
            (999_999_999_999_999.0, "999999999999999.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (-1.5e100, "-1.5e+100"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::INFINITY, "+inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(text(write_float, float), expected);
        }
    }

    #[test]
    fn fixed_notations_round_with_carries() {
        for (float, scientific, decimal) in [
            (9_999_999.9, "1.000000e+07", "9999999.900000"),
            (0.0, "0.000000e+00", "0.000000"),
            (-1.5, "-1.500000e+00", "-1.500000"),
            (1e-7, "1.000000e-07", "0.000000"),
            (1.23e45, "1.230000e+45", "1229999999999999973814869011019624571608236032.000000"),
            (f64::INFINITY, "+inf", "+inf"),
        ] {
            assert_eq!(text(write_scientific, float), scientific);
            assert_eq!(text(write_decimal, float), decimal);
        }
    }
}
