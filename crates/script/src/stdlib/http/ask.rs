//! A request as a script writes it down, by position and by name.

use super::proof::{Proof, authorization, written};
use crate::convert::write_json;
use crate::stdlib::prelude::*;
use crate::stdlib::show;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use model::{HttpRequest, did_you_mean, parse_duration};
use starlark::values::float::StarlarkFloat;
use std::time::Duration;
use url::{Url, form_urlencoded};

/// What can be given by name; the originals' names are kept beside ours.
pub(super) const NAMES: [&str; 13] = [
    "params",
    "headers",
    "body",
    "body_base64",
    "json",
    "json_body",
    "form",
    "form_body",
    "auth",
    "timeout",
    "check",
    "redirects",
    "retries",
];

pub(crate) struct Ask<'v> {
    params: Option<Value<'v>>,
    headers: Option<Value<'v>>,
    body: Option<Value<'v>>,
    body_base64: Option<Value<'v>>,
    json: Option<Value<'v>>,
    form: Option<Value<'v>>,
    auth: Option<Value<'v>>,
    timeout: Option<Duration>,
    pub(crate) check: bool,
    redirects: bool,
    retries: bool,
}

impl Default for Ask<'_> {
    fn default() -> Self {
        Self {
            params: None,
            headers: None,
            body: None,
            body_base64: None,
            json: None,
            form: None,
            auth: None,
            timeout: None,
            check: false,
            redirects: true,
            retries: true,
        }
    }
}

impl<'v> Ask<'v> {
    pub(crate) fn with(body: Option<Value<'v>>, headers: Option<Value<'v>>) -> Self {
        Self {
            body: body.filter(|value| !value.is_none()),
            headers: headers.filter(|value| !value.is_none()),
            ..Self::default()
        }
    }

    pub(crate) fn read(&mut self, options: &DictRef<'v>) -> anyhow::Result<()> {
        for (name, value) in options.iter() {
            self.set(&show::plain(name), value)?;
        }
        Ok(())
    }

    /// None is the same as nothing, so that a function can pass on what it was given.
    pub(crate) fn set(&mut self, name: &str, value: Value<'v>) -> anyhow::Result<()> {
        let given = (!value.is_none()).then_some(value);
        match name {
            "params" => self.params = given,
            "headers" => self.headers = given,
            "body" => self.body = given,
            "body_base64" => self.body_base64 = given,
            "json" | "json_body" => self.json = given,
            "form" | "form_body" => self.form = given,
            "auth" => self.auth = given,
            "timeout" => self.timeout = given.map(duration).transpose()?,
            "check" => self.check = truth(name, given, false)?,
            "redirects" => self.redirects = truth(name, given, true)?,
            "retries" => self.retries = truth(name, given, true)?,
            _ => return Err(unknown(name, &[])),
        }
        Ok(())
    }

    /// A URL, or a dict with one; with its method.
    pub(crate) fn one_of_many(
        one: Value<'v>,
        options: &DictRef<'v>,
    ) -> anyhow::Result<(Self, String, String)> {
        let mut ask = Self::default();
        ask.read(options)?;
        if let Some(url) = one.unpack_str() {
            return Ok((ask, "GET".into(), url.into()));
        }
        let Some(dict) = DictRef::from_value(one) else {
            bail!("a request is a URL or a dict with `url`, not a {}", one.get_type());
        };
        let (mut method, mut url) = ("GET".to_owned(), None);
        for (name, value) in dict.iter() {
            match (name.unpack_str(), value.unpack_str()) {
                (Some("method"), Some(value)) => method = value.to_ascii_uppercase(),
                (Some("url"), Some(value)) => url = Some(value.to_owned()),
                _ => ask.set(&show::plain(name), value)?,
            }
        }
        let url = url.ok_or_else(|| anyhow::anyhow!("a request needs a `url`"))?;
        Ok((ask, method, url))
    }

