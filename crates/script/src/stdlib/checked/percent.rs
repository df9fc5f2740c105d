//! `text % values`: the engine's would write floats wrongly.

use crate::stdlib::show::{self, Printer, Secrets, write_decimal, write_float, write_scientific};
use anyhow::{anyhow, bail};
use num_bigint::BigInt;
use starlark::eval::Evaluator;
use starlark::values::float::{StarlarkFloat, UnpackFloat};
use starlark::values::tuple::TupleRef;
use starlark::values::{UnpackValue, Value, ValueLike};
use std::fmt::Write;
use std::slice;

/// Every place filled in.
pub(super) fn percent<'v>(
    text: &str,
    values: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<String> {
    let mut printer = show::printer(Secrets::Refused, eval)?;
    let given = TupleRef::from_value(values).map_or(slice::from_ref(&values), TupleRef::content);
    let mut left = given.iter();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        printer.push(&rest[..at])?;
        let mut after = rest[at + 1..].chars();
        let sign = after.next().ok_or_else(|| anyhow!("`%` at the end of the text; write `%%`"))?;
        rest = after.as_str();
        if sign == '%' {
            printer.push("%")?;
            continue;
        }
        if !"srdoxXeEfFgG".contains(sign) {
            bail!(
                "`%{sign}` is no place; there are %s %r %d %x %X %o %e %f %g, and %% for a percent sign"
            );
        }
        match left.next() {
            Some(value) => place(sign, *value, &mut printer)?,
            None => bail!("`%`: the text has more places than values; {} given", given.len()),
        }
    }
    printer.push(rest)?;
    match left.len() {
        0 => Ok(printer.out),
        unused => bail!("`%`: the text has no place for {unused} of {} values", given.len()),
    }
}

fn place<'v>(sign: char, value: Value<'v>, printer: &mut Printer<'v, '_>) -> anyhow::Result<()> {
    let mut text = String::new();
    match sign {
        's' => return printer.str(value),
        'r' => return printer.repr(value),
        'd' => write_whole(&mut text, value)?,
        'o' => write_radix(&mut text, value, sign, 8)?,
        'x' | 'X' => write_radix(&mut text, value, sign, 16)?,
        'e' | 'E' => write_scientific(&mut text, number(sign, value)?),
        'f' | 'F' => write_decimal(&mut text, number(sign, value)?),
        _ => write_float(&mut text, number(sign, value)?),
    }
    if sign.is_ascii_uppercase() && sign != 'F' {
        text.make_ascii_uppercase();
    }
    printer.push(&text)
}

/// `%d`: an integer, or a float without what stands behind its point.
fn write_whole(out: &mut String, value: Value<'_>) -> anyhow::Result<()> {
    if let Some(int) = value.unpack_i32() {
        let _ = write!(out, "{int}");
        return Ok(());
    }
    if let Some(float) = value.downcast_ref::<StarlarkFloat>() {
        let whole = float.0.trunc();
        if !whole.is_finite() {
            bail!("`%d` needs a whole number, not {whole}");
        }
        // Adding zero turns -0.0 into 0.0.
        let _ = write!(out, "{:.0}", whole + 0.0);
        return Ok(());
    }
    integer('d', value).map(|digits| out.push_str(&digits.to_string()))
}

fn write_radix(out: &mut String, value: Value<'_>, sign: char, radix: u32) -> anyhow::Result<()> {
    out.push_str(&integer(sign, value)?.to_str_radix(radix));
    Ok(())
}

fn integer(sign: char, value: Value<'_>) -> anyhow::Result<BigInt> {
    match BigInt::unpack_value(value) {
        Ok(Some(int)) => Ok(int),
        _ => bail!("`%{sign}` needs a whole number, not a {}", value.get_type()),
    }
}

fn number(sign: char, value: Value<'_>) -> anyhow::Result<f64> {
    match UnpackFloat::unpack_value(value) {
        Ok(Some(UnpackFloat(float))) if float.is_infinite() && value.get_type() == "int" => {
            bail!("`%{sign}`: the number is too large for a float")
        }
        Ok(Some(UnpackFloat(float))) => Ok(float),
        _ => bail!("`%{sign}` needs a number, not a {}", value.get_type()),
    }
}
