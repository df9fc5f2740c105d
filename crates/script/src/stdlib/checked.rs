//! Built-ins and operators that look at sizes before they work, so that one expression cannot take
//! the machine. None is speculative: the compiler must not run them while it loads a file.

use crate::cx::Cx;
use crate::gauge::Gauge;
use anyhow::bail;
use num_bigint::BigInt;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::dict::DictRef;
use starlark::values::list::{AllocList, ListRef};
use starlark::values::none::NoneOr;
use starlark::values::tuple::{AllocTuple, TupleRef, UnpackTuple};
use starlark::values::{Heap, UnpackValue, Value};
use std::cmp::Ordering;

/// Products beyond this many bits take longer than anybody waits.
const LARGEST_INT_BITS: u64 = 1 << 17;
const LARGEST_DIGITS: usize = 20_000;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    operators(builder);
    methods(builder);
    sequence_methods(builder);
    sequences(builder);
    conversions(builder);
    comparisons(builder);
}

fn gauge<'r>(eval: &Evaluator<'_, 'r, '_>) -> anyhow::Result<&'r Gauge> {
    Ok(&Cx::of(eval)?.gauge)
}

/// Bytes of a text, elements of a list or tuple.
enum Size {
    Bytes(usize),
    Elements(usize),
    Bits(u64),
    None,
}

fn size(value: Value<'_>) -> Size {
    if let Some(text) = value.unpack_str() {
        return Size::Bytes(text.len());
    }
    if value.unpack_i32().is_some() {
        return Size::Bits(32);
    }
    if let Some(list) = ListRef::from_value(value) {
        return Size::Elements(list.len());
    }
    if let Some(tuple) = TupleRef::from_value(value) {
        return Size::Elements(tuple.len());
    }
    if value.get_type() == "range" {
        return Size::Elements(length(value));
    }
    match BigInt::unpack_value(value) {
        Ok(Some(big)) => Size::Bits(big.bits()),
        _ => Size::None,
    }
}

fn length(value: Value<'_>) -> usize {
    value
        .length()
        .ok()
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(0)
}

/// Looks at what `left * right` would make.
fn may_multiply(left: Value<'_>, right: Value<'_>, gauge: &Gauge) -> anyhow::Result<()> {
    match (size(left), size(right)) {
        (Size::Bits(32), Size::Bits(32)) => Ok(()),
        (Size::Bits(a), Size::Bits(b)) if a + b > LARGEST_INT_BITS => {
            bail!(
                "a product of {} bits; an integer may have {LARGEST_INT_BITS}",
                a + b
            )
        }
        (Size::Bytes(length), Size::Bits(_)) => gauge.text(repeated(length, right), "a text"),
        (Size::Bits(_), Size::Bytes(length)) => gauge.text(repeated(length, left), "a text"),
        (Size::Elements(length), Size::Bits(_)) => {
            gauge.elements(repeated(length, right), "a repetition")
        }
        (Size::Bits(_), Size::Elements(length)) => {
            gauge.elements(repeated(length, left), "a repetition")
        }
        _ => Ok(()),
    }
}

fn repeated(length: usize, times: Value<'_>) -> usize {
    match times.unpack_i32() {
        Some(times) => length.saturating_mul(usize::try_from(times).unwrap_or(0)),
        None => usize::MAX,
    }
}

fn may_add(left: Value<'_>, right: Value<'_>, gauge: &Gauge) -> anyhow::Result<()> {
    match (size(left), size(right)) {
        (Size::Bytes(a), Size::Bytes(b)) => gauge.text(a.saturating_add(b), "a text"),
        (Size::Elements(a), Size::Elements(b)) => gauge.elements(a.saturating_add(b), "a sequence"),
        _ => Ok(()),
    }
}

