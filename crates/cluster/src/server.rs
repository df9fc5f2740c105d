//! Makes a cluster in a folder, and runs a server on it.

use crate::PASSWORD;
use crate::programs::{INSTALL, program};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_mins(2);
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

pub(crate) fn prepare(folder: &Path) {
    if let Some((user, group)) = other_user() {
        chown(folder, Some(user), Some(group)).unwrap();
    }
    std::fs::write(folder.join("password"), PASSWORD).unwrap();
    std::fs::write(folder.join("request.cnf"), REQUEST).unwrap();
    run(folder, "initdb", INITDB);
    run(folder, "openssl", OPENSSL);
}

/// Waits until it takes connections; what it said instead, if it ends before.
pub(crate) fn serve(folder: &Path, port: u16) -> Result<Child, String> {
    let mut command = command(folder, "postgres");
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

fn run(folder: &Path, name: &str, args: &str) {
    let Output { status, stderr, .. } = command(folder, name)
        .args(args.split_whitespace())
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{name}: {error}: {INSTALL}"));
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{name}: {stderr}");
}

/// `PostgreSQL` refuses to run as root.
fn command(folder: &Path, name: &str) -> Command {
    let program = program(name);
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
