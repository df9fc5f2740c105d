//! Owners of the listed names of tools.

use crate::{Store, StoreError};
use rusqlite::{Connection, OptionalExtension, Result, TransactionBehavior};

/// Names that are recorded; tools that come after that many are listed, but not recorded.
pub const MOST_NAMES: usize = 100_000;

impl Store {
    /// Every recorded name with its owner.
    pub fn names(&self) -> std::result::Result<Vec<(String, String)>, StoreError> {
        Ok(self.lock().found(|open| read(open))?.unwrap_or_default())
    }

    /// Records owners of names that have none, in one step. Returns the names that have another
    /// owner, with that owner.
    pub fn claim_names(
        &self,
        names: &[(String, String)],
    ) -> std::result::Result<Vec<(String, String)>, StoreError> {
        self.lock().made(|open| claim(open, names))
    }

    /// Frees a name, and returns the owner that it had.
    pub fn release_name(&self, name: &str) -> std::result::Result<Option<String>, StoreError> {
        let owner = self.lock().found(|open| {
            open.prepare_cached("DELETE FROM names WHERE name = ?1 RETURNING owner")?
                .query_row([name], |row| row.get(0))
                .optional()
        })?;
        Ok(owner.flatten())
    }

    /// Whether names are all that is kept.
    pub fn has_only_names(&self) -> std::result::Result<bool, StoreError> {
        let kept = self.lock().found(|open| {
            open.query_row(
                "SELECT EXISTS (SELECT 1 FROM state) OR EXISTS (SELECT 1 FROM tasks)
                 OR EXISTS (SELECT 1 FROM secrets) OR EXISTS (SELECT 1 FROM vault_keys)",
                [],
                |row| row.get(0),
            )
        })?;
        Ok(!kept.unwrap_or(false))
    }
}

fn read(connection: &Connection) -> Result<Vec<(String, String)>> {
    connection
        .prepare_cached("SELECT name, owner FROM names")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

fn claim(connection: &mut Connection, names: &[(String, String)]) -> Result<Vec<(String, String)>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut taken = Vec::new();
    {
        let count: i64 =
            transaction.query_row("SELECT count(*) FROM names", [], |row| row.get(0))?;
        let mut room = MOST_NAMES.saturating_sub(usize::try_from(count).unwrap_or(usize::MAX));
        let mut find = transaction.prepare_cached("SELECT owner FROM names WHERE name = ?1")?;
        let mut add = transaction.prepare_cached("INSERT INTO names VALUES (?1, ?2)")?;
        for (name, owner) in names {
            let found: Option<String> = find.query_row([name], |row| row.get(0)).optional()?;
            match found {
                Some(other) if other != *owner => taken.push((name.clone(), other)),
                None if room > 0 => room -= add.execute([name, owner])?,
                _ => {}
            }
        }
    }
    transaction.commit()?;
    Ok(taken)
}
