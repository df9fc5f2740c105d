//! How much a module may keep.

use serde_json::Value;

use crate::StoreError;

/// Bytes of a key, which has at least one.
pub const LONGEST_KEY: usize = 512;
/// Bytes of a value, as JSON text.
pub const LARGEST_VALUE: usize = 256 << 10;
/// Bytes of all keys and values of a module.
pub const LARGEST_MODULE: u64 = 16 << 20;
pub const KEYS_PER_MODULE: u64 = 10_000;

/// What a module keeps, or would keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) keys: u64,
    pub(crate) bytes: u64,
}

impl Usage {
    pub(crate) fn fits(self) -> bool {
        self.keys <= KEYS_PER_MODULE && self.bytes <= LARGEST_MODULE
    }

    /// What to tell whoever asked for a usage that does not fit.
    pub(crate) fn refused(self, module: &str) -> StoreError {
        let module = module.to_owned();
        if self.keys > KEYS_PER_MODULE {
            let keys = self.keys;
            return StoreError::ModuleKeys { module, keys };
        }
        let size = self.bytes;
        StoreError::ModuleSize { module, size }
    }
}

pub(crate) fn check_key(key: &str) -> Result<(), StoreError> {
    match key.len() {
        1..=LONGEST_KEY => Ok(()),
        size => Err(StoreError::KeySize { size }),
    }
}

/// The value as the text that is kept. What could not be read back is refused now, and not when
/// somebody misses it: the reader takes 127 levels of nesting, the writer any number.
pub(crate) fn text_of(key: &str, value: &Value) -> Result<String, StoreError> {
    let unfit = |source| StoreError::Unfit { key: key.to_owned(), source };
    let text = serde_json::to_string(value).map_err(unfit)?;
    if text.len() > LARGEST_VALUE {
        return Err(StoreError::ValueSize { key: key.to_owned(), size: text.len() });
    }
    serde_json::from_str::<Value>(&text).map_err(unfit)?;
    Ok(text)
}
