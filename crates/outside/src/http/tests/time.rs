//! Servers that take their time, and calls that are taken back.

use super::server::{Server, answer};
use super::{Net, leash, request, text};
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

/// Waits for the client to go.
fn hang(out: &TcpStream) -> io::Result<()> {
    io::copy(&mut out.try_clone()?, &mut io::sink())?;
    Err(io::Error::other("the client has gone"))
}

/// Servers that do not come to an end, each in its own way.
fn endless() -> Vec<Server> {
    let silent = Server::start(|_, out| hang(out));
    let half_a_head = Server::start(|_, out| {
        out.write_all(b"HTTP/1.1 200 X\r\nx-")?;
        hang(out)
    });
    let half_a_body = Server::start(|_, out| {
        out.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nhalf")?;
        hang(out)
    });
    let drip = Server::start(|_, out| {
        out.write_all(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n")?;
        loop {
            out.write_all(b"1\r\nx\r\n")?;
            std::thread::park_timeout(Duration::from_millis(20));
        }
    });
    vec![silent, half_a_head, half_a_body, drip]
}

#[test]
fn a_request_ends_at_its_own_time() {
    for server in endless() {
        let mut get = request("GET", &server.url("/a?key=1"));
        get.timeout = Some(Duration::from_millis(200));
        let started = Instant::now();
        let words = Net::granted(&[&server.site()]).send(&get).unwrap_err();
        let took = started.elapsed();
        let shown = server.url("/a");
        assert_eq!(words, format!("GET {shown}: no answer within 200 ms, its own `timeout`"));
        assert!((200..2_000).contains(&took.as_millis()), "{took:?}");
    }
}

#[test]
fn a_request_ends_with_its_call() {
    for server in endless() {
        let mut leash = leash();
        leash.until = Instant::now() + Duration::from_millis(200);
        let net = Net::granted(&[&server.site()]);
        let started = Instant::now();
        let words = net.send_on(&request("GET", &server.url("/")), &leash).unwrap_err();
        let expected = "no answer in the time of the call (limit `timeout`)";
        assert!(words.ends_with(expected), "{words}");
        assert!(started.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn a_call_that_is_taken_back_lets_go() {
    for server in endless() {
        let leash = leash();
        let net = Net::granted(&[&server.site()]);
        let get = request("GET", &server.url("/"));
        let (words, took) = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| (net.send_on(&get, &leash), Instant::now()));
            let until = Instant::now() + Duration::from_secs(10);
            while server.asked().is_empty() && Instant::now() < until {
                std::thread::yield_now();
            }
            let cancelled = Instant::now();
            leash.cancel.cancel();
            let (words, ended) = waiting.join().unwrap();
            (words.unwrap_err(), ended.saturating_duration_since(cancelled))
        });
        assert_eq!(words, "the call was cancelled");
        // 250 ms is promised; the machine that runs the tests may be busy.
        assert!(took < Duration::from_secs(1), "{took:?}");
    }
}

#[test]
fn a_wait_before_another_try_is_given_up_too() {
    let server = Server::answering(|_| answer(503, "retry-after: 20\r\n", "busy"));
    let net = Net::granted(&[&server.site()]);
    let mut get = request("GET", &server.url("/"));
    get.retries = true;
    let leash = leash();
    let started = Instant::now();
    let words = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| net.send_on(&get, &leash));
        while server.asked().is_empty() {
            std::thread::yield_now();
        }
        leash.cancel.cancel();
        waiting.join().unwrap()
    });
    assert_eq!(words, Err("the call was cancelled".into()));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn fifty_wait_at_once() {
    // Nobody is answered before all have asked.
    let all = Arc::new(Barrier::new(50));
    let server = Server::answering(move |_| {
        all.wait();
        answer(200, "", "together")
    });
    let net = Net::granted(&[&server.site()]);
    let mut get = request("GET", &server.url("/"));
    get.timeout = Some(Duration::from_secs(20));
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..50).map(|_| scope.spawn(|| net.send(&get))).collect();
        for one in waiting {
            assert_eq!(one.join().unwrap().map(text), Ok("together".into()));
        }
    });
    assert_eq!(server.connections(), 50);
}
