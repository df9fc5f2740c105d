//! `ctx.question`: questions that are asked together by `ctx.ask`.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]
#![allow(
    clippy::unnecessary_wraps,
    clippy::elidable_lifetime_names,
    clippy::too_many_arguments,
    reason = "starlark's macros ask for it"
)]

use super::context::number;
use crate::convert::{Budget, to_json};
use crate::cx::Cx;
use allocative::Allocative;
use model::{Conversation, Sample, Topic, form};
use serde_json::{Value as Json, json};
use starlark::any::ProvidesStaticType;
use starlark::environment::{Methods, MethodsBuilder};
use starlark::eval::Evaluator;
use starlark::values::none::NoneOr;
use starlark::values::{NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, starlark_value};
use starlark::{starlark_module, starlark_simple_value};
use std::fmt;

/// A question that has not been asked yet.
#[derive(Debug, ProvidesStaticType, NoSerialize, Allocative, StarlarkPagablePanic)]
pub(crate) struct Asked(#[allocative(skip)] pub(crate) Topic);

starlark_simple_value!(Asked);

#[starlark_value(type = "question")]
impl<'v> StarlarkValue<'v> for Asked {}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "question({})", self.0.needs().name())
    }
}

#[derive(Debug, ProvidesStaticType, NoSerialize, Allocative, StarlarkPagablePanic)]
pub(crate) struct Questions;

starlark_simple_value!(Questions);

impl fmt::Display for Questions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ctx.question")
    }
}

#[starlark_value(type = "questions")]
impl<'v> StarlarkValue<'v> for Questions {
    fn get_methods() -> Option<&'static Methods> {
        Some(METHODS.methods())
    }
}

starlark::methods_static!(METHODS = methods);

#[starlark_module]
fn methods(builder: &mut MethodsBuilder) {
    /// A form or a page for a person, as `ctx.elicit` takes it.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.ask({"party": ctx.question.elicit("How many?", {"guests": "integer"})})["party"]["content"]
    /// {"guests": 4}
    /// ```
    fn elicit<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] message: &str,
        #[starlark(default = NoneOr::None)] schema: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] url: NoneOr<&str>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Asked> {
        let _ = this;
        elicitation(message, schema.into_option(), url.into_option(), eval).map(Asked)
    }

    /// Messages for the client's model, as `ctx.sample` takes them.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.ask({"answer": ctx.question.sample("What are screws for?")})["answer"]["text"]
    /// "Screws hold things."
    /// ```
    fn sample<'v>(
        this: Value<'v>,
        #[starlark(require = pos)] messages: Value<'v>,
        #[starlark(default = 1000)] max_tokens: u32,
        #[starlark(require = named, default = NoneOr::None)] system: NoneOr<&str>,
        #[starlark(require = named, default = NoneOr::None)] temperature: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] stop: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] model: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Asked> {
        let _ = this;
        sampling(messages, max_tokens, system, temperature, stop, model, eval).map(Asked)
    }

    /// The folders that the client works in.
    ///
    /// Examples:
    /// ```python
    /// >>> len(ctx.ask({"where": ctx.question.roots()})["where"])
    /// 1
    /// ```
    fn roots<'v>(this: Value<'v>) -> anyhow::Result<Asked> {
        let _ = this;
        Ok(Asked(Topic::Roots))
    }
}

pub(crate) fn elicitation<'v>(
    message: &str,
    schema: Option<Value<'v>>,
    url: Option<&str>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Topic> {
    let message = message.to_owned();
    match (schema, url) {
        (Some(_), Some(_)) => anyhow::bail!("elicit takes a schema or a url, not both"),
        (None, Some(url)) => Ok(Topic::Page { message, url: url.to_owned() }),
        (schema, None) => {
            let given = schema.map_or(Ok(json!({})), |schema| data(schema, eval))?;
            let schema = form(given).map_err(|why| anyhow::anyhow!("elicit: {why}"))?;
            Ok(Topic::Form { message, schema })
        }
    }
}

pub(crate) fn sampling<'v>(
    messages: Value<'v>,
    max_tokens: u32,
    system: NoneOr<&str>,
    temperature: NoneOr<Value<'v>>,
    stop: NoneOr<Value<'v>>,
    model: NoneOr<Value<'v>>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Topic> {
    let read = Conversation::read(data(messages, eval)?);
    let read = read.map_err(|why| anyhow::anyhow!("sample: {why}"))?;
    let temperature = temperature.into_option();
    let temperature = temperature.map(|value| number("temperature", value));
    Ok(Topic::Sample(Sample {
        messages: read.messages,
        max_tokens,
        system: system.into_option().map(str::to_owned),
        temperature: temperature.transpose()?,
        stop: texts("stop", stop, eval)?,
        models: texts("model", model, eval)?,
    }))
}

/// One text or several.
fn texts<'v>(
    name: &str,
    given: NoneOr<Value<'v>>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Vec<String>> {
    let Some(given) = given.into_option() else {
        return Ok(Vec::new());
    };
    let given = match data(given, eval)? {
        Json::String(text) => return Ok(vec![text]),
        Json::Array(items) => items,
        _ => anyhow::bail!("sample: `{name}` is a string or a list of strings"),
    };
    let text = |item: Json| item.as_str().map(str::to_owned);
    let texts: Option<Vec<String>> = given.into_iter().map(text).collect();
    texts.ok_or_else(|| anyhow::anyhow!("sample: `{name}` has something in it that is no string"))
}

fn data<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<Json> {
    let budget = Budget::from(&Cx::of(eval)?.gauge.limits);
    Ok(to_json(value, eval.heap(), budget)?)
}
