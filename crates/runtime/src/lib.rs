//! The runtime.
mod disk;
pub use disk::{Folder, Stamp};
