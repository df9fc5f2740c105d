//! One service on a port of its own: it looks at the token, and writes down what it gave to whom.

use std::io::{self, BufReader, BufWriter};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::http::{Answer, Request};

/// What a service says, each in its own words.
pub(crate) trait Service: Send + 'static {
    fn knows(&self, request: &Request) -> bool;
    /// To those it does not know.
    fn unauthorized(&self) -> Answer;
    /// To those who ask too often; when to come back is added.
    fn too_many(&self) -> Answer;
    fn answer(&mut self, request: &Request) -> Answer;
}

/// A request and what came of it.
#[derive(Debug, Clone)]
pub struct Given {
    /// `GET /v1/users`
    pub request: String,
    pub status: u16,
    pub body: String,
}

pub struct Standin {
    address: SocketAddr,
    /// Whoever sends another one is turned away.
    pub token: &'static str,
    desk: Arc<Desk>,
}

/// Shared by all connections.
struct Desk {
    service: Mutex<Box<dyn Service>>,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    given: Vec<Given>,
    /// How many of the next requests are answered with 429.
    turned_away: usize,
    /// Nobody is let in any more.
    is_closed: bool,
}

impl Standin {
    pub(crate) fn start(token: &'static str, service: impl Service) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let desk =
            Arc::new(Desk { service: Mutex::new(Box::new(service)), book: Mutex::default() });
        let inside = Arc::clone(&desk);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if lock(&inside.book).is_closed {
                    return;
                }
                let desk = Arc::clone(&inside);
                // Whoever hangs up in the middle has nothing to be told.
                thread::spawn(move || drop(desk.serve(connection)));
            }
        });
        Ok(Self { address, token, desk })
    }

    /// What `base_url` of the module is to be.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next requests, this many, are answered with 429 and `Retry-After: 1`.
    pub fn turn_away(&self, next: usize) {
        lock(&self.desk.book).turned_away = next;
    }

    /// All that was given, in order.
    #[must_use]
    pub fn given(&self) -> Vec<Given> {
        lock(&self.desk.book).given.clone()
    }
}

impl Drop for Standin {
    fn drop(&mut self) {
        lock(&self.desk.book).is_closed = true;
        // Wakes the one that waits for connections, so that it sees the door closed.
        drop(TcpStream::connect(self.address));
    }
}

impl Desk {
    fn serve(&self, connection: TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(connection.try_clone()?);
        let mut writer = BufWriter::new(connection);
        while let Some(request) = Request::read(&mut reader)? {
            let answer = self.answer(&request);
            lock(&self.book).given.push(Given {
                request: format!("{} {}", request.method, request.path),
                status: answer.status,
                body: answer.body.clone(),
            });
            answer.write(&mut writer)?;
        }
        Ok(())
    }

    fn answer(&self, request: &Request) -> Answer {
        let mut service = lock(&self.service);
        let mut book = lock(&self.book);
        if book.turned_away > 0 {
            book.turned_away -= 1;
            return service.too_many().with("retry-after", "1");
        }
        drop(book);
        if !service.knows(request) {
            return service.unauthorized();
        }
        service.answer(request)
    }
}

/// What a thread left behind when it panicked is as good as before.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
