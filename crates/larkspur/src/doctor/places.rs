//! Where the server keeps things, and where it listens.

use super::Notes;
use crate::args::{Global, Serve};
use crate::commands::status;
use crate::compose;
use crate::data_folder::Misplaced;
use crate::doors;
use crate::terminal::count;
use runtime::{ProjectFile, Survey};
use serde_json::Value;
use server::Jwks;
use settings::Keys;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;

/// How long whoever has the port may take to say who he is.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn data(global: &Global, project: &ProjectFile) -> Notes {
    let mut notes = Notes::of("data");
    if let Some(misplaced) = Misplaced::find(global, project) {
        notes.problem(misplaced.what(), Some(misplaced.fix()));
    }
    if let Err(error) = Store::at(project.data_dir()).check() {
        notes.problem(error.to_string(), None);
    }
    let wanted = project.data_dir();
    let folder = std::path::absolute(&wanted).unwrap_or(wanted);
    let there = folder.ancestors().find(|place| place.exists());
    match probe(there.unwrap_or(Path::new("/"))) {
        Ok(()) if folder.exists() => notes.ok(format!("{} can be written", folder.display())),
        Ok(()) => notes.ok(format!("{} can be made when it is needed", folder.display())),
        Err(why) => notes.problem(
            format!("{} cannot be written: {why}", folder.display()),
            Some("change its mode, or name another folder: `data_dir` under [server] in larkspur.toml".into()),
        ),
    }
    notes
}

/// Will a server that starts without flags load every file?
pub(super) fn trust(survey: &Survey, project: &ProjectFile) -> Notes {
    let mut notes = Notes::of("trust");
    let plan = doors::plan(&Serve::default(), project);
    let Some(plan) = plan.ok().filter(|plan| plan.refuses_extensions) else {
        return notes;
    };
    for (name, _) in survey.named().filter(|(_, module)| module.is_extension()) {
        notes.problem(
            format!("{name} is in starlark-mcp's form, and `larkspur serve` on {} does not load it", plan.host),
            Some("start it with --trust-folder or LARKSPUR_TRUST_FOLDER=1, or call permissions(…) at the top of the file".into()),
        );
    }
    notes
}

/// Only writing shows whether one can.
fn probe(folder: &Path) -> std::io::Result<()> {
    tempfile::tempfile_in(folder).map(drop)
}

/// Can what is asked for be written down of calls?
#[expect(
    clippy::disallowed_methods,
    reason = "only opening a file shows whether it can be written"
)]
pub(super) fn audit(project: &ProjectFile) -> Notes {
    let mut notes = Notes::of("audit");
    let Some(settings) = &project.project().audit else {
        return notes;
    };
    let file = project.audit_file(settings);
    let shown = file.display();
    let tried = match file.symlink_metadata() {
        Ok(_) => OpenOptions::new().append(true).open(&file).map(drop),
        Err(_) => {
            let whole = std::path::absolute(&file).unwrap_or_else(|_| file.clone());
            let above = whole.ancestors().skip(1);
            let there = above.into_iter().find(|place| place.exists());
            probe(there.unwrap_or(Path::new("/")))
        }
    };
    match tried {
        Ok(()) => notes.ok(format!("{shown} can be written")),
        Err(why) => notes.problem(
            format!("{shown} cannot be written: {why}"),
            Some("change its mode, or name another: `file` under [audit] in larkspur.toml".into()),
        ),
    }
    notes
}

/// Do those whose tokens are taken publish their keys?
pub(super) fn issuers(project: &ProjectFile) -> Notes {
    let mut notes = Notes::of("issuers");
    let world = compose::world(project.project());
    for (name, keys) in project.project().trust.issuers() {
        let Keys::JwksUrl(url) = keys else {
            continue;
        };
        match Jwks::new(url, Arc::clone(&world)).try_out(PATIENCE) {
            Ok(()) => notes.ok(format!("{name} publishes its keys at {url}")),
            Err(why) => notes.problem(
                format!("no keys of {name} from {url}: {why}"),
                Some("its tokens are refused until they can be had; is `jwks_url` right?".into()),
            ),
        }
    }
    notes
}

pub(super) fn port(global: &Global, project: &ProjectFile) -> Notes {
    let mut notes = Notes::of("port");
    let plan = doors::plan(&Serve::default(), project);
    let plan = match plan {
        Ok(plan) => plan,
        Err(refused) => {
            notes.problem(refused.to_string(), None);
            return notes;
        }
    };
    let place = format!("{}:{}", plan.host, plan.port);
    match TcpListener::bind((plan.host.as_str(), plan.port)) {
        Ok(_) => notes.ok(format!("{place} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            match own(global, plan.port).or_else(|| who_has(&plan.host, plan.port)) {
                Some(server) => notes.ok(format!("{place} has {server}")),
                None if plan.transport.http => notes.problem(
                    format!("{place} belongs to another program"),
                    Some("end it, or choose another port: `port` under [server], or -p".into()),
                ),
                None => notes.warning(
                    format!("{place} belongs to another program"),
                    Some(
                        "`larkspur dev` takes a free one; for `serve --http` choose one with -p"
                            .into(),
                    ),
                ),
            }
        }
        Err(error) => notes.problem(format!("cannot listen on {place}: {error}"), None),
    }
    notes
}

/// One of this user's servers, by what it says to its owner: strangers learn less at `/health`.
fn own(global: &Global, port: u16) -> Option<String> {
    let servers = status::running(global, true);
    let mut servers = servers.iter().map(|server| &server.status);
    let found = servers.find(|status| status.address.is_some_and(|at| at.port() == port))?;
    let tools = count(found.tools, "tool");
    Some(format!("a larkspur {} with {tools}", found.version))
}

/// One of us, if it says so at `/health`.
fn who_has(host: &str, port: u16) -> Option<String> {
    let address = (host, port).to_socket_addrs().ok()?.next()?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n").ok()?;
    let (mut reply, mut part) = (Vec::new(), [0; 4096]);
    let end = Instant::now() + PATIENCE;
    // An answer without an end, or one that drips, is none of ours.
    while reply.len() < 1 << 16 && Instant::now() < end {
        match stream.read(&mut part).ok()? {
            0 => break,
            count => reply.extend_from_slice(&part[..count]),
        }
    }
    let reply = String::from_utf8(reply).ok()?;
    let (_, body) = reply.split_once("\r\n\r\n")?;
    let health: Value = serde_json::from_str(body).ok()?;
    let tools = usize::try_from(health["tools"].as_u64()?).ok()?;
    let version = health["version"].as_str()?;
    Some(format!("a larkspur {version} with {}", count(tools, "tool")))
}
