//! What must outlive the process, in one `SQLite` file: today the state of modules.

mod database;
mod error;
mod limits;
mod migrations;
mod state;
mod store;

pub use error::StoreError;
pub use limits::{KEYS_PER_MODULE, LARGEST_MODULE, LARGEST_VALUE, LONGEST_KEY};
pub use store::{Store, Stored};
