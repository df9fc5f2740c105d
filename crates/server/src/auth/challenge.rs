//! What somebody is told who may not come in, or not do this: where tokens are to be had, and which.

use super::{Jwt, Login, Refused};
use crate::http::{ServerResponse, refused};
use http::StatusCode;
use http::header::{HeaderValue, WWW_AUTHENTICATE};
use settings::Policy;
use std::collections::BTreeSet;

/// 401, with no word about what was wrong with the token.
pub(crate) fn unauthorized(login: &Login, why: &Refused, policy: &Policy) -> ServerResponse {
    let (status, error) = match why {
        Refused::Malformed => (StatusCode::BAD_REQUEST, Some("invalid_request")),
        Refused::Invalid(_) => (StatusCode::UNAUTHORIZED, Some("invalid_token")),
        Refused::Nothing => (StatusCode::UNAUTHORIZED, None),
    };
    let says = match (why, login) {
        (Refused::Invalid(_), _) => "this token does not hold here; the server's log says why",
        (_, Login::Jwt(_)) => "this server wants a token: send `Authorization: Bearer TOKEN`",
        (_, Login::Open | Login::Token(_)) => {
            "this server wants its token: send `Authorization: Bearer TOKEN`"
        }
    };
    let lowest: BTreeSet<String> = policy.lowest_scopes().map(str::to_owned).collect();
    challenged(refused(status, says), login, error, &lowest)
}

/// 403, naming all scopes that are missing at once.
pub(crate) fn insufficient(
    login: &Login,
    missing: &BTreeSet<String>,
    mut answer: ServerResponse,
) -> ServerResponse {
    *answer.status_mut() = StatusCode::FORBIDDEN;
    challenged(answer, login, Some("insufficient_scope"), missing)
}

fn challenged(
    mut answer: ServerResponse,
    login: &Login,
    error: Option<&str>,
    scopes: &BTreeSet<String>,
) -> ServerResponse {
    let mut parts = Vec::new();
    match login {
        Login::Jwt(jwt) => parts.push(format!("resource_metadata=\"{}\"", metadata_url(jwt))),
        Login::Open | Login::Token(_) => parts.push("realm=\"larkspur\"".to_owned()),
    }
    if let Some(error) = error {
        parts.push(format!("error=\"{error}\""));
    }
    if !scopes.is_empty() && matches!(login, Login::Jwt(_)) {
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        parts.push(format!("scope=\"{}\"", scopes.join(" ")));
    }
    let challenge = format!("Bearer {}", parts.join(", "));
    if let Ok(challenge) = HeaderValue::from_str(&challenge) {
        answer.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    answer
}

/// As RFC 9728 has it: between the host and the path.
fn metadata_url(jwt: &Jwt) -> String {
    let url = jwt.public_url();
    let host = url.find("://").map_or(0, |at| at + 3);
    let path = url[host..].find('/').map_or(url.len(), |at| host + at);
    format!("{}/.well-known/oauth-protected-resource{}", &url[..path], &url[path..])
}
