//! Requests: tool calls, reads, prompts and completions.

mod error;
mod reply;

pub(crate) use error::suggest;
pub use error::{RequestError, RequestErrorKind, Verdict};
pub(crate) use reply::Reply;