    pub(crate) fn request(
        &self,
        method: &str,
        url: &str,
        eval: &Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<HttpRequest> {
        let (mut headers, mut credentials) = match self.headers {
            Some(headers) => written(headers, eval.heap())?,
            None => Default::default(),
        };
        let (body, kind) = self.content(eval)?;
        if let Some(kind) = kind.filter(|_| !has(&headers, "content-type")) {
            headers.push(("content-type".into(), kind.into()));
        }
        if let Some(auth) = self.auth {
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
            match authorization(auth)? {
                Proof::Header(text) => headers.push(("authorization".into(), text)),
                Proof::Secret(credential) => credentials.push(credential),
            }
        }
        Ok(HttpRequest {
            method: method.into(),
            url: self.address(url)?,
            headers,
            credentials,
            private: Vec::new(),
            body,
            timeout: self.timeout,
            redirects: self.redirects,
            retries: self.retries,
        })
    }

    fn address(&self, url: &str) -> anyhow::Result<String> {
        let params = match self.params {
            Some(params) => pairs("params", params)?,
            None => return Ok(url.into()),
        };
        if params.is_empty() {
            return Ok(url.into());
        }
        let mut address =
            Url::parse(url).map_err(|error| anyhow::anyhow!("`{url}` is not a URL: {error}"))?;
        address.query_pairs_mut().extend_pairs(params);
        Ok(address.into())
    }

    /// What is sent, and what it is. The originals take the first that is there.
    fn content(
        &self,
        eval: &Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<(Vec<u8>, Option<&'static str>)> {
        let json = |value| {
            let gauge = &Cx::of(eval)?.gauge;
            let budget = Budget { depth: gauge.limits.value_depth, bytes: gauge.text_budget() };
            let text = write_json(value, eval.heap(), budget)?;
            anyhow::Ok((text.into_bytes(), Some("application/json")))
        };
        if let Some(value) = self.json {
            return json(value);
        }
        if let Some(form) = self.form {
            let mut text = form_urlencoded::Serializer::new(String::new());
            text.extend_pairs(pairs("form", form)?);
            let kind = "application/x-www-form-urlencoded";
            return Ok((text.finish().into_bytes(), Some(kind)));
        }
        if let Some(body) = self.body {
            return match body.unpack_str() {
                Some(text) => Ok((text.as_bytes().to_vec(), None)),
                None if matches!(body.get_type(), "dict" | "list") => json(body),
                None => {
                    bail!("`body` is text, a dict or a list, not a {}", body.get_type())
                }
            };
        }
        let Some(encoded) = self.body_base64 else {
            return Ok((Vec::new(), None));
        };
        let bytes = encoded.unpack_str().map(|text| BASE64_STANDARD.decode(text));
        match bytes {
            Some(Ok(bytes)) => Ok((bytes, None)),
            _ => bail!("`body_base64` is not base64"),
        }
    }
}

fn has(headers: &[(String, String)], name: &str) -> bool {
    headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
}

/// Some functions take more than a request does.
pub(super) fn unknown(name: &str, more: &[&'static str]) -> anyhow::Error {
    let all: Vec<&str> = more.iter().chain(&NAMES).copied().collect();
    match did_you_mean(name, all.iter().copied()) {
        Some(near) => anyhow::anyhow!("http takes no `{name}`; did you mean `{near}`?"),
        None => anyhow::anyhow!("http takes no `{name}`; it takes {}", all.join(", ")),
    }
}

/// A dict as names and texts; a list stands for the name several times, None for not at all.
pub(crate) fn pairs(what: &str, value: Value<'_>) -> anyhow::Result<Vec<(String, String)>> {
    let Some(dict) = DictRef::from_value(value) else {
        bail!("`{what}` is a dict, not a {}", value.get_type());
    };
    let mut pairs = Vec::with_capacity(dict.len());
    for (name, value) in dict.iter() {
        let several = ListRef::from_value(value).map(ListRef::content);
        for value in several.unwrap_or(&[value]) {
            if let Some(text) = text(what, name, *value)? {
                pairs.push((show::plain(name), text));
            }
        }
    }
    Ok(pairs)
}

fn text<'v>(what: &str, name: Value<'v>, value: Value<'v>) -> anyhow::Result<Option<String>> {
    Ok(match value.get_type() {
        "NoneType" => None,
        "string" | "int" | "float" => Some(show::plain(value)),
        "bool" => Some(show::plain(value).to_lowercase()),
        other => {
            bail!("`{}` in `{what}` is text or a number, not a {other}", show::plain(name))
        }
    })
}

fn truth(name: &str, value: Option<Value<'_>>, default: bool) -> anyhow::Result<bool> {
    match value {
        None => Ok(default),
        Some(value) => value.unpack_bool().ok_or_else(|| {
            anyhow::anyhow!("`{name}` is True or False, not a {}", value.get_type())
        }),
    }
}

fn duration(value: Value<'_>) -> anyhow::Result<Duration> {
    let number = value.unpack_i32().map(f64::from);
    let number = number.or_else(|| value.downcast_ref::<StarlarkFloat>().map(|float| float.0));
    let time = match (number, value.unpack_str()) {
        (Some(seconds), _) => Duration::try_from_secs_f64(seconds).ok(),
        (None, Some(text)) => Some(parse_duration(text).map_err(|why| anyhow::anyhow!(why))?),
        (None, None) => None,
    };
    time.filter(|time| !time.is_zero()).ok_or_else(|| {
        anyhow::anyhow!(
            "`timeout` is seconds or a text such as \"500ms\", not {}",
            show::quoted(value)
        )
    })
}
