//! Tokens that issuers make. What is judged by, comes from the configuration: never from the token,
//! which says only by whom and with which of his keys it claims to be signed.

use super::caught::Caught;
use super::{Jwks, KeySet};
use jsonwebtoken::{Algorithm, Header, Validation};
use model::Caller;
use serde_json::{Map, Value};
use settings::Trust;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// What tokens for calling say of themselves; those that prove a login to an application are not for us.
const KINDS: [&str; 3] = ["at+jwt", "application/at+jwt", "jwt"];
/// Claims of such others.
const OF_LOGINS: [&str; 3] = ["nonce", "at_hash", "c_hash"];
/// Names that callers have who show no such token.
const TAKEN: [&str; 3] = ["", "local", "token"];
const LONGEST_NAME: usize = 256;

pub struct Jwt {
    trust: Trust,
    /// The server's own address, as clients know it.
    public_url: String,
    algorithms: Vec<Algorithm>,
    issuers: Vec<(String, Source)>,
    caught: Caught,
}

/// Where the keys of an issuer come from.
pub enum Source {
    Fixed(Arc<KeySet>),
    Published(Jwks),
}

impl From<KeySet> for Source {
    fn from(keys: KeySet) -> Self {
        Self::Fixed(Arc::new(keys))
    }
}

impl From<Jwks> for Source {
    fn from(jwks: Jwks) -> Self {
        Self::Published(jwks)
    }
}

type Why = Cow<'static, str>;

impl Jwt {
    pub fn new(mut trust: Trust, public_url: String, issuers: Vec<(String, Source)>) -> Self {
        if trust.audience.is_empty() {
            trust.audience = vec![public_url.clone()];
        }
        let algorithms = trust.algorithms.iter().filter_map(|name| name.parse().ok());
        Self {
            algorithms: algorithms.collect(),
            trust,
            public_url,
            issuers,
            caught: Caught::default(),
        }
    }

    pub(crate) fn public_url(&self) -> &str {
        &self.public_url
    }

    pub(crate) fn issuers(&self) -> impl Iterator<Item = &str> {
        self.issuers.iter().map(|(name, _)| name.as_str())
    }

    /// Whose token it is, if it holds.
    pub(super) async fn caller(&self, token: &str) -> Result<Caller, Why> {
        if let Some(caller) = self.caught.get(token) {
            return Ok(caller);
        }
        let claims = self.claims(token).await?;
        let caller = self.named(claims)?;
        let (caller, until) = caller;
        self.caught.put(token, &caller, until);
        Ok(caller)
    }

    /// What it says, once the signature and all that must be there are found right.
    async fn claims(&self, token: &str) -> Result<Map<String, Value>, Why> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| "it is no token")?;
        check_header(&header)?;
        let unproved: Map<String, Value> =
            jsonwebtoken::dangerous::insecure_decode_claims(token).map_err(|_| "it is no token")?;
        let issuer = unproved.get("iss").and_then(Value::as_str);
        let source = self.issuers.iter().find(|(name, _)| Some(name.as_str()) == issuer);
        let (issuer, source) = source.ok_or("its issuer is not trusted")?;
        let keys = match source {
            Source::Fixed(keys) => Some(Arc::clone(keys)),
            Source::Published(jwks) => jwks.keys(header.kid.as_deref()).await,
        };
        let keys = keys.ok_or("its key is not known")?;
        let key = keys.find(header.kid.as_deref()).ok_or("its key is not known")?;
        let fitting = self.algorithms.iter().copied();
        let fitting: Vec<_> =
            fitting.filter(|one| key.family().algorithms().contains(one)).collect();
        let mut validation = Validation::new(*fitting.first().ok_or("its key is of another kind")?);
        validation.algorithms = fitting;
        validation.leeway = self.trust.leeway.as_secs();
        validation.validate_nbf = true;
        validation.set_audience(&self.trust.audience);
        validation.set_issuer(&[issuer]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let proved = jsonwebtoken::decode::<Map<String, Value>>(token, key, &validation);
        let proved = proved.map_err(|error| Cow::Owned(error.to_string()))?;
        Ok(proved.claims)
    }

    fn named(&self, claims: Map<String, Value>) -> Result<(Caller, SystemTime), Why> {
        if let Some(name) = OF_LOGINS.iter().find(|name| claims.contains_key(**name)) {
            return Err(Cow::Owned(format!("it is an ID token: it has `{name}`")));
        }
        let kind = claims.get("token_use").or_else(|| claims.get("typ"));
        if kind.and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case("id")) {
            return Err("it is an ID token".into());
        }
        if !self.trust.claims.hold(&claims) {
            return Err("it lacks a claim that `claims` under [auth] asks for".into());
        }
        let name = claims.get(&self.trust.user).and_then(Value::as_str);
        let name = name.ok_or("it does not say whose it is")?;
        if TAKEN.contains(&name) || name.len() > LONGEST_NAME || name.chars().any(char::is_control)
        {
            return Err("whose it is cannot be a name here".into());
        }
        // Two issuers may have two people of one name.
        let name = match (self.issuers.len(), claims.get("iss").and_then(Value::as_str)) {
            (0 | 1, _) | (_, None) => name.to_owned(),
            (_, Some(issuer)) => format!("{issuer}#{name}"),
        };
        let end = claims.get("exp").and_then(Value::as_f64).unwrap_or_default();
        let end = Duration::try_from_secs_f64(end).unwrap_or_default() + self.trust.leeway;
        let until = SystemTime::UNIX_EPOCH.checked_add(end);
        let until = until.unwrap_or(SystemTime::UNIX_EPOCH);
        let scopes = scopes(&claims);
        let caller = Caller::named(name).with_token(scopes, claims);
        Ok((caller.holding_until(until), until))
    }
}

fn check_header(header: &Header) -> Result<(), Why> {
    let kind = header.typ.as_deref().unwrap_or("JWT");
    if !KINDS.iter().any(|known| known.eq_ignore_ascii_case(kind)) {
        return Err("it is a token of another kind".into());
    }
    if header.crit.is_some() {
        return Err("it asks for extensions".into());
    }
    Ok(())
}

/// A text with blanks between, or a list.
fn scopes(claims: &Map<String, Value>) -> Vec<String> {
    let said = claims.get("scope").or_else(|| claims.get("scp"));
    match said {
        Some(Value::String(text)) => text.split_whitespace().map(str::to_owned).collect(),
        Some(Value::Array(items)) => {
            let texts = items.iter().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
