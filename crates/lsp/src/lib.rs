//! Speaks with editors: what is wrong while somebody types, what can be written here, what a name
//! means and where it comes from. What a file's faults are is said by `script::check` and by the
//! loader, as for `larkspur check`.
//!
//! `starlark_lsp` is not used: of `http.get` it shows `http`, and after a dot it knows no names. What
//! would be left of it is a frame around JSON.

mod answers;
mod cursor;
mod document;
mod position;
mod project;
mod server;
mod wire;

pub use project::Project;
pub use server::serve;
