//! A tool that waits for an upstream, which answers when the test says so.

use crate::room::Room;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

const WAIT: &str = r#"
def wait(url: str) -> str:
    return http.get(url)["body"]

def hello() -> str:
    return "hello"

tool(wait)
tool(hello)
"#;

pub(crate) struct Upstream {
    listener: TcpListener,
    port: u16,
}

impl Upstream {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        Self { listener, port }
    }

    /// Has the tool `wait`, and `hello`, which answers at once.
    pub(crate) fn room(&self) -> Room {
        let room = Room::new();
        let source = format!("permissions(http = ['127.0.0.1:{}'])\n{WAIT}", self.port);
        room.write("wait.star", &source);
        room
    }

    /// A call that waits for this upstream.
    pub(crate) fn call(&self, id: i64) -> Value {
        let url = format!("http://127.0.0.1:{}/", self.port);
        let params = json!({"name": "wait", "arguments": {"url": url}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    }

    /// The request of a call that is now in flight.
    pub(crate) fn accept(&self) -> Held {
        let (upstream, _) = self.listener.accept().unwrap();
        let mut head = BufReader::new(upstream.try_clone().unwrap()).lines();
        while head.next().unwrap().unwrap() != "" {}
        Held(upstream)
    }
}

/// A request that has not been answered.
pub(crate) struct Held(pub(crate) TcpStream);

impl Held {
    /// Lets the call return `late`.
    pub(crate) fn answer(&mut self) {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlate";
        self.0.write_all(answer).unwrap();
    }
}
