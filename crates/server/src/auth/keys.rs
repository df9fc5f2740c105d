//! Keys that tokens are signed with, by their ids.

use jsonwebtoken::jwk::{JwkSet, PublicKeyUse};
use jsonwebtoken::{AlgorithmFamily, DecodingKey};

/// What cannot be used as a key.
#[derive(Debug, thiserror::Error)]
pub enum BadKeys {
    #[error("it is no JWKS: {0}")]
    NoSet(String),
    #[error("there is no key in it that a signature can be checked with")]
    Empty,
    #[error("it is no public key as PEM (RSA, P-256, P-384 or Ed25519)")]
    NoPem,
    #[error("a shared secret has 32 bytes or more")]
    Short,
}

#[derive(Default, Clone)]
pub struct KeySet(Vec<(Option<String>, DecodingKey)>);

impl KeySet {
    /// Shared secrets are not taken from there: whoever can read it could sign.
    pub fn jwks(text: &[u8]) -> Result<Self, BadKeys> {
        let set: JwkSet =
            serde_json::from_slice(text).map_err(|error| BadKeys::NoSet(error.to_string()))?;
        let is_for_signing =
            |of: Option<&PublicKeyUse>| !matches!(of, Some(PublicKeyUse::Encryption));
        let keys = set.keys.iter().filter_map(|jwk| {
            let key = DecodingKey::from_jwk(jwk).ok()?;
            let fits = key.family() != AlgorithmFamily::Hmac
                && is_for_signing(jwk.common.public_key_use.as_ref());
            fits.then(|| (jwk.common.key_id.clone(), key))
        });
        let keys: Vec<_> = keys.collect();
        if keys.is_empty() {
            return Err(BadKeys::Empty);
        }
        Ok(Self(keys))
    }

    pub fn pem(text: &[u8]) -> Result<Self, BadKeys> {
        let readers =
            [DecodingKey::from_rsa_pem, DecodingKey::from_ec_pem, DecodingKey::from_ed_pem];
        let key = readers.iter().find_map(|read| read(text).ok());
        let key = key.ok_or(BadKeys::NoPem)?;
        Ok(Self(vec![(None, key)]))
    }

    pub fn secret(text: &str) -> Result<Self, BadKeys> {
        if text.len() < 32 {
            return Err(BadKeys::Short);
        }
        let key = DecodingKey::from_secret(text.as_bytes());
        Ok(Self(vec![(None, key)]))
    }

    /// The key a token names; one that has no name fits every token.
    pub(super) fn find(&self, kid: Option<&str>) -> Option<&DecodingKey> {
        let named = |(name, _): &&(Option<String>, DecodingKey)| match (name, kid) {
            (Some(name), Some(kid)) => name == kid,
            (None, _) => true,
            // Without a name in the token there must be no choice.
            (Some(_), None) => self.0.len() == 1,
        };
        self.0.iter().find(named).map(|(_, key)| key)
    }
}