/// `text % values`: every value may be shown as often as the text has places for it.
fn may_format(left: Value<'_>, right: Value<'_>, gauge: &Gauge) -> anyhow::Result<()> {
    if left.unpack_str().is_none() {
        return Ok(());
    }
    super::show::measure(right, gauge).map(|_| ())
}

/// Natives allocate without ticking: a result is the moment to look at the whole. Large integers
/// live outside the heap, so they are counted by hand.
fn checked<'v>(
    result: starlark::Result<Value<'v>>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    let value = result?;
    let gauge = gauge(eval)?;
    if value.unpack_i32().is_none()
        && value.get_type() == "int"
        && let Size::Bits(bits) = size(value)
    {
        gauge.outside_heap(usize::try_from(bits / 8).unwrap_or(usize::MAX));
    }
    gauge.memory(eval)?;
    Ok(value)
}

#[starlark_module]
fn operators(builder: &mut GlobalsBuilder) {
    fn __mul<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        may_multiply(left, right, gauge(eval)?)?;
        checked(left.mul(right, eval.heap()), eval)
    }

    fn __add<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        may_add(left, right, gauge(eval)?)?;
        checked(left.add(right, eval.heap()), eval)
    }

    fn __mod<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        may_format(left, right, gauge(eval)?)?;
        checked(left.percent(right, eval.heap()), eval)
    }

    fn __shl<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if let (Size::Bits(bits), Some(by)) = (size(left), right.unpack_i32()) {
            let bits = bits.saturating_add(u64::try_from(by).unwrap_or(0));
            if bits > LARGEST_INT_BITS {
                return Err(anyhow::anyhow!(
                    "a shift to {bits} bits; an integer may have {LARGEST_INT_BITS}"
                )
                .into());
            }
        }
        checked(left.left_shift(right, eval.heap()), eval)
    }

    /// A slice copies what it stands on.
    fn __copied<'v>(
        value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        checked(Ok(value), eval)
    }

    fn __grow_mul<'v>(
        target: Value<'v>,
        value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        may_multiply(target, value, gauge(eval)?)?;
        Ok(value)
    }

    fn __grow_add<'v>(
        target: Value<'v>,
        value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        may_add(target, value, gauge(eval)?)?;
        checked(Ok(value), eval)
    }

    fn __grow_mod<'v>(
        target: Value<'v>,
        value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        may_format(target, value, gauge(eval)?)?;
        Ok(value)
    }
}

/// Comparing walks both sides: a value that holds itself many times over would never end.
fn comparable<'v>(
    left: Value<'v>,
    right: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<()> {
    if is_plain(left) || is_plain(right) {
        return Ok(());
    }
    let gauge = gauge(eval)?;
    super::show::measure(left, gauge)?;
    super::show::measure(right, gauge).map(|_| ())
}

/// Texts, numbers, booleans and None are compared at once.
fn is_plain(value: Value<'_>) -> bool {
    value.unpack_str().is_some()
        || value.unpack_i32().is_some()
        || value.is_none()
        || value.unpack_bool().is_some()
}

fn compared<'v>(
    left: Value<'v>,
    right: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<Ordering> {
    comparable(left, right, eval)?;
    left.compare(right)
}

fn contains<'v>(
    item: Value<'v>,
    container: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<bool> {
    comparable(item, container, eval)?;
    container.is_in(item)
}

#[starlark_module]
fn comparisons(builder: &mut GlobalsBuilder) {
    fn __eq<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        comparable(left, right, eval)?;
        left.equals(right)
    }

    fn __ne<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        comparable(left, right, eval)?;
        Ok(!left.equals(right)?)
    }

    fn __lt<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(compared(left, right, eval)?.is_lt())
    }

    fn __le<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(compared(left, right, eval)?.is_le())
    }

    fn __gt<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(compared(left, right, eval)?.is_gt())
    }

    fn __ge<'v>(
        left: Value<'v>,
        right: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(compared(left, right, eval)?.is_ge())
    }

    fn __in<'v>(
        item: Value<'v>,
        container: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        contains(item, container, eval)
    }

    fn __not_in<'v>(
        item: Value<'v>,
        container: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(!contains(item, container, eval)?)
    }
}

