//! `prompt(fn, …)`: declaring messages to begin with, and getting them.

#![allow(clippy::unnecessary_wraps, reason = "starlark's macros ask for Result")]

use crate::complete::Completer;
use crate::declare::entry;
use crate::heading::Handler;
use crate::kinds::note;
use crate::offer::Reader;
use crate::script::{CallFailure, Script, Turn};
use crate::stdlib::prelude::*;
use model::{Args, Conversation, Fault, Input, Prompt, PromptName};

/// What `prompt(fn, …)` takes besides.
pub(crate) const OPTIONS: [&str; 5] = ["name", "title", "description", "icons", "complete"];

#[derive(Debug, Clone)]
pub struct ScriptPrompt {
    pub prompt: Prompt,
    pub completers: Vec<Completer>,
    pub(crate) handler: Handler,
}

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// Offers a function as a prompt: what it returns becomes messages.
    ///
    /// A text is one message of the user; a list may also hold `{"role": "assistant", "content": …}`.
    /// By name: `name`, `title`, `description`, `icons`, and `complete`, a dict of functions that
    /// complete an argument by `fn(value)` or `fn(value, given)`.
    ///
    /// Examples:
    /// ```python
    /// def plan(hours: int = 2):
    ///     """Plan some hours."""
    ///     return "Plan %d hours of work." % hours
    ///
    /// prompt(plan)
    /// ```
    fn prompt<'v>(
        #[starlark(require = pos)] func: Value<'v>,
        #[starlark(kwargs)] options: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        if func.get_type() != "function" {
            bail!(
                "prompt() takes a function, not a {}; write `prompt(my_function)`",
                func.get_type()
            );
        }
        note(entry("prompt", func, &options, &OPTIONS, None, eval)?, eval)?;
        Ok(func)
    }
}

impl<'v> Reader<'_, 'v> {
    pub(crate) fn prompt(&self, entry: Value<'v>) -> Result<ScriptPrompt, Fault> {
        let heading = self.heading("prompt", entry)?;
        let name: Result<PromptName, _> = heading.name.parse();
        let name = name.map_err(|e| self.fault(&heading.function.name, format!("{e}")))?;
        Ok(ScriptPrompt {
            prompt: Prompt {
                name,
                title: heading.title,
                description: heading.description,
                icons: heading.icons,
                input: Input::typed(heading.signature.fields, heading.signature.open),
            },
            completers: heading.completers,
            handler: heading.function,
        })
    }
}

/// Declaring a name again replaces it, in its old place.
pub(crate) fn replace(prompts: &mut Vec<ScriptPrompt>, new: ScriptPrompt) {
    let is_it = |old: &&mut ScriptPrompt| old.prompt.name == new.prompt.name;
    match prompts.iter_mut().find(is_it) {
        Some(old) => *old = new,
        None => prompts.push(new),
    }
}

impl Script {
    /// The messages of a prompt, with arguments that its types have accepted.
    pub fn get_prompt(
        &self,
        prompt: &ScriptPrompt,
        args: &Args,
        turn: &Turn<'_>,
    ) -> Result<Conversation, CallFailure> {
        self.evaluate(turn, |eval| {
            let handler = &prompt.handler;
            let value = handler.binding.call(&handler.function, args, turn, eval)?;
            let json = to_json(value, eval.heap(), Budget::from(turn.limits));
            let read = Conversation::read(json.map_err(anyhow::Error::from)?);
            let mut read = read.map_err(|why| anyhow::anyhow!("{}(): {why}", handler.name))?;
            let own = Some(&prompt.prompt.description).filter(|text| !text.is_empty());
            read.description = read.description.or_else(|| own.cloned());
            Ok(read)
        })
    }
}
