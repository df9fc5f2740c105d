//! `url`: addresses taken apart and put together, as browsers do it.

use super::checked::size::gauge;
use crate::convert::{Unwritable, write_json};
use crate::stdlib::prelude::*;
use ::url::{Url, form_urlencoded};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All but what RFC 3986 leaves as it is.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// No address that anybody uses is longer.
const LONGEST: usize = 1 << 20;

/// So many characters of a wrong one are shown.
const SHOWN: usize = 200;

fn read(function: &str, s: &str) -> anyhow::Result<Url> {
    if s.len() > LONGEST {
        bail!("url.{function}: {} bytes; an address may have {LONGEST}", s.len());
    }
    let shown: String = s.chars().take(SHOWN).collect();
    Url::parse(s).map_err(|why| match why {
        ::url::ParseError::RelativeUrlWithoutBase => anyhow::anyhow!(
            "url.{function}: \"{shown}\" has no scheme; write https://… or join it to one with url.join"
        ),
        why => anyhow::anyhow!("url.{function}: \"{shown}\" is not a URL: {why}"),
    })
}

/// The parameters by name; a name that comes more than once has a list.
fn parameters<'v>(url: &Url, heap: Heap<'v>) -> Result<Value<'v>, Unwritable> {
    let mut receiver = Receiver::new(heap);
    let mut found: Vec<(String, Vec<Value<'v>>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (name, value) in url.query_pairs() {
        let value = receiver.cell(heap.alloc(value.as_ref()))?;
        let place = *places.entry(name.to_string()).or_insert(found.len());
        match found.get_mut(place) {
            Some((_, values)) => values.push(value),
            None => found.push((name.into_owned(), vec![value])),
        }
    }
    let mut entries = Vec::with_capacity(found.len());
    for (name, values) in found {
        let value = match values[..] {
            [only] => only,
            _ => heap.alloc(AllocList(values)),
        };
        entries.push((receiver.key(&name)?, value));
    }
    Ok(heap.alloc(AllocDict(entries)))
}

fn spelt<'v>(value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<String> {
    if let Some(text) = value.unpack_str() {
        return Ok(text.to_owned());
    }
    // Numbers with every digit, which `str` does not keep.
    Ok(write_json(value, eval.heap(), super::json::budget(eval)?)?)
}

/// Addresses taken apart and put together, as browsers do it.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// The parts of a URL: a dict of scheme, username, password, host, port, path, query, fragment.
    ///
    /// What is not there is None; `port` is None as well when it is the scheme's own. `query` is a
    /// dict of decoded texts, or of lists of them where a name comes more than once.
    ///
    /// Examples:
    /// ```python
    /// >>> url.parse("https://api.example.org:8080/v1/items?q=a%20b&tag=x&tag=y#top")["query"]
    /// {"q": "a b", "tag": ["x", "y"]}
    /// >>> [url.parse("http://ada@Example.org:80/a b")[part] for part in ["host", "port", "path", "username"]]
    /// ["example.org", None, "/a%20b", "ada"]
    /// >>> url.parse("/v1/items")
    /// error: url.parse: "/v1/items" has no scheme; write https://… or join it to one with url.join
    /// ```
    fn parse<'v>(
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        gauge(eval)?.text(s.len(), "a URL")?;
        let url = read("parse", s)?;
        let heap = eval.heap();
        let text = |part: Option<&str>| part.map_or_else(Value::new_none, |part| heap.alloc(part));
        let given = |part: &str| text(Some(part).filter(|part| !part.is_empty()));
        let port = url.port().map_or_else(Value::new_none, |port| heap.alloc(u32::from(port)));
        Ok(heap.alloc(AllocDict([
            ("scheme", heap.alloc(url.scheme())),
            ("username", given(url.username())),
            ("password", text(url.password())),
            ("host", text(url.host_str())),
            ("port", port),
            ("path", heap.alloc(url.path())),
            ("query", parameters(&url, heap)?),
            ("fragment", text(url.fragment())),
        ])))
    }

    /// What a link means on a page: `s` as seen from `base`.
    ///
    /// Examples:
    /// ```python
    /// >>> url.join("https://example.org/docs/a.html", "../img/b.png")
    /// "https://example.org/img/b.png"
    /// >>> url.join("https://example.org/docs", "https://other.org/x")
    /// "https://other.org/x"
    /// ```
    fn join(
        #[starlark(require = pos)] base: &str,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> anyhow::Result<String> {
        gauge(eval)?.text(base.len() + s.len(), "a URL")?;
        if s.len() > LONGEST {
            bail!("url.join: {} bytes; an address may have {LONGEST}", s.len());
        }
        let joined = read("join", base)?.join(s);
        let joined = joined.map_err(|why| {
            let shown: String = s.chars().take(SHOWN).collect();
            anyhow::anyhow!("url.join: \"{shown}\": {why}")
        })?;
        Ok(joined.into())
    }

    /// A text as one part of a path or query: everything but letters, digits and `-._~` is escaped.
    ///
    /// Examples:
    /// ```python
    /// >>> url.encode("a b/ü")
    /// "a%20b%2F%C3%BC"
    /// ```
    fn encode(
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> anyhow::Result<String> {
        gauge(eval)?.text(s.len().saturating_mul(3), "a text")?;
        Ok(utf8_percent_encode(s, RESERVED).to_string())
    }

    /// The text that an escaped part stands for; a `+` stays a `+`.
    ///
    /// Examples:
    /// ```python
    /// >>> url.decode("a%20b%2Fc+d")
    /// "a b/c+d"
    /// >>> url.decode("%ff")
    /// error: url.decode: the bytes are not UTF-8 text
    /// ```
    fn decode(
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'_, '_, '_>,
    ) -> anyhow::Result<String> {
        gauge(eval)?.text(s.len(), "a text")?;
        let decoded = percent_decode_str(s).decode_utf8();
        let decoded =
            decoded.map_err(|_| anyhow::anyhow!("url.decode: the bytes are not UTF-8 text"))?;
        Ok(decoded.into_owned())
    }

    /// A dict as the query of a URL. A list gives its name several times, None leaves it out.
    ///
    /// Examples:
    /// ```python
    /// >>> url.query({"q": "a b", "page": 2, "all": True, "tag": ["x", "y"], "none": None})
    /// "q=a+b&page=2&all=true&tag=x&tag=y"
    /// ```
    fn query<'v>(
        #[starlark(require = pos)] params: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let gauge = gauge(eval)?;
        gauge.elements(params.len(), "a query")?;
        let mut out = String::new();
        for (name, value) in params.iter() {
            let name = spelt(name, eval)?;
            let values = match (ListRef::from_value(value), TupleRef::from_value(value)) {
                (Some(list), _) => list.content().to_vec(),
                (None, Some(tuple)) => tuple.content().to_vec(),
                (None, None) => vec![value],
            };
            for value in values.into_iter().filter(|value| !value.is_none()) {
                let value = spelt(value, eval)?;
                let longest = 3_usize.saturating_mul(name.len() + value.len());
                gauge.text(out.len().saturating_add(longest), "a query")?;
                let start = out.len();
                let mut pairs = form_urlencoded::Serializer::for_suffix(out, start);
                pairs.append_pair(&name, &value);
                out = pairs.finish();
                out.push('&');
            }
        }
        out.pop();
        Ok(out)
    }
}
