//! `ctx.tools`: a module's tools may come and go. What a call adds or removes is served once the
//! call has ended well: a failed call changes nothing.

use crate::declare::tool_entry;
use crate::kinds::keep;
use crate::stdlib::prelude::*;

/// Tools that come and go while a module runs.
#[starlark_module]
pub(crate) fn natives(builder: &mut GlobalsBuilder) {
    /// Offers a function as a tool, with the options of `tool`; one of its name is replaced.
    ///
    /// It is there once the call, or `start`, has ended well.
    ///
    /// Examples:
    /// ```python
    /// def hello() -> str:
    ///     """Greet."""
    ///     return "hello"
    ///
    /// def grow(ctx):
    ///     ctx.tools.add(hello, name = "hello_again")
    ///
    /// tool(grow)
    /// ```
    fn add<'v>(
        #[starlark(require = pos)] func: Value<'v>,
        #[starlark(kwargs)] options: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        Cx::of(eval)?.gauge.leave_trial()?;
        keep(tool_entry("ctx.tools.add()", func, &options, eval)?, eval)?;
        Ok(NoneType)
    }

    /// Takes a tool away once the call has ended well.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.tools.remove("hello_again")
    /// None
    /// ```
    fn remove<'v>(
        #[starlark(require = pos)] name: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        Cx::of(eval)?.gauge.leave_trial()?;
        let heap = eval.heap();
        let entry = [("kind", heap.alloc("remove")), ("name", heap.alloc(name))];
        keep(heap.alloc(AllocDict(entry)), eval)?;
        Ok(NoneType)
    }
}
