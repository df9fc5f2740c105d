//! MCP's words: the doors of the runtime. Everything that speaks rmcp is in this crate.

pub mod control;
mod envelope;
mod handler;
mod notify;
mod outbox;
mod reading;
mod stdio;
mod wire;

pub use stdio::serve_stdio;
