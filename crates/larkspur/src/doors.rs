//! Which doors are opened, and to whom: flags win over `larkspur.toml`, and that over what is usual.

use crate::args::{Dev, Serve};
use crate::login::login;
use model::{Auth, Cors, Doors, Site, Transport};
use runtime::ProjectFile;
use server::{Entrance, HttpDoor};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, ToSocketAddrs};

const HOST: &str = "127.0.0.1";
const PORT: u16 = 3000;
/// What was asked for cannot be done, or should not.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(String);

impl Refused {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

pub(crate) struct Plan {
    pub(crate) transport: Transport,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) entrance: Entrance,
    /// Was the token made just now? Then somebody must be told.
    pub(crate) made_token: bool,
}

pub(crate) fn plan(serve: &Serve, project: &ProjectFile) -> Result<Plan, Refused> {
    let doors = &project.project().doors;
    let transport = if serve.http {
        Some(Transport {
            stdio: false,
            http: true,
        })
    } else {
        serve.transport.or(doors.transport)
    };
    let transport = transport.unwrap_or(Transport {
        stdio: true,
        http: false,
    });
    let host = serve.host.clone().or_else(|| doors.host.clone());
    let host = host.unwrap_or_else(|| HOST.to_owned());
    let port = serve.port.or(doors.port).unwrap_or(PORT);
    let auth = serve.auth.or(doors.auth).unwrap_or(Auth::None);
    let is_loopback = is_loopback(&host);
    if transport.http {
        check(&host, is_loopback, auth, serve.insecure_open, &doors.cors)?;
    }
    let auth = if transport.http { auth } else { Auth::None };
    let (login, made_token) = login(auth, project)?;
    Ok(Plan {
        transport,
        host,
        port,
        entrance: Entrance {
            hosts: hosts(doors),
            is_loopback,
            cors: doors.cors.clone(),
            login,
        },
        made_token,
    })
}

/// By its public name it is called as well.
fn hosts(doors: &Doors) -> Vec<String> {
    let public = doors.public_url.as_deref().and_then(Site::read);
    let named = public.map(|site| site.to_string());
    doors.hosts.iter().cloned().chain(named).collect()
}

/// For `larkspur dev`: this machine only, whatever `larkspur.toml` says of the address.
pub(crate) fn plan_dev(dev: &Dev, project: &ProjectFile) -> Result<Plan, Refused> {
    let host = dev.host.clone().unwrap_or_else(|| HOST.to_owned());
    if !is_loopback(&host) {
        return Err(Refused(format!(
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
        auth: (project.project().doors.auth == Some(Auth::Jwt)).then_some(Auth::Token),
        insecure_open: false,
        surface: dev.surface,
    };
    plan(&serve, project)
}

fn check(
    host: &str,
    is_loopback: bool,
    auth: Auth,
    insecure: bool,
    cors: &Cors,
) -> Result<(), Refused> {
    if auth == Auth::None && !is_loopback && !insecure {
        return Err(Refused(format!(
            "--host {host} opens the server to other machines, and anybody there could call its \
             tools: add --auth token, or --insecure-open if that is what you want"
        )));
    }
    if auth == Auth::None && *cors == Cors::Anybody {
        return Err(Refused(
            "`cors = [\"*\"]` lets any web page call the tools: add --auth token, or name the \
             origins under [server] in larkspur.toml"
                .into(),
        ));
    }
    Ok(())
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
pub(crate) async fn open(plan: &Plan) -> Result<HttpDoor, Refused> {
    let door = bind(plan, plan.port).await;
    door.map_err(|error| cannot_listen(plan, &error))
}

/// The same; a port that nobody has asked for gives way to a free one.
pub(crate) async fn open_somewhere(plan: &Plan, is_asked: bool) -> Result<HttpDoor, Refused> {
    let door = match bind(plan, plan.port).await {
        Err(error) if error.kind() == ErrorKind::AddrInUse && !is_asked => bind(plan, 0).await,
        door => door,
    };
    door.map_err(|error| cannot_listen(plan, &error))
}

async fn bind(plan: &Plan, port: u16) -> io::Result<HttpDoor> {
    HttpDoor::bind(&plan.host, port, plan.entrance.clone()).await
}

fn cannot_listen(plan: &Plan, error: &io::Error) -> Refused {
    let way_out = match error.kind() {
        ErrorKind::AddrInUse => "; is another server running? -p 0 takes a free port",
        ErrorKind::PermissionDenied => "; ports below 1024 are for root: try -p 3000",
        _ => "",
    };
    let (host, port) = (&plan.host, plan.port);
    Refused(format!("cannot listen on {host}:{port}: {error}{way_out}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{PROJECT, Said};
    use server::Login;

    #[track_caller]
    fn stated(key: &str) -> &'static str {
        let server = PROJECT.iter().find(|section| section.name == "server");
        let mut keys = server.unwrap().keys.iter();
        match keys.find(|known| known.name == key).unwrap().said {
            Said::Default(default) => default,
            said => panic!("{key}: {said:?}"),
        }
    }

    #[test]
    fn what_is_usual_is_what_is_stated() {
        let plan = plan(&Serve::default(), &ProjectFile::default()).unwrap();
        assert_eq!(Ok(plan.transport), stated("transport").parse());
        assert_eq!(plan.host, stated("host"));
        assert_eq!(plan.port.to_string(), stated("port"));
        assert_eq!(stated("auth").parse(), Ok(Auth::None));
        assert!(matches!(plan.entrance.login, Login::Open));
    }
}
