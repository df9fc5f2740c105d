//! Built-ins that walk a sequence.

use super::comparisons::is_plain;
use super::size::{bounded, gauge, items};
use crate::guard::METHODS;
use crate::stdlib::show::measure;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::list::AllocList;
use starlark::values::none::NoneOr;
use starlark::values::tuple::{AllocTuple, UnpackTuple};
use starlark::values::{Heap, Value};
use std::cmp::Ordering;

pub(super) fn add(builder: &mut GlobalsBuilder) {
    sequences(builder);
}

fn greatest<'v>(
    args: &UnpackTuple<Value<'v>>,
    key: Option<Value<'v>>,
    wanted: Ordering,
    name: &str,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    let candidates = match args.items.as_slice() {
        [only] => items(*only, name, eval)?,
        several => several.to_vec(),
    };
    let keys = keys_of(&candidates, key, eval)?;
    all_comparable(&keys, eval)?;
    let mut best: Option<usize> = None;
    for (i, key) in keys.iter().enumerate() {
        let better = match best {
            Some(so_far) => key.compare(keys[so_far])? == wanted,
            None => true,
        };
        if better {
            best = Some(i);
        }
    }
    match best {
        Some(i) => Ok(candidates[i]),
        None => Err(anyhow::anyhow!("{name}() of nothing: give it at least one element").into()),
    }
}

fn keys_of<'v>(
    values: &[Value<'v>],
    key: Option<Value<'v>>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Vec<Value<'v>>> {
    match key {
        None => Ok(values.to_vec()),
        Some(key) => {
            // A built-in such as `list` or `str` goes through the whole value without a tick.
            let native = key.parameters_spec().is_none();
            let mut results = Vec::with_capacity(values.len());
            for value in values {
                if native {
                    bounded(*value, "a sequence", eval)?;
                    measure(*value, gauge(eval)?)?;
                }
                results.push(eval.eval_function(key, &[*value], &[])?);
            }
            Ok(results)
        }
    }
}

fn all_comparable<'v>(keys: &[Value<'v>], eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<()> {
    let gauge = gauge(eval)?;
    for key in keys.iter().filter(|key| !is_plain(**key)) {
        measure(*key, gauge)?;
    }
    Ok(())
}

