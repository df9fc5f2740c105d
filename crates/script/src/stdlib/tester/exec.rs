//! `t.exec`: commands that are played.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]
#![allow(
    clippy::unnecessary_wraps,
    clippy::elidable_lifetime_names,
    clippy::too_many_arguments,
    reason = "starlark's macros ask for it"
)]

use super::{Behind, add};
use crate::stage::{Exchange, Kind};
use allocative::Allocative;
use starlark::any::ProvidesStaticType;
use starlark::environment::{Methods, MethodsBuilder};
use starlark::eval::Evaluator;
use starlark::values::list::UnpackList;
use starlark::values::none::{NoneOr, NoneType};
use starlark::values::{
    Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, starlark_value,
};
use starlark::{starlark_module, starlark_simple_value};
use std::fmt;

#[derive(Debug, ProvidesStaticType, NoSerialize, Allocative, StarlarkPagablePanic)]
pub(crate) struct Exec(#[allocative(skip)] pub(super) Behind);

starlark_simple_value!(Exec);

impl fmt::Display for Exec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("t.exec")
    }
}

#[starlark_value(type = "t_exec")]
impl<'v> StarlarkValue<'v> for Exec {
    fn get_methods() -> Option<&'static Methods> {
        Some(METHODS.methods())
    }
}

starlark::methods_static!(METHODS = methods);

#[starlark_module]
fn methods(builder: &mut MethodsBuilder) {
    /// Plays a command: with these arguments, or with any.
    ///
    /// Once a test has given one, no command runs for real. Several that fit answer in turn, as those
    /// of `t.http.on` do. With `error` it cannot be run, and that is why.
    ///
    /// Examples:
    /// ```python
    /// def test_log(t):
    ///     t.exec.on("git", ["log", "-1"], stdout = "first commit")
    ///     testing.eq(t.call("shop.last_commit").value, "first commit")
    /// ```
    fn on<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] command: &str,
        #[starlark(default = NoneOr::None)] args: NoneOr<UnpackList<String>>,
        #[starlark(require = named, default = "")] stdout: &str,
        #[starlark(require = named, default = "")] stderr: &str,
        #[starlark(require = named, default = 0)] exit_code: i32,
        #[starlark(require = named, default = NoneOr::None)] error: NoneOr<String>,
        #[starlark(require = named, default = false)] optional: bool,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let _ = this;
        let exchange = Exchange::Exec {
            command: command.to_owned(),
            args: args.into_option().map(|args| args.items),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            exit_code,
            error: error.into_option(),
        };
        add(exchange, optional, eval)
    }

    /// The commands that were run so far: a list of dicts.
    ///
    /// They have `command`, `args`, `stdin`, `cwd`, `timeout` (in seconds) and `env` (what was added to it).
    #[starlark(attribute)]
    fn requests<'v>(this: &Exec, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        this.0.asked(Kind::Exec, heap)
    }
}
