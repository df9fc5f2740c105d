//! The handle that others hold; here, module state by module and key.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::StoreError;
use crate::database::Database;
use crate::limits::{check_key, text_of};
use crate::state::{self, Put};

/// A clone shares. Nothing is made on disk before the first write; until then nothing is there.
/// Several, in several processes too, may use one folder.
#[derive(Clone)]
pub struct Store(Arc<Mutex<Database>>);

#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub value: Value,
    /// Names this write: no other of this database has or gets the same.
    pub version: u64,
}

impl Store {
    /// The folder is made if it is missing; the database is `state.db` in it.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Mutex::new(Database::at(folder.into()))))
    }

    /// One that ends with its last handle.
    pub fn in_memory() -> Self {
        Self(Arc::new(Mutex::new(Database::in_memory())))
    }

    /// Whether the database can be used, if there is one.
    pub fn check(&self) -> Result<(), StoreError> {
        self.lock().found(|_| Ok(()))?;
        Ok(())
    }

    pub fn get(&self, module: &str, key: &str) -> Result<Option<Stored>, StoreError> {
        check_key(key)?;
        let found = self.lock().found(|open| state::get(open, module, key))?;
        let Some((text, version)) = found.flatten() else {
            return Ok(None);
        };
        let value = serde_json::from_str(&text).map_err(|source| StoreError::Unreadable {
            module: module.to_owned(),
            key: key.to_owned(),
            source,
        })?;
        Ok(Some(Stored { value, version }))
    }

    /// Writes whatever is there, or with `expected` only if that version is there still; 0 means
    /// that nothing is. Answers whether it was written.
    pub fn put(
        &self,
        module: &str,
        key: &str,
        value: &Value,
        expected: Option<u64>,
    ) -> Result<bool, StoreError> {
        check_key(key)?;
        let text = text_of(key, value)?;
        let mut database = self.lock();
        let put = |open: &mut _| state::put(open, [module, key, &text], expected);
        let put = match expected {
            None | Some(0) => database.made(put)?,
            // A database that is not there holds no version, and need not be made to say so.
            Some(_) => database.found(put)?.unwrap_or(Put::Stale),
        };
        match put {
            Put::Written => Ok(true),
            Put::Stale => Ok(false),
            Put::Full(usage) => Err(usage.refused(module)),
        }
    }

    /// Answers whether something was there.
    pub fn delete(&self, module: &str, key: &str) -> Result<bool, StoreError> {
        check_key(key)?;
        let gone = self.lock().found(|open| state::delete(open, module, key))?;
        Ok(gone.unwrap_or(false))
    }

    /// The keys that start with the prefix, sorted.
    pub fn list(&self, module: &str, prefix: &str) -> Result<Vec<String>, StoreError> {
        let keys = self.lock().found(|open| state::list(open, module, prefix))?;
        Ok(keys.unwrap_or_default())
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Database> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
