//! A key of a passphrase: argon2id, slow on purpose.

use crate::VaultError;
use crate::cipher::{KEY_BYTES, Key, random};
use argon2::{Algorithm, Argon2, Params, Version};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

pub(crate) const SALT_BYTES: usize = 16;

/// How much work it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Effort {
    /// KiB of memory.
    pub(crate) memory: u32,
    pub(crate) rounds: u32,
}

pub(crate) const USUAL: Effort = Effort { memory: 64 << 10, rounds: 3 };

/// What a file from elsewhere may ask of us.
const MOST: Effort = Effort { memory: 1 << 20, rounds: 16 };

impl Effort {
    pub(crate) fn is_bearable(self) -> bool {
        self.memory <= MOST.memory && self.rounds <= MOST.rounds
    }
}

pub(crate) fn salt() -> Result<[u8; SALT_BYTES], VaultError> {
    random()
}

pub(crate) fn key(passphrase: &str, salt: &[u8], effort: Effort) -> Result<Key, VaultError> {
    let failed = |error: argon2::Error| VaultError::Passphrase(error.to_string());
    let params = Params::new(effort.memory, effort.rounds, 1, Some(KEY_BYTES)).map_err(failed)?;
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.as_bytes(), salt, &mut *bytes)
        .map_err(failed)?;
    Key::of(&*bytes).ok_or_else(|| VaultError::Passphrase("it has another length".into()))
}
