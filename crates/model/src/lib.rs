//! Our own words, and the rules that need nothing but them: no I/O, not async.
//!
//! Glossary:
//! - a **module** is what a user drops into the folder: one `.star` file, or a folder with a manifest;
//! - an **order** puts dependencies first and finds the **cycles** that have no order;
//! - a **tool** is what a client can call; its **schema** says what it takes;
//! - a **resource** is what a client can read, by its URI; a **prompt** is messages to begin with;
//! - **args** go in, an **output** of **content** blocks comes out;
//! - a **selection** says which fields of an answer are wanted;
//! - a **fault** is what an author did wrong, with the place; a **problem** is what a caller did wrong;
//! - a **host** is everything a script can do to the world; an **access** is one thing it asks for;
//! - **permissions** are what a manifest asks for, a **grant** what the operator leaves of it; together
//!   they are a module's **rights**, and what these do not cover is **denied**;
//! - a **secret** is what a module sends and never sees; the **vault** keeps it, for all or for one **user**;
//! - a **question** is what a script wants to know from whoever is behind the client;
//! - **limits** bound one evaluation, and a **stop** says which of them ended it.

mod accept;
mod access;
mod address_range;
mod cache;
mod caller;
mod completion;
mod compute;
mod door;
mod duplicate;
mod escape;
mod fault;
mod graph;
mod grouped;
mod hex;
mod host;
mod input;
mod kebab;
mod leash;
mod limits;
mod listed_schema;
mod machine_path;
mod memory;
mod name;
mod output;
mod prompt;
mod resource;
mod result_check;
mod result_shape;
mod schema;
mod secret;
pub mod select;
mod size;
mod spelling;
mod suggest;
mod summary;
mod task;
mod text_value;
mod tool;
mod typed_argument;
mod uri;

pub use accept::{MOST_DIGITS, Mismatch, kind_of, shorten, spoken_value, unreadable_number};
pub use access::{
    Access, DATA_FOLDER, DeclaredRead, Denied, Egress, Grant, Permission, Permissions,
    PossibleWrite, Reach, ReadOnlyCall, Rights, Spot, Turns, check_entry, check_host,
    check_host_entry, check_name, follow_config, is_connection_string,
};
pub use address_range::{AddressRange, truncate};
pub use cache::Cache;
pub use caller::{Caller, LOCAL};
pub use completion::Completion;
pub use compute::{ComputeSlot, ComputeSlots, Computing, share_core, while_waiting};
pub use door::Door;
pub use duplicate::{DuplicateKey, KeyPlace, duplicate_key, scan_keys};
pub use escape::{escape_json, escape_line};
pub use fault::{Fault, Place, RaisedError};
pub use graph::{Order, circular, order, order_where};
pub use grouped::Grouped;
pub use hex::{hex_digits, read_hex};
pub use host::{
    Ability, Asker, Cell, Credential, Database, ExecRequest, ExecResult, Host, HostError,
    HttpRequest, HttpResponse, Level, MOST_REDIRECTS, Question, Sample, Site, Source, SqlAnswer,
    SqlRequest, Statement, Stored, Surroundings, Topic, Unanswered, Unfit, World, form,
    is_credential, is_public,
};
pub use input::{Args, Input, Problem, Rejected};
pub use kebab::kebab_name;
pub use leash::{Cancel, Leash};
pub use limits::{Limits, Stop, parse_duration, show_duration};
pub use listed_schema::list_output;
pub use machine_path::{replace_path, shorten_path};
pub use memory::{MemoryGate, MemoryShare};
pub use name::{BadName, ModuleName, PromptName, PromptPath, ToolName, ToolPath};
pub use output::{Content, Output, Rest, Structured};
pub use prompt::{Conversation, Message, Prompt, Role};
pub use resource::{Body, Contents, Resource, contents};
pub use result_check::result_mismatch;
pub use schema::{Field, Schema};
pub use secret::{Secret, SecretName, SecretStamp, Secrets};
pub use select::{BadSelect, Selection};
pub use size::{parse_size, show_size};
pub use spelling::{
    call_target, drop_trailing_commas, normalize_call, read_json_text, strip_fence,
};
pub use suggest::{did_you_mean, near_names, nearest};
pub use summary::{first_sentence, summarize};
pub use task::{Task, TaskBody, TaskStatus, TaskUse};
pub use text_value::deserialize_text;
pub use tool::{FIELDS, Hints, Tool};
pub use typed_argument::typed_argument;
pub use uri::{BadUri, UriTemplate};
