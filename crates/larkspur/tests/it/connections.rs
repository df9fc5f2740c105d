//! Connections per address: one client cannot keep others out.

use crate::audit::block_on;
use crate::room::Room;
use crate::web::Web;
use crate::wire::PATIENCE;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Instant;
use tokio::net::TcpSocket;

/// Sent by each connection that is held open, so that the server has accepted it.
const REQUEST: &[u8] = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn web(project: &str) -> Web {
    let room = Room::new();
    room.project(project);
    Web::start(room, &[])
}

/// A connection from 127.0.0.`last`, and the first line of the response.
fn connect(web: &Web, last: u8) -> (TcpStream, String) {
    let from = SocketAddr::from((Ipv4Addr::new(127, 0, 0, last), 0));
    let to = SocketAddr::from((Ipv4Addr::LOCALHOST, web.port));
    let stream = block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(from).unwrap();
        socket.connect(to).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut stream = stream;
    // A rejected connection may be closed before.
    let _ = stream.write_all(REQUEST);
    let status = status_of(&mut stream);
    (stream, status)
}

fn status_of(stream: &mut TcpStream) -> String {
    let mut read = vec![0; 1024];
    let count = stream.read(&mut read).unwrap_or_default();
    let text = String::from_utf8_lossy(&read[..count]).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}

fn hold(web: &Web, last: u8, count: usize) -> Vec<TcpStream> {
    let connections = (0..count).map(|_| connect(web, last));
    let open = connections.map(|(stream, status)| {
        assert_eq!(status, "HTTP/1.1 200 OK");
        stream
    });
    open.collect()
}

fn is_rejected(status: &str) -> bool {
    // The response is lost where the request arrives after the server has closed.
    status.is_empty() || status == "HTTP/1.1 503 Service Unavailable"
}

#[test]
fn one_address_has_256_connections_and_others_still_connect() {
    let web = web("");
    let held = hold(&web, 1, 256);
    for _ in 0..20 {
        let (_, status) = connect(&web, 1);
        assert!(is_rejected(&status), "{status}");
    }
    for last in 2..6 {
        let (mut stream, status) = connect(&web, last);
        assert_eq!(status, "HTTP/1.1 200 OK");
        stream.write_all(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).unwrap();
        assert!(page.contains("\nlarkspur_connections_rejected_total 20\n"), "{page}");
    }
    let stderr = web.wire.stderr();
    assert_eq!(stderr.matches("rejecting connections from 127.0.0.1").count(), 1, "{stderr}");
    drop(held);
    let deadline = Instant::now() + PATIENCE;
    while is_rejected(&connect(&web, 1).1) {
        assert!(Instant::now() < deadline, "closed connections are still counted");
    }
}

#[test]
fn number_is_a_setting_and_trusted_proxies_are_exempt() {
    let web = web(
        "[server]\nconnections_per_address = 3\ntrusted_proxies = ['127.0.0.8/29', '127.0.0.20']\n",
    );
    let _held = hold(&web, 1, 3);
    assert!(is_rejected(&connect(&web, 1).1));
    let _proxies = [hold(&web, 9, 10), hold(&web, 15, 10), hold(&web, 20, 10)];
    let _other = hold(&web, 16, 3);
    assert!(is_rejected(&connect(&web, 16).1));
}

/// A client that has sent nothing yet reads the whole response.
#[test]
fn rejection_says_when_to_try_again() {
    let web = web("[server]\nconnections_per_address = 1\n");
    let _held = hold(&web, 1, 1);
    let mut stream = web.connect();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("HTTP/1.1 503 ") && head.contains("\r\nRetry-After: 10\r\n"),
        "{head}"
    );
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{text}");
    assert_eq!(body, "{\"error\":\"too many connections from this address\"}\n");
}

#[test]
fn wrong_settings_are_reported_with_their_place() {
    for (setting, place, message) in [
        (
            "trusted_proxies = ['10.0.0.0/8', 'proxy.local']",
            "larkspur.toml:2:34",
            "`proxy.local` is not an IP address or network; write `10.0.0.7` or `10.0.0.0/8`",
        ),
        (
            "trusted_proxies = ['::/200']",
            "larkspur.toml:2:20",
            "the prefix of `::/200` is not a number from 0 to 128",
        ),
        ("trusted_proxies = '127.0.0.1'", "larkspur.toml:2:19", "`server.trusted_proxies`"),
        ("connections_per_address = 0", "larkspur.toml:2:27", "`server.connections_per_address`"),
    ] {
        let room = Room::new();
        room.project(&format!("[server]\n{setting}\n"));
        let ran = room.run(&["serve", "--http", "-p", "0"]);
        ran.exits(6).notes(place).notes(message);
    }
}
