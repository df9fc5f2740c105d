//! A server on loopback, each test's own. It runs until the test process ends.

use crate::wire::PATIENCE;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Instant;

pub(crate) struct Web {
    port: u16,
    seen: Arc<Seen>,
    gone: Arc<AtomicBool>,
}

#[derive(Default)]
struct Seen {
    log: Mutex<Log>,
    changed: Condvar,
}

/// What has happened so far.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) asked: Vec<Asked>,
    /// Those who went without an answer.
    pub(crate) gone: usize,
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A whole answer; each header ends in a line break.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n{body}")
}

pub(crate) fn ok(body: &str) -> String {
    answer(200, "", body)
}

impl Web {
    /// Answers, or never does.
    pub(crate) fn answering(
        answer: impl Fn(&Asked) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self::new(0, answer)
    }

    /// Answers nobody before so many are waiting.
    pub(crate) fn gathering(all: usize) -> Self {
        Self::new(all, |_| Some(ok("together")))
    }

    fn new(
        gather: usize,
        answer: impl Fn(&Asked) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let web = Self {
            port: listener.local_addr().unwrap().port(),
            seen: Arc::default(),
            gone: Arc::default(),
        };
        let gone = Arc::clone(&web.gone);
        let (seen, answer) = (Arc::clone(&web.seen), Arc::new(answer));
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if gone.load(Ordering::SeqCst) {
                    return;
                }
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                thread::spawn(move || serve(connection, &seen, gather, &*answer));
            }
        });
        web
    }

    /// Goes away: whoever asks from now on finds nobody.
    pub(crate) fn go(&self) {
        self.gone.store(true, Ordering::SeqCst);
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
            assert!(Instant::now() < deadline, "the server is still there");
            thread::yield_now();
        }
    }

    /// As a manifest names it.
    pub(crate) fn site(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.seen.log.lock().unwrap().asked.clone()
    }

    /// Waits until this is so.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, is_so: impl Fn(&Log) -> bool) {
        assert!(self.seen.wait(&is_so), "never {what}");
    }
}

impl Seen {
    fn wait(&self, is_so: &dyn Fn(&Log) -> bool) -> bool {
        let log = self.log.lock().unwrap();
        let waited = self.changed.wait_timeout_while(log, PATIENCE, |log| !is_so(log));
        !waited.unwrap().1.timed_out()
    }

    fn note(&self, what: impl FnOnce(&mut Log)) {
        what(&mut self.log.lock().unwrap());
        self.changed.notify_all();
    }
}

fn serve(
    mut connection: TcpStream,
    seen: &Seen,
    gather: usize,
    answer: &dyn Fn(&Asked) -> Option<String>,
) {
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    while let Ok(Some(asked)) = request(&mut reader) {
        seen.note(|log| log.asked.push(asked.clone()));
        let in_time = seen.wait(&|log| log.asked.len() >= gather);
        let Some(text) = answer(&asked).filter(|_| in_time) else {
            // Ends when the other side has gone.
            let _ = io::copy(&mut reader, &mut io::sink());
            return seen.note(|log| log.gone += 1);
        };
        if connection.write_all(text.as_bytes()).is_err() {
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
    let header = |line: &String| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    };
    let mut words = lines[0].split(' ').map(str::to_owned);
    let mut asked = Asked {
        method: words.next().unwrap(),
        path: words.next().unwrap(),
        headers: lines[1..].iter().map(header).collect(),
        body: String::new(),
    };
    let length = asked.header("content-length").map(|l| l.parse().unwrap());
    let mut body = reader.take(length.unwrap_or(0));
    body.read_to_string(&mut asked.body)?;
    Ok(Some(asked))
}
