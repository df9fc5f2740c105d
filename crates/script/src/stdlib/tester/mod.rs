//! `t`: what a test that asks for it is given. Tools are called for real; what lies outside is played.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

pub(crate) mod answer;
pub(crate) mod exec;
pub(crate) mod http;
pub(crate) mod sql;

use crate::stage::{Exchange, Kind, Need, Prop, Reply, Stage};
use crate::stdlib::duration::span;
use crate::stdlib::prelude::*;
use crate::stdlib::time;
use answer::Answer;
use model::{Args, Leash};
use serde_json::Value as Json;
use std::sync::Arc;

/// Where the test runs, as its values hold it.
#[derive(Clone)]
pub(crate) struct Behind(pub(crate) Arc<dyn Stage>);

impl std::fmt::Debug for Behind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Behind")
    }
}

impl Behind {
    fn asked<'v>(&self, kind: Kind, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        let asked = Json::Array(self.0.asked(kind));
        Ok(from_json(&asked, heap)?)
    }
}

native_value! {
    pub(crate) struct Tester(pub(crate) Behind);
    Tester: "t", |_, f| f.write_str("t"), METHODS = methods
}

/// Puts something on the stage, with the line that did.
fn play(prop: Prop, eval: &Evaluator<'_, '_, '_>) -> anyhow::Result<NoneType> {
    let cx = Cx::of(eval)?;
    cx.stage()?.play(prop, cx.place(eval)).map_err(|why| anyhow::anyhow!(why))?;
    Ok(NoneType)
}

fn add(
    exchange: Exchange,
    optional: bool,
    eval: &Evaluator<'_, '_, '_>,
) -> anyhow::Result<NoneType> {
    let need = if optional { Need::Optional } else { Need::Used };
    play(Prop::Exchange(exchange, need), eval)
}

fn data<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<Json> {
    let budget = Budget::from(&Cx::of(eval)?.gauge.limits);
    Ok(to_json(value, eval.heap(), budget)?)
}

fn arguments<'v>(
    function: &str,
    args: Option<&DictRef<'v>>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Args> {
    let mut given = Args::new();
    for (name, value) in args.iter().flat_map(|args| args.iter()) {
        let Some(name) = name.unpack_str() else {
            bail!("{function}: names of arguments are strings, not {}", name.get_type());
        };
        given.insert(name.to_owned(), data(value, eval)?);
    }
    Ok(given)
}

fn answered(
    eval: &Evaluator<'_, '_, '_>,
    ask: impl FnOnce(&dyn Stage, &Leash) -> Reply,
) -> anyhow::Result<Answer> {
    let cx = Cx::of(eval)?;
    let stage = cx.stage()?;
    let reply = ask(&**stage, &cx.gauge.leash());
    cx.gauge.in_time()?;
    Ok(Answer::new(reply, Behind(Arc::clone(stage))))
}

