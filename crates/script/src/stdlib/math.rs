//! `math`: arithmetic. What has no value, or none that a float can hold, is an error.

use crate::stdlib::prelude::*;
use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use starlark::values::float::StarlarkFloat;

pub(super) fn natives(builder: &mut GlobalsBuilder) {
    angles(builder);
    // The last one says what all of them are for.
    functions(builder);
    builder.set("pi", std::f64::consts::PI);
    builder.set("e", std::f64::consts::E);
}

enum Number {
    Int(BigInt),
    Float(f64),
}

fn number(value: Value<'_>) -> anyhow::Result<Number> {
    if let Some(int) = value.unpack_i32() {
        return Ok(Number::Int(int.into()));
    }
    if let Some(float) = value.downcast_ref::<StarlarkFloat>() {
        return Ok(Number::Float(float.0));
    }
    match BigInt::unpack_value(value) {
        Ok(Some(int)) => Ok(Number::Int(int)),
        _ => bail!("math works on numbers, not on a {}", value.get_type()),
    }
}

fn float(value: Value<'_>) -> anyhow::Result<f64> {
    match number(value)? {
        Number::Float(float) => Ok(float),
        Number::Int(int) => match int.to_f64() {
            Some(float) if float.is_finite() => Ok(float),
            _ => bail!("an integer of {} bits is too large for a float", int.bits()),
        },
    }
}

/// The result, unless it has run out of what floats can say.
fn finite(function: &str, given: &[f64], result: f64) -> anyhow::Result<f64> {
    if result.is_finite() || given.iter().any(|x| !x.is_finite()) {
        return Ok(result);
    }
    let given: Vec<String> = given.iter().map(|x| format!("{x:?}")).collect();
    let given = given.join(", ");
    if result.is_nan() {
        bail!("math.{function}({given}) has no value");
    }
    bail!("math.{function}({given}) is too large for a float")
}

fn of_one(function: &str, x: Value<'_>, f: fn(f64) -> f64) -> anyhow::Result<f64> {
    let x = float(x)?;
    finite(function, &[x], f(x))
}

/// The whole number that a float was rounded to, exactly.
fn whole<'v>(
    function: &str,
    x: Value<'v>,
    round: fn(f64) -> f64,
    heap: Heap<'v>,
) -> anyhow::Result<Value<'v>> {
    match number(x)? {
        Number::Int(_) => Ok(x),
        Number::Float(float) => match BigInt::from_f64(round(float)) {
            Some(int) => Ok(heap.alloc(int)),
            None => {
                bail!("math.{function}({}) has no value", float.to_string().to_lowercase())
            }
        },
    }
}

