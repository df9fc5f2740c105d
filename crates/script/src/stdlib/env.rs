//! `env`: variables of the server's environment.

use crate::permissions::{ENV_WHILE_LOADING, is_extension};
use crate::stdlib::prelude::*;

/// Variables of the server's environment.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// The value of a variable, or `default` if it is not set.
    ///
    /// Without a default that is the empty string. A module names the variables it may read as `env`: in
    /// `[permissions]` of its `module.toml`, or in `permissions(…)` of a single file. Those called
    /// `LARKSPUR_…` are kept from every module. Variables can be read in calls, not while a file loads; a
    /// file in starlark-mcp's form may read all of them, also while it loads.
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
        let load = Cx::of(eval)?.loading.as_ref();
        if load.is_some_and(|load| !load.is_in_folder && !is_extension(load.file, load.source)) {
            bail!(ENV_WHILE_LOADING);
        }
        let heap = eval.heap();
        match Cx::host(eval)?.env(name)? {
            Some(value) => Ok(heap.alloc(value)),
            None => Ok(default.unwrap_or_else(|| heap.alloc(""))),
        }
    }
}
