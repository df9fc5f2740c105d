//! Boundaries that the operating system enforces: files opened by paths without links.

mod folder;

pub use folder::{FolderHandle, open_file};
