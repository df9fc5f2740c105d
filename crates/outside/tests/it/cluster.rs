//! A `PostgreSQL` of a test's own: a fresh cluster in a temporary folder, gone with its value.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_mins(2);
const INSTALL: &str =
    "PostgreSQL is not installed: run `cargo xtask tools`, or `apt-get install postgresql`";

/// Characters that a URL has to write in another way.
pub(crate) const PASSWORD: &str = "pa@ss/w:rd";
const PASSWORD_IN_URL: &str = "pa%40ss%2Fw%3Ard";

pub(crate) struct Cluster {
    folder: TempDir,
    server: Child,
    pub(crate) port: u16,
}

impl Cluster {
    /// A port that was free may be taken a moment later, so this is tried more than once.
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path());
        let mut heard = String::new();
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
            let port = port.unwrap().port();
            match serve(folder.path(), port) {
                Ok(server) => {
                    return Self {
                        folder,
                        server,
                        port,
                    };
                }
                Err(lines) => heard = lines,
            }
        }
        panic!("PostgreSQL does not start:\n{heard}");
    }

    /// Over TCP, with more settings such as `sslmode=disable`.
    pub(crate) fn url(&self, settings: &str) -> String {
        let port = self.port;
        format!("postgres://tester:{PASSWORD_IN_URL}@localhost:{port}/postgres?{settings}")
    }

    /// Over a socket, as `key=value` pairs.
    #[allow(dead_code, reason = "not every crate that borrows this file needs it")]
    pub(crate) fn socket(&self) -> String {
        let (folder, port) = (self.folder.path().display(), self.port);
        format!("host={folder} port={port} user=tester password='{PASSWORD}' dbname=postgres")
    }

    /// The certificate that the server shows: for `localhost`, signed by itself.
    #[allow(dead_code, reason = "not every crate that borrows this file needs it")]
    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.path().join("server.crt")
    }
}

impl Drop for Cluster {
    /// At once, without writing anything down: nobody will read it.
    fn drop(&mut self) {
        let pid = self.server.id().to_string();
        let told = Command::new("kill").args(["-QUIT", &pid]).status();
        if !told.is_ok_and(|status| status.success()) {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}

fn prepare(folder: &Path) {
    if let Some((user, group)) = other_user() {
        chown(folder, Some(user), Some(group)).unwrap();
    }
    std::fs::write(folder.join("password"), PASSWORD).unwrap();
    std::fs::write(folder.join("request.cnf"), REQUEST).unwrap();
    run(folder, &program("initdb"), INITDB);
    run(folder, Path::new("openssl"), OPENSSL);
}

const INITDB: &str = "--pgdata=data --username=tester --pwfile=password --auth=scram-sha-256 \
     --encoding=UTF8 --no-locale --no-sync --no-instructions";
const OPENSSL: &str = "req -x509 -config request.cnf -newkey rsa:2048 -noenc -days 2 \
     -keyout server.key -out server.crt";
const REQUEST: &str = "[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = a test of larkspur
[extensions]
subjectAltName = DNS:localhost
basicConstraints = critical, CA:FALSE
";
const SERVE: &str = "-D data -c listen_addresses=localhost -c ssl=on \
     -c ssl_cert_file=../server.crt -c ssl_key_file=../server.key -c max_connections=40 \
     -c fsync=off -c shared_buffers=16MB -c log_statement=none -c timezone=Asia/Tokyo \
     -c lc_messages=C";

/// Waits until it takes connections; what it said instead, if it ends before.
fn serve(folder: &Path, port: u16) -> Result<Child, String> {
    let mut command = command(folder, &program("postgres"));
    command.args(SERVE.split_whitespace());
    let sockets = format!("unix_socket_directories={}", folder.display());
    command.args(["-p", &port.to_string(), "-c", &sockets]);
    let mut server = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect(INSTALL);
    let lines = lines_of(&mut server);
    let mut heard = String::new();
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) if line.contains("ready to accept connections") => return Ok(server),
            Ok(line) => heard = format!("{heard}{line}\n"),
            Err(why) => {
                if why == RecvTimeoutError::Timeout {
                    heard.push_str("it takes too long");
                }
                let _ = server.kill();
                let _ = server.wait();
                return Err(heard);
            }
        }
    }
}

/// Read to the end, also when nobody listens: a full pipe would stop the server.
fn lines_of(server: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    let stderr = BufReader::new(server.stderr.take().unwrap());
    std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    receiver
}

fn run(folder: &Path, program: &Path, args: &str) {
    let mut command = command(folder, program);
    let Output { status, stderr, .. } = command
        .args(args.split_whitespace())
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}: {INSTALL}", program.display()));
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{}: {stderr}", program.display());
}

/// `PostgreSQL` refuses to run as root.
fn command(folder: &Path, program: &Path) -> Command {
    let mut command = match other_user() {
        None => Command::new(program),
        Some((user, group)) => {
            let mut command = Command::new("setpriv");
            command.args([format!("--reuid={user}"), format!("--regid={group}")]);
            // With its test the server goes too, even if that has no time to say so.
            command.args(["--clear-groups", "--pdeathsig=QUIT", "--"]);
            command.arg(program);
            command
        }
    };
    command.current_dir(folder).env("LC_ALL", "C");
    command
}

/// Whom to be instead of root.
fn other_user() -> Option<(u32, u32)> {
    let id = |args: &[&str]| -> Option<u32> {
        let output = Command::new("id").args(args).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    if id(&["-u"]) != Some(0) {
        return None;
    }
    let users = ["postgres", "nobody"];
    let ids = users.map(|user| Some((id(&["-u", user])?, id(&["-g", user])?)));
    Some(ids.into_iter().flatten().next().expect(INSTALL))
}

/// In the path, or where Debian keeps one folder a version.
fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let mut debian: Vec<PathBuf> = debian.flatten().map(|e| e.path().join("bin")).collect();
    debian.sort();
    debian.reverse();
    let folders = std::env::split_paths(&path).chain(debian);
    let mut programs = folders.map(|folder| folder.join(name));
    programs.find(|program| program.is_file()).expect(INSTALL)
}
