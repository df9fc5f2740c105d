//! The whole product, driven as its users drive it: real processes, real folders, real pipes.
#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests own their folders and their processes"
)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "`json!` reads best where it is written"
)]

mod calls;
mod clients;
mod commands;
mod config;
mod dev;
mod documents;
mod fixture;
mod fuzz;
mod graph;
mod limits;
mod listen;
mod new;
mod protocol;
mod reload;
mod room;
mod soak;
mod status;
mod stream;
mod units;
mod wire;