/// Calls the method of that name, with whatever was given.
fn call_method<'v>(
    this: Value<'v>,
    name: &str,
    args: &[Value<'v>],
    kwargs: &DictRef<'v>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    let method = this.get_attr_error(name, eval.heap())?;
    let named: Vec<(&str, Value)> = kwargs
        .iter()
        .filter_map(|(k, v)| k.unpack_str().map(|k| (k, v)))
        .collect();
    let result = eval.eval_function(method, args, &named);
    checked(result, eval)
}

/// How long the joined text gets; sets and dicts are joined as well.
fn joined_size<'v>(
    separator: &str,
    items: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<usize> {
    bounded(items, "join", eval)?;
    let (mut texts, mut count) = (0_usize, 0_usize);
    for item in items.iterate(eval.heap())? {
        texts = texts.saturating_add(item.unpack_str().map_or(0, str::len));
        count += 1;
    }
    Ok(texts.saturating_add(separator.len().saturating_mul(count)))
}

/// How long `text.replace(old, new)` gets.
fn replaced_size(text: &str, old: &str, new: &str) -> usize {
    let hits = if old.is_empty() {
        text.chars().count() + 1
    } else {
        text.matches(old).count()
    };
    text.len().saturating_add(hits.saturating_mul(new.len()))
}

#[starlark_module]
fn methods(builder: &mut GlobalsBuilder) {
    fn __join<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if let (Some(separator), [items]) = (this.unpack_str(), args.items.as_slice()) {
            let size = joined_size(separator, *items, eval)?;
            gauge(eval)?.text(size, "a text")?;
        }
        call_method(this, "join", &args.items, &kwargs, eval)
    }

    fn __replace<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if let (Some(text), [old, new, ..]) = (this.unpack_str(), args.items.as_slice())
            && let (Some(old), Some(new)) = (old.unpack_str(), new.unpack_str())
        {
            gauge(eval)?.text(replaced_size(text, old, new), "a text")?;
        }
        call_method(this, "replace", &args.items, &kwargs, eval)
    }

    fn __format<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if let Some(text) = this.unpack_str() {
            let gauge = gauge(eval)?;
            let mut largest = 0;
            for value in args.items.iter().copied().chain(kwargs.values()) {
                largest = largest.max(super::show::measure(value, gauge)?);
            }
            let places = text.matches('{').count();
            gauge.text(
                text.len().saturating_add(places.saturating_mul(largest)),
                "a text",
            )?;
        }
        call_method(this, "format", &args.items, &kwargs, eval)
    }
}

/// A method that goes through a whole sequence.
fn take_in<'v>(
    this: Value<'v>,
    name: &str,
    args: &[Value<'v>],
    kwargs: &DictRef<'v>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    for arg in args {
        bounded(*arg, name, eval)?;
    }
    call_method(this, name, args, kwargs, eval)
}

#[starlark_module]
fn sequence_methods(builder: &mut GlobalsBuilder) {
    fn __extend<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        take_in(this, "extend", &args.items, &kwargs, eval)
    }

    fn __update<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        take_in(this, "update", &args.items, &kwargs, eval)
    }

    fn __union<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        take_in(this, "union", &args.items, &kwargs, eval)
    }

    fn __intersection<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        take_in(this, "intersection", &args.items, &kwargs, eval)
    }

    fn __difference<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        take_in(this, "difference", &args.items, &kwargs, eval)
    }

    fn __symmetric_difference<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        take_in(this, "symmetric_difference", &args.items, &kwargs, eval)
    }
}

/// All elements, after a look at how many there are.
fn items<'v>(
    value: Value<'v>,
    what: &str,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<Vec<Value<'v>>> {
    bounded(value, what, eval)?;
    Ok(value.iterate(eval.heap())?.collect())
}

