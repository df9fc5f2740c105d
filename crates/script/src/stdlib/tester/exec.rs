//! `t.exec`: commands that are played.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use super::{Behind, add};
use crate::stage::{Exchange, Kind};
use crate::stdlib::prelude::*;

native_value! {
    pub(crate) struct Exec(pub(super) Behind);
    Exec: "t_exec", |_, f| f.write_str("t.exec"), METHODS = methods
}

/// Commands that a test plays.
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
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] command: &str,
        #[starlark(default = NoneOr::None)] args: NoneOr<UnpackList<String>>,
        #[starlark(require = named, default = "")] stdout: &str,
        #[starlark(require = named, default = "")] stderr: &str,
        #[starlark(require = named, default = 0)] exit_code: i32,
        #[starlark(require = named, default = NoneOr::None)] error: NoneOr<String>,
        #[starlark(require = named, default = false)] optional: bool,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
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
