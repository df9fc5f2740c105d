//! What a request wants of a tool, a resource or a prompt, read once for all who judge it at the door.

use super::message::{Asked, METHOD, NAME, says_modern};
use http::header::{HeaderMap, HeaderValue};
use model::Args;
use runtime::Wish;
use serde::{Deserialize, Deserializer};

/// A header that begins like this stands for something else.
const ENCODED: &[u8] = b"=?";

/// As much of the params as is needed to know what is called, and nothing that the method does not read:
/// whoever could make these unreadable would not be judged.
pub(crate) enum Wanted {
    Tool {
        name: String,
        arguments: Args,
    },
    Resource {
        uri: String,
    },
    /// By its template, to complete an argument.
    Declared {
        uri: String,
    },
    Prompt {
        name: String,
    },
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    #[serde(default, deserialize_with = "or_none")]
    arguments: Args,
}

#[derive(Deserialize)]
struct Resource {
    uri: String,
}

#[derive(Deserialize)]
struct Prompt {
    name: String,
}

#[derive(Deserialize)]
struct Completed {
    #[serde(rename = "ref")]
    of: Reference,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Reference {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

/// Clients that have none may say `null`.
fn or_none<'de, D: Deserializer<'de>>(arguments: D) -> Result<Args, D::Error> {
    Option::<Args>::deserialize(arguments).map(Option::unwrap_or_default)
}

impl Wanted {
    /// Nothing, if it is about none of them or cannot be read: then those judge it who would run it. One
    /// of the modern era whose headers say something else than its body is for rmcp to refuse, before
    /// anybody judges it; in the other, headers say nothing.
    pub(crate) fn read(asked: &Asked<'_>, headers: &HeaderMap) -> Option<Self> {
        let wanted = Self::of(asked)?;
        let agrees = !says_modern(headers) || wanted.is_named_by(asked, headers);
        agrees.then_some(wanted)
    }

    fn of(asked: &Asked<'_>) -> Option<Self> {
        Some(match asked.method() {
            "tools/call" => {
                let Tool { name, arguments } = asked.params()?;
                Self::Tool { name, arguments }
            }
            "resources/read" => {
                let Resource { uri } = asked.params()?;
                Self::Resource { uri }
            }
            "prompts/get" => {
                let Prompt { name } = asked.params()?;
                Self::Prompt { name }
            }
            "completion/complete" => match asked.params::<Completed>()?.of {
                Reference::Prompt { name } => Self::Prompt { name },
                Reference::Resource { uri } => Self::Declared { uri },
            },
            _ => return None,
        })
    }

    fn is_named_by(&self, asked: &Asked<'_>, headers: &HeaderMap) -> bool {
        let name = match self {
            Self::Tool { name, .. } | Self::Prompt { name } => name,
            Self::Resource { uri } | Self::Declared { uri } => uri,
        };
        let is_method = |said: &HeaderValue| said == asked.method();
        // rmcp looks at those that stand for something else, and refuses them later.
        let is_name = |said: &HeaderValue| said == name || said.as_bytes().starts_with(ENCODED);
        headers.get(METHOD).is_none_or(is_method) && headers.get(NAME).is_none_or(is_name)
    }

    pub(crate) fn wish(&self) -> Wish<'_> {
        match self {
            Self::Tool { name, arguments } => Wish::Tool {
                name,
                args: arguments,
            },
            Self::Resource { uri } => Wish::Resource(uri),
            Self::Declared { uri } => Wish::Declared(uri),
            Self::Prompt { name } => Wish::Prompt(name),
        }
    }

    /// For those who read of it later: a URI is given like arguments are, and is nobody's business.
    pub(crate) fn shown(&self) -> &str {
        match self {
            Self::Tool { name, .. } | Self::Prompt { name } => name,
            Self::Resource { .. } | Self::Declared { .. } => "",
        }
    }
}
