//! Which doors are opened, and to whom: flags win over `larkspur.toml`, and that over what is usual.

use crate::args::{Dev, Serve};
use crate::compose;
use crate::exit::{BAD_PROJECT, FAILED, USAGE};
use crate::login::login;
use crate::variables::{TOKEN, TRUST_FOLDER};
use model::Site;
use runtime::ProjectFile;
use server::{HttpListener, HttpSettings, Login, ServerSettings};
use settings::{Auth, Cors, Server, Transport};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, ToSocketAddrs};

const HOST: &str = "127.0.0.1";
const PORT: u16 = 3000;

/// What was asked for cannot be done, or should not.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub(crate) struct Refused {
    why: String,
    /// What the command ends with.
    pub(crate) code: u8,
}

impl Refused {
    /// Because of what was typed, or of the environment.
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self::with(USAGE, why)
    }

    /// Because of what `larkspur.toml` says, unless a flag said it.
    pub(crate) fn said_by(is_flag: bool, why: impl Into<String>) -> Self {
        Self::with(if is_flag { USAGE } else { BAD_PROJECT }, why)
    }

    fn with(code: u8, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { why, code }
    }
}

pub(crate) struct Plan {
    pub(crate) transport: Transport,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) entrance: HttpSettings,
    /// Was the token made just now? Then somebody must be told.
    pub(crate) made_token: bool,
    /// Are files in starlark-mcp's form left out?
    pub(crate) refuses_extensions: bool,
}

pub(crate) fn plan(serve: &Serve, project: &ProjectFile) -> Result<Plan, Refused> {
    let server = &project.project().server;
    let transport = if serve.http {
        Some(Transport { stdio: false, http: true })
    } else {
        serve.transport.or(server.transport)
    };
    let transport = transport.unwrap_or(Transport { stdio: true, http: false });
    let host = serve.host.clone().or_else(|| server.host.clone());
    let host = host.unwrap_or_else(|| HOST.to_owned());
    let port = serve.port.or(server.port).unwrap_or(PORT);
    let auth = serve.auth.or(server.auth).unwrap_or(Auth::None);
    let is_loopback = is_loopback(&host);
    if transport.http {
        check(&host, is_loopback, auth, serve, project)?;
    }
    let auth = if transport.http { auth } else { Auth::None };
    let (login, made_token) = login(auth, serve.auth.is_some(), project)?;
    Ok(Plan {
        transport,
        host,
        port,
        entrance: HttpSettings {
            hosts: hosts(server),
            is_loopback,
            cors: server.cors.clone(),
            connections: server.connections(),
            sessions: server.session_limits(),
            login,
        },
        made_token,
        refuses_extensions: transport.http && !is_loopback && !trusts_folder(serve),
    })
}

fn trusts_folder(serve: &Serve) -> bool {
    let is_set = |(name, value): (String, String)| name == TRUST_FOLDER && value == "1";
    serve.trust_folder || compose::variables().any(is_set)
}

/// By its public name it is called as well.
fn hosts(server: &Server) -> Vec<String> {
    let public = server.public_url.as_deref().and_then(Site::read);
    let named = public.map(|site| site.to_string());
    server.hosts.iter().cloned().chain(named).collect()
}

/// For `larkspur dev`: this machine only, whatever `larkspur.toml` says of the address.
pub(crate) fn plan_dev(dev: &Dev, project: &ProjectFile) -> Result<Plan, Refused> {
    let host = dev.host.clone().unwrap_or_else(|| HOST.to_owned());
    if !is_loopback(&host) {
        return Err(Refused::new(format!(
            "`larkspur dev` listens on this machine only; for others use `larkspur serve --http \
             --host {host} --auth token`"
        )));
    }
    let serve = Serve {
        transport: None,
        http: true,
        host: Some(host),
        port: dev.port,
        // Nobody makes tokens for somebody who tries something out.
        auth: (project.project().server.auth == Some(Auth::Jwt)).then_some(Auth::Token),
        insecure_open: false,
        trust_folder: false,
        surface: dev.surface,
    };
    plan(&serve, project)
}

fn check(
    host: &str,
    is_loopback: bool,
    auth: Auth,
    serve: &Serve,
    project: &ProjectFile,
) -> Result<(), Refused> {
    let file = project.path().display();
    let danger = "opens the server to other machines, and anybody there could call its tools";
    if auth == Auth::None && !is_loopback && !serve.insecure_open {
        return Err(match (&serve.host, serve.auth) {
            (None, None) => Refused::said_by(
                false,
                format!(
                    "`host = \"{host}\"` under [server] in {file} {danger}: add `auth = \"token\"` \
                     there, or start it with --insecure-open if that is what you want"
                ),
            ),
            _ => Refused::new(format!(
                "--host {host} {danger}: add --auth token, or --insecure-open if that is what you \
                 want"
            )),
        });
    }
    if auth == Auth::None && project.project().server.cors == Cors::Anybody {
        let why = format!(
            "`cors = [\"*\"]` under [server] in {file} lets any web page call the tools: add \
             `auth = \"token\"` there (or --auth token), or name the origins"
        );
        return Err(Refused::said_by(serve.auth.is_some(), why));
    }
    Ok(())
}

