//! Looks at values that are about to become members of a set or keys of a dict.

use super::comparisons::is_plain;
use super::size::gauge;
use crate::convert::Receiver;
use crate::stdlib::show::measure;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::list::ListRef;
use starlark::values::tuple::TupleRef;

pub(super) fn add(builder: &mut GlobalsBuilder) {
    keys(builder);
}

/// Hashing goes through a whole value: one that holds itself many times over would never end.
pub(crate) fn may_hash<'v>(key: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<()> {
    if is_plain(key) {
        return Ok(());
    }
    measure(key, gauge(eval)?).map(|_| ())
}

#[starlark_module]
fn keys(builder: &mut GlobalsBuilder) {
    fn __key<'v>(x: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> anyhow::Result<Value<'v>> {
        may_hash(x, eval).map(|()| x)
    }
}

/// Counts what a sequence has of one hash, before it becomes a set.
pub(super) fn set_members<'v>(
    sequence: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<()> {
    count(items(sequence).iter().copied(), eval)
}

/// The same of a sequence of pairs, which becomes a dict.
pub(super) fn dict_keys<'v>(pairs: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<()> {
    count(items(pairs).iter().filter_map(|pair| items(*pair).first().copied()), eval)
}

fn count<'v>(
    keys: impl Iterator<Item = Value<'v>>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<()> {
    let mut receiver = Receiver::new(eval.heap());
    for key in keys {
        if is_flat(key) {
            receiver.items(&[key])?;
        } else {
            may_hash(key, eval)?;
        }
    }
    Ok(())
}

/// Texts, numbers, and tuples of them.
fn is_flat(key: Value<'_>) -> bool {
    let is_scalar = |value: Value<'_>| {
        value.unpack_str().is_some() || matches!(value.get_type(), "int" | "float" | "bool")
    };
    match TupleRef::from_value(key) {
        Some(tuple) => tuple.iter().all(is_scalar),
        None => is_scalar(key),
    }
}

/// What stands in a list or tuple; dicts and sets hold only what was counted when they were made.
fn items(sequence: Value<'_>) -> &[Value<'_>] {
    match (ListRef::from_value(sequence), TupleRef::from_value(sequence)) {
        (Some(list), _) => list.content(),
        (None, Some(tuple)) => tuple.content(),
        (None, None) => &[],
    }
}
