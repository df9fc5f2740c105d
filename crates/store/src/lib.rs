//! What must outlive the process, in one `SQLite` file: the state of modules, and tasks.

mod database;
mod error;
mod limits;
mod migrations;
mod state;
mod store;
mod tasks;

pub use error::StoreError;
pub use limits::{KEYS_PER_MODULE, LARGEST_MODULE, LARGEST_VALUE, LONGEST_KEY};
pub use store::{Store, Stored};
pub use tasks::MOST_TASKS;
