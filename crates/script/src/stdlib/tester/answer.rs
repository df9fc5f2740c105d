//! What `t.call` gives: a tool's answer, to assert on.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use super::Behind;
use crate::stage::Reply;
use crate::stdlib::prelude::*;

native_value! {
    pub(crate) struct Answer(Reply, Behind);
    Answer: "answer", |this, f| write!(f, "<answer of {}: {}>", this.0.tool, this.0.text), METHODS = methods
}

impl Answer {
    pub(super) fn new(reply: Reply, behind: Behind) -> Self {
        Self(reply, behind)
    }

    /// As a snapshot keeps it.
    pub(crate) fn kept(&self) -> String {
        self.0.kept()
    }
}

/// A failed answer has nothing else to say.
fn well(reply: &Reply) -> anyhow::Result<()> {
    let Some(fault) = &reply.fault else {
        return Ok(());
    };
    let place = fault.place.as_ref();
    let place = place.map(|place| format!(" ({}:{})", place.file, place.line));
    bail!("`{}` failed: {}{}", reply.tool, fault.message, place.unwrap_or_default())
}

fn part<'v>(answer: &Answer, name: &str, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
    well(&answer.0)?;
    match answer.0.parts.get(name) {
        Some(part) => Ok(from_json(part, heap)?),
        None => bail!("`{}` has no {name}", answer.0.tool),
    }
}

/// What `t.call` gives.
#[starlark_module]
fn methods(builder: &mut MethodsBuilder) {
    /// The answer as data; a failed call has none, and says why.
    #[starlark(attribute)]
    fn value<'v>(this: &Answer, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        well(&this.0)?;
        Ok(from_json(&this.0.value, heap)?)
    }

    /// The documents of a resource that `t.read` read: dicts with `uri`, `mimeType` and `text` or `blob`.
    #[starlark(attribute)]
    fn contents<'v>(this: &Answer, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        part(this, "contents", heap)
    }

    /// The messages of a prompt that `t.prompt` got: dicts with `role` and `content`.
    #[starlark(attribute)]
    fn messages<'v>(this: &Answer, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        part(this, "messages", heap)
    }

    /// What the model reads.
    #[starlark(attribute)]
    fn text(this: &Answer) -> anyhow::Result<String> {
        Ok(this.0.text.clone())
    }

    /// What the text costs the model.
    #[starlark(attribute)]
    fn tokens(this: &Answer) -> anyhow::Result<u64> {
        Ok(this.0.tokens as u64)
    }

    /// Did the call fail?
    #[starlark(attribute)]
    fn is_error(this: &Answer) -> anyhow::Result<bool> {
        Ok(this.0.fault.is_some())
    }

    /// Why the call failed, or None.
    #[starlark(attribute)]
    fn error(this: &Answer) -> anyhow::Result<NoneOr<String>> {
        this.1.0.seen(&this.0);
        let message = this.0.fault.as_ref().map(|fault| fault.message.clone());
        Ok(NoneOr::from_option(message))
    }
}
