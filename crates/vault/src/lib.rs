//! Secrets, sealed in the store: a key for each, wrapped by a master key that lies elsewhere.

mod bundle;
mod cipher;
mod error;
mod flights;
mod key;
mod keychain;
mod opened;
mod passphrase;
mod refresh;
mod rotate;
mod row;
mod token_request;
mod tokens;
mod vault;

pub use bundle::Imported;
pub use error::VaultError;
pub use key::{KeyOrigin, KeySources, guard};
pub use rotate::{NewKey, Rotated};
pub use tokens::Tokens;
pub use vault::{Kind, Vault};
