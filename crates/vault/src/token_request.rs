//! The question to a token server (RFC 6749, section 6), and what its answer comes to.

use crate::tokens::{Format, Style, Tokens};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use model::{
    HttpRequest, HttpResponse, Leash, Permission, Permissions, Rights, World, is_credential,
};
use serde_json::{Map, Value};
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

/// Asks for the next token. Why not, in words that hold nothing of what was sent or answered.
pub(crate) fn renew(tokens: &Tokens, world: &dyn World, leash: &Leash) -> Result<Tokens, String> {
    let url = Url::parse(&tokens.token_url).map_err(|_| "its token_url is not a URL".to_owned())?;
    let site = site(&url).ok_or("its token_url has no host")?;
    // Whoever set the secret named this one server; no redirect leads elsewhere.
    let named = Permissions::from([(Permission::Http, &[site.as_str()][..])]);
    let egress = Rights::of_folder("vault", &named, None).egress();
    let answer = world.http(&request(tokens), &egress, leash);
    let answer = answer.map_err(|_| format!("{site} could not be asked"))?;
    let body = read(&answer);
    if answer.status != 200 {
        return Err(refused(&site, &answer, body.as_ref()));
    }
    let body = body.ok_or_else(|| format!("{site} does not answer with JSON"))?;
    tokens.renewed(&body, world.now_ms()).map_err(|why| format!("{site}: {why}"))
}

fn site(url: &Url) -> Option<String> {
    let (host, port) = (url.host_str()?, url.port_or_known_default()?);
    Some(format!("{host}:{port}"))
}

fn request(tokens: &Tokens) -> HttpRequest {
    let mut fields =
        vec![("grant_type", "refresh_token"), ("refresh_token", tokens.refresh_token.as_str())];
    fields.extend(tokens.scope.as_deref().map(|scope| ("scope", scope)));
    let mut headers = vec![("accept".to_owned(), "application/json".to_owned())];
    match tokens.style {
        Style::Basic => headers.push(("authorization".to_owned(), basic(tokens))),
        Style::Body => {
            fields.push(("client_id", &tokens.client_id));
            let secret = tokens.client_secret.as_deref();
            fields.extend(secret.map(|secret| ("client_secret", secret)));
        }
    }
    let (kind, body) = match tokens.format {
        Format::Form => ("application/x-www-form-urlencoded", form(&fields)),
        Format::Json => ("application/json", json(&fields)),
    };
    headers.push(("content-type".to_owned(), kind.to_owned()));
    HttpRequest {
        method: "POST".into(),
        url: tokens.token_url.clone(),
        private: headers
            .iter()
            .map(|(name, _)| name.clone())
            .filter(|name| is_credential(name))
            .collect(),
        headers,
        credentials: Vec::new(),
        body: body.into_bytes(),
        timeout: None,
        redirects: false,
        // A refresh token that was used is used up.
        retries: false,
    }
}

/// Both parts are written as in a form first, as the standard has it.
fn basic(tokens: &Tokens) -> String {
    let written = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let id = written(&tokens.client_id);
    let secret = written(tokens.client_secret.as_deref().unwrap_or_default());
    format!("Basic {}", BASE64_STANDARD.encode(format!("{id}:{secret}")))
}

fn form(fields: &[(&str, &str)]) -> String {
    Serializer::new(String::new()).extend_pairs(fields).finish()
}

fn json(fields: &[(&str, &str)]) -> String {
    let fields = fields.iter();
    let map: Map<String, Value> =
        fields.map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
    Value::Object(map).to_string()
}

fn read(answer: &HttpResponse) -> Option<Map<String, Value>> {
    serde_json::from_slice(&answer.body).ok()
}

/// With the error's code, if it is one of the kind that standards have.
fn refused(site: &str, answer: &HttpResponse, body: Option<&Map<String, Value>>) -> String {
    let code = body.and_then(|body| body.get("error")?.as_str());
    let is_code =
        |code: &&str| code.len() <= 40 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let status = answer.status;
    match code.filter(is_code) {
        Some(code) => format!("{site} says {status} {code}"),
        None => format!("{site} says {status}"),
    }
}