fn bounded<'v>(value: Value<'v>, what: &str, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<()> {
    if value.unpack_str().is_some() {
        return Ok(());
    }
    let gauge = gauge(eval)?;
    gauge.elements(length(value), what)?;
    gauge.memory(eval)
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
                    super::show::measure(*value, gauge(eval)?)?;
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
        super::show::measure(*key, gauge)?;
    }
    Ok(())
}

#[starlark_module]
fn sequences(builder: &mut GlobalsBuilder) {
    /// The greatest element, or the greatest argument.
    fn max<'v>(
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        key: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        greatest(&args, key, Ordering::Greater, "max", eval)
    }

    /// The least element, or the least argument.
    fn min<'v>(
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        key: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        greatest(&args, key, Ordering::Less, "min", eval)
    }

    /// Is any element true?
    fn any<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(items(x, "any", eval)?.into_iter().any(Value::to_bool))
    }

    /// Are all elements true?
    fn all<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(items(x, "all", eval)?.into_iter().all(Value::to_bool))
    }

    /// A new list with the elements in order; `key` gives what to compare.
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
            if reverse {
                ordering.reverse()
            } else {
                ordering
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(AllocList(order.into_iter().map(|i| values[i]).collect())),
        }
    }

    /// The elements from last to first.
    fn reversed<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let mut values = items(x, "reversed", eval)?;
        values.reverse();
        Ok(AllocList(values))
    }

    /// Pairs of position and element.
    fn enumerate<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        #[starlark(default = 0)] start: i32,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<(i32, Value<'v>)>>> {
        let values = items(x, "enumerate", eval)?;
        let number = |i: usize| i32::try_from(i).unwrap_or(i32::MAX).saturating_add(start);
        Ok(AllocList(
            values
                .into_iter()
                .enumerate()
                .map(|(i, v)| (number(i), v))
                .collect(),
        ))
    }

    /// Tuples of the first elements, the second elements and so on.
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
    fn map<'v>(
        #[starlark(require = pos)] func: Value<'v>,
        #[starlark(require = pos)] seq: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let values = items(seq, "map", eval)?;
        Ok(AllocList(keys_of(&values, Some(func), eval)?))
    }

    /// The elements for which `fn` is true; with None, those that are not None.
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
    fn getattr<'v>(
        #[starlark(require = pos)] object: Value<'v>,
        #[starlark(require = pos)] name: &str,
        #[starlark(require = pos)] default: Option<Value<'v>>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        if crate::guard::METHODS.contains(&name) {
            return Err(
                anyhow::anyhow!("getattr cannot give `{name}`; write `value.{name}(…)`").into(),
            );
        }
        match (object.get_attr(name, heap)?, default) {
            (Some(value), _) | (None, Some(value)) => Ok(value),
            (None, None) => object.get_attr_error(name, heap),
        }
    }
}

#[starlark_module]
fn conversions(builder: &mut GlobalsBuilder) {
    fn __bounded_list<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        bounded(x, "a list", eval).map(|()| x)
    }

    fn __bounded_tuple<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        bounded(x, "a tuple", eval).map(|()| x)
    }

    fn __bounded_set<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        bounded(x, "a set", eval).map(|()| x)
    }

    fn __bounded_dict<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        bounded(x, "a dict", eval).map(|()| x)
    }

    fn __bounded_str<'v>(
        x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        super::show::measure(x, gauge(eval)?).map(|_| x)
    }

    fn __bounded_int<'v>(x: Value<'v>) -> anyhow::Result<Value<'v>> {
        match x.unpack_str() {
            Some(text) if text.len() > LARGEST_DIGITS => {
                bail!(
                    "a number of {} digits; int() reads {LARGEST_DIGITS}",
                    text.len()
                )
            }
            _ => Ok(x),
        }
    }
}
