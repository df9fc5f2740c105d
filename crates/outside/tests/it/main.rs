//! The world, asked directly: real files, real servers.
#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests own their folders and their processes")]

mod asking;
#[cfg(target_os = "linux")]
mod command_limits;
mod commands;
mod connecting;
mod postgres;
mod postgres_types;
mod sqlite;
mod sqlite_functions;
mod sqlite_values;
