//! MCP's words: the doors of the runtime. Everything that speaks rmcp is in this crate.

mod asking;
mod auth;
mod caller;
pub mod control;
mod envelope;
mod handler;
mod http;
mod keys;
mod large;
mod notify;
mod outbox;
mod page;
mod reading;
mod recent;
mod server;
mod shared;
mod stdio;
mod tasks;
mod trace;
mod wire;
mod words;
mod written;

pub use auth::{BadKeys, Jwks, Jwt, KeySet, Login, Source, Token};
pub use http::{Entrance, HttpDoor};
pub use server::Server;
