//! Temporary: while the rooms are written.
#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests own their folders and their processes")]
#[path = "../it/clients.rs"]
mod clients;
#[path = "../it/documents.rs"]
mod documents;
#[path = "../it/room.rs"]
#[allow(dead_code)]
mod room;
