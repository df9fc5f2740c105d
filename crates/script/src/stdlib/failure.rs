//! Failing on purpose with a kind, and going on after a failure: Starlark has no exceptions.

use crate::script::Raised;
use crate::stdlib::prelude::*;
use crate::stdlib::show;
use serde_json::{Map, Value as Json};
use starlark::values::structs::AllocStruct;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

fn described<'v>(error: &starlark::Error, heap: Heap<'v>) -> Value<'v> {
    let raised = crate::error::raised(error);
    let kind = raised.map_or("error", |r| r.kind.as_str());
    let data = raised.map_or(Json::Object(Map::new()), |r| r.data.clone());
    let data = from_json(&data, heap).unwrap_or_else(|_| Value::new_none());
    heap.alloc(AllocStruct([
        ("kind", heap.alloc(kind)),
        ("message", heap.alloc(crate::error::message(error))),
        ("data", data),
    ]))
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// Ends the call with a kind, a message for the caller, and data for logs and `attempt`.
    ///
    /// Examples:
    /// ```python
    /// >>> error("config-error", "missing api-key", missing = ["api-key"])
    /// error: missing api-key
    /// ```
    fn error<'v>(
        #[starlark(require = pos)] kind: &str,
        #[starlark(require = pos)] message: &str,
        #[starlark(kwargs)] data: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let mut fields = Map::new();
        for (key, value) in data.iter() {
            let budget = Budget { depth: 16, bytes: 64 << 10 };
            let value = to_json(value, eval.heap(), budget).map_err(anyhow::Error::from)?;
            fields.insert(show::plain(key), value);
        }
        let raised = Raised {
            kind: kind.to_owned(),
            message: message.to_owned(),
            data: Json::Object(fields),
        };
        Err(starlark::Error::new_native(anyhow::Error::new(raised)))
    }

    /// Calls a function and goes on when it fails: `struct(ok, value, error)`.
    ///
    /// `error` is None, or has `kind`, `message` and `data`. A limit of the call is not survived.
    ///
    /// Examples:
    /// ```python
    /// >>> attempt(json.decode, "[1]").value
    /// [1]
    /// >>> attempt(math.sqrt, -1).error.message
    /// "math.sqrt needs a number of at least 0, not -1.0"
    /// >>> attempt(lambda: error("busy", "try later")).error.kind
    /// "busy"
    /// ```
    fn attempt<'v>(
        #[starlark(require = pos)] func: Value<'v>,
        #[starlark(args)] args: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] kwargs: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let named: Vec<(&str, Value)> =
            kwargs.iter().filter_map(|(k, v)| k.unpack_str().map(|k| (k, v))).collect();
        let result = eval.eval_function(func, &args.items, &named);
        let heap = eval.heap();
        let (ok, value, error) = match result {
            Ok(value) => (true, value, Value::new_none()),
            Err(error) => {
                let cx = Cx::of(eval)?;
                // A limit is not the script's to survive, nor is the end of a trial, nor a question
                // that the client has to answer first.
                let gauge = &cx.gauge;
                if gauge.stopped(eval).is_some()
                    || gauge.trial_failed(eval)
                    || gauge.is_handed_over()
                {
                    return Err(error);
                }
                (false, Value::new_none(), described(&error, heap))
            }
        };
        Ok(heap.alloc(AllocStruct([
            ("ok", Value::new_bool(ok)),
            ("value", value),
            ("error", error),
        ])))
    }
}
