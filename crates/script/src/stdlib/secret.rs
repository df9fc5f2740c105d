//! A secret as scripts hold it: its name. What it is stays with the host, which puts it into requests.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use starlark::values::{Value, ValueLike};

/// How a refusal ends.
pub(crate) const NOT_TEXT: &str = "cannot become text: a script has its name, not its value";

native_value! {
    pub(crate) struct Secret(String);
    Secret: "secret", |this, f| write!(f, "<secret {}>", this.0)
}

impl Secret {
    pub(crate) fn new(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// The name, if the value is a secret.
    pub(crate) fn name_of(value: Value<'_>) -> Option<&str> {
        value.downcast_ref::<Self>().map(|secret| secret.0.as_str())
    }

    /// Why a secret is no part of a text. `teach` adds what to write instead.
    pub(crate) fn refusal(name: &str) -> anyhow::Error {
        anyhow::anyhow!("the secret `{name}` {NOT_TEXT}")
    }

    /// An error if one of the values is a secret.
    pub(crate) fn refuse(values: &[Value<'_>]) -> anyhow::Result<()> {
        match values.iter().find_map(|value| Self::name_of(*value)) {
            Some(name) => Err(Self::refusal(name)),
            None => Ok(()),
        }
    }
}
