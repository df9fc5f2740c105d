//! `ctx.elicit`, `ctx.sample`, `ctx.roots` and `ctx.ask`: questions to whoever is behind the client.

use super::context::namespace;
use super::question::{Asked, elicitation, sampling};
use crate::stdlib::prelude::*;
use model::{Ability, Question, Topic, Unanswered, did_you_mean};
use serde_json::Value as Json;

#[starlark_module]
pub(crate) fn methods(builder: &mut MethodsBuilder) {
    /// Asks a person; a dict with `action`, which is `accept`, `decline` or `cancel`, and `content`.
    ///
    /// The schema names the fields of a form, each with a type (`string`, `integer`, `number`,
    /// `boolean`) or a JSON Schema, or is a whole JSON Schema of type `object`; without one the person
    /// is only asked to agree. `url` sends the person to a page instead. `key` is what the answer goes
    /// by between server and client.
    ///
    /// With clients of the modern era (2026-07-28) the handler runs again from its top once the answer
    /// is there: what stands before a question happens twice. So ask first, and act after. No
    /// `attempt` keeps a call from going to its client with a question. Older clients are asked while
    /// the call waits, no longer than its `timeout`.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.elicit("How many are coming?", {"guests": "integer"})
    /// {"action": "accept", "content": {"guests": 4}}
    /// >>> ctx.elicit("Sign in, please", url = "https://example.org/login")["action"]
    /// "accept"
    /// ```
    fn elicit<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] message: &str,
        #[starlark(default = NoneOr::None)] schema: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] url: NoneOr<&str>,
        #[starlark(require = named, default = NoneOr::None)] key: NoneOr<&str>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let topic = elicitation(message, schema.into_option(), url.into_option(), eval)?;
        one("ctx.elicit", topic, key, eval)
    }

    /// Asks the client's model; a dict with `text`, `role`, `content`, `model` and `stopReason`.
    ///
    /// It takes a text, or a list of texts and `{"role": "assistant", "content": …}`. `system` is the
    /// system prompt, `stop` are texts to end at, `model` names one or several that would be welcome.
    /// What stands before it may happen twice, as with `ctx.elicit`.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.sample("What are screws for?", max_tokens = 100)["text"]
    /// "Screws hold things."
    /// ```
    fn sample<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] messages: Value<'v>,
        #[starlark(default = 1000)] max_tokens: u32,
        #[starlark(require = named, default = NoneOr::None)] system: NoneOr<&str>,
        #[starlark(require = named, default = NoneOr::None)] temperature: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] stop: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] model: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] key: NoneOr<&str>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let topic = sampling(messages, max_tokens, system, temperature, stop, model, eval)?;
        one("ctx.sample", topic, key, eval)
    }

    /// The folders that the client works in, as dicts with `uri` and `name`.
    ///
    /// What stands before it may happen twice, as with `ctx.elicit`.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.roots()
    /// [{"uri": "file:///srv/shop", "name": "shop"}]
    /// ```
    fn roots<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = named, default = NoneOr::None)] key: NoneOr<&str>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        one("ctx.roots", Topic::Roots, key, eval)
    }

    /// Asks several questions at once, which `ctx.question` makes; a dict of the answers by their keys.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.ask({"party": ctx.question.elicit("How many?", {"guests": "integer"}), "where": ctx.question.roots()})
    /// {"party": {"action": "accept", "content": {"guests": 4}}, "where": [{"uri": "file:///srv/shop", "name": "shop"}]}
    /// ```
    fn ask<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] questions: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let mut asked = Vec::new();
        for (key, question) in questions.iter() {
            let Some(key) = key.unpack_str() else {
                bail!("ctx.ask: keys are strings, not a {}", key.get_type());
            };
            let Some(question) = question.downcast_ref::<Asked>() else {
                let kind = question.get_type();
                bail!("ctx.ask: `{key}` is a {kind}; write {{\"{key}\": ctx.question.elicit(…)}}");
            };
            asked.push((key, question.0.clone()));
        }
        let questions: Vec<Question> = asked.iter().map(|(key, topic)| named(key, topic)).collect();
        let answers = answers("ctx.ask", &questions, eval)?;
        let heap = eval.heap();
        let mut entries = Vec::with_capacity(answers.len());
        for ((key, _), answer) in asked.iter().zip(&answers) {
            entries.push((*key, from_json(answer, heap)?));
        }
        Ok(heap.alloc(AllocDict(entries)))
    }

    /// Questions for `ctx.ask`: see `ctx.question`.
    #[starlark(attribute)]
    fn question<'v>(this: Value<'v>) -> anyhow::Result<Value<'v>> {
        let _ = this;
        namespace("question")
    }

    /// Can the client be asked in this way? It is one of `elicit`, `elicit_url`, `sample` and `roots`.
    ///
    /// Examples:
    /// ```python
    /// >>> ctx.can("sample")
    /// True
    /// ```
    fn can<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] what: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<bool> {
        let known = Ability::ALL.iter().find(|ability| ability.name() == what);
        let Some(ability) = known else {
            let names = Ability::ALL.map(Ability::name);
            let meant = did_you_mean(what, names);
            let meant = meant.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            bail!("ctx.can: there is {}, not `{what}`{meant}", names.join(", "));
        };
        Ok(Cx::host(eval)?.can_ask(*ability))
    }
}

fn named(key: &str, topic: &Topic) -> Question {
    Question { key: Some(key.to_owned()), topic: topic.clone() }
}

fn one<'v>(
    name: &str,
    topic: Topic,
    key: NoneOr<&str>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<Value<'v>> {
    let key = key.into_option().map(str::to_owned);
    let answers = answers(name, &[Question { key, topic }], eval)?;
    let answer = answers.first().unwrap_or(&Json::Null);
    Ok(from_json(answer, eval.heap())?)
}

fn answers(
    name: &str,
    questions: &[Question],
    eval: &Evaluator<'_, '_, '_>,
) -> anyhow::Result<Vec<Json>> {
    if questions.is_empty() {
        return Ok(Vec::new());
    }
    let host = Cx::host(eval)?;
    let gauge = &Cx::of(eval)?.gauge;
    let answered = host.ask(questions, &gauge.leash());
    answered.map_err(|why| {
        let why = unwound(why, eval);
        // While somebody was asked, the time may have run out.
        match gauge.in_time() {
            Err(late) => late,
            Ok(()) => why.context(format!("{name} got no answer")),
        }
    })
}

/// The error that ends the script; where the client has to answer first, nothing can catch it.
pub(crate) fn unwound(why: Unanswered, eval: &Evaluator<'_, '_, '_>) -> anyhow::Error {
    if why == Unanswered::Later
        && let Ok(cx) = Cx::of(eval)
    {
        cx.gauge.hand_over();
    }
    why.into()
}
