//! Types authors can name: `one_of`, and `record`, `field` and `enum` with a note of what they hold,
//! since the engine tells only their names.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use crate::stdlib::checked::keys::may_hash;
use crate::stdlib::prelude::*;
use serde_json::Value as Json;
use starlark::environment::{Globals, LibraryExtension};
use starlark::typing::{Ty, TyBasic, TyStarlarkValue, TyUser, TyUserParams};
use starlark::values::dict::DictMut;
use starlark::values::string::StarlarkStr;
use starlark::values::typing::TypeInstanceId;
use std::sync::LazyLock;

native_value! {
    /// A choice of literals, usable as a type.
    pub(crate) struct OneOf {
        pub(crate) choices: Vec<Json>,
        id: TypeInstanceId,
    }
    OneOf: "one_of", |this, f| {
        let choices: Vec<String> = this.choices.iter().map(Json::to_string).collect();
        f.write_str(&choices.join(" | "))
    };

    /// The engine checks the base type; which of the choices it is, the schema checks.
    fn eval_type(&self) -> Option<Ty> {
        let base = match self.choices.first() {
            Some(Json::Number(_)) => integer()?,
            _ => TyStarlarkValue::new::<StarlarkStr>(),
        };
        let user = TyUser::new(self.to_string(), base, self.id, TyUserParams::default());
        user.ok().map(Ty::custom)
    }
}

/// The engine's own integer type, which has no public name.
fn integer() -> Option<TyStarlarkValue> {
    match Ty::int().iter_union() {
        [TyBasic::StarlarkValue(integer)] => Some(*integer),
        _ => None,
    }
}

/// Remembers a declaration with the module; it survives freezing.
pub(crate) fn note<'v>(entry: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<()> {
    if Cx::of(eval)?.loading.is_none() {
        bail!(
            "declarations are made while a file loads, not in a call; \
             a call adds tools with ctx.tools.add(fn)"
        );
    }
    keep(entry, eval)
}

/// Keeps an entry beyond the evaluation.
pub(crate) fn keep<'v>(entry: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<()> {
    let module = eval.module();
    let ledger = module.extra_value().unwrap_or_else(|| {
        let ledger = eval.heap().alloc(AllocDict::EMPTY);
        module.set_extra_value(ledger);
        ledger
    });
    let count = DictRef::from_value(ledger).map_or(0, |d| d.len());
    let key = eval
        .heap()
        .alloc(i32::try_from(count)?)
        .get_hashed()
        .map_err(starlark::Error::into_anyhow)?;
    DictMut::from_value(ledger)?.aref.insert_hashed(key, entry);
    Ok(())
}

/// What the file has declared so far.
pub(crate) fn noted<'v>(eval: &Evaluator<'v, '_, '_>) -> Vec<Value<'v>> {
    let ledger = eval.module().extra_value();
    let ledger = ledger.and_then(DictRef::from_value);
    ledger.map_or_else(Vec::new, |entries| entries.values().collect())
}

static ENGINE: LazyLock<Globals> = LazyLock::new(|| {
    GlobalsBuilder::new()
        .with(|builder| LibraryExtension::RecordType.add(builder))
        .with(|builder| LibraryExtension::EnumType.add(builder))
        .build()
});

fn engine_function<'v>(name: &str) -> anyhow::Result<Value<'v>> {
    let found = ENGINE.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_value());
    found.ok_or_else(|| anyhow::anyhow!("the engine has no `{name}`"))
}

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

