//! Our own words, and the rules that need nothing but them: no I/O, not async.
//!
//! Glossary:
//! - a **module** is what a user drops into the folder: one `.star` file (a folder with a manifest later);
//! - a **tool** is what a client can call; its **schema** says what it takes;
//! - a **resource** is what a client can read, by its URI; a **prompt** is messages to begin with;
//! - **args** go in, an **output** of **content** blocks comes out;
//! - a **fault** is what an author did wrong, with the place; a **problem** is what a caller did wrong;
//! - a **host** is everything a script can do to the world;
//! - **limits** bound one evaluation, and a **stop** says which of them ended it.

mod accept;
mod completion;
mod fault;
mod host;
mod input;
mod limits;
mod name;
mod output;
mod prompt;
mod resource;
mod schema;
mod suggest;
mod tool;
mod uri;

pub use accept::Mismatch;
pub use completion::Completion;
pub use fault::{Fault, Place};
pub use host::{Host, HostError, Level};
pub use input::{Args, Input, Problem, Rejected};
pub use limits::{Limits, Stop, parse_duration};
pub use name::{BadName, ModuleName, PromptName, PromptPath, ToolName, ToolPath};
pub use output::{Content, Output, Rest, Structured};
pub use prompt::{Conversation, Message, Prompt, Role};
pub use resource::{Body, Contents, Resource, contents};
pub use schema::{Field, Schema};
pub use suggest::{did_you_mean, nearest};
pub use tool::{Hints, Tool};
pub use uri::{BadUri, UriTemplate};
