//! Which web pages may talk to the server.

use model::Fault;
use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(from = "Written")]
pub enum Cors {
    #[default]
    Nobody,
    /// Pages that this machine serves.
    Loopback,
    Origins(Vec<String>),
    Anybody,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "write true, false or a list of origins")]
#[schemars(title = "true, false or a list of origins")]
enum Written {
    Loopback(bool),
    Origins(Vec<String>),
}

impl From<Written> for Cors {
    fn from(written: Written) -> Self {
        match written {
            Written::Loopback(true) => Self::Loopback,
            Written::Loopback(false) => Self::Nobody,
            Written::Origins(origins)
                if origins.iter().any(|origin| origin == "*")
                    && origins.iter().all(|origin| is_origin(origin)) =>
            {
                Self::Anybody
            }
            Written::Origins(origins) => {
                let as_sent = |text: String| origin_of(&text).unwrap_or(text);
                Self::Origins(origins.into_iter().map(as_sent).collect())
            }
        }
    }
}

impl Cors {
    /// The first that is not an origin.
    pub(crate) fn wrong(&self) -> Option<(&str, Fault)> {
        let Self::Origins(origins) = self else {
            return None;
        };
        let text = origins.iter().find(|text| !is_origin(text))?;
        let fault = Fault::new(format!("`{text}` is not an origin"))
            .help("write a scheme, a host and perhaps a port: `https://app.example.org`");
        Some((text, fault))
    }
}

fn is_origin(text: &str) -> bool {
    matches!(text, "*" | "null") || origin_of(text).is_some()
}

/// As browsers send it: nothing after the port, no port that is usual.
pub fn origin_of(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    let plain = url.username().is_empty() && url.password().is_none();
    let web = matches!(url.scheme(), "http" | "https");
    (bare && plain && web).then(|| url.origin().ascii_serialization())
}
