//! A server on loopback, each test's own. It runs until the test process ends.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

pub(crate) struct Server {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    connections: Arc<AtomicUsize>,
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// How many came before.
    pub(crate) number: usize,
    pub(crate) at: Instant,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl Server {
    /// Answers every request with bytes; the connection stays open if they say so.
    pub(crate) fn answering(answer: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start(move |asked, out| out.write_all(&answer(asked)))
    }

    /// Does what it likes with the connection; an error closes it.
    pub(crate) fn start(
        answer: impl Fn(&Asked, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            asked: Arc::default(),
            connections: Arc::default(),
        };
        let (asked, connections) = (server.asked.clone(), server.connections.clone());
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                connections.fetch_add(1, Ordering::SeqCst);
                let (asked, answer) = (asked.clone(), Arc::clone(&answer));
                thread::spawn(move || serve(connection, &asked, &*answer));
            }
        });
        server
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn site(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn serve(
    mut connection: TcpStream,
    all: &Mutex<Vec<Asked>>,
    answer: &dyn Fn(&Asked, &mut TcpStream) -> io::Result<()>,
) {
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    while let Ok(Some(mut asked)) = request(&mut reader) {
        let mut list = all.lock().unwrap();
        asked.number = list.len();
        list.push(asked.clone());
        drop(list);
        if answer(&asked, &mut connection).is_err() {
            return;
        }
    }
}

fn request(reader: &mut impl BufRead) -> io::Result<Option<Asked>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let mut first = lines[0].split(' ').map(str::to_owned);
    let header = |line: &String| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    };
    let mut asked = Asked {
        method: first.next().unwrap(),
        path: first.next().unwrap(),
        headers: lines[1..].iter().map(header).collect(),
        body: String::new(),
        number: 0,
        at: Instant::now(),
    };
    let length = asked.header("content-length").map(|l| l.parse().unwrap());
    reader.take(length.unwrap_or(0)).read_to_string(&mut asked.body)?;
    Ok(Some(asked))
}

/// A whole answer; each header ends in a line break.
pub(crate) fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let mut bytes =
        format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

pub(crate) fn redirect(status: u16, to: &str) -> Vec<u8> {
    answer(status, &format!("location: {to}\r\n"), "")
}
