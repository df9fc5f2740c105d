//! `testing`: what a test asserts. It is there in tests alone.

use crate::cx::Cx;
use starlark::ErrorKind;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::none::NoneType;

/// Characters of a value in a report; of a longer one a part is shown.
const LONGEST: usize = 600;
/// Characters shown before the first difference.
const LEAD: usize = 60;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    builder.namespace("testing", natives);
}

fn failed(message: &str, what: &str) -> starlark::Error {
    let colon = if message.is_empty() { "" } else { ": " };
    let text = format!("Assertion failed: {message}{colon}{what}");
    starlark::Error::new_kind(ErrorKind::Fail(anyhow::anyhow!("{text}")))
}

/// Comparing and showing both follow a value to its ends: is it small enough for that?
fn measure<'v>(values: &[Value<'v>], eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<()> {
    let gauge = &Cx::of(eval)?.gauge;
    for value in values {
        super::show::measure(*value, gauge)?;
    }
    Ok(())
}

fn shown(value: Value<'_>) -> String {
    part(&value.to_repr(), 0)
}

/// Two values that differ; of long ones the parts where they begin to.
fn both(a: Value<'_>, b: Value<'_>) -> (String, String) {
    let (a, b) = (a.to_repr(), b.to_repr());
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    (part(&a, same), part(&b, same))
}

/// The text, or when it is long a part of it that holds the character at `at`.
fn part(text: &str, at: usize) -> String {
    let length = text.chars().count();
    if length <= LONGEST {
        return text.to_owned();
    }
    let from = if at + LEAD < LONGEST {
        0
    } else {
        (at - LEAD).min(length - LONGEST)
    };
    let shown: String = text.chars().skip(from).take(LONGEST).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if from + LONGEST < length { "…" } else { "" };
    format!("{before}{shown}{after} ({length} characters)")
}

// Two values are called as starlark-mcp's code calls them. Its manual has them the other way round,
// so a report never says which of them was expected.
#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// The values are equal.
    ///
    /// Examples:
    /// ```python
    /// >>> testing.eq(1 + 1, 2)
    /// None
    /// >>> testing.eq([1], [2], "the sum")
    /// error: Assertion failed: the sum: [1] is not equal to [2]
    /// ```
    fn eq<'v>(
        expected: Value<'v>,
        actual: Value<'v>,
        #[starlark(default = "")] message: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        measure(&[expected, actual], eval)?;
        if expected.equals(actual)? {
            return Ok(NoneType);
        }
        let (a, b) = both(expected, actual);
        Err(failed(message, &format!("{a} is not equal to {b}")))
    }

    /// The values differ.
    ///
    /// Examples:
    /// ```python
    /// >>> testing.ne("a", "b")
    /// None
    /// ```
    fn ne<'v>(
        expected: Value<'v>,
        actual: Value<'v>,
        #[starlark(default = "")] message: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        measure(&[expected, actual], eval)?;
        if !expected.equals(actual)? {
            return Ok(NoneType);
        }
        let what = format!(
            "expected values to be different, but both are {}",
            shown(actual)
        );
        Err(failed(message, &what))
    }

    /// The value counts as true: not False, None, zero or empty.
    ///
    /// Examples:
    /// ```python
    /// >>> testing.is_true([0])
    /// None
    /// ```
    fn is_true<'v>(
        value: Value<'v>,
        #[starlark(default = "")] message: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        if value.to_bool() {
            return Ok(NoneType);
        }
        measure(&[value], eval)?;
        let what = format!("expected truthy value, got {}", shown(value));
        Err(failed(message, &what))
    }

    /// The value counts as false: False, None, zero or empty.
    ///
    /// Examples:
    /// ```python
    /// >>> testing.is_false("")
    /// None
    /// ```
    fn is_false<'v>(
        value: Value<'v>,
        #[starlark(default = "")] message: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        if !value.to_bool() {
            return Ok(NoneType);
        }
        measure(&[value], eval)?;
        let what = format!("expected falsy value, got {}", shown(value));
        Err(failed(message, &what))
    }

    /// The item is an element of the list, a part of the text or a key of the dict.
    ///
    /// Examples:
    /// ```python
    /// >>> testing.contains("3 screws", "screws")
    /// None
    /// >>> testing.contains({"a": 1}, "b")
    /// error: Assertion failed: "b" not in {"a": 1}
    /// ```
    fn contains<'v>(
        container: Value<'v>,
        item: Value<'v>,
        #[starlark(default = "")] message: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        measure(&[container, item], eval)?;
        if container.is_in(item)? {
            return Ok(NoneType);
        }
        let what = format!("{} not in {}", shown(item), shown(container));
        Err(failed(message, &what))
    }

    /// This line must not be reached.
    ///
    /// Examples:
    /// ```python
    /// >>> testing.fail("there should be no screws")
    /// error: there should be no screws
    /// ```
    fn fail(message: &str) -> starlark::Result<NoneType> {
        Err(starlark::Error::new_kind(ErrorKind::Fail(anyhow::anyhow!(
            "{message}"
        ))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_shown_where_they_differ() {
        let digits = "0123456789".repeat(200);
        let check = |at: usize, begins: &str, ends: &str| {
            let part = part(&digits, at);
            assert!(
                part.starts_with(begins) && part.ends_with(ends),
                "{at}: {part}"
            );
        };
        check(0, "0123", "6789… (2000 characters)");
        check(500, "0123", "6789… (2000 characters)");
        check(1000, "…0123", "6789… (2000 characters)");
        check(1001, "…1234", "7890… (2000 characters)");
        check(1999, "…0123", "6789 (2000 characters)");
        assert_eq!(part(&digits[..LONGEST], 590), digits[..LONGEST]);
    }
}
