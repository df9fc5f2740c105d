//! Sealed secrets: whose they are, and who renews them. What is in them nobody here can read.

use crate::{Store, StoreError};
use rusqlite::{Connection, OptionalExtension, Result, Row, TransactionBehavior, params};

/// Where a secret stands: of which module, by which name, and whose; the server's own has no owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    pub module: &'a str,
    pub name: &'a str,
    pub owner: &'a str,
}

/// One secret as it lies in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretRow {
    pub module: String,
    pub name: String,
    pub owner: String,
    pub kind: String,
    /// Names this write: no other of this database has or gets the same.
    pub version: u64,
    pub changed_ms: i64,
    pub sealed: Sealed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The master key that `wrapped` was wrapped with.
    pub kid: String,
    /// The key of this row alone.
    pub wrapped: Vec<u8>,
    pub text: Vec<u8>,
}

/// How a write ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrote {
    Done,
    /// Another version is there than the one expected.
    Stale,
    /// The key it is sealed with is none of this vault's, or not any more.
    OtherKey,
}

impl SecretRow {
    pub fn place(&self) -> Place<'_> {
        Place { module: &self.module, name: &self.name, owner: &self.owner }
    }
}

impl Store {
    /// The version that is there.
    pub fn secret_version(
        &self,
        place: &Place<'_>,
    ) -> std::result::Result<Option<u64>, StoreError> {
        let found = self.lock().found(|open| version(open, place))?;
        Ok(found.flatten())
    }

    pub fn secret(&self, place: &Place<'_>) -> std::result::Result<Option<SecretRow>, StoreError> {
        let found = self.lock().found(|open| {
            let sql = format!("{ALL} WHERE module = ?1 AND name = ?2 AND owner = ?3");
            open.prepare_cached(&sql)?
                .query_row([place.module, place.name, place.owner], row)
                .optional()
        })?;
        Ok(found.flatten())
    }

    /// Is it there for anybody?
    pub fn has_secret(&self, module: &str, name: &str) -> std::result::Result<bool, StoreError> {
        let found = self.lock().found(|open| {
            open.prepare_cached("SELECT 1 FROM secrets WHERE module = ?1 AND name = ?2")?
                .exists([module, name])
        })?;
        Ok(found.unwrap_or(false))
    }

    /// All there are, by module, name and owner.
    pub fn secrets(&self) -> std::result::Result<Vec<SecretRow>, StoreError> {
        let found = self.lock().found(|open| {
            let sql = format!("{ALL} ORDER BY module, name, owner");
            open.prepare_cached(&sql)?.query_map([], row)?.collect()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Writes whatever is there, or with `expected` only if that version is there still; 0 means that
    /// nothing is. The version is part of what is sealed, so that `seal` is told it.
    pub fn put_secret(
        &self,
        place: &Place<'_>,
        kind: &str,
        changed_ms: i64,
        expected: Option<u64>,
        seal: impl FnOnce(u64) -> Sealed,
    ) -> std::result::Result<Wrote, StoreError> {
        self.lock().made(|open| {
            let open = open.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if let Some(expected) = expected
                && expected != version(&open, place)?.unwrap_or(0)
            {
                return Ok(Wrote::Stale);
            }
            let version = next_version(&open)?;
            let sealed = seal(version.cast_unsigned());
            if !is_key(&open, &sealed.kid)? {
                return Ok(Wrote::OtherKey);
            }
            open.prepare_cached(
                "INSERT INTO secrets (module, name, owner, kind, version, changed, kid, wrapped, sealed)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                 ON CONFLICT DO UPDATE SET kind = excluded.kind, version = excluded.version,
                 changed = excluded.changed, kid = excluded.kid, wrapped = excluded.wrapped,
                 sealed = excluded.sealed, holder = '', lease = 0",
            )?
            .execute(params![
                place.module, place.name, place.owner, kind, version, changed_ms,
                sealed.kid, sealed.wrapped, sealed.text
            ])?;
            open.commit()?;
            Ok(Wrote::Done)
        })
    }

    /// Answers whether it was there. With the last secret go the names of the keys: where nothing is
    /// sealed, nothing is lost with a key that nobody has any more.
    pub fn delete_secret(&self, place: &Place<'_>) -> std::result::Result<bool, StoreError> {
        let gone = self.lock().found(|open| {
            let open = open.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let gone = open
                .prepare_cached(
                    "DELETE FROM secrets WHERE module = ?1 AND name = ?2 AND owner = ?3",
                )?
                .execute([place.module, place.name, place.owner])?;
            open.execute("DELETE FROM vault_keys WHERE NOT EXISTS (SELECT 1 FROM secrets)", [])?;
            open.commit()?;
            Ok(gone)
        })?;
        Ok(gone.unwrap_or(0) > 0)
    }

    /// Lets one process renew a secret, if this version is there still and nobody else is at it.
    pub fn lease_secret(
        &self,
        place: &Place<'_>,
        version: u64,
        holder: &str,
        [now_ms, until_ms]: [i64; 2],
    ) -> std::result::Result<bool, StoreError> {
        let leased = self.lock().found(|open| {
            open.prepare_cached(
                "UPDATE secrets SET holder = ?5, lease = ?7
                 WHERE module = ?1 AND name = ?2 AND owner = ?3 AND version = ?4 AND lease <= ?6",
            )?
            .execute(params![
                place.module,
                place.name,
                place.owner,
                version.cast_signed(),
                holder,
                now_ms,
                until_ms
            ])
        })?;
        Ok(leased.unwrap_or(0) > 0)
    }

    /// Nothing came of it: others may try.
    pub fn release_secret(
        &self,
        place: &Place<'_>,
        holder: &str,
    ) -> std::result::Result<(), StoreError> {
        self.lock().found(|open| {
            open.prepare_cached(
                "UPDATE secrets SET holder = '', lease = 0
                 WHERE module = ?1 AND name = ?2 AND owner = ?3 AND holder = ?4",
            )?
            .execute([place.module, place.name, place.owner, holder])
        })?;
        Ok(())
    }
}

pub(crate) const ALL: &str =
    "SELECT module, name, owner, kind, version, changed, kid, wrapped, sealed
                              FROM secrets";

pub(crate) fn row(row: &Row<'_>) -> Result<SecretRow> {
    let version: i64 = row.get(4)?;
    Ok(SecretRow {
        module: row.get(0)?,
        name: row.get(1)?,
        owner: row.get(2)?,
        kind: row.get(3)?,
        version: version.cast_unsigned(),
        changed_ms: row.get(5)?,
        sealed: Sealed { kid: row.get(6)?, wrapped: row.get(7)?, text: row.get(8)? },
    })
}

fn version(open: &Connection, place: &Place<'_>) -> Result<Option<u64>> {
    let found: Option<i64> = open
        .prepare_cached(
            "SELECT version FROM secrets WHERE module = ?1 AND name = ?2 AND owner = ?3",
        )?
        .query_row([place.module, place.name, place.owner], |row| row.get(0))
        .optional()?;
    Ok(found.map(i64::cast_unsigned))
}

fn next_version(open: &Connection) -> Result<i64> {
    open.prepare_cached("UPDATE counter SET version = version + 1 RETURNING version")?
        .query_row([], |row| row.get(0))
}

fn is_key(open: &Connection, kid: &str) -> Result<bool> {
    open.prepare_cached("SELECT 1 FROM vault_keys WHERE kid = ?1")?.exists([kid])
}
