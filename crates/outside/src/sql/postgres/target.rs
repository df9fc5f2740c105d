//! Where a connection string leads.

use super::error::{chain, said};
use super::session::Session;
use super::tls::connector;
use super::trust::Trust;
use crate::sql::failed;
use model::HostError;
use std::sync::{Arc, OnceLock};
use tokio_postgres::Config;
use tokio_postgres::config::Host;
use tokio_postgres_rustls::MakeRustlsConnect;

pub(super) struct Target {
    config: Config,
    tls: MakeRustlsConnect,
}

impl Target {
    pub(super) fn parse(url: &str) -> Result<Self, HostError> {
        let (url, trust) = Trust::split(url);
        let mut config: Config = match url.parse() {
            Ok(config) => config,
            Err(error) => return failed(unreadable(&error)),
        };
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return failed(
                "the connection string names no host: \
                 write postgres://user:password@host:5432/database",
            );
        }
        if config.get_hosts().iter().any(is_torn) {
            return failed(format!("{UNREADABLE}{HOW_TO_WRITE}"));
        }
        if config.get_application_name().is_none() {
            config.application_name("larkspur");
        }
        Ok(Self { tls: connector(&trust)?, config })
    }

    pub(super) async fn connect(&self) -> Result<Session, HostError> {
        let connected = self.config.connect(self.tls.clone()).await;
        let (client, mut connection) = connected.map_err(|error| {
            let HostError(why) = said(&error);
            HostError(format!("no connection to {}: {why}", self.shown()))
        })?;
        let ended = Arc::new(OnceLock::new());
        let told = Arc::clone(&ended);
        let working = tokio::spawn(async move {
            // Borrowed, so that the reason is written down before those who wait are let go.
            if let Err(error) = (&mut connection).await {
                let _ = told.set(said(&error));
            }
        });
        Session::new(client, working.abort_handle(), ended, self.tls.clone()).await
    }

    /// The server's address alone: no user, no password.
    fn shown(&self) -> String {
        let ports = self.config.get_ports();
        let port = |index: usize| ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        let hosts = self.config.get_hosts().iter().enumerate();
        let shown: Vec<String> = hosts
            .map(|(index, host)| match host {
                Host::Tcp(name) => format!("{name}:{}", port(index)),
                Host::Unix(_) => "the local socket".into(),
            })
            .collect();
        if shown.is_empty() {
            return "the server".into();
        }
        shown.join(", ")
    }
}

/// With an `@` in it, the rest of a password was taken for the host.
fn is_torn(host: &Host) -> bool {
    matches!(host, Host::Tcp(name) if name.contains('@'))
}

const UNREADABLE: &str = "the connection string cannot be read: ";
const HOW_TO_WRITE: &str = "write postgres://user:password@host:5432/database, \
     with %40 for an @ in the password";

/// What is wrong with a connection string. It may hold a password anywhere, so nothing of it is
/// repeated but the names of settings that there are.
fn unreadable(error: &tokio_postgres::Error) -> String {
    let why = chain(error);
    let known = SETTINGS.iter().find(|name| why.contains(&format!("`{name}`")));
    let why = match known {
        Some(name) => format!("its `{name}` cannot be used here"),
        None => HOW_TO_WRITE.to_owned(),
    };
    format!("{UNREADABLE}{why}")
}

const SETTINGS: &[&str] = &[
    "channel_binding",
    "client_encoding",
    "connect_timeout",
    "fallback_application_name",
    "gssencmode",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "krbsrvname",
    "load_balance_hosts",
    "passfile",
    "port",
    "requiressl",
    "service",
    "sslcert",
    "sslcompression",
    "sslcrl",
    "sslkey",
    "sslmode",
    "sslnegotiation",
    "sslpassword",
    "target_session_attrs",
    "tcp_user_timeout",
];
