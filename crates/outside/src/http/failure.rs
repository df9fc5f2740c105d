//! Why there is no answer, in words that name no address.

use super::resolve::Unresolved;
use model::{Egress, Site};
use reqwest::Url;
use std::error::Error;
use std::io::{self, ErrorKind};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It would be the same again.
    Final(String),
    /// Something on the way; another try may work.
    OnTheWay(String),
    /// Others have asked this host lately, and its next turn comes too late.
    NoTurn(String),
}

impl Failure {
    pub(crate) fn into_words(self) -> String {
        match self {
            Self::Final(words) | Self::OnTheWay(words) | Self::NoTurn(words) => words,
        }
    }

    /// The same, saying which request it was.
    pub(crate) fn of(self, request: &str) -> Self {
        match self {
            Self::Final(why) => Self::Final(format!("{request}: {why}")),
            Self::OnTheWay(why) => Self::OnTheWay(format!("{request}: {why}")),
            Self::NoTurn(why) => Self::NoTurn(format!("{request}: {why}")),
        }
    }
}

/// Looks for the cause that says most. The client's own texts are not passed on as they are: some
/// name the address, all of them the whole URL with its query.
pub(crate) fn explain(error: &reqwest::Error, url: &Url, egress: &Egress) -> Failure {
    if error.is_body() || error.is_decode() {
        return Failure::OnTheWay("the answer broke off".into());
    }
    for cause in causes(error) {
        if let Some(unresolved) = cause.downcast_ref::<Unresolved>() {
            return match unresolved {
                Unresolved::NotPublic => Failure::Final(not_public(url, egress)),
                Unresolved::Unknown => Failure::OnTheWay(unresolved.to_string()),
            };
        }
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            return input_output(error);
        }
    }
    let words = if error.is_builder() {
        return Failure::Final("it cannot be written as a request".into());
    } else if error.is_timeout() {
        "no connection in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "the connection was closed before the answer"
    };
    Failure::OnTheWay(words.into())
}

fn input_output(error: &io::Error) -> Failure {
    let words = match error.kind() {
        // What TLS has to say: a certificate that is not trusted, a server that speaks no TLS.
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other => {
            return Failure::Final(format!("no safe connection: {error}"));
        }
        ErrorKind::ConnectionRefused => "the connection was refused",
        ErrorKind::TimedOut => "no connection in time",
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => "there is no way to it",
        _ => "the connection was closed before the answer",
    };
    Failure::OnTheWay(words.into())
}

fn not_public(url: &Url, egress: &Egress) -> String {
    match Site::of(url) {
        Some(site) => egress.not_public(&site).to_string(),
        None => Unresolved::NotPublic.to_string(),
    }
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |error| (*error).source())
}
