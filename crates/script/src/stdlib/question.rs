//! `ctx.question`: questions that are asked together by `ctx.ask`.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use super::context::number;
use crate::stdlib::prelude::*;
use model::{Conversation, Sample, Topic, form};
use serde_json::{Value as Json, json};

native_value! {
    /// A question that has not been asked yet.
    pub(crate) struct Asked(pub(crate) Topic);
    Asked: "question", |this, f| write!(f, "question({})", this.0.needs().name())
}

/// Questions for `ctx.ask`, made with the arguments of `ctx.elicit`, `ctx.sample` and `ctx.roots`.
#[starlark_module]
pub(crate) fn natives(builder: &mut GlobalsBuilder) {
    /// A form or a page for a person, as `ctx.elicit` takes it.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.ask({"party": ctx.question.elicit("How many?", {"guests": "integer"})})["party"]["content"]
    /// {"guests": 4}
    /// ```
    fn elicit<'v>(
        #[starlark(require = pos)] message: &str,
        #[starlark(default = NoneOr::None)] schema: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] url: NoneOr<&str>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Asked> {
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
        #[starlark(require = pos)] messages: Value<'v>,
        #[starlark(default = 1000)] max_tokens: u32,
        #[starlark(require = named, default = NoneOr::None)] system: NoneOr<&str>,
        #[starlark(require = named, default = NoneOr::None)] temperature: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] stop: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] model: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Asked> {
        sampling(messages, max_tokens, system, temperature, stop, model, eval).map(Asked)
    }

    /// The folders that the client works in.
    ///
    /// Examples:
    /// ```python
    /// >>> len(ctx.ask({"where": ctx.question.roots()})["where"])
    /// 1
    /// ```
    fn roots() -> anyhow::Result<Asked> {
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
        (Some(_), Some(_)) => bail!("elicit takes a schema or a url, not both"),
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
        _ => bail!("sample: `{name}` is a string or a list of strings"),
    };
    let text = |item: Json| item.as_str().map(str::to_owned);
    let texts: Option<Vec<String>> = given.into_iter().map(text).collect();
    texts.ok_or_else(|| anyhow::anyhow!("sample: `{name}` has something in it that is no string"))
}

fn data<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<Json> {
    let budget = Budget::from(&Cx::of(eval)?.gauge.limits);
    Ok(to_json(value, eval.heap(), budget)?)
}
