//! Trying again.

use super::server::{Server, answer};
use super::{Net, request, text};
use std::io;
use std::time::{Duration, Instant};

/// Fails so many times in a way, then works.
fn failing(times: usize, failure: &'static str) -> Server {
    Server::start(move |asked, out| {
        use io::Write;
        if asked.number >= times {
            return out.write_all(&answer(200, "", "fine"));
        }
        match failure.split_once(' ') {
            None => Err(io::Error::other("closed without a word")),
            Some((status, header)) => {
                let header = header.trim();
                let header =
                    if header.is_empty() { String::new() } else { format!("{header}\r\n") };
                out.write_all(&answer(status.parse().unwrap(), &header, "busy"))
            }
        }
    })
}

/// What comes out of it, and how often the server was asked.
fn check(
    method: &str,
    times: usize,
    failure: &'static str,
    expected: Result<u16, &str>,
    asked: usize,
) {
    let server = failing(times, failure);
    let mut ask = request(method, &server.url("/"));
    ask.retries = true;
    let got = Net::granted(&[&server.site()]).send(&ask);
    let got = got.map(|response| response.status);
    let case = format!("{method} {failure}");
    match (&got, expected) {
        (Err(words), Err(expected)) => assert!(words.ends_with(expected), "{case}: {words}"),
        (got, expected) => assert_eq!(got.as_ref().ok(), expected.as_ref().ok(), "{case}"),
    }
    assert_eq!(server.asked().len(), asked, "{case}");
}

const CLOSED: &str = "the connection was closed before the answer";

#[test]
fn what_can_be_asked_twice_is_tried_three_times() {
    for method in ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"] {
        check(method, 2, "closed", Ok(200), 3);
    }
    for busy in ["429 ", "502 ", "503 ", "504 "] {
        check("GET", 2, busy, Ok(200), 3);
    }
    check("GET", 9, "closed", Err(CLOSED), 3);
    check("GET", 9, "503 ", Ok(503), 3);
}

#[test]
fn what_could_do_harm_twice_is_not() {
    for method in ["POST", "PATCH", "PROPFIND"] {
        check(method, 1, "closed", Err(CLOSED), 1);
        check(method, 1, "503 ", Ok(503), 1);
    }
    for other in ["500 ", "501 ", "404 ", "408 "] {
        check("GET", 1, other, Ok(other.trim().parse().unwrap()), 1);
    }
}

#[test]
fn nothing_is_tried_again_unasked() {
    let server = failing(1, "503 ");
    let response = Net::granted(&[&server.site()]).get(&server.url("/")).unwrap();
    assert_eq!((response.status, server.asked().len()), (503, 1));
}

#[test]
fn a_refusal_is_final() {
    let mut ask = request("GET", "http://127.0.0.1:1/");
    ask.retries = true;
    let started = Instant::now();
    Net::granted(&[]).send(&ask).unwrap_err();
    assert!(started.elapsed() < Duration::from_millis(100));
}

#[test]
fn the_server_says_how_long_to_wait() {
    check("GET", 1, "503 retry-after: 0", Ok(200), 2);
    check("GET", 1, "429 retry-after: Sun, 06 Nov 1994 08:49:37 GMT", Ok(200), 2);
    // Longer than there is time: the answer is given as it is, at once.
    let started = Instant::now();
    check("GET", 1, "503 retry-after: 3600", Ok(503), 1);
    check("GET", 1, "503 retry-after: 18446744073709551615", Ok(503), 1);
    assert!(started.elapsed() < Duration::from_secs(10));
    let started = Instant::now();
    check("GET", 1, "503 retry-after: 1", Ok(200), 2);
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_busy_answer_is_better_than_none() {
    let server = Server::start(|asked, out| {
        use io::Write;
        match asked.number {
            0 => out.write_all(&answer(503, "retry-after: 0\r\n", "busy")),
            // Never answers; ends when the client has gone.
            _ => io::copy(&mut out.try_clone()?, &mut io::sink()).map(drop),
        }
    });
    let mut ask = request("GET", &server.url("/"));
    ask.retries = true;
    ask.timeout = Some(Duration::from_millis(500));
    let got = Net::granted(&[&server.site()]).send(&ask);
    assert_eq!(got.map(text), Ok("busy".into()));
}
