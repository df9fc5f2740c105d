//! Serves editors: findings while a file is edited, completion, hover and definitions. The findings are those of
//! `larkspur check`.
//!
//! `starlark_lsp` is not used: of `http.get` it shows `http`, and after a dot it knows no names. What
//! would be left of it is a frame around JSON.

mod answers;
mod cursor;
mod diagnostics;
mod document;
mod folders;
mod position;
mod server;
mod wire;

pub use server::{ProjectFault, serve};
