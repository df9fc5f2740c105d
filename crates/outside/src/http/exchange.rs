//! One request on the wire, and its answer read to the end.

use super::failure::{Failure, explain};
use model::{Egress, HttpRequest, HttpResponse, show_size};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response, Url};

/// Headers about the connection, which are left out.
const CONNECTION: [&str; 6] = ["connection", "expect", "keep-alive", "te", "trailer", "upgrade"];
/// Headers that frame a message. A message that is framed twice can hold a second, smuggled request.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

pub(crate) async fn ask(
    client: &Client,
    request: &HttpRequest,
    url: &Url,
    egress: &Egress,
) -> Result<Response, Failure> {
    let mut message = reqwest::Request::new(method(&request.method)?, url.clone());
    *message.headers_mut() = headers(&request.headers)?;
    if !request.body.is_empty() {
        *message.body_mut() = Some(request.body.clone().into());
    }
    let answer = client.execute(message).await;
    answer.map_err(|error| explain(&error, url, egress))
}

fn method(name: &str) -> Result<Method, Failure> {
    // CONNECT opens a tunnel and TRACE sends credentials back: neither is a question.
    let method = match name {
        "CONNECT" | "TRACE" => None,
        name => Method::from_bytes(name.as_bytes()).ok(),
    };
    method.ok_or_else(|| Failure::Final(format!("`{name}` is not a method that can be sent")))
}

fn headers(given: &[(String, String)]) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let lower = name.to_ascii_lowercase();
        if CONNECTION.contains(&lower.as_str()) {
            continue;
        }
        if FRAMING.contains(&lower.as_str()) {
            let why = format!("the header `{lower}` comes from the body; leave it out");
            return Err(Failure::Final(why));
        }
        if lower == "host" {
            return Err(Failure::Final("the header `host` comes from the URL".into()));
        }
        let bad = || Failure::Final(format!("`{name}` cannot be sent as a header"));
        let key = HeaderName::from_bytes(lower.as_bytes()).map_err(|_| bad())?;
        // The value is not shown: it may be a secret.
        let mut value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| bad())?;
        value.set_sensitive(lower.contains("auth") || lower == "cookie");
        headers.append(key, value);
    }
    Ok(headers)
}

pub(crate) async fn read(
    mut answer: Response,
    url: &Url,
    egress: &Egress,
    most: usize,
) -> Result<HttpResponse, Failure> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = answer.headers().iter();
    let headers = headers.map(|(name, value)| (name.as_str().to_owned(), text(value)));
    let mut response = HttpResponse {
        status: answer.status().as_u16(),
        url: url.as_str().to_owned(),
        headers: headers.collect(),
        body: Vec::new(),
    };
    while let Some(chunk) = answer.chunk().await.map_err(|e| explain(&e, url, egress))? {
        if response.body.len() + chunk.len() > most {
            return Err(Failure::Final(format!(
                "the answer is longer than {} (limit `http_body`)",
                show_size(most)
            )));
        }
        response.body.extend_from_slice(&chunk);
    }
    Ok(response)
}
