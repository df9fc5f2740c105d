//! What proves who is asking: texts as they are, secrets by their names.

use super::ask::pairs;
use crate::stdlib::prelude::*;
use crate::stdlib::secret::Secret;
use crate::stdlib::show;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use model::Credential;

pub(super) enum Proof {
    /// What `authorization` says.
    Header(String),
    Secret(Credential),
}

pub(super) fn authorization(auth: Value<'_>) -> anyhow::Result<Proof> {
    if let Some(secret) = Secret::name_of(auth) {
        return Ok(Proof::Secret(Credential::Bearer(secret.to_owned())));
    }
    if let Some(token) = auth.unpack_str() {
        return Ok(Proof::Header(format!("Bearer {token}")));
    }
    let tuple = TupleRef::from_value(auth).map(TupleRef::content);
    let pair = tuple.or_else(|| ListRef::from_value(auth).map(ListRef::content));
    if let Some([user, password]) = pair
        && let Some(user) = user.unpack_str()
    {
        if let Some(secret) = Secret::name_of(*password) {
            return Ok(Proof::Secret(Credential::Basic {
                user: user.to_owned(),
                secret: secret.to_owned(),
            }));
        }
        if let Some(password) = password.unpack_str() {
            let both = BASE64_STANDARD.encode(format!("{user}:{password}"));
            return Ok(Proof::Header(format!("Basic {both}")));
        }
    }
    // What was given is not shown: it is a secret.
    bail!("`auth` is a (user, password) pair, a secret or a token")
}

type Written = (Vec<(String, String)>, Vec<Credential>);

/// Headers, those with secrets apart.
pub(super) fn written<'v>(headers: Value<'v>, heap: Heap<'v>) -> anyhow::Result<Written> {
    let Some(dict) = DictRef::from_value(headers) else {
        return Ok((pairs("headers", headers)?, Vec::new()));
    };
    let mut credentials = Vec::new();
    let mut plain = Vec::new();
    for (name, value) in dict.iter() {
        match Secret::name_of(value) {
            Some(secret) => credentials
                .push(Credential::Header { header: show::plain(name), secret: secret.to_owned() }),
            None => plain.push((name, value)),
        }
    }
    if credentials.is_empty() {
        return Ok((pairs("headers", headers)?, credentials));
    }
    let plain = heap.alloc(AllocDict(plain));
    Ok((pairs("headers", plain)?, credentials))
}
