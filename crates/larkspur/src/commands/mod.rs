//! One file a subcommand, and what several of them say alike.

pub(crate) mod arguments;
pub(crate) mod batch;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod dev;
pub(crate) mod doc;
pub(crate) mod doctor;
pub(crate) mod edits;
pub(crate) mod graph;
pub(crate) mod install;
pub(crate) mod list;
pub(crate) mod lsp;
pub(crate) mod missing;
pub(crate) mod new;
pub(crate) mod order;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod readme;
pub(crate) mod serve;
pub(crate) mod status;
pub(crate) mod test;
pub(crate) mod tokens;
pub(crate) mod uninstall;
pub(crate) mod watch;
