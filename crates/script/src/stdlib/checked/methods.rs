//! Methods whose result can be larger than what went in, that take in a whole sequence, or that
//! make a list of a text.

use super::format::format;
use super::keys::{dict_keys, set_members};
use super::size::{bounded, checked, gauge};
use crate::convert::Receiver;
use crate::stdlib::secret::Secret;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::tuple::UnpackTuple;

pub(super) fn add(builder: &mut GlobalsBuilder) {
    methods(builder);
    splitting_methods(builder);
    sequence_methods(builder);
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
    let named: Vec<(&str, Value)> =
        kwargs.iter().filter_map(|(k, v)| k.unpack_str().map(|k| (k, v))).collect();
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
        match item.unpack_str() {
            Some(text) => texts = texts.saturating_add(text.len()),
            None => return Err(not_text(item).into()),
        }
        count += 1;
    }
    Ok(texts.saturating_add(separator.len().saturating_mul(count)))
}

fn not_text(item: Value<'_>) -> anyhow::Error {
    match Secret::name_of(item) {
        Some(name) => Secret::refusal(name),
        None => anyhow::anyhow!("join needs texts; here is a {}: write str(x)", item.get_type()),
    }
}

/// How long `text.replace(old, new)` gets.
fn replaced_size(text: &str, old: &str, new: &str) -> usize {
    let hits = if old.is_empty() { text.chars().count() + 1 } else { text.matches(old).count() };
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
            let text = format(text, &args.items, &kwargs, eval)?;
            return checked(Ok(eval.heap().alloc(text)), eval);
        }
        call_method(this, "format", &args.items, &kwargs, eval)
    }
}

/// A method that makes a list of a text, whose parts may become keys.
fn split<'v>(
    this: Value<'v>,
    name: &str,
    args: &[Value<'v>],
    kwargs: &DictRef<'v>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    let parts = call_method(this, name, args, kwargs, eval)?;
    if this.unpack_str().is_some()
        && let Some(parts) = ListRef::from_value(parts)
    {
        let counted = Receiver::new(eval.heap()).items(parts.content());
        counted.map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
    }
    Ok(parts)
}

#[starlark_module]
fn splitting_methods(builder: &mut GlobalsBuilder) {
    fn __split<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        split(this, "split", &args.items, &kwargs, eval)
    }

    fn __rsplit<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        split(this, "rsplit", &args.items, &kwargs, eval)
    }

    fn __splitlines<'v>(
        #[starlark(require = pos)] this: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        split(this, "splitlines", &args.items, &kwargs, eval)
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
        match this.get_type() {
            "set" => set_members(*arg, eval)?,
            "dict" => dict_keys(*arg, eval)?,
            _ => {}
        }
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
