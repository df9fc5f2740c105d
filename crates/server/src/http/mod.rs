//! The HTTP transport: MCP at `/mcp`, and pages about the server.

mod admission;
mod body;
mod connections;
mod denials;
mod events;
mod guard;
mod headers;
mod health;
mod listener;
mod mcp;
mod metrics;
mod response;
mod router;
mod sessions;
mod status;

pub(crate) use guard::only;
pub(crate) use listener::DRAIN_TIME;
pub use listener::HttpListener;
pub(crate) use response::{ServerResponse, json, refused};

use crate::auth::Login;
use settings::{ConnectionSettings, Cors, SessionLimits};

/// Which clients may connect, and by which names.
#[derive(Clone, Default)]
pub struct HttpSettings {
    /// Names by which clients may call the server, besides those of this machine. On an open
    /// address none means any: there, a token keeps strangers out.
    pub hosts: Vec<String>,
    /// Whether it listens on this machine only.
    pub is_loopback: bool,
    pub cors: Cors,
    pub login: Login,
    pub connections: ConnectionSettings,
    pub sessions: SessionLimits,
}