fn entry<'v, const N: usize>(
    fields: [(&'static str, Value<'v>); N],
    eval: &Evaluator<'v, '_, '_>,
) -> Value<'v> {
    eval.heap().alloc(AllocDict(fields))
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// A type that takes one of these values, all texts or all whole numbers.
    ///
    /// Examples:
    /// ```python
    /// State = one_of("open", "closed")
    ///
    /// def list_issues(state: State = "open") -> str:
    ///     """List issues."""
    ///     return "no issues are " + state
    ///
    /// tool(list_issues)
    /// ```
    fn one_of<'v>(
        #[starlark(args)] choices: UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let mut literals = Vec::new();
        for choice in &choices.items {
            match (choice.unpack_str(), choice.unpack_i32()) {
                (Some(text), _) => literals.push(Json::from(text)),
                (None, Some(int)) => literals.push(Json::from(int)),
                (None, None) => {
                    bail!("one_of takes strings or integers, not a {}", choice.get_type())
                }
            }
        }
        if literals.is_empty() {
            bail!("one_of needs at least one value");
        }
        if literals.iter().any(Json::is_string) && literals.iter().any(Json::is_number) {
            bail!("one_of takes strings or integers, not both");
        }
        let value = eval.heap().alloc(OneOf { choices: literals, id: TypeInstanceId::r#gen() });
        if Cx::of(eval)?.loading.is_some() {
            note(entry([("kind", eval.heap().alloc("one_of")), ("type", value)], eval), eval)?;
        }
        Ok(value)
    }

    /// A type with named fields, which a client sees as an object.
    ///
    /// Examples:
    /// ```python
    /// Point = record(x = int, y = field(float, 0.5))
    ///
    /// def where(point: Point = Point(x = 1)) -> float:
    ///     """How far up is it?"""
    ///     return point.y
    ///
    /// tool(where)
    /// ```
    fn record<'v>(
        #[starlark(kwargs)] fields: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let named: Vec<(&str, Value)> =
            fields.iter().filter_map(|(k, v)| k.unpack_str().map(|k| (k, v))).collect();
        let value = eval.eval_function(engine_function("record")?, &[], &named)?;
        if Cx::of(eval)?.loading.is_some() {
            let fields = eval.heap().alloc(AllocDict(named));
            note(
                entry(
                    [("kind", eval.heap().alloc("record")), ("type", value), ("fields", fields)],
                    eval,
                ),
                eval,
            )?;
        }
        Ok(value)
    }

    /// A field of a record, with a default that a caller may leave out.
    ///
    /// Examples:
    /// ```python
    /// Point = record(x = int, y = field(int, 3))
    ///
    /// def height() -> int:
    ///     """How far up is a point without a height?"""
    ///     return Point(x = 1).y
    ///
    /// tool(height)
    /// ```
    fn field<'v>(
        #[starlark(require = pos)] typ: Value<'v>,
        default: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let args: Vec<Value> = [Some(typ), default].into_iter().flatten().collect();
        let value = eval.eval_function(engine_function("field")?, &args, &[])?;
        if Cx::of(eval)?.loading.is_some() {
            let has_default = Value::new_bool(default.is_some());
            let default = NoneOr::from_option(default);
            let default = eval.heap().alloc(default);
            note(
                entry(
                    [
                        ("kind", eval.heap().alloc("field")),
                        ("field", value),
                        ("type", typ),
                        ("has_default", has_default),
                        ("default", default),
                    ],
                    eval,
                ),
                eval,
            )?;
        }
        Ok(value)
    }

    /// A type of named values; `one_of` is the plainer way.
    ///
    /// Examples:
    /// ```python
    /// Color = enum("red", "green")
    ///
    /// def paint(color: Color = Color("red")) -> str:
    ///     """Paint it."""
    ///     return color.value
    ///
    /// tool(paint)
    /// ```
    fn r#enum<'v>(
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        for arg in &args.items {
            may_hash(*arg, eval)?;
        }
        let value = eval.eval_function(engine_function("enum")?, &args.items, &[])?;
        if Cx::of(eval)?.loading.is_some() {
            let values =
                eval.heap().alloc(starlark::values::list::AllocList(args.items.iter().copied()));
            note(
                entry(
                    [("kind", eval.heap().alloc("enum")), ("type", value), ("values", values)],
                    eval,
                ),
                eval,
            )?;
        }
        Ok(value)
    }
}
