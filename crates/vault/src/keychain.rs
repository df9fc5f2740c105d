//! The master keys of one vault, as far as this process has them.

use crate::VaultError;
use crate::cipher::{Key, Shut};
use crate::key::{Found, KeyOrigin, KeySources, guard};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use store::{Store, VaultKey};

const PROOF: &[u8] = b"larkspur vault proof";
const LINK: &str = "larkspur vault link";

/// A key that does not fit is not looked for again at every call.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct Keychain(Mutex<Held>);

#[derive(Default)]
struct Held {
    keys: HashMap<String, Key>,
    origin: Option<KeyOrigin>,
    missed: Option<(Instant, String)>,
}

/// A key to seal with, and where it is, if it was made just now.
pub(crate) struct Current {
    pub(crate) key: Key,
    pub(crate) made: Option<KeyOrigin>,
}

impl Keychain {
    /// The key of this name: held already, or found now.
    pub(crate) fn get(
        &self,
        kid: &str,
        store: &Store,
        sources: &KeySources,
    ) -> Result<Key, VaultError> {
        let mut held = self.0.lock();
        if let Some(key) = held.keys.get(kid) {
            return Ok(key.clone());
        }
        let is_fresh = |at: &Instant| at.elapsed() < AGAIN_AFTER;
        if !matches!(&held.missed, Some((at, missed)) if missed == kid && is_fresh(at)) {
            held.look(&store.vault_keys()?, sources)?;
            if let Some(key) = held.keys.get(kid) {
                return Ok(key.clone());
            }
            held.missed = Some((Instant::now(), kid.to_owned()));
        }
        Err(held.missing(kid, sources))
    }

    /// The key that new secrets are sealed with: of two, the one that is to stay. A vault that has
    /// none yet gets one.
    pub(crate) fn current(
        &self,
        store: &Store,
        sources: &KeySources,
    ) -> Result<Current, VaultError> {
        let mut known = store.vault_keys()?;
        let mut made = None;
        if known.is_empty() {
            made = self.begin(store, sources)?;
            known = store.vault_keys()?;
        }
        let kid = known.last().ok_or(VaultError::Rotating)?.kid.clone();
        let key = self.get(&kid, store, sources)?;
        Ok(Current { key, made })
    }

    /// Where the key was found, for those who only ask.
    pub(crate) fn origin(&self) -> Option<KeyOrigin> {
        self.0.lock().origin.clone()
    }

    /// Nothing is held: whoever asks next finds what is there then.
    pub(crate) fn forget(&self) {
        *self.0.lock() = Held::default();
    }

    fn begin(&self, store: &Store, sources: &KeySources) -> Result<Option<KeyOrigin>, VaultError> {
        let found = sources.find(&[])?;
        let is_made = found.is_none();
        let found = match found {
            Some(found) => found,
            None => sources.make()?,
        };
        let Found { origin, keys, salt } = found;
        let newest = keys.last().ok_or(VaultError::Rotating)?;
        let is_first = store.begin_vault(&about(newest, salt, false)?)?;
        let mut held = self.0.lock();
        if is_first {
            guard();
            held.keys.insert(newest.kid(), newest.clone());
            held.origin = Some(origin.clone());
        }
        Ok(Some(origin).filter(|_| is_made))
    }
}

impl Held {
    /// Finds the keys of this vault; one that is sealed with another comes along.
    fn look(&mut self, known: &[VaultKey], sources: &KeySources) -> Result<(), VaultError> {
        let Some(found) = sources.find(known)? else {
            return Ok(());
        };
        self.origin = Some(found.origin);
        for key in found.keys {
            let kid = key.kid();
            if known.iter().any(|known| known.kid == kid && fits(&key, known)) {
                guard();
                self.keys.insert(kid, key);
            }
        }
        let linked: Vec<Key> = known.iter().filter_map(|known| self.linked(known)).collect();
        for key in linked {
            self.keys.insert(key.kid(), key);
        }
        Ok(())
    }

    fn linked(&self, known: &VaultKey) -> Option<Key> {
        let link = known.link.as_ref()?;
        let mut held = self.keys.values();
        held.find_map(|by| unlink(by, &known.kid, link))
    }

    fn missing(&self, kid: &str, sources: &KeySources) -> VaultError {
        let kid = kid.to_owned();
        match &self.origin {
            Some(origin) => VaultError::OtherKey { kid, origin: origin.clone() },
            None => VaultError::NoKey {
                kid,
                usual: sources.file.clone().unwrap_or(sources.usual.clone()),
            },
        }
    }
}

/// What is kept of a key.
pub(crate) fn about(
    key: &Key,
    salt: Option<Vec<u8>>,
    is_next: bool,
) -> Result<VaultKey, VaultError> {
    Ok(VaultKey { kid: key.kid(), is_next, salt, proof: key.seal(PROOF, PROOF)?, link: None })
}

/// `key`, sealed with `by`.
pub(crate) fn link(key: &Key, by: &Key) -> Result<Vec<u8>, VaultError> {
    by.seal(bound(&key.kid()).as_bytes(), key.bytes())
}

fn unlink(by: &Key, kid: &str, link: &[u8]) -> Option<Key> {
    let opened: Result<_, Shut> = by.open(bound(kid).as_bytes(), link);
    let key = Key::of(&opened.ok()?)?;
    (key.kid() == kid).then_some(key)
}

fn bound(kid: &str) -> String {
    format!("{LINK} {kid}")
}

fn fits(key: &Key, known: &VaultKey) -> bool {
    let opened = key.open(PROOF, &known.proof);
    opened.is_ok_and(|proof| **proof == *PROOF)
}
