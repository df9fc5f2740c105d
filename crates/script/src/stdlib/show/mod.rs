//! Values as text: for scripts, for the log, and for the messages of our own.

mod float;
mod measure;
mod printer;

use crate::stdlib::prelude::*;
pub(crate) use float::{write_decimal, write_float, write_scientific};
pub(crate) use measure::measure;
pub(crate) use printer::{DEEPEST, Printer, Secrets};

use model::Level;
use starlark::values::StringValue;
use starlark::values::string::StarlarkStr;

/// Bytes of a value in a message.
const LONGEST_QUOTE: usize = 200;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

/// Writes within the limits of the evaluation.
pub(crate) fn printer<'v, 'r>(
    secrets: Secrets,
    eval: &Evaluator<'v, 'r, '_>,
) -> anyhow::Result<Printer<'v, 'r>> {
    Ok(Printer::new(&Cx::of(eval)?.gauge, eval.heap(), secrets))
}

/// As `str` gives it. A secret is an error: the text can be sent anywhere.
pub(crate) fn text<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<String> {
    let mut printer = printer(Secrets::Refused, eval)?;
    printer.str(value)?;
    Ok(printer.out)
}

/// As `repr` gives it.
fn repr<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<String> {
    let mut printer = printer(Secrets::Refused, eval)?;
    printer.repr(value)?;
    Ok(printer.out)
}

/// Several values, one after the other, for people to read: a secret is shown by its name.
pub(crate) fn line<'v>(
    values: &[Value<'v>],
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<String> {
    let mut printer = printer(Secrets::Named, eval)?;
    for (i, value) in values.iter().enumerate() {
        printer.push(if i > 0 { " " } else { "" })?;
        printer.str(*value)?;
    }
    Ok(printer.out)
}

/// A number, a boolean, a text or None as `str` gives it.
pub(crate) fn plain(value: Value<'_>) -> String {
    let mut printer = Printer::bounded(usize::MAX, None);
    let _ = printer.str(value);
    printer.out
}

/// The value as a message quotes it: as `repr` gives it, cut where it is long.
pub(crate) fn quoted(value: Value<'_>) -> String {
    cut(value, LONGEST_QUOTE, None)
}

/// As `repr` gives it, up to so many bytes.
pub(crate) fn cut<'v>(value: Value<'v>, most: usize, heap: Option<Heap<'v>>) -> String {
    let mut printer = Printer::bounded(most, heap);
    let whole = printer.repr(value).is_ok();
    let mut out = printer.out;
    if !whole {
        out.truncate(out.floor_char_boundary(most));
        out.push('…');
    }
    out
}

/// A text is given back as it is.
fn as_text<'v>(
    value: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<StringValue<'v>> {
    match StringValue::new(value) {
        Some(text) => Ok(text),
        None => Ok(eval.heap().alloc_str(&text(value, eval)?)),
    }
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// Inside f-strings, where the engine writes integers as well as we do.
    fn __str<'v>(
        value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if value.unpack_i32().is_some() {
            return Ok(value);
        }
        Ok(as_text(value, eval)?.to_value())
    }

    fn __repr<'v>(value: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<String> {
        Ok(repr(value, eval)?)
    }

    /// The value as text; a text is itself. A float reads back as the same number.
    ///
    /// Examples:
    /// ```python
    /// >>> str([1, "a", 1234567.89])
    /// "[1, \"a\", 1234567.89]"
    /// ```
    #[starlark(as_type = StarlarkStr)]
    fn str<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<StringValue<'v>> {
        as_text(a, eval)
    }

    /// The value as it would be written in a script.
    ///
    /// Examples:
    /// ```python
    /// >>> repr("a")
    /// "\"a\""
    /// ```
    fn repr<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<String> {
        Ok(self::repr(a, eval)?)
    }

    /// The value as the engine sees it, for debugging.
    ///
    /// Examples:
    /// ```python
    /// >>> debug([1])
    /// "list: [1]"
    /// ```
    fn debug<'v>(
        #[starlark(require = pos)] val: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<String> {
        Ok(format!("{}: {}", val.get_type(), self::repr(val, eval)?))
    }

    /// A line on the server's stderr, never on stdout, which belongs to the protocol.
    ///
    /// Examples:
    /// ```python
    /// >>> print("looked at", 3, "items")
    /// None
    /// ```
    fn print<'v>(
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let text = line(&args.items, eval)?;
        Cx::host(eval)?.log(Level::Info, &text, &serde_json::Value::Null);
        Ok(NoneType)
    }

    /// Ends the call: the message is what the caller reads.
    ///
    /// Examples:
    /// ```python
    /// >>> fail("there is no city called", "Atlantis")
    /// error: there is no city called Atlantis
    /// ```
    fn fail<'v>(
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let text = line(&args.items, eval)?;
        Err(starlark::Error::new_kind(starlark::ErrorKind::Fail(anyhow::anyhow!("{text}"))))
    }
}
