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
    /// The value of a variable, or `default` if it is not set.
    ///
    /// Without a default that is the empty string. A folder module names the variables it may read as
    /// `env` under `[permissions]`, a single file may read all; those called `LARKSPUR_…` are kept from
    /// every module.
    ///
    /// Examples:
    /// ```python
    /// >>> env.get("HOME")
    /// "/srv/ada"
    /// >>> env.get("GITHUB_DEFAULT_REPO", "acme/web")
    /// "acme/web"
    /// >>> env.get("SECRET")
    /// error: `SECRET` is not yours
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
