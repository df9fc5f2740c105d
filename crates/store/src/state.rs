//! What modules keep, in SQL.

use rusqlite::{Connection, OptionalExtension, Result, TransactionBehavior};

use crate::limits::Usage;

/// How a write ended.
pub(crate) enum Put {
    Written,
    /// Another version is there than the one expected.
    Stale,
    /// The module would keep this much, so nothing was written.
    Full(Usage),
}

/// The text of a value, and its version.
pub(crate) fn get(
    connection: &Connection,
    module: &str,
    key: &str,
) -> Result<Option<(String, u64)>> {
    connection
        .prepare_cached("SELECT value, version FROM state WHERE module = ?1 AND key = ?2")?
        .query_row([module, key], |row| Ok((row.get(0)?, unsigned(row.get(1)?))))
        .optional()
}

pub(crate) fn put(
    connection: &mut Connection,
    [module, key, text]: [&str; 3],
    expected: Option<u64>,
) -> Result<Put> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if let Some(expected) = expected
        && expected != version(&transaction, module, key)?
    {
        return Ok(Put::Stale);
    }
    write(&transaction, [module, key, text])?;
    let usage = usage(&transaction, module)?;
    if !usage.fits() {
        // The transaction ends here without a commit: as if nothing had been written.
        return Ok(Put::Full(usage));
    }
    transaction.commit()?;
    Ok(Put::Written)
}

pub(crate) fn delete(connection: &Connection, module: &str, key: &str) -> Result<bool> {
    let gone = connection
        .prepare_cached("DELETE FROM state WHERE module = ?1 AND key = ?2")?
        .execute([module, key])?;
    Ok(gone > 0)
}

/// Keys sort by their bytes, so those with a prefix stand together, the prefix itself first.
pub(crate) fn list(connection: &Connection, module: &str, prefix: &str) -> Result<Vec<String>> {
    connection
        .prepare_cached("SELECT key FROM state WHERE module = ?1 AND key >= ?2 ORDER BY key")?
        .query_map([module, prefix], |row| row.get(0))?
        .take_while(|key: &Result<String>| key.as_ref().map_or(true, |key| key.starts_with(prefix)))
        .collect()
}

/// The version that is there; 0 if nothing is.
fn version(connection: &Connection, module: &str, key: &str) -> Result<u64> {
    let version = connection
        .prepare_cached("SELECT version FROM state WHERE module = ?1 AND key = ?2")?
        .query_row([module, key], |row| row.get(0))
        .optional()?;
    Ok(unsigned(version.unwrap_or(0)))
}

fn write(connection: &Connection, row: [&str; 3]) -> Result<()> {
    connection.prepare_cached("UPDATE counter SET version = version + 1")?.execute([])?;
    connection
        .prepare_cached(
            "INSERT INTO state VALUES (?1, ?2, ?3, (SELECT version FROM counter))
             ON CONFLICT DO UPDATE SET value = excluded.value, version = excluded.version",
        )?
        .execute(row)?;
    Ok(())
}

fn usage(connection: &Connection, module: &str) -> Result<Usage> {
    connection
        .prepare_cached("SELECT keys, bytes FROM usage WHERE module = ?1")?
        .query_row([module], |row| {
            Ok(Usage { keys: unsigned(row.get(0)?), bytes: unsigned(row.get(1)?) })
        })
}

/// `SQLite` knows no unsigned numbers; ours count up from 0.
fn unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}
