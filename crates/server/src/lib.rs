//! MCP's words: the doors of the runtime. Everything that speaks rmcp is in this crate.

mod asking;
mod caller;
pub mod control;
mod envelope;
mod handler;
mod http;
mod keys;
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

pub use http::{Entrance, HttpDoor, Token};
pub use server::Server;
