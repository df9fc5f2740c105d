//! `parallel`: one function over many items, one after the other. Items and results pass as data.

use super::checked::size::{gauge, items};
use crate::stdlib::prelude::*;
use serde_json::Value as Json;

const MOST_ITEMS: usize = 10_000;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// `fn` of each item; a list of the results, in the items' order.
    ///
    /// The items run one after the other; `http.get_all` sends requests at the same time. Items and
    /// results pass as data, as through JSON, so that `ctx` is not among them; libraries such as
    /// `http` and `log` can be used. The first failure ends it all. The call's limits hold for the
    /// whole. Up to 10,000 items.
    ///
    /// Examples:
    /// ```python
    /// >>> parallel(math.sqrt, [1, 4, 9])
    /// [1.0, 2.0, 3.0]
    /// >>> parallel(lambda x: x + 1, [1])
    /// [2]
    /// ```
    fn parallel<'v>(
        #[starlark(require = pos)] r#fn: Value<'v>,
        #[starlark(require = pos)] items: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        gauge(eval)?.leave_trial()?;
        if !matches!(r#fn.get_type(), "function" | "native_function") {
            let kind = r#fn.get_type();
            let why = anyhow::anyhow!("parallel: the first argument is a function, not a {kind}");
            return Err(why.into());
        }
        let items = self::items(items, "parallel", eval)?;
        if items.len() > MOST_ITEMS {
            let count = items.len();
            return Err(anyhow::anyhow!("parallel: {count} items; it takes {MOST_ITEMS}").into());
        }
        let (heap, budget) = (eval.heap(), super::json::budget(eval)?);
        let together = heap.alloc(AllocList(items));
        let items = to_json(together, heap, budget).map_err(anyhow::Error::from)?;
        let mut results = Vec::new();
        for item in items.as_array().into_iter().flatten() {
            let result = eval.eval_function(r#fn, &[data(item, eval)?], &[])?;
            let result = to_json(result, heap, budget).map_err(anyhow::Error::from)?;
            results.push(data(&result, eval)?);
        }
        Ok(heap.alloc(AllocList(results)))
    }
}

fn data<'v>(json: &Json, eval: &Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
    let value = from_json(json, eval.heap()).map_err(anyhow::Error::from)?;
    gauge(eval)?.memory(eval)?;
    Ok(value)
}