/// What a test is given that asks for it, `def test_x(t)`: tools called for real, in a world that
/// is played.
#[starlark_module]
fn methods(builder: &mut MethodsBuilder) {
    /// Calls a tool the whole way: schema, permissions, script, compact.
    ///
    /// The answer has `value` (as data), `text` (what the model reads), `tokens` (what that costs),
    /// `is_error` and `error` (why it failed, or None). To ask a failed answer for its `value` fails
    /// the test, and so does a tool that is not there, unless the test looks at its `error`. Modules start with the first call of a test, and their state ends with the test.
    ///
    /// Examples:
    /// ```python
    /// def test_echo(t):
    ///     answer = t.call("shop.find", {"name": "screws"})
    ///     testing.eq(answer.value["pieces"], 3)
    ///     testing.is_true(t.call("shop.find", {"nme": "screws"}).is_error)
    /// ```
    fn call<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] tool: &str,
        #[starlark(require = pos)] args: Option<DictRef<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Answer> {
        let given = arguments("t.call", args.as_ref(), eval)?;
        answered(eval, |stage, leash| stage.call(tool, given, leash))
    }

    /// Reads a resource the whole way, by its URI.
    ///
    /// The answer is as that of `t.call`, and has `contents`: the documents, as clients get them.
    /// `text` is what they say, `value` the same as data if it is JSON.
    ///
    /// Examples:
    /// ```python
    /// def test_readme(t):
    ///     answer = t.read("shop://readme")
    ///     testing.contains(answer.text, "Opening hours")
    ///     testing.eq(answer.contents[0]["mimeType"], "text/markdown")
    /// ```
    fn read<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] uri: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Answer> {
        answered(eval, |stage, leash| stage.read(uri, leash))
    }

    /// Gets a prompt the whole way: `module.prompt`, and its arguments.
    ///
    /// The answer is as that of `t.call`, and has `messages`: dicts with `role` and `content`. `text` is
    /// what they say.
    ///
    /// Examples:
    /// ```python
    /// def test_order(t):
    ///     answer = t.prompt("shop.order", {"name": "screws"})
    ///     testing.eq(answer.messages[0]["role"], "user")
    ///     testing.contains(answer.text, "screws")
    /// ```
    fn prompt<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] name: &str,
        #[starlark(require = pos)] args: Option<DictRef<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Answer> {
        let given = arguments("t.prompt", args.as_ref(), eval)?;
        answered(eval, |stage, leash| stage.prompt(name, given, leash))
    }

    /// Servers that are played: see `t.http`.
    #[starlark(attribute)]
    fn http<'v>(this: &Tester, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        Ok(heap.alloc(http::Http(this.0.clone())))
    }

    /// Commands that are played: see `t.exec`.
    #[starlark(attribute)]
    fn exec<'v>(this: &Tester, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        Ok(heap.alloc(exec::Exec(this.0.clone())))
    }

    /// Databases in files that are played: see `t.sqlite`.
    #[starlark(attribute)]
    fn sqlite<'v>(this: &Tester, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        Ok(heap.alloc(sql::Sqlite(this.0.clone())))
    }

    /// Databases on servers that are played: see `t.postgres`.
    #[starlark(attribute)]
    fn postgres<'v>(this: &Tester, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        Ok(heap.alloc(sql::Postgres(this.0.clone())))
    }

    /// A file that is there, by its path from the module's folder, with this text.
    ///
    /// Once a test has given one, nothing reaches the disk: what is written goes to `t.written`.
    ///
    /// Examples:
    /// ```python
    /// def test_import(t):
    ///     t.files("data/items.csv", "name,pieces\nscrews,3\n")
    ///     testing.eq(t.call("shop.import").value, 1)
    /// ```
    fn files<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] path: &str,
        #[starlark(require = pos)] text: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let (path, text) = (path.to_owned(), text.to_owned());
        play(Prop::File { path, text }, eval)
    }

    /// What was written where `t.files` plays the disk: a list of dicts with `path` and `text`.
    #[starlark(attribute)]
    fn written<'v>(this: &Tester, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        this.0.asked(Kind::Files, heap)
    }

    /// A variable of the environment, which is otherwise empty.
    ///
    /// What a file reads while it loads it sees in tools, not in functions that the test itself loads.
    ///
    /// Examples:
    /// ```python
    /// def test_region(t):
    ///     t.env("SHOP_REGION", "north")
    ///     testing.eq(t.call("shop.region").value, "north")
    /// ```
    fn env<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] name: &str,
        #[starlark(require = pos)] value: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let (name, value) = (name.to_owned(), value.to_owned());
        play(Prop::Env { name, value }, eval)
    }

    /// A secret of the module, as `ctx.secret` finds it.
    ///
    /// Examples:
    /// ```python
    /// def test_token(t):
    ///     t.secret("token", "abc")
    ///     t.http.on("GET", "https://api.example.org/me", json = {"name": "Ada"})
    ///     t.call("shop.me")
    ///     testing.eq(t.http.requests[0]["headers"]["authorization"], "Bearer abc")
    /// ```
    fn secret<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] name: &str,
        #[starlark(require = pos)] value: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let (name, value) = (name.to_owned(), value.to_owned());
        play(Prop::Secret { name, value }, eval)
    }

    /// A value of the module's configuration, or of another one's by `module.key`.
    ///
    /// It comes before the first `t.call`, with which modules start.
    ///
    /// Examples:
    /// ```python
    /// def test_greeting(t):
    ///     t.config("greeting", "Good day")
    ///     testing.eq(t.call("shop.greet").value, "Good day, Ada")
    /// ```
    fn config<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] key: &str,
        #[starlark(require = pos)] value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let (key, value) = (key.to_owned(), data(value, eval)?);
        play(Prop::Config { key, value }, eval)
    }

    /// Stops the clock at a time, written as `time.parse` reads it.
    ///
    /// From then on only `t.advance` and `time.sleep` move it; nobody waits in a test.
    ///
    /// Examples:
    /// ```python
    /// def test_age(t):
    ///     t.clock("2026-01-01T00:00:00Z")
    ///     testing.eq(time.now(), 1767225600)
    ///     t.advance("1h")
    ///     time.sleep(60)
    ///     testing.eq(time.now(), 1767225600 + 3660)
    /// ```
    fn clock<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] time: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let stands =
            time::milliseconds(time).map_err(|why| anyhow::anyhow!("t.clock: `{time}`: {why}"))?;
        play(Prop::Clock(stands), eval)
    }

    /// Lets time go by: seconds, or a text such as `"5m"`.
    ///
    /// Examples:
    /// ```python
    /// def test_expiry(t):
    ///     before = time.now()
    ///     t.advance("5m")
    ///     testing.is_true(time.now() - before >= 300)
    /// ```
    fn advance<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] time: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let millis = span("t.advance", time)?.as_millis();
        play(Prop::Advance(i64::try_from(millis)?), eval)
    }

    /// What the person or the model behind the client answers next.
    ///
    /// A form is answered with a dict of its fields, or with `{"action": "decline"}`; a model answers
    /// with a text; roots are a list of URIs.
    ///
    /// Examples:
    /// ```python
    /// def test_party(t):
    ///     t.answer({"guests": 4})
    ///     testing.eq(t.call("shop.invite").value, "a table for 4")
    /// ```
    fn answer<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] answer: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let answer = data(answer, eval)?;
        play(Prop::Answer(answer), eval)
    }
}