#[starlark_module]
fn sequences(builder: &mut GlobalsBuilder) {
    /// The greatest element, or the greatest argument; `key` gives what to compare.
    ///
    /// Examples:
    /// ```python
    /// >>> max(["a", "ccc", "bb"], key = len)
    /// "ccc"
    /// ```
    fn max<'v>(
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        key: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        greatest(&args, key, Ordering::Greater, "max", eval)
    }

    /// The least element, or the least argument; `key` gives what to compare.
    ///
    /// Examples:
    /// ```python
    /// >>> min(3, 1, 2)
    /// 1
    /// ```
    fn min<'v>(
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        key: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        greatest(&args, key, Ordering::Less, "min", eval)
    }

    /// Is any element true?
    ///
    /// Examples:
    /// ```python
    /// >>> any([0, ""])
    /// False
    /// ```
    fn any<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(items(x, "any", eval)?.into_iter().any(Value::to_bool))
    }

    /// Are all elements true?
    ///
    /// Examples:
    /// ```python
    /// >>> all([1, "a"])
    /// True
    /// ```
    fn all<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(items(x, "all", eval)?.into_iter().all(Value::to_bool))
    }

    /// A new list with the elements in order; `key` gives what to compare.
    ///
    /// Examples:
    /// ```python
    /// >>> sorted(["b", "C", "a"], key = lambda s: s.lower(), reverse = True)
    /// ["C", "b", "a"]
    /// ```
    fn sorted<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        #[starlark(require = named)] key: Option<Value<'v>>,
        #[starlark(require = named, default = false)] reverse: bool,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let values = items(x, "sorted", eval)?;
        let keys = keys_of(&values, key, eval)?;
        all_comparable(&keys, eval)?;
        let mut order: Vec<usize> = (0..values.len()).collect();
        let mut failed = None;
        order.sort_by(|a, b| {
            let ordering = keys[*a].compare(keys[*b]).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                Ordering::Equal
            });
            if reverse { ordering.reverse() } else { ordering }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(AllocList(order.into_iter().map(|i| values[i]).collect())),
        }
    }

    /// The elements from last to first.
    ///
    /// Examples:
    /// ```python
    /// >>> reversed([1, 2])
    /// [2, 1]
    /// ```
    fn reversed<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let mut values = items(x, "reversed", eval)?;
        values.reverse();
        Ok(AllocList(values))
    }

    /// Pairs of position and element.
    ///
    /// Examples:
    /// ```python
    /// >>> enumerate(["a", "b"], 1)
    /// [(1, "a"), (2, "b")]
    /// ```
    fn enumerate<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        #[starlark(default = 0)] start: i32,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<(i32, Value<'v>)>>> {
        let values = items(x, "enumerate", eval)?;
        let number = |i: usize| i32::try_from(i).unwrap_or(i32::MAX).saturating_add(start);
        Ok(AllocList(values.into_iter().enumerate().map(|(i, v)| (number(i), v)).collect()))
    }

    /// Tuples of the first elements, the second elements and so on, as far as the shortest goes.
    ///
    /// Examples:
    /// ```python
    /// >>> zip([1, 2], ["a", "b", "c"])
    /// [(1, "a"), (2, "b")]
    /// ```
    fn zip<'v>(
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let mut columns = Vec::new();
        for arg in &args.items {
            columns.push(items(*arg, "zip", eval)?);
        }
        let heap = eval.heap();
        let rows = columns.iter().map(Vec::len).min().unwrap_or(0);
        let row =
            |i: usize| heap.alloc(AllocTuple(columns.iter().map(|c| c[i]).collect::<Vec<_>>()));
        Ok(AllocList((0..rows).map(row).collect()))
    }

    /// `fn` of each element.
    ///
    /// Examples:
    /// ```python
    /// >>> map(len, ["a", "bb"])
    /// [1, 2]
    /// ```
    fn map<'v>(
        #[starlark(require = pos)] func: Value<'v>,
        #[starlark(require = pos)] seq: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let values = items(seq, "map", eval)?;
        Ok(AllocList(keys_of(&values, Some(func), eval)?))
    }

    /// The elements for which `fn` is true; with None, those that are not None.
    ///
    /// Examples:
    /// ```python
    /// >>> filter(lambda n: n > 1, [1, 2, 3])
    /// [2, 3]
    /// ```
    fn filter<'v>(
        #[starlark(require = pos)] func: NoneOr<Value<'v>>,
        #[starlark(require = pos)] seq: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let mut kept = items(seq, "filter", eval)?;
        match func.into_option() {
            None => kept.retain(|v| !v.is_none()),
            Some(func) => {
                let verdicts = keys_of(&kept, Some(func), eval)?;
                let mut verdicts = verdicts.into_iter();
                kept.retain(|_| verdicts.next().is_some_and(Value::to_bool));
            }
        }
        Ok(AllocList(kept))
    }

    /// An attribute by name, or the default.
    ///
    /// Examples:
    /// ```python
    /// >>> getattr(struct(a = 1), "b", 0)
    /// 0
    /// ```
    fn getattr<'v>(
        #[starlark(require = pos)] object: Value<'v>,
        #[starlark(require = pos)] name: &str,
        #[starlark(require = pos)] default: Option<Value<'v>>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        if METHODS.contains(&name) {
            return Err(
                anyhow::anyhow!("getattr cannot give `{name}`; write `value.{name}(…)`").into()
            );
        }
        match (object.get_attr(name, heap)?, default) {
            (Some(value), _) | (None, Some(value)) => Ok(value),
            (None, None) => object.get_attr_error(name, heap),
        }
    }
}