/// Arithmetic: what has no value, or none that a float can hold, is an error.
#[starlark_module]
fn functions(builder: &mut GlobalsBuilder) {
    /// `x` to the power of `y`, as a float.
    ///
    /// Examples:
    /// ```python
    /// >>> math.pow(2, 10)
    /// 1024.0
    /// >>> math.pow(-8, 0.5)
    /// error: math.pow(-8.0, 0.5) has no value
    /// ```
    fn pow<'v>(x: Value<'v>, y: Value<'v>) -> anyhow::Result<f64> {
        let (x, y) = (float(x)?, float(y)?);
        finite("pow", &[x, y], x.powf(y))
    }

    /// The square root, as a float.
    ///
    /// Examples:
    /// ```python
    /// >>> math.sqrt(2.25)
    /// 1.5
    /// >>> math.sqrt(-1)
    /// error: math.sqrt needs a number of at least 0, not -1.0
    /// ```
    fn sqrt<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        let x = float(x)?;
        if x < 0.0 {
            bail!("math.sqrt needs a number of at least 0, not {x:?}");
        }
        Ok(x.sqrt())
    }

    /// The number without its sign, as a float; the built-in `abs` leaves an int an int.
    ///
    /// Examples:
    /// ```python
    /// >>> math.abs(-5)
    /// 5.0
    /// >>> abs(-5)
    /// 5
    /// ```
    fn abs<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        of_one("abs", x, f64::abs)
    }

    /// The least int that is not below `x`.
    ///
    /// Examples:
    /// ```python
    /// >>> math.ceil(1.2)
    /// 2
    /// >>> math.ceil(1e15 + 0.5)
    /// 1000000000000001
    /// ```
    fn ceil<'v>(x: Value<'v>, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        whole("ceil", x, f64::ceil, heap)
    }

    /// The greatest int that is not above `x`.
    ///
    /// Examples:
    /// ```python
    /// >>> math.floor(-1.2)
    /// -2
    /// ```
    fn floor<'v>(x: Value<'v>, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        whole("floor", x, f64::floor, heap)
    }

    /// The number rounded to so many decimals, as a float; halves go away from zero.
    ///
    /// With negative decimals it is rounded to tens, hundreds and so on.
    ///
    /// Examples:
    /// ```python
    /// >>> math.round(2.5)
    /// 3.0
    /// >>> math.round(3.14159, 2)
    /// 3.14
    /// >>> math.round(1234, decimals = -2)
    /// 1200.0
    /// ```
    fn round<'v>(x: Value<'v>, #[starlark(default = 0)] decimals: i32) -> anyhow::Result<f64> {
        let x = float(x)?;
        if !x.is_finite() {
            return Ok(x);
        }
        let factor = 10_f64.powi(decimals.saturating_abs());
        let rounded = if decimals >= 0 {
            (x * factor).round() / factor
        } else {
            (x / factor).round() * factor
        };
        // Beyond what a float can tell apart there is nothing to round, or nothing left.
        Ok(match (rounded.is_finite(), decimals >= 0) {
            (true, _) => rounded,
            (false, true) => x,
            (false, false) => 0.0,
        })
    }

    /// The logarithm to a base, which is `e` unless given.
    ///
    /// Examples:
    /// ```python
    /// >>> math.log(math.e)
    /// 1.0
    /// >>> math.log(8, 2)
    /// 3.0
    /// >>> math.log(0)
    /// error: math.log needs a number above 0, not 0.0
    /// ```
    fn log<'v>(x: Value<'v>, base: Option<Value<'v>>) -> anyhow::Result<f64> {
        let x = float(x)?;
        if x <= 0.0 {
            bail!("math.log needs a number above 0, not {x:?}");
        }
        let Some(base) = base else {
            return Ok(x.ln());
        };
        let base = float(base)?;
        if base <= 0.0 || (base - 1.0).abs() < f64::EPSILON {
            bail!("math.log needs a base above 0 that is not 1, not {base:?}");
        }
        // These two are exact where a quotient would be off by a digit.
        let result = match base {
            2.0 => x.log2(),
            10.0 => x.log10(),
            _ => x.log(base),
        };
        finite("log", &[x, base], result)
    }

    /// `e` to the power of `x`.
    ///
    /// Examples:
    /// ```python
    /// >>> math.exp(0)
    /// 1.0
    /// >>> math.exp(1000)
    /// error: math.exp(1000.0) is too large for a float
    /// ```
    fn exp<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        of_one("exp", x, f64::exp)
    }

    /// The length of the hypotenuse: the square root of `x*x + y*y`.
    ///
    /// Examples:
    /// ```python
    /// >>> math.hypot(3, 4)
    /// 5.0
    /// ```
    fn hypot<'v>(x: Value<'v>, y: Value<'v>) -> anyhow::Result<f64> {
        let (x, y) = (float(x)?, float(y)?);
        finite("hypot", &[x, y], x.hypot(y))
    }
}

#[starlark_module]
fn angles(builder: &mut GlobalsBuilder) {
    /// The sine of an angle in radians.
    ///
    /// Examples:
    /// ```python
    /// >>> math.sin(0)
    /// 0.0
    /// ```
    fn sin<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        of_one("sin", x, f64::sin)
    }

    /// The cosine of an angle in radians.
    ///
    /// Examples:
    /// ```python
    /// >>> math.cos(0)
    /// 1.0
    /// ```
    fn cos<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        of_one("cos", x, f64::cos)
    }

    /// The tangent of an angle in radians.
    ///
    /// Examples:
    /// ```python
    /// >>> math.tan(0)
    /// 0.0
    /// ```
    fn tan<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        of_one("tan", x, f64::tan)
    }

    /// The angle in radians whose sine is `x`.
    ///
    /// Examples:
    /// ```python
    /// >>> math.degrees(math.asin(1))
    /// 90.0
    /// >>> math.asin(2)
    /// error: math.asin(2.0) has no value
    /// ```
    fn asin<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        of_one("asin", x, f64::asin)
    }

    /// The angle in radians whose cosine is `x`.
    ///
    /// Examples:
    /// ```python
    /// >>> math.acos(1)
    /// 0.0
    /// ```
    fn acos<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        of_one("acos", x, f64::acos)
    }

    /// The angle in radians whose tangent is `x`.
    ///
    /// Examples:
    /// ```python
    /// >>> math.degrees(math.atan(1))
    /// 45.0
    /// ```
    fn atan<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        of_one("atan", x, f64::atan)
    }

    /// The angle in radians of the point `(x, y)`, in the quadrant it lies in.
    ///
    /// Examples:
    /// ```python
    /// >>> math.degrees(math.atan2(1, -1))
    /// 135.0
    /// ```
    fn atan2<'v>(y: Value<'v>, x: Value<'v>) -> anyhow::Result<f64> {
        Ok(float(y)?.atan2(float(x)?))
    }

    /// Radians as degrees.
    ///
    /// Examples:
    /// ```python
    /// >>> math.degrees(math.pi)
    /// 180.0
    /// ```
    fn degrees<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        of_one("degrees", x, f64::to_degrees)
    }

    /// Degrees as radians.
    ///
    /// Examples:
    /// ```python
    /// >>> math.radians(180) == math.pi
    /// True
    /// ```
    fn radians<'v>(x: Value<'v>) -> anyhow::Result<f64> {
        of_one("radians", x, f64::to_radians)
    }
}
