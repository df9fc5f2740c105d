//! The names of the keys that secrets are sealed with, and how one takes the place of another.

use crate::secrets::{ALL, SecretRow, row};
use crate::{Place, Store, StoreError};
use rusqlite::{Connection, Result, TransactionBehavior, params};

/// What is known of a master key without having it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultKey {
    pub kid: String,
    /// It is about to take the place of the other one.
    pub is_next: bool,
    /// Of one that is made from a passphrase.
    pub salt: Option<Vec<u8>>,
    /// Opens with this key and with no other.
    pub proof: Vec<u8>,
    /// While one takes the place of another: this key, sealed with the other one, so that whoever has
    /// either can read all there is.
    pub link: Option<Vec<u8>>,
}

impl Store {
    pub fn vault_keys(&self) -> std::result::Result<Vec<VaultKey>, StoreError> {
        Ok(self.lock().found(|open| keys(open))?.unwrap_or_default())
    }

    /// The first key of a vault; answers whether there was none before.
    pub fn begin_vault(&self, key: &VaultKey) -> std::result::Result<bool, StoreError> {
        self.lock().made(|open| {
            let open = open.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if !keys(&open)?.is_empty() {
                return Ok(false);
            }
            insert(&open, key)?;
            open.commit()?;
            Ok(true)
        })
    }

    /// From now on there are two keys; `link` is the one so far, sealed with the next. Answers whether
    /// there was just that one.
    pub fn begin_rotation(
        &self,
        from: &str,
        link: &[u8],
        next: &VaultKey,
    ) -> std::result::Result<bool, StoreError> {
        self.lock().made(|open| {
            let open = open.transaction_with_behavior(TransactionBehavior::Immediate)?;
            match &keys(&open)?[..] {
                [only] if only.kid == from => {}
                _ => return Ok(false),
            }
            open.prepare_cached("UPDATE vault_keys SET link = ?2 WHERE kid = ?1")?
                .execute(params![from, link])?;
            insert(&open, next)?;
            open.commit()?;
            Ok(true)
        })
    }

    /// Some of the secrets that are sealed with this key.
    pub fn secrets_under(
        &self,
        kid: &str,
        most: u32,
    ) -> std::result::Result<Vec<SecretRow>, StoreError> {
        let found = self.lock().found(|open| {
            let sql = format!("{ALL} WHERE kid = ?1 LIMIT ?2");
            let mut all = open.prepare_cached(&sql)?;
            all.query_map(params![kid, most], row)?.collect()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The key of a row, wrapped with another master key; nothing if the row has changed meanwhile.
    pub fn rewrap_secret(
        &self,
        place: &Place<'_>,
        version: u64,
        [from, to]: [&str; 2],
        wrapped: &[u8],
    ) -> std::result::Result<(), StoreError> {
        self.lock().found(|open| {
            open.prepare_cached(
                "UPDATE secrets SET kid = ?6, wrapped = ?7
                 WHERE module = ?1 AND name = ?2 AND owner = ?3 AND version = ?4 AND kid = ?5",
            )?
            .execute(params![
                place.module,
                place.name,
                place.owner,
                version.cast_signed(),
                from,
                to,
                wrapped
            ])
        })?;
        Ok(())
    }

    /// The old key is forgotten, if nothing is sealed with it any more; answers whether that is so.
    pub fn end_rotation(&self, old: &str) -> std::result::Result<bool, StoreError> {
        self.lock().made(|open| {
            let open = open.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let is_used =
                open.prepare_cached("SELECT 1 FROM secrets WHERE kid = ?1")?.exists([old])?;
            if is_used {
                return Ok(false);
            }
            open.execute("DELETE FROM vault_keys WHERE kid = ?1", [old])?;
            open.execute("UPDATE vault_keys SET next = 0, link = NULL", [])?;
            open.commit()?;
            Ok(true)
        })
    }

    /// What the database says of its own pages: `ok`, or what is wrong.
    pub fn integrity(&self) -> std::result::Result<String, StoreError> {
        let found = self
            .lock()
            .found(|open| open.query_row("PRAGMA integrity_check", [], |row| row.get(0)))?;
        Ok(found.unwrap_or_else(|| "ok".to_owned()))
    }
}

/// The one in use first, then the next.
fn keys(open: &Connection) -> Result<Vec<VaultKey>> {
    open.prepare_cached("SELECT kid, next, salt, proof, link FROM vault_keys ORDER BY next")?
        .query_map([], |row| {
            Ok(VaultKey {
                kid: row.get(0)?,
                is_next: row.get(1)?,
                salt: row.get(2)?,
                proof: row.get(3)?,
                link: row.get(4)?,
            })
        })?
        .collect()
}

fn insert(open: &Connection, key: &VaultKey) -> Result<()> {
    open.prepare_cached(
        "INSERT INTO vault_keys (kid, next, salt, proof, link) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![key.kid, key.is_next, key.salt, key.proof, key.link])?;
    Ok(())
}
