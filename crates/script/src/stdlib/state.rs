//! `ctx.state`: small values that a module keeps across calls, reloads and restarts.

use crate::stdlib::prelude::*;
use serde_json::Value as Json;

/// Small values that a module keeps across calls, reloads and restarts.
#[starlark_module]
pub(crate) fn natives(builder: &mut GlobalsBuilder) {
    /// The value under a key, or the default.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.state.get("count", default = 0)
    /// 0
    /// ```
    fn get<'v>(
        #[starlark(require = pos)] key: &str,
        default: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        match Cx::host(eval)?.state_get(key)? {
            Some(stored) => Ok(from_json(&stored.value, eval.heap())?),
            None => Ok(default.unwrap_or_else(Value::new_none)),
        }
    }

    /// Keeps a value under a key, whatever was there.
    ///
    /// A value is what JSON can say, in 256 KiB at the most. It is on disk when this returns. A module
    /// may keep 16 MiB under 10,000 keys.
    ///
    /// Examples:
    /// ```python
    /// >>> [ctx.state.set("seen", ["screws"]), ctx.state.get("seen")]
    /// [None, ["screws"]]
    /// ```
    fn set<'v>(
        #[starlark(require = pos)] key: &str,
        #[starlark(require = pos)] value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let host = Cx::host(eval)?;
        host.state_put(key, &json(value, eval)?, None)?;
        Ok(NoneType)
    }

    /// Forgets a key; answers whether it was there.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.state.delete("nothing")
    /// False
    /// ```
    fn delete<'v>(
        #[starlark(require = pos)] key: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<bool> {
        Ok(Cx::host(eval)?.state_delete(key)?)
    }

    /// The keys with this beginning, in the order of the alphabet.
    ///
    /// Examples:
    /// ```python
    /// >>> [ctx.state.set("user/ada", 1), ctx.state.list("user/")][1]
    /// ["user/ada"]
    /// ```
    fn list<'v>(
        #[starlark(require = pos, default = "")] prefix: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let keys = Cx::host(eval)?.state_list(prefix)?;
        Ok(Receiver::new(eval.heap()).texts(&keys)?)
    }

    /// Replaces a value by `fn(value)`, atomically; answers the new one.
    ///
    /// If somebody else was quicker, `fn` runs again on what they wrote. A key that is not there gives
    /// the default, or None.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.state.update("visits", lambda n: n + 1, default = 0)
    /// 1
    /// ```
    fn update<'v>(
        #[starlark(require = pos)] key: &str,
        #[starlark(require = pos)] func: Value<'v>,
        default: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let host = Cx::host(eval)?;
        loop {
            let stored = host.state_get(key).map_err(anyhow::Error::from)?;
            let version = stored.as_ref().map_or(0, |stored| stored.version);
            let old = match stored {
                Some(stored) => {
                    from_json(&stored.value, eval.heap()).map_err(anyhow::Error::from)?
                }
                None => default.unwrap_or_else(Value::new_none),
            };
            let new = eval.eval_function(func, &[old], &[])?;
            let written = host
                .state_put(key, &json(new, eval)?, Some(version))
                .map_err(anyhow::Error::from)?;
            if written {
                return Ok(new);
            }
            Cx::of(eval)?.gauge.in_time()?;
        }
    }
}

fn json<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<Json> {
    let budget = Budget::from(&Cx::of(eval)?.gauge.limits);
    Ok(to_json(value, eval.heap(), budget)?)
}
