//! Starlark, contained: a folder's sources become frozen scripts whose functions can be called from
//! any number of threads. No other crate speaks Starlark, and this one knows neither tokio nor disks.

#[macro_use]
mod native_value;

mod check;
mod compactor;
mod complete;
mod convert;
mod coverage;
mod cx;
mod declare;
mod depth;
mod docs;
mod docstring;
mod engine;
mod error;
mod gauge;
mod guard;
mod heading;
mod hooks;
mod kinds;
mod known_text;
mod load_thread;
mod loader;
mod nesting;
mod offer;
mod output_schema;
mod permission_call;
mod permissions;
mod prompt;
mod questions;
mod resource;
mod result;
mod script;
mod signature;
mod source_expr;
mod source_facts;
mod stage;
mod started;
mod stdlib;
mod teach;
mod test;

pub use check::check;
pub use complete::Completer;
pub use coverage::{Coverage, Lines};
pub use docs::{Entry, Library, LibraryKind, reference};
pub use engine::{Engine, prepare};
pub use hooks::Hook;
pub use load_thread::{GRACE, LoadSession, LoadedFile, spawn_with_room};
pub use loader::{FileId, Sources, resolve};
pub use model::Cancel;
pub use permission_call::{PermissionCall, PermissionKey};
pub use permissions::{ENV_WHILE_LOADING, is_extension};
pub use prompt::ScriptPrompt;
pub use resource::ScriptResource;
pub use script::{CallFailure, Declared, Raised, Script, ScriptTool, ToolChange, Turn};
pub use source_facts::{
    DeclaredTool, Definition, Function, Load, SourceFacts, UntypedParameter, Use,
};
pub use stage::{Exchange, Kind, Need, Prop, Reply, SqlExchange, Stage, Unlike};
pub use started::Started;

#[cfg(test)]
mod tests;
