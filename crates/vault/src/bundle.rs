//! All secrets in one file that a passphrase opens: to keep a copy, or to move to another machine.

use crate::VaultError;
use crate::key::KeyOrigin;
use crate::passphrase::{self, Effort};
use crate::row::{self, spoken};
use crate::vault::{Kind, Vault};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use store::Place;
use zeroize::{Zeroize, Zeroizing};

const FORMAT: &str = "larkspur secrets 1";

/// The file, as JSON.
#[derive(Serialize, Deserialize)]
struct Bundle {
    format: String,
    argon2id: Effort,
    salt: String,
    sealed: String,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    module: String,
    name: String,
    owner: String,
    kind: String,
    text: String,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.text.zeroize();
    }
}

/// What became of those in the file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Imported {
    pub set: Vec<String>,
    /// They were there, and stay as they were.
    pub left: Vec<String>,
    /// Where the vault's key is, if this made one.
    pub made: Option<KeyOrigin>,
}

impl Vault {
    /// The text of the file, and how many are in it.
    pub fn export(&self, passphrase: &str) -> Result<(String, usize), VaultError> {
        let mut entries = Vec::new();
        for found in self.store.secrets()? {
            let text = row::open(&self.key(&found.sealed.kid)?, &found)?;
            let text = String::from_utf8(text.to_vec())
                .map_err(|_| VaultError::Broken { what: spoken(&found.place()) })?;
            entries.push(Entry {
                module: found.module,
                name: found.name,
                owner: found.owner,
                kind: found.kind,
                text,
            });
        }
        let salt = passphrase::salt()?;
        let effort = passphrase::USUAL;
        let key = passphrase::key(passphrase, &salt, effort)?;
        let plain = Zeroizing::new(serde_json::to_vec(&entries).unwrap_or_default());
        let bundle = Bundle {
            format: FORMAT.into(),
            argon2id: effort,
            salt: BASE64_STANDARD.encode(salt),
            sealed: BASE64_STANDARD.encode(key.seal(FORMAT.as_bytes(), &plain)?),
        };
        let text = serde_json::to_string_pretty(&bundle).unwrap_or_default();
        Ok((text + "\n", entries.len()))
    }

    /// Sets what is in such a file; what is there already is left alone unless `replace` is said.
    pub fn import(
        &self,
        text: &str,
        passphrase: &str,
        replace: bool,
    ) -> Result<Imported, VaultError> {
        let entries = opened(text, passphrase).map_err(VaultError::Bundle)?;
        let mut imported = Imported::default();
        for entry in &entries {
            let place = Place { module: &entry.module, name: &entry.name, owner: &entry.owner };
            if !replace && self.store.secret_version(&place)?.is_some() {
                imported.left.push(spoken(&place));
                continue;
            }
            let made = self.write(&place, &entry.kind, entry.text.as_bytes())?;
            imported.made = imported.made.or(made);
            imported.set.push(spoken(&place));
        }
        Ok(imported)
    }
}

fn opened(text: &str, passphrase: &str) -> Result<Vec<Entry>, String> {
    let not_one = || "this is no file that `larkspur secret export` wrote".to_owned();
    let bundle: Bundle = serde_json::from_str(text).map_err(|_| not_one())?;
    if bundle.format != FORMAT {
        return Err("this file has a format that this version does not know: update".into());
    }
    if !bundle.argon2id.is_bearable() {
        return Err("this file asks for more memory or time than any of ours".into());
    }
    let bytes = |text: &str| BASE64_STANDARD.decode(text).map_err(|_| not_one());
    let (salt, sealed) = (bytes(&bundle.salt)?, bytes(&bundle.sealed)?);
    let key = passphrase::key(passphrase, &salt, bundle.argon2id);
    let plain = key.map_err(|error| error.to_string())?.open(FORMAT.as_bytes(), &sealed);
    let plain = plain.map_err(|_| {
        "the passphrase does not open this file, or the file was changed".to_owned()
    })?;
    let entries: Vec<Entry> = serde_json::from_slice(&plain).map_err(|_| not_one())?;
    if entries.iter().any(|entry| Kind::of(&entry.kind).is_none()) {
        return Err(
            "this file holds secrets of a kind that this version does not know: update".into()
        );
    }
    Ok(entries)
}
