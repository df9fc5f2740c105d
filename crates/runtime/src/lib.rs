//! The runtime: what is served, kept fresh, and called. It knows neither MCP nor the command line.

mod argument;
mod attempt;
mod call;
mod catalog;
mod disk;
mod errand;
mod event;
mod gate;
mod keeper;
mod lane;
mod library;
mod pool;
mod prompts;
mod read;
mod resources;
mod runtime;
mod stats;
mod status;
mod updates;
mod watch;

pub use call::{Call, CallError, GivenUp, Progress};
pub use catalog::{Catalog, Handle, Lookup, Module, RESERVED};
pub use disk::Folder;
pub use event::{Change, Event};
pub use gate::Gate;
pub use prompts::{PromptHandle, PromptLookup, Prompts};
pub use read::{Asking, ReadError, Reference};
pub use resources::{ResourceHandle, Resources};
pub use runtime::{Runtime, Settings};
pub use stats::Stats;
pub use status::{ModuleStatus, Status};
pub use updates::{Listener, Updated, Updates};
