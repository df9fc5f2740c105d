//! `t.http`: servers that are played.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use super::{Behind, add, data};
use crate::stage::{Exchange, Kind};
use crate::stdlib::http::pairs;
use crate::stdlib::prelude::*;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

native_value! {
    pub(crate) struct Http(pub(super) Behind);
    Http: "t_http", |_, f| f.write_str("t.http"), METHODS = methods
}

/// Servers that a test plays.
#[starlark_module]
fn methods(builder: &mut MethodsBuilder) {
    /// Answers a request of this method to this URL.
    ///
    /// In the URL `*` stands for anything; else it is the whole one, its parameters in any order. Of
    /// several that fit, each answers once, in the order of the lines, and the last goes on answering.
    /// `json` is a value that is sent as JSON, `body` a text, `body_base64` bytes. One that is never asked fails the test,
    /// unless it is `optional`; and so does a request that none of them answers.
    ///
    /// Examples:
    /// ```python
    /// def test_pages(t):
    ///     t.http.on("GET", "https://api.example.org/items", json = ["screws"], headers = {"link": "</items?page=2>; rel=\"next\""})
    ///     t.http.on("GET", "https://api.example.org/items?page=*", json = ["nuts"])
    ///     testing.eq(http.pages("https://api.example.org/items"), ["screws", "nuts"])
    /// ```
    fn on<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] method: &str,
        #[starlark(require = pos)] url: &str,
        #[starlark(require = named)] json: Option<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] body: NoneOr<&str>,
        #[starlark(require = named, default = NoneOr::None)] body_base64: NoneOr<String>,
        #[starlark(require = named, default = 200)] status: i32,
        #[starlark(require = named)] headers: Option<Value<'v>>,
        #[starlark(require = named, default = false)] optional: bool,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<NoneType> {
        let mut headers = headers.map_or(Ok(Vec::new()), |given| pairs("headers", given))?;
        for (name, _) in &mut headers {
            name.make_ascii_lowercase();
        }
        let body_base64 = body_base64.into_option();
        if let Some(text) = &body_base64 {
            STANDARD
                .decode(text)
                .map_err(|why| anyhow::anyhow!("t.http.on: `body_base64`: {why}"))?;
        }
        let body = match (json, body.into_option()) {
            _ if body_base64.is_some() && (json.is_some() || !body.is_none()) => {
                bail!("t.http.on takes one of `json`, `body` and `body_base64`")
            }
            (Some(_), Some(_)) => bail!("t.http.on takes `json` or `body`, not both"),
            (Some(value), None) => {
                if headers.iter().all(|(name, _)| name != "content-type") {
                    headers.push(("content-type".into(), "application/json".into()));
                }
                data(value, eval)?.to_string()
            }
            (None, body) => body.unwrap_or_default().to_owned(),
        };
        let status = u16::try_from(status).ok().filter(|s| (100..600).contains(s));
        let exchange = Exchange::Http {
            method: method.to_ascii_uppercase(),
            url: url.to_owned(),
            status: status.ok_or_else(|| anyhow::anyhow!("t.http.on: no such status"))?,
            headers,
            body,
            body_base64,
        };
        add(exchange, optional, eval)
    }

    /// The requests that were made so far: dicts with `method`, `url`, `headers`, `body` and, if it is
    /// JSON, `json`.
    #[starlark(attribute)]
    fn requests<'v>(this: &Http, heap: Heap<'v>) -> anyhow::Result<Value<'v>> {
        this.0.asked(Kind::Http, heap)
    }
}
