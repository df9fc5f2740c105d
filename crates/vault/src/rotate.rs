//! Another master key in the place of the one so far. At any moment whoever has the one or the other
//! can read all there is; only at the end the old one opens nothing any more.

use crate::VaultError;
use crate::cipher::Key;
use crate::key::{self, KeyOrigin};
use crate::keychain::{about, link};
use crate::passphrase;
use crate::row;
use crate::vault::Vault;
use model::Secret;
use std::path::PathBuf;

/// Where the next key comes from.
#[derive(Debug, Clone)]
pub enum NewKey {
    /// It is made, and put beside the one so far.
    Made,
    /// `LARKSPUR_VAULT_NEW_KEY`.
    Variable(Secret),
    /// A file that has one, or gets one.
    File(PathBuf),
    Passphrase(Secret),
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotated {
    /// How many secrets were wrapped anew.
    pub secrets: usize,
    pub old: String,
    pub new: String,
    /// Where the new key is; unknown if only an earlier change was finished.
    pub origin: Option<KeyOrigin>,
}

/// So many at a time.
const SOME: u32 = 100;

impl Vault {
    /// A change that was broken off is finished; otherwise a new one is begun.
    pub fn rotate(&self, to: &NewKey) -> Result<Rotated, VaultError> {
        let known = self.store.vault_keys()?;
        let (origin, old, new) = match &known[..] {
            [] => {
                let why = "nothing is sealed yet, so that there is no key to change";
                return Err(VaultError::NoNewKey(why.into()));
            }
            [only] => {
                let old = self.key(&only.kid)?;
                let (new, origin) = self.begin_rotation(&old, to)?;
                (Some(origin), old, new)
            }
            [old, new, ..] => (None, self.key(&old.kid)?, self.key(&new.kid)?),
        };
        let secrets = self.rewrap_all(&old, &new)?;
        self.keychain.forget();
        Ok(Rotated { secrets, old: old.kid(), new: new.kid(), origin })
    }

    fn begin_rotation(&self, old: &Key, to: &NewKey) -> Result<(Key, KeyOrigin), VaultError> {
        let (new, origin, salt) = self.new_key(to)?;
        if new == *old {
            let why = format!("{origin} has the key that the vault is sealed with already");
            return Err(VaultError::NoNewKey(why));
        }
        let mut next = about(&new, salt, true)?;
        next.link = Some(link(&new, old)?);
        let back = link(old, &new)?;
        if !self.store.begin_rotation(&old.kid(), &back, &next)? {
            return Err(VaultError::Rotating);
        }
        Ok((new, origin))
    }

    fn new_key(&self, to: &NewKey) -> Result<(Key, KeyOrigin, Option<Vec<u8>>), VaultError> {
        match to {
            NewKey::Made => {
                let origin = self.keychain.origin().ok_or(VaultError::Rotating)?;
                let new = Key::random()?;
                self.sources.add(&origin, &new)?;
                Ok((new, origin, None))
            }
            NewKey::Variable(text) => {
                let origin = KeyOrigin::Variable("LARKSPUR_VAULT_NEW_KEY");
                let found = key::one(origin, text.expose())?;
                newest(found)
            }
            NewKey::File(path) => match self.sources.in_file(path)? {
                Some(found) => newest(found),
                None => {
                    let (new, origin) = (Key::random()?, KeyOrigin::File(path.clone()));
                    self.sources.add(&origin, &new)?;
                    Ok((new, origin, None))
                }
            },
            NewKey::Passphrase(text) => {
                let salt = passphrase::salt()?.to_vec();
                let new = passphrase::key(text.expose(), &salt, passphrase::USUAL)?;
                Ok((new, KeyOrigin::Passphrase, Some(salt)))
            }
        }
    }

    fn rewrap_all(&self, old: &Key, new: &Key) -> Result<usize, VaultError> {
        let (from, to) = (old.kid(), new.kid());
        let mut secrets = 0;
        loop {
            let some = self.store.secrets_under(&from, SOME)?;
            if some.is_empty() && self.store.end_rotation(&from)? {
                return Ok(secrets);
            }
            for found in some {
                let wrapped = row::rewrap(old, new, &found)?;
                let kids = [from.as_str(), to.as_str()];
                self.store.rewrap_secret(&found.place(), found.version, kids, &wrapped)?;
                secrets += 1;
            }
        }
    }
}

fn newest(found: key::Found) -> Result<(Key, KeyOrigin, Option<Vec<u8>>), VaultError> {
    let origin = found.origin;
    match found.keys.into_iter().next_back() {
        Some(key) => Ok((key, origin, None)),
        None => Err(VaultError::NotAKey { origin }),
    }
}
