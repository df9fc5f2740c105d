//! `env`: variables of the server's environment.

use crate::cx::Cx;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    builder.namespace("env", natives);
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// The value of a variable, or `default` if it is not set. A folder module names the variables
    /// it may read as `env` under `[permissions]`; asking for another one is an error.
    ///
    /// ```python not-run
    /// repo = env.get("GITHUB_DEFAULT_REPO", "acme/web")
    /// ```
    fn get<'v>(
        name: &str,
        default: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let heap = eval.heap();
        match Cx::host(eval)?.env(name)? {
            Some(value) => Ok(heap.alloc(value)),
            None => Ok(default.unwrap_or_else(|| heap.alloc(""))),
        }
    }
}
