//! A socket for the owner alone, by which the command line talks to a running server: how it is, and
//! what it is to do.
#![expect(
    clippy::disallowed_methods,
    reason = "sockets are files, and their folder comes from the environment"
)]

use runtime::{Order, Runtime, Status};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader as AsyncBufReader};
use tokio::net::UnixListener;

/// A running server answers within this, or it is not running well: its modules get two seconds to
/// say how they are.
const PATIENCE: Duration = Duration::from_secs(5);

/// Modules may take their time to start.
const ORDER_PATIENCE: Duration = Duration::from_mins(2);

/// One line of what is asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    Status,
    Reload(Vec<String>),
    Start(Vec<String>),
    Stop(Vec<String>),
}

/// One line of what is answered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Status(Box<Status>),
    Refused(String),
}

/// The folder of the sockets: one a running server, named by its process.
pub fn directory() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(dir) if !dir.is_empty() => PathBuf::from(dir).join("larkspur"),
        _ => std::env::temp_dir().join(format!("larkspur-{}", rustix::process::getuid().as_raw())),
    }
}

/// Removes its socket when the server ends.
pub struct Control {
    path: PathBuf,
}

impl Control {
    /// Starts answering. A server without a socket still serves, so a failure is for the log.
    pub fn start(
        runtime: Runtime,
        address: Option<SocketAddr>,
        directory: &Path,
    ) -> io::Result<Self> {
        prepare(directory)?;
        let path = directory.join(format!("{}.sock", std::process::id()));
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, runtime.clone(), address));
            }
        });
        Ok(Self { path })
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A folder only its owner can enter; one that somebody else made is not trusted.
fn prepare(directory: &Path) -> io::Result<()> {
    if let Some(above) = directory.parent() {
        fs::create_dir_all(above)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let metadata = fs::symlink_metadata(directory)?;
    let ours = metadata.uid() == rustix::process::getuid().as_raw();
    if !metadata.is_dir() || !ours || metadata.mode() & 0o077 != 0 {
        let why = format!("{} is not a folder that only its owner can enter", directory.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(())
}

async fn answer(stream: tokio::net::UnixStream, runtime: Runtime, address: Option<SocketAddr>) {
    let (input, mut output) = stream.into_split();
    let mut lines = AsyncBufReader::new(input).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let reply = match serde_json::from_str(&line) {
            Ok(request) => reply(request, &runtime, address).await,
            Err(why) => Reply::Refused(format!("this server does not understand that: {why}")),
        };
        let reply = serde_json::to_string(&reply).unwrap_or_default();
        if output.write_all(format!("{reply}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

/// After an order, how everything is now.
async fn reply(request: Request, runtime: &Runtime, address: Option<SocketAddr>) -> Reply {
    let order = match request {
        Request::Status => None,
        Request::Reload(names) => Some(Order::Reload(names)),
        Request::Start(names) => Some(Order::Start(names)),
        Request::Stop(names) => Some(Order::Stop(names)),
    };
    if let Some(order) = order
        && let Err(why) = runtime.order(order).await
    {
        return Reply::Refused(why);
    }
    let status = runtime.status().await;
    Reply::Status(Box::new(Status { address, ..status }))
}

/// A running server, by its socket and how it was when it was asked.
pub struct Running {
    socket: PathBuf,
    pub status: Status,
}

impl Running {
    /// Gives an order; how everything is then, or why nothing was done.
    pub fn order(&self, request: &Request) -> Result<Status, String> {
        match ask(&self.socket, request, ORDER_PATIENCE) {
            Some(Reply::Status(status)) => Ok(*status),
            Some(Reply::Refused(why)) => Err(why),
            None => Err("the server does not answer".into()),
        }
    }
}

/// Asks every running server of this user; sockets that nobody answers on are cleared away.
pub fn ask_all(directory: &Path) -> Vec<Running> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "sock"));
    let running =
        paths.into_iter().filter_map(|socket| match ask(&socket, &Request::Status, PATIENCE)? {
            Reply::Status(status) => Some(Running { socket, status: *status }),
            Reply::Refused(_) => None,
        });
    running.collect()
}

fn ask(path: &Path, request: &Request, patience: Duration) -> Option<Reply> {
    let mut stream = match UnixStream::connect(path) {
        Ok(stream) => stream,
        Err(error) => {
            if error.kind() == io::ErrorKind::ConnectionRefused {
                let _ = fs::remove_file(path);
            }
            return None;
        }
    };
    stream.set_read_timeout(Some(patience)).ok()?;
    let request = serde_json::to_string(request).ok()?;
    stream.write_all(format!("{request}\n").as_bytes()).ok()?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}
