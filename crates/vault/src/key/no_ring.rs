//! Built without the system's keyring: there is none.

use crate::VaultError;
use zeroize::Zeroizing;

pub(super) fn is_there() -> bool {
    false
}

pub(super) fn read() -> Result<Option<Zeroizing<String>>, VaultError> {
    Ok(None)
}

pub(super) fn write(_: &str) -> Result<(), VaultError> {
    Err(VaultError::Keyring("this program was built without it".into()))
}
