//! `data`: files that come with a module.

use crate::loader::join;
use crate::stdlib::prelude::*;

/// Files that come with a module, read while it loads.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// The value in a JSON file beside the script, with every digit.
    ///
    /// It can be used at the top of a file: then it is read while that loads, and a change of the data
    /// loads the file again. The path is relative to the module's folder and must stay in it.
    ///
    /// Examples:
    /// ```python
    /// >>> data.load_json("data.json")
    /// {"answer": 42}
    /// >>> data.load_json("../data.json")
    /// error: `../data.json` leads out of the folder
    /// ```
    fn load_json<'v>(
        #[starlark(require = pos)] path: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let cx = Cx::of(eval)?;
        let file = join(cx.base, path).map_err(|why| anyhow::anyhow!("{why}"))?;
        if let Some(load) = &cx.loading {
            load.progress.touch([&file]);
        }
        let text = Cx::host(eval)?.read(&file)?;
        super::json::room(&text, eval)?;
        let json =
            serde_json::from_str(&text).map_err(|e| anyhow::anyhow!("{path} is not JSON: {e}"))?;
        from_json(&json, eval.heap()).map_err(|e| anyhow::anyhow!("{path}: {e}"))
    }
}
