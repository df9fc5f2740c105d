//! `log`: lines for the server's log, which goes to stderr, and for clients that ask for them.

use super::show;
use crate::convert::{Budget, to_json};
use crate::cx::Cx;
use model::Level;
use serde_json::{Map, Value as Json};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::values::none::NoneType;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    builder.namespace("log", natives);
}

fn line<'v>(
    level: Level,
    message: Value<'v>,
    fields: &DictRef<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> anyhow::Result<NoneType> {
    let message = show::line(&[message], eval)?;
    let mut json = Map::new();
    for (key, value) in fields.iter() {
        let budget = Budget { depth: 16, bytes: 16 << 10 };
        let value =
            to_json(value, eval.heap(), budget).unwrap_or_else(|e| Json::String(format!("<{e}>")));
        json.insert(show::plain(key), value);
    }
    Cx::host(eval)?.log(level, &message, &Json::Object(json));
    Ok(NoneType)
}

#[starlark_module]
pub(crate) fn natives(builder: &mut GlobalsBuilder) {
    /// A line for whoever looks for an error; shown with `LARKSPUR_LOG=debug`.
    ///
    /// What is given by name stands beside the message, as JSON.
    ///
    /// Examples:
    /// ```python
    /// >>> log.debug("looked", items = 3)
    /// None
    /// ```
    fn debug<'v>(
        #[starlark(require = pos)] message: Value<'v>,
        #[starlark(kwargs)] fields: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        line(Level::Debug, message, &fields, eval)
    }

    /// A line that tells what happens.
    ///
    /// Examples:
    /// ```python
    /// >>> log.info("looked", items = 3)
    /// None
    /// ```
    fn info<'v>(
        #[starlark(require = pos)] message: Value<'v>,
        #[starlark(kwargs)] fields: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        line(Level::Info, message, &fields, eval)
    }

    /// A line that somebody should look at.
    ///
    /// Examples:
    /// ```python
    /// >>> log.warn("looked", items = 3)
    /// None
    /// ```
    fn warn<'v>(
        #[starlark(require = pos)] message: Value<'v>,
        #[starlark(kwargs)] fields: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        line(Level::Warn, message, &fields, eval)
    }

    /// A line about something that failed; the call goes on.
    ///
    /// Examples:
    /// ```python
    /// >>> log.error("looked", items = 3)
    /// None
    /// ```
    fn error<'v>(
        #[starlark(require = pos)] message: Value<'v>,
        #[starlark(kwargs)] fields: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        line(Level::Error, message, &fields, eval)
    }
}
