//! The vault itself: sets, opens and removes secrets. A clone of its store shares the database.

use crate::VaultError;
use crate::cipher::random;
use crate::flights::Flights;
use crate::key::{KeyOrigin, KeySources, guard};
use crate::keychain::Keychain;
use crate::opened::{Content, OpenedRows};
use crate::row;
use crate::tokens::Tokens;
use model::{Caller, HostError, Leash, Secret, SecretName, SecretStamp, Secrets, World};
use std::time::{SystemTime, UNIX_EPOCH};
use store::{Place, SecretRow, Store, Wrote};

/// How often a write is tried that another process gets in the way of.
const TRIES: usize = 5;

pub struct Vault {
    pub(crate) store: Store,
    pub(crate) sources: KeySources,
    pub(crate) keychain: Keychain,
    pub(crate) opened: OpenedRows,
    pub(crate) flights: Flights,
}

/// What a secret is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// Tokens that are renewed.
    OAuth2,
}

impl Kind {
    pub(crate) fn of(name: &str) -> Option<Self> {
        let all = [Self::Text, Self::OAuth2];
        all.into_iter().find(|kind| kind.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::OAuth2 => "oauth2",
        }
    }
}

impl Vault {
    pub fn new(store: Store, sources: KeySources) -> Self {
        if sources.key.is_some() || sources.passphrase.is_some() {
            // It is in our environment already, where others could look.
            guard();
        }
        Self {
            store,
            sources,
            keychain: Keychain::default(),
            opened: OpenedRows::default(),
            flights: Flights::default(),
        }
    }

    /// Keeps a text, over whatever was there. Answers where the vault's key is, if this made one.
    pub fn set(&self, place: &Place<'_>, text: &str) -> Result<Option<KeyOrigin>, VaultError> {
        self.write(place, Kind::Text.name(), text.as_bytes())
    }

    /// Keeps tokens that are renewed.
    pub fn set_tokens(
        &self,
        place: &Place<'_>,
        tokens: &Tokens,
    ) -> Result<Option<KeyOrigin>, VaultError> {
        let tokens = tokens.with_set_id(u64::from_le_bytes(random::<8>()?));
        self.write(place, Kind::OAuth2.name(), &tokens.to_bytes())
    }

    /// Answers whether it was there. No key is needed to forget.
    pub fn remove(&self, place: &Place<'_>) -> Result<bool, VaultError> {
        self.opened.forget(place);
        Ok(self.store.delete_secret(place)?)
    }

    /// All secrets, sealed.
    pub fn list(&self) -> Result<Vec<SecretRow>, VaultError> {
        Ok(self.store.secrets()?)
    }

    /// Finds the key, if anything is sealed; answers where it is.
    pub fn check(&self) -> Result<Option<KeyOrigin>, VaultError> {
        for known in self.store.vault_keys()? {
            self.key(&known.kid)?;
        }
        Ok(self.keychain.origin())
    }

    pub(crate) fn key(&self, kid: &str) -> Result<crate::cipher::Key, VaultError> {
        self.keychain.get(kid, &self.store, &self.sources)
    }

    pub(crate) fn write(
        &self,
        place: &Place<'_>,
        kind: &str,
        text: &[u8],
    ) -> Result<Option<KeyOrigin>, VaultError> {
        let mut made = None;
        for _ in 0..TRIES {
            let current = self.keychain.current(&self.store, &self.sources)?;
            made = made.or(current.made);
            match self.put(&current.key, place, kind, text, None)? {
                Wrote::Done => return Ok(made),
                Wrote::Stale | Wrote::OtherKey => self.keychain.forget(),
            }
        }
        Err(VaultError::Rotating)
    }

    pub(crate) fn put(
        &self,
        key: &crate::cipher::Key,
        place: &Place<'_>,
        kind: &str,
        text: &[u8],
        expected: Option<u64>,
    ) -> Result<Wrote, VaultError> {
        let mut failed = None;
        let seal = |version| {
            row::seal(key, place, kind, version, text).unwrap_or_else(|error| {
                failed = Some(error);
                // A key without a name is none of the vault's, so that nothing is written.
                store::Sealed { kid: String::new(), wrapped: Vec::new(), text: Vec::new() }
            })
        };
        let wrote = self.store.put_secret(place, kind, now_ms(), expected, seal)?;
        match failed {
            Some(error) => Err(error),
            None => Ok(wrote),
        }
    }

