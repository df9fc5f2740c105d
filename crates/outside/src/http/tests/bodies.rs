//! Answers whole, in pieces, packed, broken and endless.

use super::server::{Server, answer};
use super::{Net, request, soon, text};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};

/// 64 MiB of zeros, packed by brotli.
const BROTLI_BOMB: &str = "y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/L//8//BMAcVgAoHv/Bw==";

const TOO_LONG: &str = "the answer is longer than 10 MiB (limit `http_body`)";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn check(answer: Vec<u8>, expected: Result<&str, &str>) {
    let server = Server::start(move |_, out| {
        out.write_all(&answer)?;
        Err(io::Error::other("and no more"))
    });
    let got = Net::granted(&[&server.site()]).get(&server.url("/"));
    let got = got.map(text).map_err(|words| {
        let start = format!("GET {}: ", server.url("/"));
        words.strip_prefix(&start).unwrap_or(&words).to_owned()
    });
    assert_eq!(got.as_deref().map_err(String::as_str), expected);
}

#[test]
fn an_answer_is_read_however_it_comes() {
    check(answer(200, "", "whole"), Ok("whole"));
    check(answer(204, "", ""), Ok(""));
    let chunked = "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n";
    check(format!("{chunked}2\r\nin\r\n7\r\n pieces\r\n0\r\n\r\n").into(), Ok("in pieces"));
    check(b"HTTP/1.0 200 X\r\n\r\nuntil the end".to_vec(), Ok("until the end"));
    check(answer(200, "content-encoding: gzip\r\n", gzip(b"packed")), Ok("packed"));
    let brotli = [139, 5, 128, 104, 101, 108, 108, 111, 32, 98, 114, 111, 116, 108, 105, 3];
    check(answer(200, "content-encoding: br\r\n", brotli), Ok("hello brotli"));
}

#[test]
fn an_answer_that_breaks_off_is_an_error() {
    let broken = "the answer broke off";
    check(b"HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nhalf".to_vec(), Err(broken));
    let chunked = "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n";
    check(format!("{chunked}4\r\nhalf\r\n").into(), Err(broken));
    let mut packed = gzip(&[7; 1000]);
    packed.truncate(20);
    check(answer(200, "content-encoding: gzip\r\n", packed), Err(broken));
    let closed = "the connection was closed before the answer";
    check(Vec::new(), Err(closed));
    check(b"HTTP/1.1 200 X\r\nhal".to_vec(), Err(closed));
    check(b"what is this\r\n\r\n".to_vec(), Err(closed));
}

#[test]
fn an_answer_may_be_ten_mebibytes_long() {
    let most = vec![b'x'; 10 << 20];
    let server = Server::answering(move |_| answer(200, "", &most));
    let got = Net::granted(&[&server.site()]).get(&server.url("/"));
    assert_eq!(got.map(|response| response.body.len()), Ok(10 << 20));
    check(answer(200, "", vec![b'x'; (10 << 20) + 1]), Err(TOO_LONG));
    // A bomb: small on the wire.
    let packed = gzip(&vec![0; 64 << 20]);
    assert!(packed.len() < 1 << 20);
    check(answer(200, "content-encoding: gzip\r\n", packed), Err(TOO_LONG));
    let packed = BASE64_STANDARD.decode(BROTLI_BOMB).unwrap();
    check(answer(200, "content-encoding: br\r\n", packed), Err(TOO_LONG));
}

#[test]
fn an_endless_answer_is_not_read_to_the_end() {
    let server = Server::start(|_, out| {
        out.write_all(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n")?;
        let chunk = [b"10000\r\n".as_slice(), &vec![b'x'; 0x10000], b"\r\n"].concat();
        // Ends when the client has gone.
        loop {
            out.write_all(&chunk)?;
        }
    });
    let words = Net::granted(&[&server.site()]).get(&server.url("/")).unwrap_err();
    assert!(words.ends_with(TOO_LONG), "{words}");
}

#[test]
fn what_is_sent_and_what_comes_back() {
    let server =
        Server::answering(|_| answer(404, "X-A: 1\r\nset-cookie: a\r\nSet-Cookie: b\r\n", "no"));
    let net = Net::granted(&[&server.site()]);
    let mut post = request("POST", &server.url("/p?q=1#f"));
    post.headers = vec![("X-One".into(), "grün".into())];
    post.body = b"text".to_vec();
    let response = net.send(&post).unwrap();
    assert_eq!(response.status, 404);
    assert_eq!(response.url, server.url("/p?q=1#f"));
    let headers: Vec<String> = response.headers.iter().map(|(n, v)| format!("{n}={v}")).collect();
    assert_eq!(headers, ["x-a=1", "set-cookie=a", "set-cookie=b", "content-length=2"]);
    let asked = &server.asked()[0];
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/p?q=1"));
    assert_eq!((asked.header("x-one"), asked.body.as_str()), (Some("grün"), "text"));
    assert_eq!(asked.header("host"), Some(server.site().as_str()));
    assert!(asked.header("user-agent").unwrap().starts_with("larkspur/"));
}

#[test]
fn a_connection_is_used_again() {
    let server = Server::answering(|_| answer(200, "", "hello"));
    let net = Net::granted(&[&server.site()]);
    net.get(&server.url("/")).unwrap();
    // It is kept from a moment after its answer was read; who asks sooner gets a new one.
    soon("a connection serves two requests", || {
        net.get(&server.url("/")).unwrap();
        server.connections() < server.asked().len()
    });
}

#[test]
fn a_connection_that_was_closed_meanwhile_is_made_again() {
    // Says that it stays open, and closes.
    let server = Server::start(|_, out| {
        out.write_all(&answer(200, "", "hello"))?;
        Err(io::Error::other("closed"))
    });
    let net = Net::granted(&[&server.site()]);
    for _ in 0..5 {
        let mut put = request("PUT", &server.url("/"));
        put.body = b"x".to_vec();
        put.retries = true;
        assert_eq!(net.send(&put).map(text), Ok("hello".into()));
    }
}
