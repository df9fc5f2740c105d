//! A socket for the owner alone, by which `larkspur status` asks a running server how it is.
#![expect(
    clippy::disallowed_methods,
    reason = "sockets are files, and their folder comes from the environment"
)]

use runtime::{Runtime, Status};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader as AsyncBufReader};
use tokio::net::UnixListener;

/// A running server answers within this, or it is not running well.
const PATIENCE: Duration = Duration::from_secs(2);

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
    pub fn start(runtime: Runtime, directory: &Path) -> io::Result<Self> {
        prepare(directory)?;
        let path = directory.join(format!("{}.sock", std::process::id()));
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, runtime.clone()));
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
        let why = format!(
            "{} is not a folder that only its owner can enter",
            directory.display()
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(())
}

async fn answer(stream: tokio::net::UnixStream, runtime: Runtime) {
    let (input, mut output) = stream.into_split();
    let mut lines = AsyncBufReader::new(input).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let reply = match line.as_str() {
            "status" => serde_json::to_string(&runtime.status()).unwrap_or_default(),
            other => format!("{{\"error\":\"there is no `{}`\"}}", other.escape_default()),
        };
        if output
            .write_all(format!("{reply}\n").as_bytes())
            .await
            .is_err()
        {
            return;
        }
    }
}

/// Asks every running server of this user; sockets that nobody answers on are cleared away.
pub fn ask_all(directory: &Path) -> Vec<Status> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "sock"));
    paths.iter().filter_map(|path| ask(path)).collect()
}

fn ask(path: &Path) -> Option<Status> {
    let mut stream = match UnixStream::connect(path) {
        Ok(stream) => stream,
        Err(error) => {
            if error.kind() == io::ErrorKind::ConnectionRefused {
                let _ = fs::remove_file(path);
            }
            return None;
        }
    };
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(b"status\n").ok()?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}
