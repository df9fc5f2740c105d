//! A server on loopback that the modules of a bench ask. It runs until the bench ends.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How long `/wait` takes.
pub(super) const WAIT: Duration = Duration::from_millis(200);

/// What every answer holds.
pub(super) const BODY: &str = r#"{"hello":"world"}"#;

const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Web {
    port: u16,
    /// When a request for `/hang` came, and when whoever asked had gone.
    hung: Receiver<Instant>,
}

impl Web {
    pub(super) fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no place for a server")?;
        let port = listener.local_addr()?.port();
        let (told, hung) = channel();
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let told = told.clone();
                thread::spawn(move || serve(connection, &told));
            }
        });
        Ok(Self { port, hung })
    }

    pub(super) fn site(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.site())
    }

    /// The next thing that happens at `/hang`.
    pub(super) fn hung(&self) -> Result<Instant> {
        let happened = self.hung.recv_timeout(PATIENCE);
        happened.context("nothing happened at the server")
    }
}

/// An error ends the connection, as does its end.
fn serve(mut connection: TcpStream, told: &Sender<Instant>) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection.try_clone()?);
    let length = BODY.len();
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{BODY}");
    while let Some(path) = request(&mut reader)? {
        match path.as_str() {
            "/hang" => {
                let _ = told.send(Instant::now());
                io::copy(&mut reader.by_ref(), &mut io::sink())?;
                let _ = told.send(Instant::now());
                return Ok(());
            }
            "/wait" => thread::sleep(WAIT),
            _ => {}
        }
        connection.write_all(answer.as_bytes())?;
    }
    Ok(())
}

/// The path of the next request, which has no body.
fn request(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut path = None;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match (line.trim_end(), &path) {
            ("", _) => return Ok(path),
            (first, None) => path = first.split(' ').nth(1).map(str::to_owned),
            _ => {}
        }
    }
}
