//! `log`: lines for the server's log, which goes to stderr, and for clients that ask for them.

use super::show;
use crate::stdlib::prelude::*;
use model::Level;
use serde_json::{Map, Value as Json};

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

macro_rules! levels {
    ($($(#[$doc:meta])* $name:ident => $level:expr;)*) => {
        /// Lines for the server's log, which goes to stderr, and for clients that ask for them.
        #[starlark_module]
        pub(crate) fn natives(builder: &mut GlobalsBuilder) {
            $($(#[$doc])*
            fn $name<'v>(
                #[starlark(require = pos)] message: Value<'v>,
                #[starlark(kwargs)] fields: DictRef<'v>,
                eval: &mut Evaluator<'v, '_, '_>,
            ) -> anyhow::Result<NoneType> {
                line($level, message, &fields, eval)
            })*
        }
    };
}

levels! {
    /// A line for whoever looks for an error; shown with `LARKSPUR_LOG=debug`.
    ///
    /// What is given by name stands beside the message, as JSON.
    ///
    /// Examples:
    /// ```python
    /// >>> log.debug("looked", items = 3)
    /// None
    /// ```
    debug => Level::Debug;

    /// A line that tells what happens.
    ///
    /// Examples:
    /// ```python
    /// >>> log.info("looked", items = 3)
    /// None
    /// ```
    info => Level::Info;

    /// A line that somebody should look at.
    ///
    /// Examples:
    /// ```python
    /// >>> log.warn("looked", items = 3)
    /// None
    /// ```
    warn => Level::Warn;

    /// A line about something that failed; the call goes on.
    ///
    /// Examples:
    /// ```python
    /// >>> log.error("looked", items = 3)
    /// None
    /// ```
    error => Level::Error;
}
