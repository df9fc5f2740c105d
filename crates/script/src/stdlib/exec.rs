//! `exec`: other programs, run without a shell.

use super::duration::duration;
use super::secret::Secret;
use super::show;
use crate::stdlib::prelude::*;
use model::{ExecRequest, ExecResult};

/// Other programs, run without a shell.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// Runs a command to its end: a dict with `stdout`, `stderr`, `exit_code` and `success`.
    ///
    /// There is no shell: each argument reaches the program as it is. `exit_code` is -1 if a signal
    /// ended the program. A module names the commands it may run as `exec`: in `[permissions]` of
    /// its `module.toml`, or in `permissions(…)` of a single file; a file in starlark-mcp's form as
    /// `allowed_exec` of its `Extension`.
    ///
    /// `stdin` is what the program reads, `cwd` where it runs, relative to the module's folder, which is
    /// also where it runs without it; `env` adds variables, which may be secrets whose declaration in the
    /// manifest names the command: `token = { exec = ["git"] }`. What still runs after `timeout` (`"500ms"`,
    /// `"30s"` or a number of seconds) is killed, and the call fails; so it does when more than 1 MiB is
    /// written. Everything that the program has started ends with it.
    ///
    /// Examples:
    /// ```python
    /// >>> exec.run("echo", ["3", "pieces"], timeout = "10s")
    /// {"stdout": "3 pieces", "stderr": "", "exit_code": 0, "success": True}
    /// >>> exec.run("false")["success"]
    /// False
    /// >>> exec.run("echo", "3 pieces")
    /// error: exec.run: args must be a list, not a string; write ["a", "b"]
    /// ```
    fn run<'v>(
        command: &str,
        args: Option<Value<'v>>,
        #[starlark(default = "")] stdin: &str,
        cwd: Option<Value<'v>>,
        env: Option<Value<'v>>,
        timeout: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let heap = eval.heap();
        let (env, secret_env) = given(env).map_or(Ok(Default::default()), variables)?;
        let request = ExecRequest {
            command: command.to_owned(),
            args: given(args).map_or(Ok(Vec::new()), |args| words(args, heap))?,
            stdin: stdin.to_owned(),
            cwd: given(cwd).map(|cwd| word("cwd", cwd)).transpose()?,
            env,
            secret_env,
            timeout: duration("timeout", timeout)?,
        };
        let host = Cx::host(eval)?;
        let gauge = &Cx::of(eval)?.gauge;
        match host.exec(&request, &gauge.leash()) {
            Ok(result) => Ok(answer(&result, heap)),
            Err(error) => {
                // If the call's own time is up, that is what there is to tell.
                gauge.in_time()?;
                Err(error.into())
            }
        }
    }
}

fn answer<'v>(result: &ExecResult, heap: Heap<'v>) -> Value<'v> {
    heap.alloc(AllocDict([
        ("stdout", heap.alloc(result.stdout.as_str())),
        ("stderr", heap.alloc(result.stderr.as_str())),
        ("exit_code", heap.alloc(result.exit_code)),
        ("success", Value::new_bool(result.exit_code == 0)),
    ]))
}

fn given(value: Option<Value<'_>>) -> Option<Value<'_>> {
    value.filter(|value| !value.is_none())
}

fn words<'v>(args: Value<'v>, heap: Heap<'v>) -> anyhow::Result<Vec<String>> {
    let kind = args.get_type();
    if kind != "list" && kind != "tuple" {
        bail!("exec.run: args must be a list, not a {kind}; write [\"a\", \"b\"]");
    }
    let args = args.iterate(heap).map_err(starlark::Error::into_anyhow)?;
    args.enumerate().map(|(i, arg)| word(&format!("args[{i}]"), arg)).collect()
}

/// Numbers are written out, as the original does; what has no one way to be written is refused.
fn word(what: &str, value: Value<'_>) -> anyhow::Result<String> {
    match value.get_type() {
        "string" | "int" | "float" | "bool" => Ok(show::plain(value)),
        other => bail!("exec.run: {what} must be a string, not a {other}"),
    }
}

type Variables = Vec<(String, String)>;

/// As they are, and those that are secrets by their names.
fn variables(env: Value<'_>) -> anyhow::Result<(Variables, Variables)> {
    let Some(env) = DictRef::from_value(env) else {
        bail!("exec.run: env must be a dict, not a {}", env.get_type());
    };
    let (mut plain, mut secret) = (Vec::new(), Vec::new());
    for (name, value) in env.iter() {
        let name = word("a name in env", name)?;
        match Secret::name_of(value) {
            Some(known_as) => secret.push((name, known_as.to_owned())),
            None => {
                let value = word(&format!("env[\"{name}\"]"), value)?;
                plain.push((name, value));
            }
        }
    }
    Ok((plain, secret))
}
