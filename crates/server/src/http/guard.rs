//! Who may ask at all: by which name and from which page. Looked at before anything else, on every
//! path.

use super::HttpSettings;
use super::response::{ServerResponse, refused};
use http::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use http::uri::Authority;
use http::{StatusCode, Uri};
use settings::{Cors, origin_of};

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// A request that was let in: the page it came from, if any.
pub(crate) struct Admitted {
    pub(crate) origin: Option<HeaderValue>,
}

pub(crate) fn admit(
    settings: &HttpSettings,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Admitted, ServerResponse> {
    let host = called(uri, headers).map_err(|why| refused(StatusCode::BAD_REQUEST, why))?;
    if !is_ours(settings, &host) {
        let why = format!(
            "this server is not called {host}; add it to `hosts` under [server] in larkspur.toml \
             if it is"
        );
        return Err(refused(StatusCode::FORBIDDEN, &why));
    }
    let origin = only(headers, &ORIGIN).map_err(|()| forbidden_page())?;
    match origin {
        Some(origin) if !may_talk(settings, origin) => Err(forbidden_page()),
        origin => Ok(Admitted { origin: origin.cloned() }),
    }
}

/// The name the server was called by. A request that gives two could mean one thing here and
/// another elsewhere.
fn called(uri: &Uri, headers: &HeaderMap) -> Result<Authority, &'static str> {
    let named = only(headers, &HOST).map_err(|()| "there are two Host headers")?;
    let named = match named {
        Some(value) => {
            let text = value.to_str().map_err(|_| "the Host header is not text")?;
            Some(text.parse::<Authority>().map_err(|_| "the Host header is no name")?)
        }
        None => None,
    };
    match (named, uri.authority()) {
        (Some(named), Some(target)) if named != *target => {
            Err("the Host header and the address asked for differ")
        }
        (Some(named), _) => Ok(named),
        (None, Some(target)) => Ok(target.clone()),
        (None, None) => Err("there is no Host header"),
    }
}

fn is_ours(settings: &HttpSettings, host: &Authority) -> bool {
    let name = host.host().to_ascii_lowercase();
    let is_named = |known: &String| {
        known.eq_ignore_ascii_case(&name) || known.eq_ignore_ascii_case(host.as_str())
    };
    LOOPBACK.contains(&name.as_str())
        || settings.hosts.iter().any(is_named)
        || !settings.is_loopback && settings.hosts.is_empty()
}

fn may_talk(settings: &HttpSettings, origin: &HeaderValue) -> bool {
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    match &settings.cors {
        Cors::Nobody => false,
        Cors::Anybody => true,
        Cors::Origins(origins) => origins.iter().any(|known| known == origin),
        Cors::Loopback => is_loopback_page(origin),
    }
}

fn is_loopback_page(origin: &str) -> bool {
    // Browsers write origins in one way only; another one is somebody else's.
    let is_plain = origin_of(origin).as_deref() == Some(origin);
    let authority = origin.split_once("://").map(|(_, rest)| rest.parse::<Authority>());
    is_plain && matches!(authority, Some(Ok(at)) if LOOPBACK.contains(&at.host()))
}

fn forbidden_page() -> ServerResponse {
    refused(
        StatusCode::FORBIDDEN,
        "web pages of this origin may not talk to this server; `cors` under [server] in \
         larkspur.toml says which may",
    )
}

/// The value of a header that may be there once.
pub(crate) fn only<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'h HeaderValue>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    match values.next() {
        Some(_) => Err(()),
        None => Ok(first),
    }
}
