//! `ctx.tools`: a module's tools may come and go. What a call adds or removes is served once the
//! call has ended well: a failed call changes nothing.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]
#![allow(
    clippy::unnecessary_wraps,
    clippy::elidable_lifetime_names,
    reason = "starlark's macros ask for it"
)]

use crate::cx::Cx;
use crate::declare::tool_entry;
use crate::kinds::keep;
use allocative::Allocative;
use starlark::any::ProvidesStaticType;
use starlark::environment::{Methods, MethodsBuilder};
use starlark::eval::Evaluator;
use starlark::values::dict::{AllocDict, DictRef};
use starlark::values::none::NoneType;
use starlark::values::{NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, starlark_value};
use starlark::{starlark_module, starlark_simple_value};
use std::fmt;

#[derive(Debug, ProvidesStaticType, NoSerialize, Allocative, StarlarkPagablePanic)]
pub(crate) struct Tools;

starlark_simple_value!(Tools);

impl fmt::Display for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ctx.tools")
    }
}

#[starlark_value(type = "tools")]
impl<'v> StarlarkValue<'v> for Tools {
    fn get_methods() -> Option<&'static Methods> {
        Some(METHODS.methods())
    }
}

starlark::methods_static!(METHODS = methods);

#[starlark_module]
fn methods(builder: &mut MethodsBuilder) {
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
        this: Value<'v>,
        #[starlark(require = pos)] func: Value<'v>,
        #[starlark(kwargs)] options: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let _ = this;
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
        this: Value<'v>,
        #[starlark(require = pos)] name: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let _ = this;
        Cx::of(eval)?.gauge.leave_trial()?;
        let heap = eval.heap();
        let entry = [("kind", heap.alloc("remove")), ("name", heap.alloc(name))];
        keep(heap.alloc(AllocDict(entry)), eval)?;
        Ok(NoneType)
    }
}
