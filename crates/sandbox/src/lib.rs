//! Boundaries that the operating system enforces: files opened by paths without links, and commands
//! that end with everything they have started. The only crate with `unsafe` code.

mod folder;
mod launcher;
mod message;
mod process;
mod report;
mod spec;
mod supervisor;
mod tree;

pub use folder::{FolderHandle, open_file};
pub use launcher::{Control, Launcher, SupervisedCommand};
pub use process::return_large_blocks;
pub use report::{ExceededLimit, Report};
pub use spec::{CommandLimits, CommandSpec};
pub use supervisor::{is_launcher, run_launcher};
