//! Each request on the wire takes its turn: first ones, redirects and further tries.

use super::server::{Server, answer, redirect};
use super::{Net, leash, request, text};
use model::{HostError, Site, Turns};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Notes who asks; there are so many turns, each a moment after the last.
#[derive(Debug)]
struct Few {
    most: usize,
    taken: Mutex<Vec<(String, Instant)>>,
}

const MOMENT: Duration = Duration::from_millis(20);

impl Turns for Few {
    fn take(&self, site: &Site, _until: Instant) -> Result<Instant, HostError> {
        let mut taken = self.taken.lock().unwrap();
        if taken.len() == self.most {
            return Err(HostError("no more turns".into()));
        }
        let last = taken.last().map_or_else(Instant::now, |(_, turn)| *turn);
        let turn = last + MOMENT;
        taken.push((site.to_string(), turn));
        Ok(turn)
    }
}

fn few(most: usize, net: Net) -> (Net, Arc<Few>) {
    let few = Arc::new(Few { most, taken: Mutex::default() });
    let turns: Arc<dyn Turns> = few.clone();
    let egress = net.egress.clone().in_turns(turns);
    (Net { egress, ..net }, few)
}

/// Redirects twice, is busy once, then answers.
fn winding() -> Server {
    Server::answering(|asked| match (asked.path.as_str(), asked.number) {
        ("/", _) => redirect(302, "/a"),
        ("/a", _) => redirect(302, "/b"),
        (_, 2) => answer(503, "retry-after: 0\r\n", "busy"),
        _ => answer(200, "", "there"),
    })
}

#[test]
fn every_request_on_the_wire_takes_a_turn_and_waits_for_it() {
    let server = winding();
    let (net, few) = few(9, Net::granted(&[&server.site()]));
    let mut get = request("GET", &server.url("/"));
    get.retries = true;
    assert_eq!(net.send(&get).map(text), Ok("there".into()));
    let (taken, asked) = (few.taken.lock().unwrap(), server.asked());
    assert_eq!((taken.len(), asked.len()), (6, 6));
    for ((site, turn), asked) in taken.iter().zip(asked) {
        assert_eq!(*site, server.site());
        assert!(asked.at >= *turn, "{} came too early", asked.path);
    }
}

/// What was heard before says more than that there is no turn to hear it again.
#[test]
fn without_a_turn_there_is_no_request() {
    for (turns, expected) in [
        (0, Err("GET URL/: no more turns")),
        (1, Err("GET URL/a: no more turns")),
        (3, Ok("busy")),
        (5, Ok("busy")),
        (6, Ok("there")),
    ] {
        let server = winding();
        let (net, _) = few(turns, Net::granted(&[&server.site()]));
        let mut get = request("GET", &server.url("/"));
        get.retries = true;
        let got = net.send(&get).map(text);
        let got = got.map_err(|words| words.replace(&server.url(""), "URL"));
        assert_eq!(got.as_deref().map_err(String::as_str), expected, "{turns}");
        assert_eq!(server.asked().len(), turns);
    }
}

/// A request's own time does not begin before its turn; the author's does.
#[test]
fn waiting_for_a_turn_is_no_part_of_the_limit() {
    #[derive(Debug)]
    struct Late;
    impl Turns for Late {
        fn take(&self, _: &Site, _: Instant) -> Result<Instant, HostError> {
            Ok(Instant::now() + Duration::from_millis(300))
        }
    }
    let server = Server::answering(|_| answer(200, "", "there"));
    let hung = Server::start(|_, out| io::copy(&mut out.try_clone()?, &mut io::sink()).map(drop));
    let mut net = Net::granted(&[&server.site(), &hung.site()]);
    net.egress = net.egress.clone().in_turns(Arc::new(Late));
    net.http.time = Duration::from_millis(200);
    assert_eq!(net.get(&server.url("/")).map(text), Ok("there".into()));
    let words = net.get(&hung.url("/")).unwrap_err();
    assert!(words.ends_with("no answer within 200 ms (limit `http_time`)"), "{words}");
    let mut get = request("GET", &hung.url("/"));
    get.timeout = Some(Duration::from_millis(100));
    let words = net.send(&get).unwrap_err();
    assert!(words.ends_with("no answer within 100 ms, its own `timeout`"), "{words}");
}

#[test]
fn a_call_that_is_taken_back_stops_waiting_for_its_turn() {
    #[derive(Debug)]
    struct Never(std::sync::Barrier);
    impl Turns for Never {
        fn take(&self, _: &Site, until: Instant) -> Result<Instant, HostError> {
            self.0.wait();
            Ok(until)
        }
    }
    let never = Arc::new(Never(std::sync::Barrier::new(2)));
    let mut net = Net::granted(&["a.test"]);
    let turns: Arc<dyn Turns> = never.clone();
    net.egress = net.egress.clone().in_turns(turns);
    let leash = leash();
    let words = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| net.send_on(&request("GET", "http://a.test/"), &leash));
        never.0.wait();
        leash.cancel.cancel();
        waiting.join().unwrap()
    });
    assert_eq!(words, Err("the call was cancelled".into()));
}
