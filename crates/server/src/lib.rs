//! MCP: the transports, the protocol, and logins. The runtime does the work.

mod asking;
mod auth;
mod context;
pub mod control;
mod dispatch;
mod http;
mod in_flight;
mod large;
mod lifecycle;
mod lists;
mod notifications;
mod notifier;
mod page;
mod peer;
mod reading;
mod recent;
mod reply;
mod revision;
mod rpc;
mod server;
mod shared;
mod sink;
mod stdio;
mod subscriptions;
mod tasks;
mod tools;
mod trace;
mod wire;

pub use auth::{BadKeys, Jwks, Jwt, KeySet, Login, Source, Token};
pub use http::{HttpListener, HttpSettings};
pub use server::{Server, ServerSettings};
pub use stdio::StdioEnd;