    /// The user's own place, or the server's, with the version that is there.
    fn find<'n>(&self, wanted: &SecretName<'n>) -> Result<Option<(Place<'n>, u64)>, VaultError> {
        let at = |owner| Place { module: wanted.module, name: wanted.name, owner };
        // A login may give anybody the name of whoever runs the server, so that it owns nothing.
        let is_own = wanted.user != Caller::default().name;
        let owners = [wanted.user, ""].into_iter().skip(usize::from(!is_own));
        for place in owners.map(at) {
            if let Some(version) = self.store.secret_version(&place)? {
                return Ok(Some((place, version)));
            }
        }
        Ok(None)
    }

    fn stamp_of(&self, wanted: &SecretName<'_>) -> Result<Option<SecretStamp>, VaultError> {
        let Some((place, version)) = self.find(wanted)? else {
            return Ok(None);
        };
        let content = self.content_of(&place, version)?;
        Ok(content.map(|(version, content)| SecretStamp {
            personal: !place.owner.is_empty(),
            version: content.set_id().unwrap_or(version),
        }))
    }

    /// What is there now, with its version.
    pub(crate) fn content(&self, place: &Place<'_>) -> Result<Option<(u64, Content)>, VaultError> {
        let Some(version) = self.store.secret_version(place)? else {
            return Ok(None);
        };
        self.content_of(place, version)
    }

    fn content_of(
        &self,
        place: &Place<'_>,
        version: u64,
    ) -> Result<Option<(u64, Content)>, VaultError> {
        if let Some(content) = self.opened.get(place, version) {
            return Ok(Some((version, content)));
        }
        let Some(row) = self.store.secret(place)? else {
            return Ok(None);
        };
        let content = self.open(&row)?;
        self.opened.keep(place, row.version, &content);
        Ok(Some((row.version, content)))
    }

    fn open(&self, row: &SecretRow) -> Result<Content, VaultError> {
        let bytes = row::open(&self.key(&row.sealed.kid)?, row)?;
        let broken = || VaultError::Broken { what: row::spoken(&row.place()) };
        match Kind::of(&row.kind) {
            Some(Kind::OAuth2) => {
                let tokens = Tokens::from_bytes(&bytes).ok_or_else(broken)?;
                Ok(Content::Tokens(Box::new(tokens)))
            }
            Some(Kind::Text) => {
                let text = std::str::from_utf8(&bytes).map_err(|_| broken())?;
                Ok(Content::Text(Secret::new(text)))
            }
            None => {
                Err(VaultError::Kind { what: row::spoken(&row.place()), kind: row.kind.clone() })
            }
        }
    }
}

impl Secrets for Vault {
    fn reveal(
        &self,
        wanted: &SecretName<'_>,
        world: &dyn World,
        leash: &Leash,
    ) -> Result<Secret, HostError> {
        let found = self.find(wanted).map_err(|error| told(&error))?;
        let (place, version) = found.ok_or_else(|| wanted.not_set())?;
        let content = self.content_of(&place, version).map_err(|error| told(&error))?;
        match content {
            None => Err(wanted.not_set()),
            Some((_, Content::Text(text))) => Ok(text),
            Some((version, Content::Tokens(tokens))) => {
                self.fresh(&place, version, &tokens, world, leash)
            }
        }
    }

    fn has(&self, wanted: &SecretName<'_>) -> Result<(), HostError> {
        match self.find(wanted).map_err(|error| told(&error))? {
            Some(_) => Ok(()),
            None => Err(wanted.not_set()),
        }
    }

    fn stamp(&self, wanted: &SecretName<'_>) -> Result<Option<SecretStamp>, HostError> {
        let stamp = self.stamp_of(wanted);
        stamp.map_err(|error| told(&error))
    }

    fn is_set(&self, module: &str, name: &str) -> Result<bool, HostError> {
        let found = self.store.has_secret(module, name);
        found.map_err(|error| told(&error.into()))
    }
}

/// Logs the error, and leaves out for the caller where the key and the data lie.
pub(crate) fn told(error: &VaultError) -> HostError {
    let short = error.without_path();
    let whole = error.to_string();
    if short != whole {
        tracing::warn!("{whole}");
    }
    HostError(short)
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}
