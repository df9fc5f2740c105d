//! What a request wants of a tool, a resource or a prompt, read once for all who judge it at the door.

use super::message::{Asked, METHOD, NAME};
use http::header::{HeaderMap, HeaderValue};
use model::Args;
use runtime::Wish;
use serde::{Deserialize, Deserializer};

/// A header that begins like this stands for something else.
const ENCODED: &[u8] = b"=?";

pub(crate) struct Wanted {
    kind: Kind,
    params: Params,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tool,
    Resource,
    Prompt,
}

/// As much of the params as is needed to know what is called.
#[derive(Default, Deserialize)]
struct Params {
    #[serde(default)]
    name: String,
    #[serde(default)]
    uri: String,
    #[serde(default, deserialize_with = "or_none")]
    arguments: Args,
}

/// Clients that have none may say `null`.
fn or_none<'de, D: Deserializer<'de>>(arguments: D) -> Result<Args, D::Error> {
    Option::<Args>::deserialize(arguments).map(Option::unwrap_or_default)
}

impl Wanted {
    /// Nothing, if it is about none of them. One whose headers say something else than its body is for
    /// rmcp to refuse, before anybody judges it.
    pub(crate) fn read(asked: &Asked<'_>, headers: &HeaderMap) -> Option<Self> {
        let kind = match asked.method() {
            "tools/call" => Kind::Tool,
            "resources/read" => Kind::Resource,
            "prompts/get" => Kind::Prompt,
            _ => return None,
        };
        let params = asked.params().unwrap_or_default();
        let wanted = Self { kind, params };
        let said = headers.get(METHOD);
        let named = headers.get(NAME).map(HeaderValue::as_bytes);
        let is_meant =
            |name: &[u8]| name == wanted.given_name().as_bytes() || name.starts_with(ENCODED);
        let agree = said.is_none_or(|said| said == asked.method()) && named.is_none_or(is_meant);
        agree.then_some(wanted)
    }

    pub(crate) fn wish(&self) -> Wish<'_> {
        let Params {
            name,
            uri,
            arguments,
        } = &self.params;
        match self.kind {
            Kind::Tool => Wish::Tool {
                name,
                args: arguments,
            },
            Kind::Resource => Wish::Resource(uri),
            Kind::Prompt => Wish::Prompt(name),
        }
    }

    /// For those who read of it later: a URI is given like arguments are, and is nobody's business.
    pub(crate) fn shown(&self) -> &str {
        &self.params.name
    }

    fn given_name(&self) -> &str {
        match self.kind {
            Kind::Resource => &self.params.uri,
            Kind::Tool | Kind::Prompt => &self.params.name,
        }
    }
}
