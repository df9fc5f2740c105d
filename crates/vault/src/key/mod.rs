//! Where the master key comes from: a variable, a file, a passphrase, the system's keyring, in this
//! order. It never lies with what it opens.

mod file;
mod guarded;
#[cfg_attr(not(feature = "keyring"), path = "no_ring.rs")]
mod ring;
mod text;

use crate::VaultError;
use crate::cipher::Key;
use crate::passphrase;
use file::KeyFile;
pub use guarded::guard;
use model::Secret;
use std::fmt;
use std::path::PathBuf;
use store::VaultKey;

/// What the operator says about it, and where to look if he says nothing.
#[derive(Debug, Clone, Default)]
pub struct KeySources {
    /// `LARKSPUR_VAULT_KEY`.
    pub key: Option<Secret>,
    /// `LARKSPUR_VAULT_KEY_FILE`, or `key_file` under `[vault]`.
    pub file: Option<PathBuf>,
    /// `LARKSPUR_VAULT_PASSPHRASE`.
    pub passphrase: Option<Secret>,
    /// May the system's keyring be asked?
    pub keyring: bool,
    /// Where a key is put if there is no keyring.
    pub usual: PathBuf,
    /// Where the database lies.
    pub data_dir: PathBuf,
}

/// Where a key was found or put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyOrigin {
    Variable(&'static str),
    File(PathBuf),
    Passphrase,
    Keyring,
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => f.write_str(name),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Passphrase => f.write_str("LARKSPUR_VAULT_PASSPHRASE"),
            Self::Keyring => f.write_str("the system's keyring"),
        }
    }
}

/// Keys from one place, the newest last.
pub(crate) struct Found {
    pub(crate) origin: KeyOrigin,
    pub(crate) keys: Vec<Key>,
    /// Of a passphrase, the salt that the key was made with.
    pub(crate) salt: Option<Vec<u8>>,
}

pub(crate) const VARIABLE: &str = "LARKSPUR_VAULT_KEY";

impl KeySources {
    /// The first place that there is; of those nobody named, the first that has a key of this vault.
    pub(crate) fn find(&self, known: &[VaultKey]) -> Result<Option<Found>, VaultError> {
        if let Some(key) = &self.key {
            let origin = KeyOrigin::Variable(VARIABLE);
            return Ok(Some(from_text(origin, key.expose())?));
        }
        if let Some(path) = &self.file {
            return self.in_file(path);
        }
        if let Some(passphrase) = &self.passphrase {
            return from_passphrase(passphrase.expose(), known).map(Some);
        }
        let usual = self.in_file(&self.usual)?;
        let fits = |found: &Found| found.has_one_of(known);
        if usual.as_ref().is_some_and(fits) {
            return Ok(usual);
        }
        let ring = self.in_keyring()?;
        let prefers_ring = known.is_empty() || ring.as_ref().is_some_and(fits);
        Ok(match (ring, usual) {
            (Some(ring), Some(usual)) => Some(if prefers_ring { ring } else { usual }),
            (ring, usual) => ring.or(usual),
        })
    }

    /// A new key in the place that was named, or else in the keyring, or in a file.
    pub(crate) fn make(&self) -> Result<Found, VaultError> {
        let key = Key::random()?;
        let origin = match &self.file {
            Some(path) => KeyOrigin::File(path.clone()),
            None if self.keyring && ring::is_there() => KeyOrigin::Keyring,
            None => KeyOrigin::File(self.usual.clone()),
        };
        let keeps = self.add(&origin, &key);
        let origin = match (keeps, origin) {
            // One that is locked, or does not want to.
            (Err(VaultError::Keyring(_)), KeyOrigin::Keyring) => {
                let origin = KeyOrigin::File(self.usual.clone());
                self.add(&origin, &key)?;
                origin
            }
            (kept, origin) => kept.map(|()| origin)?,
        };
        Ok(Found { origin, keys: vec![key], salt: None })
    }

    /// Puts a key after those that are there: other vaults may need them.
    pub(crate) fn add(&self, origin: &KeyOrigin, key: &Key) -> Result<(), VaultError> {
        match origin {
            KeyOrigin::File(path) => KeyFile::new(path, &self.data_dir).add(key),
            KeyOrigin::Keyring => {
                let before = ring::read()?.unwrap_or_default();
                ring::write(&text::with(&before, key))
            }
            KeyOrigin::Variable(_) | KeyOrigin::Passphrase => Err(VaultError::NoNewKey(format!(
                "{origin} cannot be changed from here: give a new key with LARKSPUR_VAULT_NEW_KEY, \
                 LARKSPUR_VAULT_NEW_PASSPHRASE or --new-key-file FILE"
            ))),
        }
    }

    pub(crate) fn in_file(&self, path: &std::path::Path) -> Result<Option<Found>, VaultError> {
        let origin = KeyOrigin::File(path.to_owned());
        let text = KeyFile::new(path, &self.data_dir).read()?;
        text.map(|text| from_text(origin, &text)).transpose()
    }

    fn in_keyring(&self) -> Result<Option<Found>, VaultError> {
        if !self.keyring || !ring::is_there() {
            return Ok(None);
        }
        let text = ring::read()?;
        text.map(|text| from_text(KeyOrigin::Keyring, &text)).transpose()
    }
}

impl Found {
    fn has_one_of(&self, known: &[VaultKey]) -> bool {
        let kids: Vec<String> = self.keys.iter().map(Key::kid).collect();
        known.iter().any(|key| kids.contains(&key.kid))
    }
}

/// One key, as a new one is given.
pub(crate) fn one(origin: KeyOrigin, text: &str) -> Result<Found, VaultError> {
    from_text(origin, text)
}

fn from_text(origin: KeyOrigin, text: &str) -> Result<Found, VaultError> {
    match text::keys(text) {
        Some(keys) if !keys.is_empty() => Ok(Found { origin, keys, salt: None }),
        _ => Err(VaultError::NotAKey { origin }),
    }
}

/// With the salts of this vault, or with a new one if there are none.
fn from_passphrase(passphrase: &str, known: &[VaultKey]) -> Result<Found, VaultError> {
    let salts = known.iter().filter_map(|key| key.salt.clone());
    let mut salts: Vec<Vec<u8>> = salts.collect();
    if known.is_empty() {
        salts.push(passphrase::salt()?.to_vec());
    }
    let made = |salt: &Vec<u8>| passphrase::key(passphrase, salt, passphrase::USUAL);
    Ok(Found {
        origin: KeyOrigin::Passphrase,
        keys: salts.iter().map(made).collect::<Result<_, _>>()?,
        salt: salts.pop(),
    })
}
