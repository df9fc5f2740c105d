//! What must outlive the process, in one `SQLite` file: the state of modules, tasks, owners of
//! listed names, and secrets that were sealed before they got here.
//! What is only ever added, lines about calls, has a file of its own.

mod audit;
mod database;
mod draft;
mod error;
mod keys;
mod limits;
mod migrations;
mod names;
mod relocate;
mod secrets;
mod state;
mod store;
mod tasks;

pub use audit::{AuditFile, AuditReader};
pub use database::FILE;
pub use error::StoreError;
pub use keys::VaultKey;
pub use limits::{KEYS_PER_MODULE, LARGEST_MODULE, LARGEST_VALUE, LONGEST_KEY};
pub use names::MOST_NAMES;
pub use relocate::{is_used, move_folder};
pub use secrets::{Place, Sealed, SecretRow, Wrote};
pub use store::{Store, Stored};
pub use tasks::MOST_TASKS;
