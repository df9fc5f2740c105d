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
mod dev;
mod documents;
mod exec;
mod fixture;
mod fuzz;
mod limits;
mod listen;
mod permissions;
mod protocol;
mod reload;
mod room;
mod soak;
mod status;
mod stream;
mod units;
mod wire;
