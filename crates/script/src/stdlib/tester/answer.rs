//! What `t.call` gives: a tool's answer, to assert on.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]
#![allow(
    clippy::unnecessary_wraps,
    clippy::elidable_lifetime_names,
    reason = "starlark's macros ask for it"
)]

use crate::convert::from_json;
use crate::stage::Reply;
use allocative::Allocative;
use starlark::any::ProvidesStaticType;
use starlark::environment::{Methods, MethodsBuilder};
use starlark::values::none::NoneOr;
use starlark::values::{
    Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, starlark_value,
};
use starlark::{starlark_module, starlark_simple_value};
use std::fmt;

#[derive(Debug, ProvidesStaticType, NoSerialize, Allocative, StarlarkPagablePanic)]
pub(crate) struct Answer(#[allocative(skip)] Reply);

impl Answer {
    pub(crate) fn new(reply: Reply) -> Self {
        Self(reply)
    }

    /// As a snapshot keeps it.
    pub(crate) fn kept(&self) -> String {
        self.0.kept()
    }
}

starlark_simple_value!(Answer);

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<answer of {}: {}>", self.0.tool, self.0.text)
    }
}

#[starlark_value(type = "answer")]
impl<'v> StarlarkValue<'v> for Answer {
    fn get_methods() -> Option<&'static Methods> {
        Some(METHODS.methods())
    }
}

starlark::methods_static!(METHODS = methods);

#[starlark_module]
fn methods(builder: &mut MethodsBuilder) {
    /// The answer as data; a failed call has none, and says why.
    #[starlark(attribute)]
    fn value<'v>(this: &Answer, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        let reply = &this.0;
        if let Some(fault) = &reply.fault {
            let place = fault.place.as_ref();
            let place = place.map(|place| format!(" ({}:{})", place.file, place.line));
            anyhow::bail!(
                "`{}` failed: {}{}",
                reply.tool,
                fault.message,
                place.unwrap_or_default()
            );
        }
        Ok(from_json(&reply.value, heap)?)
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
        let message = this.0.fault.as_ref().map(|fault| fault.message.clone());
        Ok(NoneOr::from_option(message))
    }
}