/// Settings of all transports.
pub(crate) fn server_settings(server: &Server) -> ServerSettings {
    ServerSettings { errors: server.errors, message_bytes: server.message_bytes }
}

/// What was said of doors that stay closed, or of keys to doors that stand open.
pub(crate) fn unused(serve: &Serve, plan: &Plan) -> Vec<String> {
    let mut notes = Vec::new();
    if plan.transport.http {
        notes.extend(unused_token(plan));
        return notes;
    }
    let port = serve.port.map(|port| format!("-p {port}"));
    let host = serve.host.as_ref().map(|host| format!("--host {host}"));
    let auth = serve.auth.map(|_| "--auth".to_owned());
    for flag in [port, host, auth].into_iter().flatten() {
        notes.push(format!(
            "{flag} is not used: this server speaks on stdin and stdout; add --http to listen"
        ));
    }
    notes
}

/// A token in the environment, where nobody is asked for one.
pub(crate) fn unused_token(plan: &Plan) -> Option<String> {
    let is_set = compose::variables().any(|(name, value)| name == TOKEN && !value.is_empty());
    let is_open = matches!(plan.entrance.login, Login::Open);
    (is_set && is_open).then(|| {
        format!(
            "{TOKEN} is not used: nobody is asked for a token; add --auth token, or `auth = \
             \"token\"` under [server] in larkspur.toml"
        )
    })
}

/// Does this name stand for this machine, and nothing else?
fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return address.is_loopback();
    }
    let found = (bare, 0).to_socket_addrs();
    found.is_ok_and(|mut all| all.all(|address| address.ip().is_loopback()))
}

/// Opens it; nobody is let in yet.
pub(crate) async fn open(plan: &Plan) -> Result<HttpListener, Refused> {
    let door = bind(plan, plan.port).await;
    door.map_err(|error| cannot_listen(plan, &error))
}

/// The same; a port that nobody has asked for gives way to a free one.
pub(crate) async fn open_somewhere(plan: &Plan, is_asked: bool) -> Result<HttpListener, Refused> {
    let door = match bind(plan, plan.port).await {
        Err(error) if error.kind() == ErrorKind::AddrInUse && !is_asked => bind(plan, 0).await,
        door => door,
    };
    door.map_err(|error| cannot_listen(plan, &error))
}

async fn bind(plan: &Plan, port: u16) -> io::Result<HttpListener> {
    HttpListener::bind(&plan.host, port, plan.entrance.clone()).await
}

fn cannot_listen(plan: &Plan, error: &io::Error) -> Refused {
    let way_out = match error.kind() {
        ErrorKind::AddrInUse => "; is another server running? -p 0 takes a free port",
        ErrorKind::PermissionDenied => "; ports below 1024 are for root: try -p 3000",
        _ => "",
    };
    let (host, port) = (&plan.host, plan.port);
    let why = format!("cannot listen on {host}:{port}: {error}{way_out}");
    Refused::with(FAILED, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use settings::PROJECT;

    #[track_caller]
    fn stated(key: &str) -> &'static str {
        let server = PROJECT.iter().find(|section| section.name == "server");
        let mut keys = server.unwrap().keys.iter();
        let key = keys.find(|known| known.name == key).unwrap();
        key.default.as_ref().unwrap().trim_matches('"')
    }

    #[test]
    fn extensions_are_refused_beyond_loopback() {
        for (host, http, trust_folder, expected) in [
            ("0.0.0.0", true, false, true),
            ("::", true, false, true),
            ("192.0.2.1", true, false, true),
            ("192.0.2.1", true, true, false),
            ("192.0.2.1", false, false, false),
            ("127.0.0.1", true, false, false),
            ("::1", true, false, false),
            ("localhost", true, false, false),
        ] {
            let serve = Serve {
                host: Some(host.to_owned()),
                auth: Some(Auth::Token),
                http,
                trust_folder,
                ..Serve::default()
            };
            let plan = plan(&serve, &ProjectFile::default()).unwrap();
            assert_eq!(plan.refuses_extensions, expected, "{host} {http} {trust_folder}");
        }
    }

    #[test]
    fn what_is_usual_is_what_is_stated() {
        let plan = plan(&Serve::default(), &ProjectFile::default()).unwrap();
        assert_eq!(Ok(plan.transport), stated("transport").parse());
        assert_eq!(plan.host, stated("host"));
        assert_eq!(plan.port.to_string(), stated("port"));
        assert_eq!(settings::parse_word(stated("auth")), Ok(Auth::None));
        assert!(matches!(plan.entrance.login, Login::Open));
    }
}
