//! The programs that use servers like ours, and the files in which they keep which ones: found by a
//! table, edited without disturbing what else stands there, and put back. One more word is spoken
//! here: how to ask a server that was just put into such a file whether it answers.

mod backup;
mod change;
mod client;
mod config;
mod diff;
mod document;
mod home;
mod json;
mod launch;
mod probe;
mod project;
mod table;
mod toml;
mod trouble;

pub use change::Change;
pub use client::{Client, Scope};
pub use config::ConfigFile;
pub use diff::{DiffLine, diff};
pub use home::Home;
pub use launch::{Launch, snippet};
pub use probe::{Answer, probe};
pub use project::{ProjectPaths, entry_name};
pub use table::Table;
pub use trouble::{Trouble, Wrong};

#[cfg(test)]
mod tests;
