//! The door for networks: MCP at `/mcp`, and how the server is doing.

mod answer;
mod aside;
mod body;
mod busy;
mod connections;
mod denials;
mod door;
mod expiring;
mod front;
mod guard;
mod health;
mod late;
mod mcp;
mod message;
mod metrics;
mod owners;
mod shortcut;
mod toll;
mod unprimed;
mod wanted;

pub(crate) use aside::Aside;
pub(crate) use door::DRAIN_TIME;
pub use door::HttpDoor;
pub(crate) use late::LateAnswer;
pub(crate) use mcp::Deaf;
pub(crate) use toll::rate_charge;

pub(crate) use answer::{Answer, json, refused};
pub(crate) use guard::only;

use crate::auth::Login;
use model::{ConnectionSettings, Cors};

/// Who may come in, and by which names.
#[derive(Clone, Default)]
pub struct Entrance {
    /// Names by which clients may call the server, besides those of this machine. On an open
    /// address none means any: there, a token keeps strangers out.
    pub hosts: Vec<String>,
    /// Does it listen on this machine only?
    pub is_loopback: bool,
    pub cors: Cors,
    pub login: Login,
    pub connections: ConnectionSettings,
}
