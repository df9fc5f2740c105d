//! Who is at the door: a token of the server's own, or one that an issuer has made.

mod caught;
mod challenge;
mod jwks;
mod jwt;
mod keys;
mod metadata;
mod token;

pub(crate) use challenge::{insufficient, unauthorized};
pub use jwks::Jwks;
pub use jwt::{Jwt, Source};
pub use keys::{BadKeys, KeySet};
pub(crate) use metadata::Metadata;
pub use token::Token;

use crate::http::only;
use http::header::{AUTHORIZATION, HeaderMap};
use model::Caller;
use std::borrow::Cow;
use std::sync::Arc;

/// How callers prove who they are.
#[derive(Clone, Default)]
pub enum Login {
    /// Everybody who gets here is whoever started the server.
    #[default]
    Open,
    Token(Token),
    Jwt(Arc<Jwt>),
}

/// Everybody with the token is one caller.
const HOLDER: &str = "token";

/// Why nobody was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Nothing was shown.
    Nothing,
    /// The header cannot be read.
    Malformed,
    /// What was shown does not hold. Why, is for the logs alone.
    Invalid(Cow<'static, str>),
}

impl Refused {
    /// For those who read the audit log.
    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Nothing => "no token was shown",
            Self::Malformed => "the Authorization header cannot be read",
            Self::Invalid(why) => why,
        }
    }
}

impl Login {
    pub(crate) async fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refused> {
        match self {
            Self::Open => Ok(Caller::default()),
            Self::Token(token) => match bearer(headers)? {
                shown if token.is(shown) => Ok(Caller::named(HOLDER)),
                _ => Err(Refused::Invalid("it is not the server's token".into())),
            },
            Self::Jwt(jwt) => {
                let shown = bearer(headers)?;
                jwt.caller(shown).await.map_err(|why| {
                    tracing::info!(target: "auth", %why, "a token was refused");
                    Refused::Invalid(why)
                })
            }
        }
    }
}

/// From this header alone, and from one of it.
fn bearer(headers: &HeaderMap) -> Result<&str, Refused> {
    let shown = only(headers, &AUTHORIZATION).map_err(|()| Refused::Malformed)?;
    let shown = shown.ok_or(Refused::Nothing)?;
    let shown = shown.to_str().map_err(|_| Refused::Malformed)?;
    let (scheme, token) = shown.split_once(' ').ok_or(Refused::Malformed)?;
    let token = token.trim();
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Refused::Nothing);
    }
    if token.is_empty() || token.contains([' ', ',']) {
        return Err(Refused::Malformed);
    }
    Ok(token)
}
