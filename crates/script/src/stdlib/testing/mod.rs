//! `testing`: what a test asserts. It is there in tests alone.

mod diff;
mod shown;

use crate::error::message as message_of;
use crate::stage::Unlike;
use crate::stdlib::prelude::*;
use crate::stdlib::re::pattern as compiled;
use crate::stdlib::show;
use crate::stdlib::tester::answer::Answer;
use diff::diff;
use shown::{differ, shown};
use starlark::ErrorKind;
use starlark::values::float::UnpackFloat;

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

// Two values are called as starlark-mcp's code calls them. Its manual has them the other way round,
// so a report never says which of them was expected.
/// What a test asserts; there in tests alone.
#[starlark_module]
pub(crate) fn natives(builder: &mut GlobalsBuilder) {
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
        Err(failed(message, &differ(expected, actual, eval.heap())))
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
        let what =
            format!("expected values to be different, but both are {}", shown(actual, eval.heap()));
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
        let what = format!("expected truthy value, got {}", shown(value, eval.heap()));
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
        let what = format!("expected falsy value, got {}", shown(value, eval.heap()));
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
        let what = format!("{} not in {}", shown(item, eval.heap()), shown(container, eval.heap()));
        Err(failed(message, &what))
    }

    /// The function fails, and its message has this in it; the message is what comes back.
    ///
    /// What follows the function is what it is called with.
    ///
    /// Examples:
    /// ```python
    /// >>> testing.raises(math.sqrt, -1, contains = "at least 0")
    /// "math.sqrt needs a number of at least 0, not -1.0"
    /// >>> testing.raises(lambda: 1)
    /// error: Assertion failed: expected a failure, got 1
    /// ```
    fn raises<'v>(
        #[starlark(require = pos)] func: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(require = named, default = "")] contains: &str,
        #[starlark(require = named, default = "")] message: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<String> {
        if ["NoneType", "bool", "dict", "float", "int", "list", "string", "tuple"]
            .contains(&func.get_type())
        {
            let what = format!(
                "raises takes a function and calls it: write testing.raises(f, x), not f(x), which gave {}",
                shown(func, eval.heap())
            );
            return Err(failed(message, &what));
        }
        match eval.eval_function(func, &args.items, &[]) {
            Ok(value) => {
                measure(&[value], eval)?;
                let what = format!("expected a failure, got {}", shown(value, eval.heap()));
                Err(failed(message, &what))
            }
            // A limit is not the test's to survive.
            Err(error) if Cx::of(eval)?.gauge.stopped(eval).is_some() => Err(error),
            Err(error) => {
                let said = message_of(&error);
                if said.contains(contains) {
                    return Ok(said);
                }
                let what = format!("{contains:?} not in the failure {said:?}");
                Err(failed(message, &what))
            }
        }
    }

    /// The pattern, as `re.search` takes it, is found in the text.
    ///
    /// Examples:
    /// ```python
    /// >>> testing.matches("3 screws", "^[0-9]+ ")
    /// None
    /// >>> testing.matches("screws", "^[0-9]+ ")
    /// error: Assertion failed: the pattern "^[0-9]+ " is not found in "screws"
    /// ```
    fn matches<'v>(
        text: &str,
        pattern: &str,
        #[starlark(default = "")] message: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        if compiled(pattern, text, eval)?.is_match(text) {
            return Ok(NoneType);
        }
        let text = shown(eval.heap().alloc(text), eval.heap());
        let what = format!("the pattern \"{pattern}\" is not found in {text}");
        Err(failed(message, &what))
    }

    /// Two numbers are no further apart than this.
    ///
    /// Examples:
    /// ```python
    /// >>> testing.near(0.1 + 0.2, 0.3)
    /// None
    /// >>> testing.near(1, 2, tolerance = 0.5)
    /// error: Assertion failed: 1 and 2 are 1 apart, which is more than 0.5
    /// ```
    fn near<'v>(
        a: Value<'v>,
        b: Value<'v>,
        #[starlark(default = UnpackFloat(1e-9))] tolerance: UnpackFloat,
        #[starlark(default = "")] message: &str,
    ) -> starlark::Result<NoneType> {
        let apart = (number(a)? - number(b)?).abs();
        if apart <= tolerance.0 {
            return Ok(NoneType);
        }
        let (a, b, most) = (show::quoted(a), show::quoted(b), tolerance.0);
        let what = format!("{a} and {b} are {apart} apart, which is more than {most}");
        Err(failed(message, &what))
    }

    /// The value is what it was when the test ran first, or with `--update`.
    ///
    /// It is kept in `__snapshots__` beside the test, by the test's name; several in one test are
    /// numbered, or have a `name`. Of an answer of `t.call` the text that the model reads is kept, and
    /// what it costs. Where the environment has `CI`, one that is missing is a failure.
    ///
    /// Examples:
    /// ```python
    /// def test_list(t):
    ///     testing.snapshot(t.call("shop.list"))
    ///     testing.snapshot({"pieces": 3}, name = "stock")
    /// ```
    fn snapshot<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(default = NoneOr::None)] name: NoneOr<&str>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let text = kept(value, eval)?;
        let stage = Cx::of(eval)?.stage()?;
        match stage.snapshot(name.into_option(), text.clone()) {
            Ok(()) => Ok(NoneType),
            Err(unlike) => Err(failed("", &unlike.told(&text))),
        }
    }

    /// This line must not be reached.
    ///
    /// Examples:
    /// ```python
    /// >>> testing.fail("there should be no screws")
    /// error: there should be no screws
    /// ```
    fn fail(message: &str) -> starlark::Result<NoneType> {
        Err(starlark::Error::new_kind(ErrorKind::Fail(anyhow::anyhow!("{message}"))))
    }
}

fn number(value: Value<'_>) -> anyhow::Result<f64> {
    match UnpackFloat::unpack_value(value) {
        Ok(Some(UnpackFloat(float))) => Ok(float),
        _ => bail!("testing.near takes numbers, not a {}", value.get_type()),
    }
}

/// A value as a snapshot keeps it.
fn kept<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<String> {
    if let Some(answer) = value.downcast_ref::<Answer>() {
        return Ok(answer.kept());
    }
    if let Some(text) = value.unpack_str() {
        return Ok(text.to_owned());
    }
    let budget = Budget::from(&Cx::of(eval)?.gauge.limits);
    let json = to_json(value, eval.heap(), budget)?;
    Ok(serde_json::to_string_pretty(&json)?)
}

impl Unlike {
    fn told(&self, text: &str) -> String {
        match self {
            Self::Differs { name, kept } => format!(
                "not what is kept as `{name}` (- kept, + now; `larkspur test --update` keeps it)\n{}",
                diff(kept, text)
            ),
            Self::Missing { name } => format!(
                "there is no snapshot `{name}`; run `larkspur test` where `CI` is not set, and commit \
                 what it writes"
            ),
            Self::Unread(why) => why.clone(),
        }
    }
}
